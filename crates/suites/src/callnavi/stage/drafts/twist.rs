//! What makes a chain harder still: a bare identifier, a second thought, a value that must be worked out, one that is missing.

use super::Drafter;
use crate::callnavi::stage::ask::Draft;
use crate::callnavi::stage::questions::HardQuestionsConfig;
use crate::llm::{AskedArgument, AskedCall};
use crate::locale::{Change, Fill, Pattern, Stamp};
use crate::record::{Chance, Saying, Value};
use crate::toolset::{Content, Field, Operation, Slot};
use crate::world::CallFault;

/// What a question is to be besides dependent.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Twists {
    ambiguous: bool,
    conflicting: bool,
    transformed: bool,
    incomplete: bool,
}

/// Where an argument stands: the call's place, and the parameter.
type Place = (usize, String);

impl Drafter<'_> {
    /// Which of them a question is to have.
    pub(crate) fn twists(&mut self, config: &HardQuestionsConfig) -> Twists {
        Twists {
            ambiguous: self.chance.happens(config.ambiguous.get()),
            conflicting: self.chance.happens(config.conflicting.get()),
            transformed: self.chance.happens(config.transformed.get()),
            incomplete: self.chance.happens(config.incomplete.get()),
        }
    }

    /// Changes how values are said; the words for what was done, `dependent` first.
    pub(crate) fn twist(&mut self, calls: &mut [AskedCall], wanted: Twists) -> Vec<String> {
        let mut tags = vec!["dependent".to_owned()];
        if wanted.transformed && self.transform(calls).is_some() {
            tags.push("transformed".to_owned());
        }
        if wanted.conflicting && self.correct(calls).is_some() {
            tags.push("conflicting".to_owned());
        }
        if wanted.ambiguous && self.bare(calls).is_some() {
            tags.push("ambiguous".to_owned());
        }
        tags
    }

    /// Leaves out an argument of the last call, which then answers what is missing.
    pub(crate) fn left_out(&mut self, mut draft: Draft, wanted: Twists) -> Option<Draft> {
        let Some((call, name)) = wanted.incomplete.then(|| self.leavable(&draft.calls)).flatten() else {
            return Some(draft);
        };
        let argument = draft.calls.get_mut(call)?.arguments.get_mut(&name)?;
        (argument.value, argument.words, argument.saying) = (Value::Null, String::new(), Saying::Unsaid);
        *draft.answers.get_mut(call)? = CallFault::Missing { parameter: name }.answer();
        draft.tags.push("incomplete".to_owned());
        Some(draft)
    }

    /// An argument of the last call that some intent can do without; not the one by which a thing is looked up, since
    /// nobody asks for a thing and says nothing of it.
    fn leavable(&mut self, calls: &[AskedCall]) -> Option<Place> {
        let (place, call) = (calls.len().checked_sub(1)?, calls.last()?);
        let operation = self.api(&call.tool).map(|api| &api.operation);
        if matches!(operation, Some(Operation::Find(_) | Operation::Latest(_) | Operation::List(_))) {
            return None;
        }
        let intents = call.phrases.iter().flat_map(|it| &it.intents).filter_map(|text| Pattern::parse(text).ok());
        let intents: Vec<Pattern> = intents.collect();
        let plain = call.arguments.iter().filter(|(_, it)| it.saying == Saying::Plain && it.refers.is_none());
        let optional = |name: &&String| intents.iter().any(|it| !it.needed().contains(&name.as_str()));
        let required = |name: &&String| call.tool.parameters.required.contains(name);
        let names: Vec<&String> = plain.map(|(name, _)| name).filter(required).filter(optional).collect();
        self.chance.pick(&names).map(|name| (place, (*name).clone()))
    }

    /// Names a thing by its identifier alone.
    fn bare(&mut self, calls: &mut [AskedCall]) -> Option<()> {
        let place = self.place(calls, |_, it| it.refers.is_some())?;
        at(calls, &place)?.saying = Saying::Bare;
        Some(())
    }

    /// Says another value first.
    fn correct(&mut self, calls: &mut [AskedCall]) -> Option<()> {
        let place = self.place(calls, |field, it| it.refers.is_none() && !matches!(field.content, Content::Boolean))?;
        let field = self.field(calls, &place)?;
        let value = at(calls, &place)?.value.clone();
        let old = (0..8).find_map(|_| self.drawn(&field).filter(|it| !it.value.equals(&value)))?.surface;
        at(calls, &place)?.saying = Saying::Corrected { old };
        Some(())
    }

    /// Says a number or a day by words from which it follows; the value stays, since others may follow from it.
    fn transform(&mut self, calls: &mut [AskedCall]) -> Option<()> {
        let free = |drafter: &Self, call: &AskedCall| {
            let operation = drafter.api(&call.tool).map(|api| &api.operation);
            !matches!(operation, Some(Operation::Find(_) | Operation::Latest(_) | Operation::List(_)))
        };
        let open: Vec<bool> = calls.iter().map(|call| free(self, call)).collect();
        let places = self.places(calls, |field, it| self.is_near(field) || it.value.as_number().is_some());
        // Nobody reckons with what a bill or a record says.
        let of_record = |place: &Place| self.given(calls, place).is_some_and(|slot| !slot.from.is_empty());
        let places: Vec<Place> =
            places.into_iter().filter(|it| open.get(it.0) == Some(&true) && !of_record(it)).collect();
        let place = self.chance.pick(&places)?.clone();
        let field = self.field(calls, &place)?;
        let value = at(calls, &place)?.value.clone();
        let words = (0..16).find_map(|_| self.worked_out(&field, &value))?;
        let argument = at(calls, &place)?;
        (argument.words, argument.saying) = (words, Saying::Transformed);
        Some(())
    }

    /// Whether a field holds days that people count from; they do not count from the day on which somebody was born.
    fn is_near(&self, field: &Field) -> bool {
        let days = field.content.kind().and_then(|kind| self.context.pack().kinds.get(kind)?.days.as_ref());
        days.is_some_and(|days| days.year == days.until)
    }

    /// Words from which a value follows.
    fn worked_out(&mut self, field: &Field, value: &Value) -> Option<String> {
        let fitting: Vec<_> = self
            .context
            .pack()
            .questions
            .transformed
            .iter()
            .filter(|it| matches!(it.change, Change::Days(_)) == field.day)
            .collect();
        let transform = *self.chance.pick(&fitting)?;
        let base = before(value, transform.change, field)?;
        let base = self.surface(field, &base).surface;
        let mut words = One { pack: self.context.pack(), words: &base };
        Some(transform.words.render(&mut words, &mut self.chance))
    }

    fn place(&mut self, calls: &[AskedCall], fits: impl Fn(&Field, &AskedArgument) -> bool) -> Option<Place> {
        let places = self.places(calls, fits);
        self.chance.pick(&places).cloned()
    }

    /// The arguments that are said plainly, of which `fits` holds.
    fn places(&self, calls: &[AskedCall], fits: impl Fn(&Field, &AskedArgument) -> bool) -> Vec<Place> {
        let mut places = Vec::new();
        for (place, call) in calls.iter().enumerate() {
            for (name, argument) in &call.arguments {
                let at = (place, name.clone());
                let fits = |field: Field| argument.saying == Saying::Plain && fits(&field, argument);
                if self.field(calls, &at).is_some_and(fits) {
                    places.push(at);
                }
            }
        }
        places
    }

    fn field(&self, calls: &[AskedCall], place: &Place) -> Option<Field> {
        Some(self.given(calls, place)?.field.clone())
    }

    fn given(&self, calls: &[AskedCall], (call, name): &Place) -> Option<&Slot> {
        self.api(&calls.get(*call)?.tool)?.slots.get(name)
    }
}

