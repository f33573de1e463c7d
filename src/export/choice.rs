//! Which rows are exported: a reply is trained once, and calls, questions and refusals have stated shares.
//!
//! A choice depends on the seed and on ids, never on the order of rows. A few numbers are kept of a row, and no text.

use super::loss::{Loss, Rule};
use super::options::{Objective, Options};
use super::row::rendered;
use super::split::hash;
use crate::export::lessons::lesson::{Aim, Learn, Lesson, Turn};
use crate::export::lessons::teach::{Around, Taught, Teacher, origins};
use crate::record::{Chance, Review, Role, Sample, SuiteName, Value};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::str::FromStr;

/// Which rows of a run are exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Mix {
    /// Each request once, with one of its tool lists; at most 15 questions and 15 refusals per 70 calls
    #[default]
    Default,
    /// Every row
    All,
}

/// How a run was mixed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mixed {
    /// Whether the default mix was wanted.
    pub is_default: bool,
    /// The kinds of targets that the run does not have, and without which its shares stay as they are.
    pub absent: Vec<Aim>,
}

/// The kinds of targets that have shares in the default mix. Answers in words have none: all of them are kept.
const KINDS: [Aim; 3] = [Aim::Call, Aim::Question, Aim::Refusal];
/// Rows of calls, and the most rows of questions or of refusals to so many calls.
const CALLS: u64 = 70;
const OTHERS: u64 = 15;

/// What is known of a row: its place among others that teach the same, its kind, and where its replies stand.
#[derive(Debug)]
struct Row {
    rank: u64,
    request: u64,
    aim: Aim,
    replies: std::ops::Range<usize>,
}

/// Collects rows.
#[derive(Debug)]
pub(super) struct Choice {
    mix: Mix,
    /// Whether a row trains its whole conversation, because the format cannot mask.
    trains_history: bool,
    seed: u64,
    rows: Vec<Option<Row>>,
    losses: Vec<Option<Rule>>,
    replies: Vec<u64>,
}

/// What became of every row, by its place in the bench.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    losses: Vec<Option<Rule>>,
    /// How the run was mixed.
    pub mixed: Mixed,
}

impl Choice {
    /// Nothing is chosen yet.
    pub(super) fn new(mix: Mix, trains_history: bool, seed: u64) -> Self {
        Self { mix, trains_history, seed, rows: Vec::new(), losses: Vec::new(), replies: Vec::new() }
    }

    /// Shows the next row of the bench; nothing where its sample makes none.
    pub(super) fn add(&mut self, lesson: Option<&Lesson>) {
        let row = lesson.map(|lesson| {
            let start = self.replies.len();
            if self.trains_history {
                self.replies.extend(replies(lesson));
            }
            let rank = Chance::new(self.seed, "export.rank", lesson.id(), 0).bits();
            Row { rank, request: request(lesson), aim: lesson.aim, replies: start..self.replies.len() }
        });
        self.rows.push(row);
        self.losses.push(None);
    }

    /// The next row of the bench is left out for a reason that is known already.
    pub(super) fn lose(&mut self, rule: Rule) {
        self.rows.push(None);
        self.losses.push(Some(rule));
    }

    /// Chooses among all rows that were shown.
    pub(super) fn finish(mut self) -> Chosen {
        let mut chosen = Chosen { losses: std::mem::take(&mut self.losses), mixed: Mixed::default() };
        if self.mix == Mix::Default {
            self.repeated(&mut chosen);
        }
        if self.trains_history {
            self.history(&mut chosen);
        }
        if self.mix == Mix::Default {
            self.shares(&mut chosen);
        }
        chosen
    }

