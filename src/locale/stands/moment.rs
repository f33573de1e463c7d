//! ISO dates and times, where the text says them in its own words.

use super::{Found, Search};
use crate::locale::dates::{Moment, Stamp, resolve_folded};
use crate::record::Origin;

impl Search<'_> {
    pub(super) fn moment(&self, stamp: Stamp) -> Option<Found> {
        let reference = self.expectation.reference_time.and_then(Stamp::read);
        let moments = resolve_folded(self.folded(), reference, self.language);
        let agrees = |moment: &&Moment| {
            stamp.date.is_none_or(|date| moment.date == Some(date))
                && stamp.time.is_none_or(|time| moment.time == Some(time))
        };
        if let Some(moment) = moments.iter().find(agrees) {
            return Some(self.said(moment));
        }
        // The day and the hour may stand far apart, each alone.
        let day = moments
            .iter()
            .find(|moment| moment.time.is_none() && moment.date.is_some() && moment.date == stamp.date)?;
        let hour = moments
            .iter()
            .find(|moment| moment.date.is_none() && moment.time.is_some() && moment.time == stamp.time)?;
        let (day, hour) = (self.said(day), self.said(hour));
        let origin = if day.origin == Origin::Inferred { day.origin } else { hour.origin };
        Some(Found { surface: format!("{}, {}", day.surface, hour.surface), origin })
    }

    fn said(&self, moment: &Moment) -> Found {
        self.found(&moment.range, if moment.exact { Origin::Normalised } else { Origin::Inferred })
    }
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
    fn seconds_and_zones_of_the_value_do_not_matter() {
        assert_eq!(stands("en", "8:15 a.m.", "08:15:00"), Some(("8:15 a.m.".to_owned(), Origin::Normalised)));
        assert_eq!(stands("ko", "오전 8시 15분", "08:15").map(|found| found.1), Some(Origin::Normalised));
    }
}
