//! Rouge-L between texts, with the tokens that a locale counts in, and near-duplicates by it.
//!
//! English is cut as the papers cut it, so that figures compare. That cut drops everything that is not ASCII; Korean,
//! Chinese, Japanese and Thai therefore count characters, all others the words of Unicode.

use indexmap::IndexMap;
use rougers::{RougeScorer, RougeType, Tokenizer};
use std::collections::BTreeMap;

/// Rouge-L F1 with one way of cutting texts into tokens.
#[derive(Debug, Clone)]
pub struct RougeL {
    scorer: RougeScorer,
}

/// A text cut into tokens once, to be compared with many.
#[derive(Debug, Clone)]
pub struct Document {
    text: String,
    tokens: rougers::Document,
}

/// Texts no two of which are near-duplicates, in the order in which they came.
#[derive(Debug, Clone)]
pub struct NearDuplicates {
    rouge: RougeL,
    vocabulary: IndexMap<String, usize>,
    by_text: BTreeMap<String, usize>,
    // Side by side, so that a scan over thousands stays in the cache.
    sketches: Vec<Sketch>,
    entries: Vec<Entry>,
}

#[derive(Debug, Clone)]
struct Entry {
    document: Document,
    // Distinct tokens with how often each occurs, by token.
    counts: Vec<(usize, usize)>,
}

/// What tells in two instructions that two texts have little in common.
#[derive(Debug, Clone, Copy)]
struct Sketch {
    length: usize,
    // One bit for each token, by its number modulo the width.
    bits: u128,
}

impl RougeL {
    /// The scorer of a locale, by its code (`en`, `ko`, `zh-TW`).
    pub fn for_locale(code: &str) -> Self {
        let tokenizer = match code.split(['-', '_']).next().unwrap_or(code) {
            "en" => Tokenizer::new(false),
            "ko" | "zh" | "ja" | "th" => Tokenizer::character(),
            _ => Tokenizer::unicode(),
        };
        Self::with_tokenizer(tokenizer)
    }

    /// The scorer by its tokenizer's name: `rouge-score`, `unicode-v1` or `character-v1`.
    pub fn by_profile(name: &str) -> Option<Self> {
        let known = [Tokenizer::new(false), Tokenizer::unicode(), Tokenizer::character()];
        known.into_iter().find(|tokenizer| tokenizer.profile() == name).map(Self::with_tokenizer)
    }

    /// The tokenizer's name, for manifests and reports.
    pub fn profile(&self) -> &'static str {
        self.scorer.tokenizer().profile()
    }

    /// Cuts a text into tokens.
    pub fn document(&self, text: &str) -> Document {
        Document { text: text.to_owned(), tokens: self.scorer.document(text) }
    }

    /// Rouge-L F1 of two texts. Equal texts score 1, also where neither holds a token.
    pub fn score(&self, one: &str, two: &str) -> f64 {
        self.score_documents(&self.document(one), &self.document(two))
    }

    /// Rouge-L F1 of two texts that were cut before.
    pub fn score_documents(&self, one: &Document, two: &Document) -> f64 {
        if one.text == two.text {
            return 1.0;
        }
        self.scorer.score_documents(&one.tokens, &two.tokens).get(RougeType::L).map_or(0.0, |score| score.fmeasure)
    }

    fn with_tokenizer(tokenizer: Tokenizer) -> Self {
        let scorer = RougeScorer::with_tokenizer(vec![RougeType::L], tokenizer);
        // Only an n-gram size can be refused, and there is none.
        Self { scorer: scorer.unwrap_or_else(|_| unreachable!("Rouge-L has no n-gram size")) }
    }
}

impl Document {
    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The tokens.
    pub fn tokens(&self) -> &[String] {
        &self.tokens.tokens
    }
}

impl NearDuplicates {
    /// An empty pool.
    pub fn new(rouge: RougeL) -> Self {
        let (vocabulary, by_text, sketches, entries) = Default::default();
        Self { rouge, vocabulary, by_text, sketches, entries }
    }

    /// How many texts it holds.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Takes a text in unless one that it holds is as like as `threshold` (Rouge-L F1) or more: then the ordinal of the
    /// earliest such is the error.
    pub fn insert_if_new(&mut self, text: &str, threshold: f64) -> Result<(), usize> {
        let entry = self.entry(text);
        let sketch = Sketch::of(&entry);
        if let Some(earlier) = self.earliest_alike(&entry, sketch, threshold) {
            return Err(earlier);
        }
        self.by_text.insert(text.to_owned(), self.entries.len());
        self.sketches.push(sketch);
        self.entries.push(entry);
        Ok(())
    }

    /// The earliest text that it holds and that is as like as `threshold` (Rouge-L F1) or more.
    pub fn like(&self, text: &str, threshold: f64) -> Option<usize> {
        let document = self.rouge.document(text);
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        // A token that no text holds is shared with none.
        let strange = self.vocabulary.len();
        for token in document.tokens() {
            *counts.entry(self.vocabulary.get(token).copied().unwrap_or(strange)).or_default() += 1;
        }
        let entry = Entry { document, counts: counts.into_iter().collect() };
        self.earliest_alike(&entry, Sketch::of(&entry), threshold)
    }