    /// The rows that are still in, with their places.
    fn kept<'c>(&'c self, chosen: &Chosen) -> Vec<(usize, &'c Row)> {
        let rows = self.rows.iter().zip(&chosen.losses).enumerate();
        rows.filter_map(|(at, (row, loss))| loss.is_none().then_some((at, row.as_ref()?))).collect()
    }

    /// Of rows with the same request and the same kind of reply, one stays.
    fn repeated(&self, chosen: &mut Chosen) {
        let mut rows = self.kept(chosen);
        rows.sort_unstable_by_key(|(at, row)| (row.request, row.rank, *at));
        for pair in rows.windows(2) {
            if let [(_, before), (at, row)] = pair
                && before.request == row.request
            {
                chosen.lose(*at, Rule::Repeated);
            }
        }
    }

    /// Of rows that share a reply, the longest conversation stays.
    fn history(&self, chosen: &mut Chosen) {
        let mut rows = self.kept(chosen);
        rows.sort_unstable_by_key(|(at, row)| (Reverse(row.replies.len()), row.rank, *at));
        let mut taken: BTreeSet<u64> = BTreeSet::new();
        for (at, row) in rows {
            let replies = self.replies.get(row.replies.clone()).unwrap_or_default();
            if replies.iter().any(|reply| taken.contains(reply)) {
                chosen.lose(at, Rule::History);
            } else {
                taken.extend(replies);
            }
        }
    }

    /// Leaves out questions and refusals that are too many for the calls.
    fn shares(&self, chosen: &mut Chosen) {
        let rows = self.kept(chosen);
        let of = |aim: Aim| rows.iter().filter(move |(_, row)| row.aim == aim);
        chosen.mixed.is_default = true;
        chosen.mixed.absent = KINDS.into_iter().filter(|aim| of(*aim).next().is_none()).collect();
        if !chosen.mixed.absent.is_empty() {
            return;
        }
        let most = (of(Aim::Call).count() as u64 * OTHERS).div_ceil(CALLS);
        for aim in [Aim::Question, Aim::Refusal] {
            // Rows that won over their like have low ranks, so the shares need an order of their own.
            let order = |row: &Row| Chance::of(&[b"export.share", &row.rank.to_le_bytes()]).bits();
            let mut rows: Vec<(u64, usize)> = of(aim).map(|(at, row)| (order(row), *at)).collect();
            rows.sort_unstable();
            rows.iter().skip(usize::try_from(most).unwrap_or(usize::MAX)).for_each(|(_, at)| {
                chosen.lose(*at, Rule::Share);
            });
        }
    }
}

impl Chosen {
    fn lose(&mut self, at: usize, rule: Rule) {
        if let Some(loss) = self.losses.get_mut(at) {
            *loss = Some(rule);
        }
    }

    /// Why the row at a place of the bench is left out; nothing where it is exported.
    pub(super) fn loss(&self, at: usize) -> Option<Rule> {
        self.losses.get(at).copied().flatten()
    }
}

/// The parts of a turn that a reader of the conversation sees.
fn shown(turn: &Turn) -> Vec<u8> {
    serde_json::to_vec(&(turn.role, &turn.text, &turn.calls)).unwrap_or_default()
}

/// A request with the kind of reply that is right for it, and the calls if they are: whatever tools are shown.
fn request(lesson: &Lesson) -> u64 {
    let calls: Vec<_> = lesson.calls().collect();
    let prompt: Vec<u8> = lesson.prompt().iter().flat_map(shown).collect();
    hash(&serde_json::to_vec(&(&lesson.sample.locale, lesson.aim.as_str(), calls, prompt)).unwrap_or_default())
}

/// Every reply of the assistant as its place: the tools, what stands before it, and whether it calls.
fn replies(lesson: &Lesson) -> Vec<u64> {
    let mut before: Vec<u8> = lesson.tools.iter().flat_map(|tool| tool.name.bytes().chain([0])).collect();
    let mut out = Vec::new();
    for turn in &lesson.turns {
        if turn.role == Role::Assistant {
            let kind = u8::from(!turn.calls.is_empty());
            out.push(hash(&[before.as_slice(), &[kind]].concat()));
        }
        before.extend(shown(turn));
    }
    out
}

/// Every reply that a row trains, as what stands before it and its words and calls: equal ones are the same lesson.
pub(super) fn trained(lesson: &Lesson, trains_history: bool) -> Vec<u64> {
    let (mut before, mut out) = (lesson.sample.locale.as_bytes().to_vec(), Vec::new());
    for (at, turn) in lesson.turns.iter().enumerate() {
        before.extend(shown(turn));
        if turn.is_learned() || trains_history && turn.role == Role::Assistant && at < lesson.target {
            out.push(hash(&before));
        }
    }
    out
}

// What a sample has to pass by itself before it is a row: locale, permission, length, weight, and a place in the format.

/// Makes lessons of samples, and keeps those that the options allow.
#[derive(Debug)]
pub(super) struct Sieve<'o> {
    options: &'o Options,
    /// Who makes lessons.
    pub teacher: Teacher,
}