fn at<'a>(calls: &'a mut [AskedCall], (call, name): &Place) -> Option<&'a mut AskedArgument> {
    calls.get_mut(*call)?.arguments.get_mut(name)
}

/// The value from which one follows; none where that is no value of the field: a part of a whole number, or nothing.
fn before(value: &Value, change: Change, field: &Field) -> Option<Value> {
    let number = |number: f64| {
        let cents = (number * 100.0).round() / 100.0;
        let exact = (cents - number).abs() < 1e-9 && cents > 0.0;
        let whole = (cents.fract() == 0.0).then(|| format!("{cents:.0}"));
        let text = whole.or_else(|| (field.type_name == "number").then(|| format!("{cents:.2}")))?;
        exact.then(|| Value::read(&text).ok()).flatten()
    };
    match change {
        Change::Times(factor) => number(value.as_number()?.as_f64() / factor),
        Change::Plus(more) => number(value.as_number()?.as_f64() - more),
        Change::Days(days) => {
            Stamp::read(value.as_str()?)?.date?.plus(-days).map(|date| Value::from(date.to_string().as_str()))
        }
    }
}

/// The one slot of a transform.
struct One<'w> {
    pack: &'w crate::locale::Pack,
    words: &'w str,
}

impl Fill for One<'_> {
    fn has(&self, _slot: &str) -> bool {
        true
    }

    fn say(&mut self, _slot: &str, particle: Option<&str>, _chance: &mut Chance) -> String {
        self.pack.agreed(self.words, particle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(value: &str, change: Change, type_name: &str) -> Option<String> {
        let field = Field { type_name: type_name.to_owned(), ..Field::default() };
        before(&Value::read(value).unwrap(), change, &field).map(|value| value.to_string())
    }

    #[test]
    fn numbers_and_days_follow_from_others() {
        assert_eq!(base("300", Change::Times(2.0), "integer").as_deref(), Some("150"));
        assert_eq!(base("2.5", Change::Times(0.1), "number").as_deref(), Some("25"));
        assert_eq!(base("19", Change::Plus(10.0), "integer").as_deref(), Some("9"));
        assert_eq!(base("\"2026-03-01\"", Change::Days(1), "string").as_deref(), Some("\"2026-02-28\""));
    }

    #[test]
    fn what_is_no_value_of_the_field_is_followed_by_nothing() {
        assert_eq!(base("25", Change::Times(2.0), "integer"), None, "a part of a whole number");
        assert_eq!(base("100", Change::Times(3.0), "number"), None, "no full cents");
        assert_eq!(base("3", Change::Plus(5.0), "integer"), None, "less than nothing");
        assert_eq!(base("\"soon\"", Change::Days(1), "string"), None);
    }
}
