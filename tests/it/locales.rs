//! HammerBench in Korean and Chinese: the shipped pipeline makes every data type, in the language's own letters, and
//! Korean particles agree with the sound before them.

use crate::made::{Made, made};
use fcgen::locale::{Language, Pack, right_script};
use fcgen::record::{Role, Sample};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Forty tools' run.
async fn forty(locale: &str) -> Arc<Made> {
    made("hammer", &[&format!("pipeline.locale={locale}"), "pipeline.limit=40"]).await
}

/// Everything that somebody says in the samples, each text once.
fn said(samples: &[Sample], role: Role) -> BTreeSet<String> {
    let messages = samples.iter().flat_map(|sample| &sample.messages).filter(|message| message.role == role);
    messages.filter_map(|message| message.content.clone()).collect()
}

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
fn share(count: usize, of: usize) -> f64 {
    count as f64 / of as f64
}

#[tokio::test]
async fn korean_and_chinese_make_every_data_type_in_their_own_letters() {
    for locale in ["ko", "zh"] {
        let made = forty(locale).await;
        let (summary, samples) = (&made.summary, &made.samples);
        let types: BTreeSet<&str> = samples.iter().map(|sample| sample.data_type.0.as_str()).collect();
        assert_eq!(types.len(), 15, "{locale}: {types:?}");
        assert!(summary.manifest.conversations["Based"] >= 25, "{locale}: {:?}", summary.manifest.conversations);
        let language = Language::load(fcgen::assets(), locale).unwrap();
        let texts = said(samples, Role::User);
        let right = texts.iter().filter(|text| right_script(text, &language, &[])).count();
        println!("{locale}: {right} of {} texts in the right script", texts.len());
        assert!(share(right, texts.len()) >= 0.99, "{locale}: {right} of {}", texts.len());
        let twice = said(samples, Role::Assistant);
        assert!(twice.iter().all(|text| right_script(text, &language, &[])), "{locale}: questions");
    }
}

#[tokio::test]
async fn manners_of_speaking_are_mixed() {
    let made = forty("ko").await;
    let samples = &made.samples;
    let styles: Vec<&str> = samples
        .iter()
        .filter(|sample| sample.data_type.0 == "ST_Imperfect")
        .filter_map(|sample| sample.provenance.facts.get("style").map(String::as_str))
        .collect();
    let of = |style: &str| share(styles.iter().filter(|it| **it == style).count(), styles.len());
    assert!((0.35..0.65).contains(&of("banmal")), "{}", of("banmal"));
    assert!((0.25..0.55).contains(&of("haeyo")), "{}", of("haeyo"));
    assert!((0.02..0.25).contains(&of("hapsyo")), "{}", of("hapsyo"));
}

/// The particles that agree, each with its form after a consonant, after a vowel, and whether ㄹ counts as a vowel.
const PARTICLES: [(&str, &str, bool); 5] =
    [("을", "를", false), ("은", "는", false), ("과", "와", false), ("으로", "로", true), ("이라고", "라고", false)];

/// Whether the particle right behind a value agrees with the value's last sound; `None` where none stands there.
fn agrees(text: &str, value: &str) -> Option<bool> {
    let (before, after) = text.split_at(text.find(value)? + value.len());
    let word = after.split(|letter: char| !letter.is_alphanumeric()).next()?;
    let last = before.chars().next_back().filter(|letter| ('가'..='힣').contains(letter))?;
    let last = u32::from(last);
    let coda = (last - u32::from('가')) % 28;
    let (closed, open, liquid) = PARTICLES.iter().find(|(closed, open, _)| word == *closed || word == *open)?;
    let vowel = coda == 0 || (*liquid && coda == 8);
    Some(word == if vowel { *open } else { *closed })
}

#[test]
fn the_check_of_particles_reads_the_last_consonant() {
    assert_eq!(agrees("부산으로 가줘", "부산"), Some(true));
    assert_eq!(agrees("서울으로 가줘", "서울"), Some(false));
    assert_eq!(agrees("서울로 가줘", "서울"), Some(true));
    assert_eq!(agrees("제주은 어때", "제주"), Some(false));
    assert_eq!(agrees("제주까지 가줘", "제주"), None);
}

#[tokio::test]
async fn every_korean_particle_agrees() {
    // Sentences with their values in place have fewer particles than clauses had, so more tools are read.
    let made = made("hammer", &["pipeline.locale=ko", "pipeline.limit=60"]).await;
    let samples = &made.samples;
    let mut checked = 0;
    for sample in samples {
        // What a dialogue says in an earlier turn agrees as well.
        let of_user = sample.messages.iter().filter(|message| message.role == Role::User);
        for text in of_user.filter_map(|message| message.content.as_deref()) {
            for surface in sample.arguments.values().filter_map(|note| note.surface.as_deref()) {
                if let Some(agrees) = agrees(text, surface) {
                    checked += 1;
                    assert!(agrees, "`{surface}` in `{text}`");
                }
            }
        }
    }
    println!("{checked} particles agree");
    assert!(checked >= 300, "{checked}");
}

#[test]
fn every_pack_knows_how_to_go_on() {
    for locale in ["en", "ko", "zh", "ja"] {
        let pack = Pack::load(fcgen::assets(), locale).unwrap();
        for style in &pack.styles {
            let manner = pack.dialogue.manner(&style.name).unwrap();
            for patterns in
                [&manner.answers, &manner.corrections, &manner.late_corrections, &manner.again, &manner.shifts]
            {
                assert!(patterns.len() >= 8, "{locale}, {}", style.name);
            }
        }
        let distinct = |texts: &[String]| texts.iter().collect::<BTreeSet<_>>().len();
        assert!(distinct(&pack.dialogue.refusals) >= 25 && distinct(&pack.dialogue.done) >= 15, "{locale}");
    }
}