impl<'o> Sieve<'o> {
    /// Lessons by a teacher.
    pub(super) fn new(options: &'o Options, teacher: Teacher) -> Self {
        Self { options, teacher }
    }

    /// The lesson of a sample, with what of the sample it does not teach; or why there is none.
    pub(super) fn lesson(&mut self, sample: Sample, around: &Around) -> Taught {
        if let Some(rule) = refused(&sample, self.options) {
            return Err(Loss::row(sample.id.as_str(), rule, ""));
        }
        let (mut lesson, losses) = self.teacher.lesson(sample, around)?;
        if self.options.masks_history() {
            let before = lesson.turns.iter_mut().take(lesson.target);
            before.filter(|turn| turn.learn == Learn::Yes).for_each(|turn| turn.learn = Learn::Context);
        }
        let length = tokens(&lesson);
        if self.options.max_tokens.is_some_and(|most| length > most) {
            return Err(Loss::row(lesson.id(), Rule::TooLong, length.to_string()));
        }
        if copies(&lesson, &self.options.weights, self.options.seed) == 0 {
            return Err(Loss::row(lesson.id(), Rule::Weight, ""));
        }
        Ok((lesson, losses))
    }

    /// The same, where the format has a place for it as well.
    pub(super) fn row(&mut self, sample: Sample, around: &Around) -> Option<Lesson> {
        let (lesson, _) = self.lesson(sample, around).ok()?;
        let is_taught = self.options.objective == Objective::Sft;
        let has_place = !is_taught || rendered(&lesson, self.options).is_none_or(|written| written.is_ok());
        has_place.then_some(lesson)
    }
}

/// Why a sample is not wanted, before anybody looks closer.
fn refused(sample: &Sample, options: &Options) -> Option<Rule> {
    let is_other = options.locale.as_ref().is_some_and(|locale| *locale != sample.locale);
    match () {
        () if is_other => Some(Rule::Locale),
        () if sample.review == Review::Rejected => Some(Rule::Rejected),
        () if sample.provenance.template && !options.allow_template => Some(Rule::Template),
        () => None,
    }
}

// How often an example stands in the mix, and how long it is.

/// What a weight looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// The suite's data type.
    DataType,
    /// The locale.
    Locale,
    /// Where the values of the right calls come from.
    Origin,
    /// What the example ends in.
    Aim,
    /// The suite.
    Suite,
}

/// A weight: `locale:ko=2`, `data_type:ST_Perfect=0.5`, `origin:verbatim=0.3`.
#[derive(Debug, Clone, PartialEq)]
pub struct Weight {
    /// What it looks at.
    pub by: By,
    /// The name that it is for.
    pub name: String,
    /// How often such examples stand in the mix.
    pub times: f64,
}

impl FromStr for Weight {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = || "expected KEY:NAME=TIMES, such as `locale:ko=2`".to_owned();
        let (key, rest) = text.split_once(':').ok_or_else(form)?;
        let (name, times) = rest.rsplit_once('=').ok_or_else(form)?;
        let by = match key {
            "data_type" => By::DataType,
            "locale" => By::Locale,
            "origin" => By::Origin,
            "aim" => By::Aim,
            "suite" => By::Suite,
            other => return Err(format!("unknown key `{other}`; expected data_type, locale, origin, aim or suite")),
        };
        let times: f64 = times.parse().map_err(|_| format!("`{times}` is not a number"))?;
        if !times.is_finite() || !(0.0..=100.0).contains(&times) {
            return Err(format!("`{times}` is not between 0 and 100"));
        }
        Ok(Self { by, name: name.to_owned(), times })
    }
}