    fn earliest_alike(&self, entry: &Entry, sketch: Sketch, threshold: f64) -> Option<usize> {
        let alike = self.sketches.iter().zip(&self.entries).position(|(earlier_sketch, earlier)| {
            let reaches = |shared: usize| may_reach(shared, earlier_sketch.length, sketch.length, threshold);
            reaches(sketch.most_shared(*earlier_sketch))
                && reaches(shared(&earlier.counts, &entry.counts))
                && self.rouge.score_documents(&earlier.document, &entry.document) >= threshold
        });
        // Texts without a token are told apart by their letters only.
        alike.into_iter().chain(self.by_text.get(entry.document.text()).copied()).min()
    }

    fn entry(&mut self, text: &str) -> Entry {
        let document = self.rouge.document(text);
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for token in document.tokens() {
            let next = self.vocabulary.len();
            let number = *self.vocabulary.entry(token.clone()).or_insert(next);
            *counts.entry(number).or_default() += 1;
        }
        Entry { document, counts: counts.into_iter().collect() }
    }
}

impl Sketch {
    fn of(entry: &Entry) -> Self {
        let bits = entry.counts.iter().fold(0, |bits, (token, _)| bits | 1_u128 << (token % 128));
        Self { length: entry.document.tokens().len(), bits }
    }

    /// An upper bound of the tokens that two texts share: each bit that the other lacks is a token that it lacks.
    fn most_shared(self, other: Self) -> usize {
        let without = |one: Self, two: Self| one.length - (one.bits & !two.bits).count_ones() as usize;
        without(self, other).min(without(other, self))
    }
}

#[expect(clippy::cast_precision_loss, reason = "texts are shorter than 2^52 tokens")]
fn may_reach(shared: usize, one: usize, two: usize, threshold: f64) -> bool {
    2.0 * shared as f64 >= (threshold - 1e-9) * (one + two) as f64
}

