//! Functions that expressions may call besides those of the engine: days, times, distances, ages.

use fcgen_core::locale::{Date, Stamp, Time};
use minijinja::{Environment, Error, ErrorKind};

/// The mean radius of the earth in kilometres.
const EARTH: f64 = 6371.0;

/// Names of the functions, for messages.
pub(super) const NAMES: [&str; 9] =
    ["nights", "add_days", "weekday", "minutes", "add_minutes", "moment", "distance", "ages", "range"];

/// Makes the functions known.
pub(super) fn add(environment: &mut Environment<'static>) {
    environment.add_function("nights", nights);
    environment.add_function("add_days", add_days);
    environment.add_function("weekday", |day: &str| Ok::<_, Error>(date(day)?.weekday() + 1));
    environment.add_function("minutes", minutes);
    environment.add_function("add_minutes", add_minutes);
    environment
        .add_function("moment", |day: &str, time: &str| Ok::<_, Error>(format!("{}T{}", date(day)?, clock(time)?)));
    environment.add_function("distance", distance);
    environment.add_function("ages", ages);
}

/// Days from one day to another: below zero where the other is earlier.
fn nights(from: &str, to: &str) -> Result<i64, Error> {
    Ok(date(to)?.number() - date(from)?.number())
}

fn add_days(day: &str, days: i64) -> Result<String, Error> {
    let later = date(day)?.plus(days).ok_or_else(|| fault(day, "a day within reach"))?;
    Ok(later.to_string())
}

/// Minutes from midnight of a time of the day.
fn minutes(time: &str) -> Result<i64, Error> {
    let time = clock(time)?;
    Ok(i64::from(time.hour) * 60 + i64::from(time.minute))
}

/// The moment so many minutes after another, into other days if need be.
fn add_minutes(moment: &str, more: i64) -> Result<String, Error> {
    let stamp = Stamp::read(moment).ok_or_else(|| fault(moment, "a moment"))?;
    let (Some(day), Some(time)) = (stamp.date, stamp.time) else { return Err(fault(moment, "a day with a time")) };
    let all = (i64::from(time.hour) * 60 + i64::from(time.minute)).saturating_add(more);
    let day = day.plus(all.div_euclid(1_440)).ok_or_else(|| fault(moment, "a moment within reach"))?;
    Ok(format!("{day}T{}", time.plus_minutes(more)))
}

/// Kilometres between two points of the globe.
fn distance(from_latitude: f64, from_longitude: f64, to_latitude: f64, to_longitude: f64) -> f64 {
    let (north, south) = (from_latitude.to_radians(), to_latitude.to_radians());
    let height = ((south - north) / 2.0).sin().powi(2);
    let width = ((to_longitude - from_longitude).to_radians() / 2.0).sin().powi(2);
    let share = (height + north.cos() * south.cos() * width).clamp(0.0, 1.0);
    // Metres are enough, and hide what the last bits of sines may differ in from machine to machine.
    (2.0 * EARTH * share.sqrt().asin() * 1000.0).round() / 1000.0
}

/// The whole numbers of a text such as `5,8`.
fn ages(text: &str) -> Vec<i64> {
    text.split(',').filter_map(|part| part.trim().parse().ok()).collect()
}

fn date(text: &str) -> Result<Date, Error> {
    Stamp::read(text).and_then(|stamp| stamp.date).ok_or_else(|| fault(text, "a day"))
}

fn clock(text: &str) -> Result<Time, Error> {
    Stamp::read(text).and_then(|stamp| stamp.time).ok_or_else(|| fault(text, "a time"))
}

fn fault(text: &str, expected: &str) -> Error {
    Error::new(ErrorKind::InvalidOperation, format!("`{text}` is not {expected}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn days_are_counted_and_added() {
        assert_eq!(nights("2024-12-30", "2025-01-02").unwrap(), 3);
        assert_eq!(nights("2024-12-30", "2024-12-29").unwrap(), -1);
        assert_eq!(add_days("2024-02-28", 2).unwrap(), "2024-03-01");
        assert!(add_days("2024-02-28", i64::MAX).is_err() && nights("soon", "2024-01-01").is_err());
    }

    #[test]
    fn minutes_run_past_midnight() {
        assert_eq!(minutes("06:30").unwrap(), 390);
        assert_eq!(add_minutes("2024-12-31T23:30", 45).unwrap(), "2025-01-01T00:15");
        assert_eq!(add_minutes("2024-12-31T00:10", -20).unwrap(), "2024-12-30T23:50");
        assert!(add_minutes("2024-12-31", 5).is_err());
    }

    #[test]
    fn a_degree_of_latitude_is_some_hundred_kilometres() {
        let degree = distance(0.0, 10.0, 1.0, 10.0);
        assert!((111.0..111.4).contains(&degree), "{degree}");
        assert!(distance(48.1, 11.6, 48.1, 11.6).abs() < 1e-9);
        assert!((distance(0.0, 0.0, 0.0, 180.0) - 20_015.0).abs() < 1.0);
    }

    #[test]
    fn ages_are_the_numbers_of_a_list() {
        assert_eq!(ages("5, 8"), [5, 8]);
        assert_eq!(ages(""), [0; 0]);
    }

    fn any_day() -> impl Strategy<Value = String> {
        (1600_i32..2400, 1_u8..13, 1_u8..29).prop_map(|(year, month, day)| format!("{year:04}-{month:02}-{day:02}"))
    }

    fn any_point() -> impl Strategy<Value = (f64, f64)> {
        (-90.0..90.0_f64, -180.0..180.0_f64)
    }

    proptest! {
        #[test]
        fn days_that_are_added_are_the_nights_between(day in any_day(), days in -4000_i64..4000) {
            let other = add_days(&day, days).unwrap();
            prop_assert_eq!(nights(&day, &other).unwrap(), days);
            prop_assert_eq!(nights(&other, &day).unwrap(), -days);
            prop_assert_eq!(add_days(&other, -days).unwrap(), day.clone());
            prop_assert_eq!(day < other, days > 0, "{} {}", day, other);
        }

        #[test]
        fn minutes_that_are_added_can_be_taken_away(day in any_day(), hour in 0_u8..24, minute in 0_u8..60, more in -9000_i64..9000) {
            let moment = format!("{day}T{hour:02}:{minute:02}");
            let later = add_minutes(&moment, more).unwrap();
            prop_assert_eq!(add_minutes(&later, -more).unwrap(), moment);
        }

        #[test]
        fn a_distance_is_the_same_both_ways_and_no_detour_is_shorter(one in any_point(), two in any_point(), three in any_point()) {
            let between = |from: (f64, f64), to: (f64, f64)| distance(from.0, from.1, to.0, to.1);
            prop_assert!((between(one, two) - between(two, one)).abs() < 1e-9);
            prop_assert!(between(one, one).abs() < 1e-9 && between(one, two) <= 20_016.0);
            prop_assert!(between(one, three) <= between(one, two) + between(two, three) + 0.01);
        }
    }
}