/// How many copies of a lesson stand in the mix: all weights that concern it, multiplied; what is left of a whole by chance.
pub(super) fn copies(lesson: &Lesson, weights: &[Weight], seed: u64) -> u32 {
    let times: f64 = weights.iter().filter(|weight| concerns(weight, lesson)).map(|weight| weight.times).product();
    let whole = times.floor().clamp(0.0, 1e6);
    let mut chance = Chance::new(seed, "export.mix", lesson.id(), 0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and a million")]
    let copies = whole as u32;
    copies + u32::from(chance.happens(times - whole))
}

fn concerns(weight: &Weight, lesson: &Lesson) -> bool {
    let sample = &lesson.sample;
    match weight.by {
        By::DataType => sample.data_type.0 == weight.name,
        By::Locale => sample.locale == weight.name,
        By::Suite => sample.suite == SuiteName::from(weight.name.as_str()),
        By::Aim => lesson.aim.as_str() == weight.name,
        By::Origin => origins(sample).contains(&weight.name.as_str()),
    }
}

/// About how many tokens an example has: four letters of Latin script to one, every other letter one.
pub(super) fn tokens(lesson: &Lesson) -> usize {
    let mut quarters = 0;
    let mut add =
        |text: &str| quarters += text.chars().map(|letter| if letter.is_ascii() { 1 } else { 4 }).sum::<usize>();
    for turn in &lesson.turns {
        add(turn.text.as_deref().unwrap_or_default());
        add(turn.reasoning.as_deref().unwrap_or_default());
        turn.calls.iter().for_each(|call| {
            add(&call.name);
            add(&Value::Object(call.arguments.clone()).to_string());
        });
    }
    for tool in &lesson.tools {
        add(&serde_json::to_string(&tool.parameters).unwrap_or_default());
        add(&tool.name);
        add(&tool.description);
    }
    quarters.div_ceil(4) + 4 * lesson.turns.len()
}

#[cfg(test)]
mod tests {
    use super::super::testing::lesson;
    use super::*;
    use crate::record::ItemId;
    use std::sync::Arc;

    fn row(aim: &str, id: usize, text: &str) -> Lesson {
        let mut lesson = lesson(aim);
        lesson.sample.id = ItemId::root(format!("i{id}"));
        lesson.turns[0].text = Some(text.to_owned());
        lesson
    }

    /// The ids that are kept, and the mix.
    fn chosen(rows: &[Lesson], mix: Mix, trains_history: bool) -> (BTreeSet<String>, Mixed) {
        let mut choice = Choice::new(mix, trains_history, 7);
        for row in rows {
            choice.add(Some(row));
        }
        let chosen = choice.finish();
        let kept = rows.iter().enumerate().filter(|(at, _)| chosen.loss(*at).is_none());
        (kept.map(|(_, row)| row.id().to_owned()).collect(), chosen.mixed)
    }

    fn many(calls: usize, questions: usize, refusals: usize) -> Vec<Lesson> {
        let kinds = [("call", calls), ("question", questions), ("refusal", refusals)];
        let rows = kinds.into_iter().flat_map(|(aim, count)| (0..count).map(move |at| (aim, at)));
        rows.enumerate().map(|(id, (aim, at))| row(aim, id, &format!("{aim} {at}"))).collect()
    }

    #[test]
    fn questions_and_refusals_are_15_each_to_70_calls_whatever_the_order() {
        let mut rows = many(140, 200, 90);
        let (kept, mixed) = chosen(&rows, Mix::Default, false);
        assert_eq!((kept.len(), mixed.is_default, mixed.absent.len()), (200, true, 0));
        rows.reverse();
        rows.rotate_left(77);
        assert_eq!(chosen(&rows, Mix::Default, false).0, kept);
        assert_eq!(
            chosen(&rows, Mix::All, false),
            (rows.iter().map(|it| it.id().to_owned()).collect(), Mixed::default())
        );
    }

    #[test]
    fn no_call_is_left_out_and_a_run_without_one_kind_keeps_its_shares() {
        assert_eq!(chosen(&many(100, 3, 2), Mix::Default, false).0.len(), 105);
        let (kept, mixed) = chosen(&many(10, 80, 0), Mix::Default, false);
        assert_eq!((kept.len(), mixed.absent), (90, vec![Aim::Refusal]));
    }

    #[test]
    fn a_request_with_other_tools_counts_once_and_its_refusal_is_another_lesson() {
        let mut rows: Vec<Lesson> = (0..5).map(|id| row("call", id, "a train to Porto")).collect();
        for (at, row) in rows.iter_mut().enumerate() {
            Arc::make_mut(&mut row.tools[1]).name = format!("Other.tool{at}");
        }
        rows.push(row("refusal", 9, "a train to Porto"));
        let (kept, _) = chosen(&rows, Mix::Default, false);
        assert!(kept.len() == 2 && kept.contains("i9"), "{kept:?}");
        assert_eq!(chosen(&rows, Mix::All, false).0.len(), 6);
    }

    #[test]
    fn of_a_conversation_that_is_trained_whole_the_longest_row_stays() {
        let mut rows = vec![row("question", 0, "a train"), row("call", 1, "a train"), row("call", 2, "a bus")];
        let history = [Turn::said(Role::Assistant, "Where to?"), Turn::said(Role::User, "Porto")];
        rows[1].turns.splice(1..1, history);
        rows[1].target = 3;
        assert_eq!(chosen(&rows, Mix::All, true).0, BTreeSet::from(["i1", "i2"].map(str::to_owned)));
        assert_eq!(chosen(&rows, Mix::All, false).0.len(), 3);
        assert_eq!((trained(&rows[1], true).len(), trained(&rows[2], true).len()), (2, 1));
    }
}

#[cfg(test)]
mod sieve_tests {
    use super::super::options::Dialect;
    use super::super::testing::gold;
    use super::*;
    use crate::export::lessons::wording::Wording;
    use crate::record::{Message, Role};

    fn sieve(options: &Options) -> Sieve<'_> {
        Sieve::new(options, Teacher { wording: Wording::new(7), paradigm: options.paradigm })
    }

    #[test]
    fn history_is_read_and_not_learned_unless_it_is_wanted_or_the_format_cannot_say_so() {
        let mut later = gold();
        later.messages.push(Message::new(Role::Assistant, "Where to?"));
        later.messages.push(Message::user("to Porto"));
        let learn = |to, train_history| {
            let options = Options { to, train_history, ..Options::default() };
            sieve(&options).lesson(later.clone(), &Around::default()).unwrap().0.turns[1].learn
        };
        for to in [Dialect::Trl, Dialect::TrlArrow, Dialect::Openai, Dialect::Parquet, Dialect::Csv] {
            assert_eq!((learn(to, false), learn(to, true)), (Learn::Context, Learn::Yes), "{to:?}");
        }
        assert_eq!(learn(Dialect::Hermes, false), Learn::Yes);
    }

    #[test]
    fn what_a_format_has_no_place_for_is_no_row() {
        let mut later = gold();
        later.messages.push(Message::new(Role::Assistant, "Where to?"));
        later.messages.push(Message::user("to Porto"));
        let has_row = |to| {
            let options = Options { to, ..Options::default() };
            sieve(&options).row(later.clone(), &Around::default()).is_some()
        };
        assert!(has_row(Dialect::Trl) && has_row(Dialect::Hermes) && has_row(Dialect::Csv) && !has_row(Dialect::Xlam));
    }
}

