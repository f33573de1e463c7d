//! Exact decimals, as large as numerals get.

use crate::record::Number;

/// `units` divided by ten to the power of `places`.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::locale) struct Decimal {
    units: i128,
    places: u32,
}

impl Decimal {
    /// Reads digits with at most one point.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let places = u32::try_from(fraction.len()).ok().filter(|places| *places < 30)?;
        let units = format!("{whole}{fraction}").parse().ok()?;
        Some(Self { units, places })
    }

    pub(super) fn plus(self, other: Self) -> Option<Self> {
        let places = self.places.max(other.places);
        let units = self.at(places)?.checked_add(other.at(places)?)?;
        Some(Self { units, places })
    }

    pub(super) fn times(self, factor: i128) -> Option<Self> {
        Some(Self { units: self.units.checked_mul(factor)?, ..self })
    }

    /// Puts a digit after the last place.
    pub(super) fn then_place(self, digit: i128) -> Option<Self> {
        let places = self.places.checked_add(1).filter(|places| *places < 30)?;
        Some(Self { units: self.units.checked_mul(10)?.checked_add(digit)?, places })
    }

    pub(super) fn negated(self) -> Self {
        Self { units: -self.units, ..self }
    }

    pub(super) fn is_less(self, other: Self) -> bool {
        let places = self.places.max(other.places);
        self.at(places).zip(other.at(places)).is_some_and(|(one, two)| one < two)
    }

    pub(super) fn is_zero(self) -> bool {
        self.units == 0
    }

    pub(super) fn is_below(self, bound: i128) -> bool {
        self.whole().is_none_or(|whole| whole < bound)
    }

    /// The whole number that it is, if it is one.
    pub(in crate::locale) fn whole(self) -> Option<i128> {
        let power = 10_i128.checked_pow(self.places)?;
        (self.units % power == 0).then(|| self.units / power)
    }

    /// The number, a whole one without a fraction.
    pub(in crate::locale) fn number(self) -> Number {
        Number::parse(&self.text()).unwrap_or_else(|| Number::from(0))
    }

    fn text(self) -> String {
        if let Some(whole) = self.whole() {
            return whole.to_string();
        }
        let width = self.places as usize + 1;
        let digits = format!("{:0>width$}", self.units.unsigned_abs());
        let (whole, fraction) = digits.split_at_checked(digits.len() - width + 1).unwrap_or((&digits, "0"));
        format!("{}{whole}.{fraction}", if self.units < 0 { "-" } else { "" })
    }

    fn at(self, places: u32) -> Option<i128> {
        self.units.checked_mul(10_i128.checked_pow(places.checked_sub(self.places)?)?)
    }
}

impl From<i128> for Decimal {
    fn from(units: i128) -> Self {
        Self { units, places: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Decimal {
        Decimal::read(text).unwrap()
    }

    #[test]
    fn sums_and_products_are_exact() {
        assert_eq!(read("2.5").times(1_000_000).unwrap().number().as_str(), "2500000");
        assert_eq!(read("3").plus(read("0.25")).unwrap().number().as_str(), "3.25");
        assert_eq!(read("0.05").negated().number().as_str(), "-0.05");
        assert_eq!(read("3").then_place(1).unwrap().then_place(4).unwrap().number().as_str(), "3.14");
        assert_eq!(read("4.0").whole(), Some(4));
        assert_eq!(read("4.5").whole(), None);
    }

    #[test]
    fn what_does_not_fit_is_nothing() {
        assert!(Decimal::read(&"9".repeat(60)).is_none());
        assert!(Decimal::from(i128::MAX).times(2).is_none());
        assert!(read("1.5").plus(Decimal::from(i128::MAX)).is_none());
        assert!(read("1.5").is_less(read("1.50001")) && !read("2").is_less(read("2.0")));
        assert!(Decimal::default().is_zero() && read("3").is_below(4) && !read("4").is_below(4));
    }
}
