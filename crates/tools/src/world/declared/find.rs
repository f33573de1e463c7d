//! Looking for rows by what people call them.

/// How well a text names something; the least is the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Likeness {
    /// It is the name.
    Same,
    /// The name begins with it.
    Beginning,
    /// The name holds it.
    Part,
    /// The names together hold all of its words.
    Words,
    /// A name is spelt nearly so; the number counts slips.
    Near(usize),
}

/// How well `query` names something that is called by `names`; spellings count where `nearest` is set.
pub(super) fn likeness(query: &str, names: &[String], nearest: bool) -> Option<Likeness> {
    let query = folded(query);
    if query.is_empty() {
        return None;
    }
    let names: Vec<String> = names.iter().map(|name| folded(name)).collect();
    let of = |name: &String| match () {
        () if *name == query => Some(Likeness::Same),
        () if name.starts_with(&query) => Some(Likeness::Beginning),
        () if name.contains(&query) => Some(Likeness::Part),
        () => None,
    };
    let best = names.iter().filter_map(of).min();
    let all_words = || {
        let held = |word: &str| names.iter().any(|name| name.split(' ').any(|own| own == word));
        query.split(' ').all(held).then_some(Likeness::Words)
    };
    best.or_else(all_words).or_else(|| if nearest { near(&query, &names) } else { None })
}

/// One slip in four letters is forgiven.
fn near(query: &str, names: &[String]) -> Option<Likeness> {
    let reach = query.chars().count() / 4;
    let length = query.chars().count();
    // Names of quite another length need not be compared letter by letter.
    let close = names.iter().filter(|name| name.chars().count().abs_diff(length) <= reach);
    let slips = close.map(|name| strsim::damerau_levenshtein(query, name)).min()?;
    (slips <= reach).then_some(Likeness::Near(slips))
}

/// A text without case and marks, its words with single spaces between.
fn folded(text: &str) -> String {
    let plain: String = text.chars().map(|letter| if letter.is_alphanumeric() { letter } else { ' ' }).collect();
    plain.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn like(query: &str, names: &[&str]) -> Option<Likeness> {
        likeness(query, &names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>(), true)
    }

    #[test]
    fn the_better_a_text_names_something_the_earlier_it_comes() {
        let order = ["Old Harbor", "old", "harbor", "harbor lisbon", "Old Habror"]
            .map(|query| like(query, &["Old Harbor", "Lisbon"]).unwrap());
        assert!(order.is_sorted() && order[0] == Likeness::Same && order[4] == Likeness::Near(1), "{order:?}");
        assert_eq!(like("Madrid", &["Old Harbor", "Lisbon"]), None);
        assert_eq!(like("  ,", &["Lisbon"]), None);
    }

    #[test]
    fn letters_of_any_script_are_compared() {
        assert_eq!(like("\u{c11c}\u{c6b8}", &["\u{c11c}\u{c6b8}", "Seoul"]), Some(Likeness::Same));
        assert_eq!(like("LISBON, Portugal", &["Lisbon", "portugal"]), Some(Likeness::Words));
        assert_eq!(likeness("Lisbom", &["Lisbon".to_owned()], false), None);
        assert_eq!(like("Ba", &["Bo"]), None, "a short text has no room for slips");
    }

    #[test]
    fn a_text_that_is_worse_is_never_liked_better() {
        let names = ["Grand Old Harbor Inn", "Lisbon"];
        let queries = ["grand old harbor inn", "Grand Old", "harbor", "lisbon grand", "Lisbn"];
        let found: Vec<Option<Likeness>> = queries.iter().map(|query| like(query, &names)).collect();
        assert_eq!(
            found,
            [Likeness::Same, Likeness::Beginning, Likeness::Part, Likeness::Words, Likeness::Near(1)].map(Some)
        );
        assert_eq!(folded("  Caf\u{e9}-Bar,  No.  7 "), "caf\u{e9} bar no 7");
    }
}