#[cfg(test)]
mod mix_tests {
    use super::super::testing::{lesson, parallel};
    use super::*;

    fn weights(texts: &[&str]) -> Vec<Weight> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn weights_multiply_and_the_rest_is_chance() {
        let lesson = lesson("call");
        assert_eq!(copies(&lesson, &[], 7), 1);
        assert_eq!(copies(&lesson, &weights(&["locale:en=2", "data_type:ST_Perfect=1.5", "locale:ko=0"]), 7), 3);
        assert_eq!(copies(&lesson, &weights(&["aim:call=0"]), 7), 0);
        let half = weights(&["suite:hammerbench=0.5"]);
        let kept: u32 = (0..1000).map(|seed| copies(&lesson, &half, seed)).sum();
        assert!((420..580).contains(&kept), "{kept}");
        assert_eq!(copies(&lesson, &half, 7), copies(&lesson, &half, 7));
    }

    #[test]
    fn origins_are_those_of_the_right_call() {
        let mut lesson = lesson("call");
        lesson.sample.arguments = serde_json::from_str(r#"{"to": {"origin": "normalised"}}"#).unwrap();
        assert_eq!(copies(&lesson, &weights(&["origin:normalised=3"]), 7), 3);
        assert_eq!(copies(&lesson, &weights(&["origin:verbatim=3"]), 7), 1);
    }

    #[test]
    fn a_weight_that_makes_no_sense_says_so() {
        for text in ["locale", "locale:ko", "colour:red=1", "locale:ko=x", "locale:ko=-1", "locale:ko=NaN"] {
            assert!(text.parse::<Weight>().is_err(), "{text}");
        }
    }

    #[test]
    fn longer_examples_have_more_tokens() {
        let (short, long) = (tokens(&lesson("call")), tokens(&parallel()));
        assert!(short > 40 && short < long, "{short} {long}");
        let mut korean = lesson("call");
        korean.turns[0].text = Some("포르투행 기차".to_owned());
        assert!(tokens(&korean) > short);
    }
}