fn shared(one: &[(usize, usize)], two: &[(usize, usize)]) -> usize {
    let (mut left, mut right, mut sum) = (0, 0, 0);
    while let (Some(&(first, many)), Some(&(second, more))) = (one.get(left), two.get(right)) {
        if first == second {
            sum += many.min(more);
        }
        left += usize::from(first <= second);
        right += usize::from(second <= first);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Pairs with the tokens that each side should be cut into, parted by `|`.
    const GOLDEN: [(&str, &str, &str, &str, &str); 30] = [
        ("en", "Set an alarm for 8 a.m.", "set|an|alarm|for|8|a|m", "Set the alarm", "set|the|alarm"),
        ("en", "Book a table", "book|a|table", "book a table!", "book|a|table"),
        ("en", "Play jazz", "play|jazz", "Turn off the lights", "turn|off|the|lights"),
        ("en", "café at 7", "caf|at|7", "cafe at 7", "cafe|at|7"),
        ("en", "state-of-the-art", "state|of|the|art", "the state of art", "the|state|of|art"),
        ("en", "a b c d e", "a|b|c|d|e", "e d c b a", "e|d|c|b|a"),
        ("en", "mail bob@site.com now", "mail|bob|site|com|now", "mail bob now", "mail|bob|now"),
        ("en", "don't stop", "don|t|stop", "do not stop", "do|not|stop"),
        ("en", "go go go", "go|go|go", "go", "go"),
        (
            "en",
            "find gas stations near Leeds",
            "find|gas|stations|near|leeds",
            "near Leeds find gas",
            "near|leeds|find|gas",
        ),
        ("ko", "내일 알람", "내|일|알|람", "알람 내일", "알|람|내|일"),
        ("ko", "지도에서 충전소 찾아줘", "지|도|에|서|충|전|소|찾|아|줘", "충전소를 찾아줘", "충|전|소|를|찾|아|줘"),
        ("ko", "8시 알람", "8|시|알|람", "9시 알람", "9|시|알|람"),
        ("ko", "KTX 예매", "k|t|x|예|매", "ktx 예매해줘", "k|t|x|예|매|해|줘"),
        ("ko", "불 꺼줘", "불|꺼|줘", "불 켜줘", "불|켜|줘"),
        ("ko", "서울에서 부산까지", "서|울|에|서|부|산|까|지", "부산에서 서울까지", "부|산|에|서|서|울|까|지"),
        ("ko", "음악, 틀어줘!", "음|악|틀|어|줘", "음악 틀어줘", "음|악|틀|어|줘"),
        ("ko", "회의 추가", "회|의|추|가", "사진 보여줘", "사|진|보|여|줘"),
        ("ko", "두 명 예약", "두|명|예|약", "2명 예약", "2|명|예|약"),
        ("ko", "오후 3시 30분", "오|후|3|시|3|0|분", "오후 3시 반", "오|후|3|시|반"),
        ("zh", "明天早上八点叫我", "明|天|早|上|八|点|叫|我", "明早八点叫醒我", "明|早|八|点|叫|醒|我"),
        ("zh", "打开空调。", "打|开|空|调", "关闭空调", "关|闭|空|调"),
        ("zh", "iPhone 15 价格", "i|p|h|o|n|e|1|5|价|格", "iPhone15价格", "i|p|h|o|n|e|1|5|价|格"),
        ("zh", "订两张票", "订|两|张|票", "两张票帮我订", "两|张|票|帮|我|订"),
        ("zh", "导航去机场", "导|航|去|机|场", "去机场", "去|机|场"),
        ("zh", "播放音乐", "播|放|音|乐", "查天气", "查|天|气"),
        ("zh", "ＡＢＣ公司", "a|b|c|公|司", "abc公司", "a|b|c|公|司"),
        ("zh", "下周五下午三点", "下|周|五|下|午|三|点", "下午三点", "下|午|三|点"),
        ("zh", "发短信给小王", "发|短|信|给|小|王", "给小王发短信", "给|小|王|发|短|信"),
        ("zh", "提醒我买牛奶", "提|醒|我|买|牛|奶", "提醒我买面包", "提|醒|我|买|面|包"),
    ];

    fn common(one: &[&str], two: &[&str]) -> usize {
        match (one, two) {
            ([.., left], [.., right]) if left == right => 1 + common(&one[..one.len() - 1], &two[..two.len() - 1]),
            ([.., _], [.., _]) => common(&one[..one.len() - 1], two).max(common(one, &two[..two.len() - 1])),
            _ => 0,
        }
    }

    #[test]
    #[expect(clippy::cast_precision_loss, reason = "a handful of tokens")]
    fn thirty_pairs_score_as_counted_by_hand() {
        for (locale, one, one_tokens, two, two_tokens) in GOLDEN {
            let rouge = RougeL::for_locale(locale);
            let (first, second): (Vec<_>, Vec<_>) = (one_tokens.split('|').collect(), two_tokens.split('|').collect());
            assert_eq!(rouge.document(one).tokens(), first);
            assert_eq!(rouge.document(two).tokens(), second);
            let expected = 2.0 * common(&first, &second) as f64 / (first.len() + second.len()) as f64;
            assert!((rouge.score(one, two) - expected).abs() < 1e-12, "{one} / {two}");
        }
    }

    #[test]
    fn each_locale_has_its_tokens() {
        for (code, profile) in
            [("en", "rouge-score"), ("en-GB", "rouge-score"), ("zh-TW", "character-v1"), ("fr", "unicode-v1")]
        {
            assert_eq!(RougeL::for_locale(code).profile(), profile);
            assert_eq!(RougeL::by_profile(profile).map(|rouge| rouge.profile()), Some(profile));
        }
        assert!(RougeL::by_profile("words").is_none());
    }

    #[test]
    fn texts_without_a_token_are_alike_only_if_equal() {
        let rouge = RougeL::for_locale("en");
        assert!((rouge.score("", "") - 1.0).abs() < f64::EPSILON);
        assert!(rouge.score("한", "글") < f64::EPSILON);
        let mut pool = NearDuplicates::new(rouge);
        assert_eq!(pool.insert_if_new("!!", 0.9), Ok(()));
        assert_eq!(pool.insert_if_new("??", 0.9), Ok(()));
        assert_eq!(pool.insert_if_new("??", 0.9), Err(1));
        assert!(pool.len() == 2 && !pool.is_empty());
    }

    #[test]
    fn the_earliest_likeness_is_named() {
        let mut pool = NearDuplicates::new(RougeL::for_locale("ko"));
        assert_eq!(pool.insert_if_new("내일 아침 8시에 알람 맞춰줘", 0.8), Ok(()));
        assert_eq!(pool.insert_if_new("부산 가는 기차표 예매해줘", 0.8), Ok(()));
        assert_eq!(pool.insert_if_new("내일 아침 8시 알람 맞춰줘", 0.8), Err(0));
        assert_eq!(pool.insert_if_new("모레 아침 8시에 알람 맞춰줘요", 0.95), Ok(()));
    }

    proptest! {
        #[test]
        fn the_index_agrees_with_comparing_all(
            texts in prop::collection::vec("([abc] ){0,7}", 1..24),
            threshold in prop::sample::select(vec![0.0, 0.4, 0.7, 0.9, 1.0]),
        ) {
            let rouge = RougeL::for_locale("fr");
            let mut pool = NearDuplicates::new(rouge.clone());
            let mut kept: Vec<&str> = Vec::new();
            for text in &texts {
                prop_assert_eq!(pool.like(text, threshold), kept.iter().position(|other| rouge.score(other, text) >= threshold));
                let earlier = kept.iter().position(|other| rouge.score(other, text) >= threshold);
                prop_assert_eq!(pool.insert_if_new(text, threshold), earlier.map_or(Ok(()), Err));
                if earlier.is_none() {
                    kept.push(text);
                }
            }
        }
    }
}
