//! Adds up the parts of one numeral, and refuses a part that cannot come next.

use super::decimal::Decimal;
use super::lexicon::Part;
use super::table::Scaling;

/// A numeral as far as it has been read.
#[derive(Debug, Clone)]
pub(super) struct Tally {
    scaling: Scaling,
    /// A digit after a scale without a gap counts the next lower place: 三百五 is 350.
    short: bool,
    total: Decimal,
    section: Decimal,
    pending: Option<Decimal>,
    last: Option<Last>,
    lowest: i128,
    lowest_large: i128,
    gap: bool,
    pub(super) parts: usize,
    /// Digits one after another without a scale: 二〇二五.
    pub(super) chain: usize,
    pub(super) literal: bool,
    pub(super) native: bool,
    pub(super) bound: bool,
    pub(super) ordinal: bool,
    pub(super) scaled: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    Literal,
    Unit,
    Ten,
    Native,
    Scale(i128),
    End,
}

const LARGE: i128 = 10_000;

impl Tally {
    pub(super) fn new(scaling: Scaling, short: bool) -> Self {
        let zero = Decimal::default();
        Self {
            scaling,
            short,
            total: zero,
            section: zero,
            pending: None,
            last: None,
            lowest: i128::MAX,
            lowest_large: i128::MAX,
            gap: false,
            parts: 0,
            chain: 0,
            literal: false,
            native: false,
            bound: false,
            ordinal: false,
            scaled: false,
        }
    }

    /// Whether the last part was a scale, after which more loosely joined parts may come.
    pub(super) fn ends_in_scale(&self) -> bool {
        matches!(self.last, Some(Last::Scale(_)))
    }

    /// Whether the last part was a whole ten, which a hyphen joins to its unit.
    pub(super) fn ends_in_ten(&self) -> bool {
        self.last == Some(Last::Ten)
    }

    /// Takes digits.
    pub(super) fn take_literal(&mut self, value: Decimal) -> Option<()> {
        let follows = match self.last {
            None => true,
            Some(Last::Scale(_)) => self.scaling == Scaling::Digit && self.literal,
            _ => false,
        };
        follows.then_some(())?;
        self.literal = true;
        self.pending = Some(value);
        self.step(Last::Literal);
        Some(())
    }

    /// Takes the next part; none if it does not belong here.
    pub(super) fn take(&mut self, part: Part) -> Option<()> {
        match (self.scaling, part) {
            (_, Part::Point) => None,
            (Scaling::Whole, Part::Scale(size)) => self.scale_whole(size),
            (Scaling::Digit, Part::Scale(size)) => self.scale_digit(size),
            (Scaling::Whole, Part::Unit(value) | Part::Ten(value)) => self.add_whole(value),
            (Scaling::Digit, Part::Unit(value)) => self.add_digit(value),
            (_, Part::Ordinal(value)) => {
                self.add_whole(value)?;
                self.ordinal = true;
                self.last = Some(Last::End);
                Some(())
            }
            (_, Part::Native { value, bound }) => self.add_native(value, bound),
            (_, Part::NativeTen { value, bound }) => self.add_native_ten(value, bound),
            (_, Part::Ten(_)) => None,
        }
    }

    /// The value of what was taken.
    pub(super) fn value(&self) -> Option<Decimal> {
        let mut pending = self.pending.unwrap_or_default();
        let after_scale = self.parts > 1 && self.lowest < LARGE && self.last == Some(Last::Unit);
        if self.short && after_scale && !self.gap && self.lowest >= 100 && !self.literal {
            pending = pending.times(self.lowest / 10)?;
        } else if self.short && self.fresh_large() && self.last == Some(Last::Unit) && !self.gap {
            pending = pending.times(self.lowest_large / 10)?;
        }
        self.total.plus(self.section)?.plus(pending)
    }

    /// Whether a large scale came last before the pending digit: 一万二.
    fn fresh_large(&self) -> bool {
        self.lowest_large < i128::MAX && self.lowest == i128::MAX && !self.literal
    }

    fn step(&mut self, last: Last) {
        self.last = Some(last);
        self.parts += 1;
    }

    fn add_whole(&mut self, value: i128) -> Option<()> {
        let follows = match self.last {
            None => true,
            Some(Last::Ten) => (1..10).contains(&value),
            Some(Last::Scale(size)) => size >= 100 && value < size,
            _ => false,
        };
        follows.then_some(())?;
        self.section = self.section.plus(value.into())?;
        self.step(if value >= 20 { Last::Ten } else { Last::Unit });
        Some(())
    }

    fn scale_whole(&mut self, size: i128) -> Option<()> {
        let section = match (self.last, self.pending.take()) {
            (_, Some(literal)) => literal,
            (None, _) => 1.into(),
            (Some(Last::Scale(before)), _) if before >= size || size < 1_000 => return None,
            _ => self.section,
        };
        self.scaled = true;
        if size < 1_000 {
            section.is_below(100).then_some(())?;
            self.section = section.times(size)?;
        } else {
            (size < self.lowest).then_some(())?;
            self.total = self.total.plus(section.times(size)?)?;
            self.section = Decimal::default();
            self.lowest = size;
        }
        self.step(Last::Scale(size));
        Some(())
    }

