//! The steps of a function: what they are once they were checked.

use super::expression::Expression;
use indexmap::IndexMap;

/// Names with the expressions that give their values.
pub(crate) type Values = IndexMap<String, Expression>;

/// One step of a function.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Gives names to values.
    Let(Values),
    /// Refuses the call where something does not hold.
    Require {
        /// What must hold.
        holds: Expression,
        /// The parameter that is to blame.
        parameter: String,
        /// The name of the message.
        error: String,
    },
    /// Opens the sealed text that a parameter brings back.
    Open {
        /// The parameter.
        parameter: String,
        /// The mark under which it was sealed.
        mark: String,
        /// What its content is called.
        name: String,
    },
    /// Begins with the rows of tables.
    From {
        /// The tables.
        tables: Vec<String>,
        /// Columns that hold these values; a value that is missing narrows nothing.
        by: Values,
    },
    /// Makes rows of the elements of a list; one that is no object is the row's `value`.
    Each(Expression),
    /// Gives a name to the list of rows.
    Keep(String),
    /// Keeps the rows for which something holds.
    Where {
        /// What must hold.
        holds: Expression,
        /// Only where this is given and true.
        when: Option<Expression>,
    },
    /// Looks for rows by a text.
    Find {
        /// The text.
        text: Expression,
        /// The columns in which it is looked for.
        within: Vec<Expression>,
        /// Whether a text that nothing contains finds what is spelt nearly so.
        nearest: bool,
    },
    /// Keeps the rows that pass a set of filters such as `class::4,wifi::1`.
    Filters {
        /// The parameter with the set.
        parameter: String,
        /// What each filter looks at.
        by: Values,
    },
    /// Adds the row of a table that a value names.
    Join {
        /// The table.
        table: String,
        /// The value.
        on: Expression,
        /// What the row is called.
        name: String,
    },
    /// Adds the rows that steps of their own find.
    Gather {
        /// What the list is called.
        name: String,
        /// The steps.
        steps: Vec<Step>,
    },
    /// For every element of a list finds rows; the first of each make the first row, the second the second.
    Combine {
        /// The list.
        list: Expression,
        /// What its element is called.
        name: String,
        /// What the list of found rows is called.
        into: String,
        /// The steps.
        steps: Vec<Step>,
    },
    /// Adds computed values to every row.
    Compute(Values),
    /// Adds an opaque text to every row, or gives a name to one where there are no rows yet; [`Step::Open`] opens it.
    Seal {
        /// Whether every row gets one.
        each: bool,
        /// What the text is called.
        name: String,
        /// The mark under which it is sealed.
        mark: String,
        /// Its length in characters.
        length: usize,
        /// What it holds.
        holding: Values,
    },
    /// Sorts the rows.
    Sort {
        /// The parameter that names the order; the first order where it is missing.
        parameter: Option<String>,
        /// The orders, each by what is compared.
        orders: IndexMap<String, Vec<Expression>>,
    },
    /// Keeps one page of the rows.
    Page {
        /// Its number, from 1.
        number: Expression,
        /// Rows of a page.
        size: Expression,
        /// The same in a world with long answers, where those are more.
        long: Option<Expression>,
    },
    /// Wants one row, or answers that a parameter names nothing.
    One {
        /// The parameter.
        parameter: String,
    },
    /// Makes a row.
    Insert {
        /// The table.
        table: String,
        /// Its values; columns that are not named are drawn as they are declared.
        values: Values,
    },
    /// Changes the rows.
    Update {
        /// The table.
        table: String,
        /// The new values.
        values: Values,
    },
    /// Takes the rows away.
    Delete {
        /// The table.
        table: String,
    },
}

