//! Which tables a function looks at, and which it changes.

use super::functions::function::Function;
use super::steps::step::Step;

impl Function {
    /// The tables that a call of it changes.
    pub fn changes(&self) -> Vec<&str> {
        let mut tables = Vec::new();
        each(&self.steps, &mut |step| match step {
            Step::Insert { table, .. } | Step::Update { table, .. } | Step::Delete { table } => tables.push(&**table),
            _ => {}
        });
        // What a live call changes is not ours to see: all of them count as changing one thing.
        tables.extend(self.writes.then_some("live"));
        sorted(tables)
    }

    /// The tables whose rows it looks at.
    pub fn reads(&self) -> Vec<&str> {
        let mut found = Vec::new();
        each(&self.steps, &mut |step| match step {
            Step::From { tables, .. } => found.extend(tables.iter().map(String::as_str)),
            Step::Join { table, .. } => found.push(table),
            _ => {}
        });
        sorted(found)
    }
}

/// Shows every step, those within others too.
fn each<'s>(steps: &'s [Step], see: &mut dyn FnMut(&'s Step)) {
    for step in steps {
        see(step);
        if let Step::Gather { steps, .. } | Step::Combine { steps, .. } = step {
            each(steps, see);
        }
    }
}

fn sorted(mut tables: Vec<&str>) -> Vec<&str> {
    tables.sort_unstable();
    tables.dedup();
    tables
}

#[cfg(test)]
mod tests {
    use crate::toolset::declared::testing::inn;

    #[test]
    fn steps_tell_what_is_read_and_what_is_changed() {
        let world = inn("en");
        let of = |name: &str| (world.functions[name].reads(), world.functions[name].changes());
        assert_eq!(of("Search_Inns"), (vec!["inns"], vec![]));
        assert_eq!(of("Get_Inn"), (vec!["inns", "towns"], vec![]));
        assert_eq!(of("Plan_Tour"), (vec!["inns"], vec![]));
        assert_eq!(of("Book_Inn"), (vec![], vec!["bookings"]));
        assert_eq!(of("Cancel_Booking"), (vec!["bookings"], vec!["bookings"]));
        assert_eq!(of("Forget_Booking").1, ["bookings"]);
    }
}