    fn add_digit(&mut self, value: i128) -> Option<()> {
        if self.native || self.literal && self.pending.is_some() {
            return None;
        }
        match self.pending {
            None if value == 0 && self.scaled => {
                self.gap = true;
                self.step(Last::Unit);
                Some(())
            }
            None if value > 9 => None,
            None => {
                self.pending = Some(value.into());
                self.chain += 1;
                self.step(Last::Unit);
                Some(())
            }
            Some(before) if !self.scaled && value < 10 => {
                self.pending = Some(before.times(10)?.plus(value.into())?);
                self.chain += 1;
                self.step(Last::Unit);
                Some(())
            }
            Some(_) => None,
        }
    }

    fn scale_digit(&mut self, size: i128) -> Option<()> {
        if self.native || self.chain > 1 && !self.scaled || self.pending.is_some_and(Decimal::is_zero) {
            return None;
        }
        if size < LARGE {
            (size < self.lowest).then_some(())?;
            let count = self.pending.take().unwrap_or(1.into());
            self.section = self.section.plus(count.times(size)?)?;
            self.lowest = size;
        } else {
            (size < self.lowest_large).then_some(())?;
            let count = self.section.plus(self.pending.take().unwrap_or_default())?;
            let count = if count.is_zero() { 1.into() } else { count };
            self.total = self.total.plus(count.times(size)?)?;
            (self.section, self.lowest, self.lowest_large) = (Decimal::default(), i128::MAX, size);
        }
        (self.scaled, self.chain, self.gap) = (true, 0, false);
        self.step(Last::Scale(size));
        Some(())
    }

    fn add_native(&mut self, value: i128, bound: bool) -> Option<()> {
        (self.pending.is_none() && self.last != Some(Last::Native)).then_some(())?;
        self.pending = Some(value.into());
        (self.native, self.bound) = (true, bound);
        self.step(Last::Native);
        Some(())
    }

    fn add_native_ten(&mut self, value: i128, bound: bool) -> Option<()> {
        (self.pending.is_none() && !self.native && self.lowest > 10).then_some(())?;
        self.section = self.section.plus(value.into())?;
        (self.native, self.bound) = (true, bound);
        self.step(Last::Ten);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add_up(scaling: Scaling, parts: &[Part]) -> Option<i128> {
        let mut tally = Tally::new(scaling, false);
        for part in parts {
            tally.take(*part)?;
        }
        tally.value()?.whole()
    }

    #[test]
    fn parts_add_up() {
        let whole = [Part::Unit(5), Part::Scale(1_000), Part::Ten(20), Part::Unit(3), Part::Scale(100)];
        assert_eq!(add_up(Scaling::Whole, &whole), Some(7_300));
        let digit = [Part::Unit(3), Part::Scale(10), Part::Scale(10_000), Part::Unit(5), Part::Scale(1_000)];
        assert_eq!(add_up(Scaling::Digit, &digit), Some(305_000));
        let chain = [Part::Unit(2), Part::Unit(0), Part::Unit(2), Part::Unit(5)];
        assert_eq!(add_up(Scaling::Digit, &chain), Some(2_025));
    }

    #[test]
    fn parts_that_cannot_follow_are_refused() {
        assert_eq!(add_up(Scaling::Whole, &[Part::Unit(1), Part::Unit(2)]), None);
        assert_eq!(add_up(Scaling::Whole, &[Part::Ten(20), Part::Unit(15)]), None);
        assert_eq!(add_up(Scaling::Whole, &[Part::Unit(2), Part::Scale(100), Part::Scale(100)]), None);
        assert_eq!(add_up(Scaling::Digit, &[Part::Scale(10), Part::Scale(100)]), None);
        let native = Part::Native { value: 3, bound: false };
        assert_eq!(add_up(Scaling::Digit, &[native, Part::Scale(10)]), None);
        assert_eq!(add_up(Scaling::Digit, &[native, native]), None);
    }

    #[test]
    fn a_digit_after_a_scale_may_count_the_next_place() {
        for (parts, expected) in [
            (vec![Part::Unit(3), Part::Scale(100), Part::Unit(5)], 350),
            (vec![Part::Unit(3), Part::Scale(100), Part::Unit(0), Part::Unit(5)], 305),
            (vec![Part::Unit(2), Part::Scale(10), Part::Unit(5)], 25),
            (vec![Part::Unit(1), Part::Scale(10_000), Part::Unit(2)], 12_000),
        ] {
            let mut tally = Tally::new(Scaling::Digit, true);
            assert!(parts.into_iter().all(|part| tally.take(part).is_some()));
            assert_eq!(tally.value().unwrap().whole(), Some(expected));
        }
    }
}
