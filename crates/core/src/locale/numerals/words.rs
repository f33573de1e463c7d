//! Writes numbers as words.

use super::lexicon::Numerals;
use super::table::{NativeWords, Scaling};

impl Numerals {
    /// A number in words before a counter, or on its own.
    pub(super) fn in_words(&self, number: u64, counter: Option<&str>) -> Option<String> {
        if number >= 1_000_000_000_000 {
            return None;
        }
        if let Some(native) = self.words.native.as_ref().filter(|native| native.counts(number, counter)) {
            return native.in_words(number);
        }
        match self.words.scaling {
            Scaling::Whole => self.whole_words(number),
            Scaling::Digit => self.digit_words(number, counter.is_some()),
        }
    }

    /// `13만`: digits before the largest scale of ten thousand or more that they fill evenly.
    pub(super) fn in_short(&self, number: u64) -> Option<String> {
        let is_myriad = |scale: &u64| *scale >= 10_000 && *scale <= number && number.is_multiple_of(*scale);
        let scales = self.words.scales.iter().filter(|scale| is_myriad(&scale.size));
        let scale = scales.max_by_key(|scale| scale.size).filter(|_| self.words.scaling == Scaling::Digit)?;
        Some(format!("{}{}", number / scale.size, scale.word))
    }

    /// `two million three hundred one`.
    fn whole_words(&self, number: u64) -> Option<String> {
        let index = usize::try_from(number).ok()?;
        if let Some(word) = self.words.ones.get(index) {
            return Some(word.clone());
        }
        if number < 100 {
            let ten = self.words.tens.get(index / 10 - 2)?;
            return Some(if number.is_multiple_of(10) {
                ten.clone()
            } else {
                format!("{ten}-{}", self.words.ones.get(index % 10)?)
            });
        }
        let scale = self.words.scales.iter().filter(|scale| scale.size >= 100 && scale.size <= number);
        let scale = scale.reduce(|one, two| if two.size > one.size { two } else { one })?;
        let count = self.whole_words(number / scale.size)?;
        let rest = number % scale.size;
        Some(match rest {
            0 => format!("{count} {}", scale.word),
            _ => format!("{count} {} {}", scale.word, self.whole_words(rest)?),
        })
    }

    /// `三千零五`, `삼천오`: sections of four places, each with its scale.
    fn digit_words(&self, number: u64, counted: bool) -> Option<String> {
        if number < 10 {
            let pair = self.words.pair.as_ref().filter(|_| number == 2 && counted);
            return pair.or(self.words.ones.get(usize::try_from(number).ok()?)).cloned();
        }
        let mut text = String::new();
        let mut skipped = false;
        for size in [100_000_000, 10_000, 1] {
            let section = number / size % 10_000;
            if section == 0 {
                skipped = !text.is_empty();
                continue;
            }
            if !text.is_empty() && (skipped || section < 1_000) {
                text.push_str(self.words.gap.as_deref().unwrap_or(""));
            }
            text.push_str(&self.section_words(section, size, text.is_empty())?);
            skipped = false;
        }
        Some(text)
    }

    fn section_words(&self, section: u64, size: u64, first: bool) -> Option<String> {
        let scale =
            |size: u64| self.words.scales.iter().find(|scale| scale.size == size).map(|scale| scale.word.as_str());
        let large = if size == 1 { "" } else { scale(size)? };
        // Korean says neither `일만` nor `일십`; Chinese drops the one of 十五 only.
        let drops_one = self.words.gap.is_none();
        let says_one = self.words.one_from.is_some_and(|least| size >= least);
        if section == 1 && size > 1 && drops_one && first && !says_one {
            return Some(large.to_owned());
        }
        if section == 2 && size > 1 {
            return Some(format!("{}{large}", self.words.pair.as_ref().or(self.words.ones.get(2))?));
        }
        let mut text = String::new();
        let mut gap = false;
        for place in [1_000, 100, 10, 1] {
            let digit = section / place % 10;
            if digit == 0 {
                gap = !text.is_empty();
                continue;
            }
            if gap {
                text.push_str(self.words.gap.as_deref().unwrap_or(""));
            }
            let silent = digit == 1 && place > 1 && (drops_one || first && place == 10 && text.is_empty());
            let pair = self.words.pair.as_ref().filter(|_| digit == 2 && place >= 100);
            if !silent {
                text.push_str(pair.or(self.words.ones.get(usize::try_from(digit).ok()?))?);
            }
            text.push_str(if place == 1 { "" } else { scale(place)? });
            gap = false;
        }
        Some(text + large)
    }
}

impl NativeWords {
    fn counts(&self, number: u64, counter: Option<&str>) -> bool {
        let among = |list: &[String]| list.iter().any(|word| Some(word.as_str()) == counter);
        (1..100).contains(&number) && among(&self.counters) && !among(&self.sino_counters)
    }

    fn in_words(&self, number: u64) -> Option<String> {
        if let Some(word) = self.attributive.get(&number.to_string()) {
            return Some(word.clone());
        }
        let one = number % 10;
        let ones = self.attributive.get(&one.to_string()).or(self.ones.get(usize::try_from(one).ok()?))?;
        let ten = usize::try_from(number / 10)
            .ok()?
            .checked_sub(1)
            .map_or(Some(""), |ten| self.tens.get(ten).map(String::as_str))?;
        Some(format!("{ten}{ones}"))
    }
}

#[cfg(test)]
mod tests {
    use crate::locale::language::tests::language;
    use crate::locale::numerals::{in_short, in_words};

    #[test]
    fn korean_counters_choose_the_set() {
        let korean = language("ko");
        let say = |number, counter| in_words(number, korean, Some(counter)).unwrap();
        assert_eq!([say(3, "시"), say(30, "분"), say(31, "명"), say(99, "개")], ["세", "삼십", "서른한", "아흔아홉"]);
        assert_eq!([say(10, "명"), say(100, "명"), say(1, "층")], ["열", "백", "일"]);
    }

    #[test]
    fn japanese_says_the_one_of_ten_thousand_alone() {
        let japanese = language("ja");
        let say = |number| in_words(number, japanese, Some("円")).unwrap();
        assert_eq!([say(10_000), say(16_800), say(1_000), say(1_110)], ["一万", "一万六千八百", "千", "千百十"]);
        assert_eq!([say(100_010_000), say(11_000_000), say(20_300)], ["一億一万", "千百万", "二万三百"]);
    }

    #[test]
    fn digits_go_before_the_large_scales_where_they_come_out_even() {
        let say = |code, number| in_short(number, language(code));
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            [say("ko", 50_000), say("ko", 130_000), say("zh", 300_000_000)],
            [some("5만"), some("13만"), some("3亿")]
        );
        assert_eq!([say("ko", 37_500), say("ko", 5_000), say("en", 50_000), say("ko", 0)], [None, None, None, None]);
    }

    #[test]
    fn chinese_fills_gaps() {
        let chinese = language("zh");
        let say = |number| in_words(number, chinese, None).unwrap();
        assert_eq!([say(10), say(110), say(1_005), say(100_000)], ["十", "一百一十", "一千零五", "十万"]);
        assert_eq!([say(10_100), say(300_000_050), say(212)], ["一万零一百", "三亿零五十", "两百一十二"]);
    }
}
