//! ISO dates and times, where the text says them in its own words.

use super::Found;
use super::Search;
use crate::locale::dates::{Moment, Said, Stamp, resolve_folded};
use crate::record::Origin;

impl Search<'_> {
    pub(super) fn moment(&self, stamp: Stamp) -> Option<Found> {
        let reference = self.expectation.reference_time.and_then(Stamp::read);
        let moments = resolve_folded(self.folded(), reference, self.language);
        let date = |moment: &Moment| moment.date.clone().filter(|date| Some(date.value) == stamp.date);
        let time = |moment: &Moment| moment.time.clone().filter(|time| Some(time.value) == stamp.time);
        match (stamp.date, stamp.time) {
            (Some(_), None) => moments.iter().find_map(date).map(|date| self.said(&date)),
            (None, _) => moments.iter().find_map(time).map(|time| self.said(&time)),
            (Some(_), Some(_)) => {
                let both = moments.iter().find_map(|moment| Some((moment.range(), date(moment)?, time(moment)?)));
                if let Some((range, date, time)) = both {
                    return Some(self.found(&range, origin(date.exact && time.exact)));
                }
                // The day and the hour may stand far apart, each alone.
                let date = moments.iter().filter(|moment| moment.time.is_none()).find_map(date)?;
                let time = moments.iter().filter(|moment| moment.date.is_none()).find_map(time)?;
                let surface = format!("{}, {}", self.said(&date).surface, self.said(&time).surface);
                Some(Found { surface, origin: origin(date.exact && time.exact) })
            }
        }
    }

    fn said<T>(&self, said: &Said<T>) -> Found {
        self.found(&said.range, origin(said.exact))
    }
}

fn origin(exact: bool) -> Origin {
    if exact { Origin::Normalised } else { Origin::Inferred }
}

#[cfg(test)]
mod tests {
    use crate::locale::language::tests::language;
    use crate::locale::{Stand, value_stands};
    use crate::record::{Origin, Value};

    fn stands(code: &str, text: &str, value: &str) -> Option<(String, Origin)> {
        let expectation = Stand { reference_time: Some("2025-03-04T09:00:00"), ..Stand::default() };
        value_stands(text, &Value::from(value), &expectation, language(code)).map(|found| (found.surface, found.origin))
    }

    #[test]
    fn the_day_and_the_hour_may_stand_apart() {
        let found = stands("en", "tomorrow I need a table for a party, ideally from 8 pm on", "2025-03-05T20:00");
        assert_eq!(found, Some(("tomorrow, 8 pm".to_owned(), Origin::Inferred)));
        assert_eq!(stands("en", "tomorrow, for the whole afternoon and evening, from 8 pm", "2025-03-06T20:00"), None);
    }

    #[test]
    fn the_surface_is_the_part_that_says_it() {
        let text = "next week on Monday at 8:30 pm";
        assert_eq!(stands("en", text, "20:30"), Some(("8:30 pm".to_owned(), Origin::Normalised)));
        assert_eq!(stands("en", text, "2025-03-10"), Some(("next week on Monday".to_owned(), Origin::Inferred)));
        assert_eq!(
            stands("en", text, "2025-03-10T20:30"),
            Some(("next week on Monday at 8:30 pm".to_owned(), Origin::Inferred))
        );
        assert_eq!(stands("zh", "明天上午十点", "10:00"), Some(("上午十点".to_owned(), Origin::Normalised)));
    }

    #[test]
    fn seconds_and_zones_of_the_value_do_not_matter() {
        assert_eq!(stands("en", "8:15 a.m.", "08:15:00"), Some(("8:15 a.m.".to_owned(), Origin::Normalised)));
        assert_eq!(stands("ko", "오전 8시 15분", "08:15").map(|found| found.1), Some(Origin::Normalised));
    }
}