/// What each step is called, with the keys that it wants and those that it may have.
pub(crate) const FORMS: [(&str, &[&str], &[&str]); 21] = [
    ("use", &[], &[]),
    ("let", &[], &[]),
    ("require", &["parameter", "error"], &[]),
    ("open", &["as"], &["mark"]),
    ("from", &[], &["by"]),
    ("each", &[], &[]),
    ("keep", &[], &[]),
    ("where", &[], &["when"]),
    ("find", &["within"], &["nearest"]),
    ("filters", &["by"], &[]),
    ("join", &["on", "as"], &[]),
    ("gather", &["steps"], &[]),
    ("combine", &["as", "into", "steps"], &[]),
    ("compute", &[], &[]),
    ("seal", &["length", "holding"], &["mark"]),
    ("sort", &[], &["orders"]),
    ("page", &["size"], &[]),
    ("one", &[], &[]),
    ("insert", &["values"], &[]),
    ("update", &["values"], &[]),
    ("delete", &[], &[]),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolset::declared::testing::{inn, known};

    #[test]
    fn every_form_has_a_name_of_its_own_and_no_key_twice() {
        for (at, (name, wanted, besides)) in FORMS.iter().enumerate() {
            assert!(FORMS[..at].iter().all(|(other, ..)| other != name));
            assert!(
                wanted
                    .iter()
                    .chain(*besides)
                    .all(|key| key != name && !(wanted.contains(key) && besides.contains(key)))
            );
        }
    }

    /// What a step does, in a word.
    fn word(step: &Step) -> &'static str {
        match step {
            Step::Let(_) => "let",
            Step::Require { .. } => "require",
            Step::Open { .. } => "open",
            Step::From { .. } => "from",
            Step::Each(_) => "each",
            Step::Keep(_) => "keep",
            Step::Where { .. } => "where",
            Step::Find { .. } => "find",
            Step::Filters { .. } => "filters",
            Step::Join { .. } => "join",
            Step::Gather { .. } => "gather",
            Step::Combine { .. } => "combine",
            Step::Compute(_) => "compute",
            Step::Seal { .. } => "seal",
            Step::Sort { .. } => "sort",
            Step::Page { .. } => "page",
            Step::One { .. } => "one",
            Step::Insert { .. } => "insert",
            Step::Update { .. } => "update",
            Step::Delete { .. } => "delete",
        }
    }

    fn words(steps: &[Step]) -> Vec<&'static str> {
        steps.iter().map(word).collect()
    }

    #[test]
    fn every_form_becomes_its_step() {
        let texts = [
            "{ let = { a = '1' } }",
            "{ require = 'true', parameter = 'x', error = 'no' }",
            "{ open = 'x', as = 'o', mark = 'm' }",
            "{ from = ['places'] }",
            "{ each = 'list' }",
            "{ keep = 'k' }",
            "{ from = ['places'] }",
            "{ where = 'row.size > 1', when = 'n is none' }",
            "{ find = 'x', within = ['row.id'], nearest = true }",
            "{ filters = 'x', by = { side = 'row.side' } }",
            "{ join = 'places', on = 'row.id', as = 'p' }",
            "{ gather = 'g', steps = [{ from = ['inns'] }] }",
            "{ combine = 'list', as = 'it', into = 'i', steps = [{ from = ['inns'] }] }",
            "{ compute = { a = '1' } }",
            "{ seal = 't', length = 9, holding = { a = 'n' }, mark = 'm' }",
            "{ sort = 'row.i' }",
            "{ page = '1', size = '2' }",
            "{ one = 'x' }",
            "{ insert = 'notes', values = {} }",
            "{ update = 'notes', values = { text = 'x' } }",
            "{ delete = 'notes' }",
        ];
        let toolset = known(&texts.join(", "), "1").unwrap();
        let steps = &toolset.world.as_ref().unwrap().functions["F"].steps;
        let forms: Vec<&str> =
            texts.iter().map(|text| text.trim_start_matches("{ ").split(' ').next().unwrap()).collect();
        assert_eq!(words(steps), forms);
        let mut made: Vec<&str> = words(steps);
        made.sort_unstable();
        made.dedup();
        assert_eq!(made.len() + 1, FORMS.len(), "`use` is the steps that it names");
    }

    #[test]
    fn steps_that_are_used_stand_in_the_place_of_their_name() {
        let world = inn("en");
        let steps = &world.functions["Search_Inns"].steps;
        assert_eq!(words(steps), ["from", "let", "require", "compute", "where", "filters", "seal", "sort", "page"]);
        let Step::Seal { each: true, name, mark, length: 120, holding } = &steps[6] else { panic!("{:?}", steps[6]) };
        assert_eq!((name.as_str(), mark.as_str(), holding.len()), ("token", "token", 4));
    }
}
