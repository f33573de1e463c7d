//! What can be looked up in an answer beside its items: whether an item has some quality, on which a request may make its
//! choice hang, and what a list comes to.

use super::super::steps::pick::{Criterion, Pick};
use super::super::steps::reader::{Reader, Text};
use super::super::steps::template::Node;
use fcgen_core::record::{Number, Value};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use toml::Spanned;

/// Something that an item of a list may be or have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Quality {
    /// JSON pointer to an item in the whole answer; `0` stands for each of a list.
    pub item: String,
    /// JSON pointer within the item.
    pub field: String,
    /// What must stand there.
    pub wanted: Wanted,
}

/// The condition that a field has to meet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wanted {
    /// This value.
    Is(Value),
    /// A list with this value in it.
    Has(Value),
    /// A number of at least so much.
    Least(f64),
    /// A number of at most so much.
    Most(f64),
}

/// What a list comes to, as one figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// JSON pointer to an item in the whole answer; `0` stands for each of a list.
    pub item: String,
    /// How it is counted.
    pub by: Fold,
}

/// How a figure is made of a list. Fields are JSON pointers within the item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fold {
    /// How many items have a quality.
    Count(Quality),
    /// The average of a field, to two places.
    Mean(String),
    /// All of a field taken together, to two places.
    Sum(String),
    /// How far the greatest and the least of a field lie apart, to two places.
    Spread(String),
}

/// Which of two items is meant, as an answer has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The item that is looked at first, and taken if it has the quality: the pick's name, and what makes it the one.
    pub first: (String, Criterion),
    /// The quality, by its name.
    pub quality: (String, Quality),
    /// The item that is taken in its place.
    pub other: (String, Criterion),
}

/// What may be done with an item that has some quality, and what with one that has it not.
#[derive(Debug, Clone, PartialEq)]
pub struct Forking {
    /// The quality.
    pub quality: Quality,
    /// Functions that take the item: one where it has the quality, and the other where it has not.
    pub pairs: Vec<(String, String)>,
}

impl Quality {
    /// Whether an item has it; none where the item does not tell.
    pub fn is_met(&self, item: &Value) -> Option<bool> {
        let found = pointed(item, &self.field)?;
        let number = || found.as_number().map(Number::as_f64);
        match &self.wanted {
            Wanted::Is(value) => Some(found.equals(value)),
            Wanted::Has(value) => Some(found.as_list()?.iter().any(|it| it.equals(value))),
            Wanted::Least(least) => Some(number()? >= *least),
            Wanted::Most(most) => Some(number()? <= *most),
        }
    }
}

impl Tally {
    /// The figure; none where the list is empty or some item lacks the field.
    pub fn figure(&self, answer: &Value) -> Option<Number> {
        let list = pointed(answer, self.item.strip_suffix("/0")?)?.as_list()?;
        let numbers = |field: &str| -> Option<Vec<f64>> {
            list.iter().map(|item| pointed(item, field)?.as_number().map(Number::as_f64)).collect()
        };
        let count = u32::try_from(list.len()).ok().filter(|count| *count > 0)?;
        let figure = match &self.by {
            Fold::Count(quality) => {
                let met: Vec<bool> = list.iter().map(|item| quality.is_met(item)).collect::<Option<_>>()?;
                return Number::parse(&met.into_iter().filter(|met| *met).count().to_string());
            }
            Fold::Mean(field) => numbers(field)?.iter().sum::<f64>() / f64::from(count),
            Fold::Sum(field) => numbers(field)?.iter().sum(),
            Fold::Spread(field) => {
                let numbers = numbers(field)?;
                numbers.iter().copied().fold(f64::MIN, f64::max) - numbers.iter().copied().fold(f64::MAX, f64::min)
            }
        };
        let text = format!("{figure:.2}");
        let text = text.strip_suffix(".00").unwrap_or(&text);
        Number::parse(text)
    }
}

fn pointed<'v>(value: &'v Value, pointer: &str) -> Option<&'v Value> {
    pointer.split('/').skip(1).try_fold(value, |value, part| match value {
        Value::Object(fields) => fields.get(part),
        Value::List(items) => items.get(part.parse::<usize>().ok()?),
        _ => None,
    })
}

/// A quality as a file writes it; exactly one of `is`, `has`, `least` and `most` is there.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct QualityText {
    list: String,
    field: Option<Text>,
    is: Option<toml::Value>,
    has: Option<toml::Value>,
    least: Option<f64>,
    most: Option<f64>,
    /// The picks whose item may be taken if it has the quality.
    take: Vec<Text>,
    /// The picks whose item may be taken in its place.
    #[serde(rename = "else")]
    other: Vec<Text>,
    /// Pairs of functions: which is called for an item that has the quality, and which for one that has it not.
    forks: Vec<(Text, Text)>,
}

/// A tally as a file writes it; exactly one of `count`, `mean`, `sum` and `spread` is there.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TallyText {
    list: String,
    count: Option<Text>,
    mean: Option<Text>,
    sum: Option<Text>,
    spread: Option<Text>,
}

impl Reader<'_> {
    /// Checks a quality against the answer in which it is looked up.
    pub(crate) fn quality(&mut self, text: &Spanned<QualityText>, give: &Node, place: &str) -> Option<Quality> {
        let given = text.get_ref();
        let list = format!("{}[]", given.list);
        let Some((_, pointer)) = give.at(&list) else {
            self.fault(text.span(), format!("no list `{}` in the answer", given.list));
            return None;
        };
        let field = given.field.as_ref().and_then(|field| self.field(field, &list, &pointer, give))?;
        let value = |value: &toml::Value| super::super::tables::json(value);
        let wanted = [
            given.is.as_ref().map(value).map(Wanted::Is),
            given.has.as_ref().map(value).map(Wanted::Has),
            given.least.map(Wanted::Least),
            given.most.map(Wanted::Most),
        ];
        let Ok([wanted]) = <[Wanted; 1]>::try_from(wanted.into_iter().flatten().collect::<Vec<_>>()) else {
            self.fault(text.span(), "expected exactly one of `is`, `has`, `least` and `most`");
            return None;
        };
        Some(Quality { item: format!("{place}{pointer}"), field, wanted })
    }

    /// Checks a tally against the answer that it counts.
    pub(crate) fn tally(
        &mut self,
        text: &Spanned<TallyText>,
        (give, place): (&Node, &str),
        qualities: &IndexMap<String, Quality>,
    ) -> Option<Tally> {
        let given = text.get_ref();
        let list = format!("{}[]", given.list);
        let Some((_, pointer)) = give.at(&list) else {
            self.fault(text.span(), format!("no list `{}` in the answer", given.list));
            return None;
        };
        let mut folds = Vec::new();
        for (field, make) in
            [(&given.mean, Fold::Mean as fn(String) -> Fold), (&given.sum, Fold::Sum), (&given.spread, Fold::Spread)]
        {
            folds.extend(field.as_ref().and_then(|field| Some(make(self.field(field, &list, &pointer, give)?))));
        }
        if let Some(name) = &given.count {
            if let Some(quality) = qualities.get(name.get_ref()) {
                folds.push(Fold::Count(quality.clone()));
            } else {
                let known: Vec<&str> = qualities.keys().map(String::as_str).collect();
                self.unknown(name.span(), "quality", name.get_ref(), &known);
            }
        }
        let Ok([by]) = <[Fold; 1]>::try_from(folds) else {
            self.fault(text.span(), "expected exactly one of `count`, `mean`, `sum` and `spread`");
            return None;
        };
        Some(Tally { item: format!("{place}{pointer}"), by })
    }

    /// The functions of which one or the other is called for an item; none where a quality names none.
    pub(crate) fn forking(
        &mut self,
        text: &Spanned<QualityText>,
        quality: &Quality,
        functions: &[&str],
    ) -> Option<Forking> {
        let forks = &text.get_ref().forks;
        for name in forks.iter().flat_map(|(yes, no)| [yes, no]) {
            if !functions.contains(&name.get_ref().as_str()) {
                self.unknown(name.span(), "function", name.get_ref(), functions);
            }
        }
        let pairs = forks.iter().map(|(yes, no)| (yes.get_ref().clone(), no.get_ref().clone()));
        (!forks.is_empty()).then(|| Forking { quality: quality.clone(), pairs: pairs.collect() })
    }

    /// The picks that hang on a quality, by name: each that may be taken with each that may be taken in its place.
    pub(crate) fn chosen(
        &mut self,
        (name, text): (&str, &Spanned<QualityText>),
        quality: &Quality,
        picks: &IndexMap<String, Pick>,
    ) -> Vec<(String, Pick)> {
        let known: Vec<&str> = picks.keys().map(String::as_str).collect();
        let mut read = |names: &[Text]| -> Vec<(String, Criterion)> {
            let of = |name: &Text| {
                let found = picks.get(name.get_ref()).filter(|pick| pick.item == quality.item);
                if found.is_none() {
                    self.unknown(name.span(), "pick", name.get_ref(), &known);
                }
                Some((name.get_ref().clone(), found?.by.clone()))
            };
            names.iter().filter_map(of).collect()
        };
        let (taken, others) = (read(&text.get_ref().take), read(&text.get_ref().other));
        let pairs = taken.iter().flat_map(|first| others.iter().map(move |other| (first, other)));
        let different = pairs.filter(|(first, other)| first.0 != other.0);
        let pick = |(first, other): (&(String, Criterion), &(String, Criterion))| {
            let choice =
                Choice { first: first.clone(), quality: (name.to_owned(), quality.clone()), other: other.clone() };
            let key = format!("{}_if_{name}_else_{}", first.0, other.0);
            (key, Pick { item: quality.item.clone(), by: Criterion::Chosen(Box::new(choice)) })
        };
        different.map(pick).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolset::declared::testing::world_faults;

    fn answer() -> Value {
        Value::read(
            r#"{"data": [{"price": 10, "has": ["pool"]}, {"price": 14.5, "has": []}, {"price": 12, "has": []}]}"#,
        )
        .unwrap()
    }

    fn pool() -> Quality {
        Quality { item: "/data/0".to_owned(), field: "/has".to_owned(), wanted: Wanted::Has(Value::from("pool")) }
    }

    #[test]
    fn a_list_comes_to_one_figure() {
        let figure = |by| Tally { item: "/data/0".to_owned(), by }.figure(&answer()).map(|it| it.to_string());
        let price = || "/price".to_owned();
        assert_eq!(figure(Fold::Count(pool())).as_deref(), Some("1"));
        assert_eq!(figure(Fold::Mean(price())).as_deref(), Some("12.17"));
        assert_eq!(figure(Fold::Sum(price())).as_deref(), Some("36.50"));
        assert_eq!(figure(Fold::Spread(price())).as_deref(), Some("4.50"));
        assert_eq!(figure(Fold::Mean("/none".to_owned())), None);
        let none = Tally { item: "/data/0".to_owned(), by: Fold::Count(pool()) };
        assert_eq!(none.figure(&Value::read(r#"{"data": []}"#).unwrap()), None);
    }

    #[test]
    fn the_functions_of_a_fork_must_be_there_and_its_quality_be_said() {
        let place = "[functions.Search_Inns.parameters]";
        let forks = |names: &str| {
            let starry = "starry = { list = \"inns\", field = \"stars\", least = 4, forks = [[NAMES]] }";
            format!("[functions.Search_Inns.qualities]\n{}\n{place}", starry.replace("NAMES", names))
        };
        let faults = world_faults(place, &forks("\"Get_Inn\", \"Get_In\"")).join("\n");
        assert!(faults.contains("unknown function `Get_In`"), "{faults}");
        let faults = world_faults(place, &forks("\"Get_Inn\", \"Book_Inn\"")).join("\n");
        assert!(faults.contains("no text for the quality `starry`"), "{faults}");
    }

    #[test]
    fn an_item_has_a_quality_or_not_or_does_not_tell() {
        let item = |json: &str| Value::read(json).unwrap();
        assert_eq!(pool().is_met(&item(r#"{"has": ["bar", "pool"]}"#)), Some(true));
        assert_eq!(pool().is_met(&item(r#"{"has": []}"#)), Some(false));
        assert_eq!(pool().is_met(&item("{}")), None);
        let of = |wanted| Quality { wanted, ..pool() };
        assert_eq!(of(Wanted::Least(3.0)).is_met(&item(r#"{"has": 3}"#)), Some(true));
        assert_eq!(of(Wanted::Most(2.5)).is_met(&item(r#"{"has": 3}"#)), Some(false));
        assert_eq!(of(Wanted::Is(Value::Bool(true))).is_met(&item(r#"{"has": false}"#)), Some(false));
    }
}
