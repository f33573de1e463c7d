//! Writes complex queries (`ComplexFuncBench`): one sentence after another, each asking for a search or an act, or to be
//! told several things about what was found.

mod speaker;
mod spoil;

use super::Grammar;
use crate::llm::BriefVariables;
use crate::locale::{Pattern, Style, is_ended};
use crate::record::Chance;
use speaker::{Sentence, Speaker};

/// How often the request begins with the day on which it is written, where it says it.
const DATED_FIRST: f64 = 0.8;
/// How often the reason is said before what is asked for.
const REASON_FIRST: f64 = 0.9;

impl Grammar {
    /// Writes a query for the parts.
    pub(super) fn write_complex_query(&self, variables: &BriefVariables, chance: &mut Chance) -> String {
        let styles =
            if self.pack.questions.styles.is_empty() { &self.pack.styles } else { &self.pack.questions.styles };
        let named = styles.iter().find(|style| style.name == variables.style);
        let Some(style) = named.or_else(|| styles.first()) else { return String::new() };
        let mut speaker = Speaker::new(&self.pack, variables);
        let sentences = speaker.sentences(chance);
        let reason = Some(variables.why.clone()).filter(|why| !why.is_empty());
        // A reason that is no sentence of its own leads into the first request.
        let leads = reason.as_ref().is_some_and(|it| !is_ended(it));
        let is_first = leads || (reason.is_some() && chance.happens(REASON_FIRST));
        let mut texts: Vec<String> =
            sentences.iter().enumerate().map(|(at, it)| self.sentence(it, (at, is_first), style, chance)).collect();
        if let (Some(reason), true) = (&reason, leads) {
            let first = texts.first().cloned().unwrap_or_default();
            texts.splice(..1.min(texts.len()), [self.pack.requests.join_sentences(&[reason.clone(), first])]);
        } else if let Some(reason) = reason {
            texts.insert(if is_first { 0 } else { texts.len() }, reason);
        }
        if !variables.today.is_empty() {
            let today = self.pack.filled(chance.pick(&self.pack.requests.today), "date", &variables.today, chance);
            let at = if chance.happens(DATED_FIRST) { 0 } else { texts.len() };
            texts.insert(at, today);
        }
        let texts: Vec<String> = texts.into_iter().map(|text| self.pack.tidy(&text)).collect();
        self.pack.requests.bared(&self.pack.requests.join_sentences(&texts))
    }

    /// The first sentence in any frame of the style, unless the reason stands before it; the others in plain ones that follow
    /// on.
    fn sentence(
        &self,
        sentence: &Sentence,
        (at, has_reason): (usize, bool),
        style: &Style,
        chance: &mut Chance,
    ) -> String {
        let frame = match at {
            0 if has_reason => style.frames.first(),
            0 => chance.pick(&style.frames),
            _ => self.next(style, chance),
        };
        let text = self.pack.filled(frame, "intent", &sentence.intent, chance);
        let text = if at == 0 || sentence.begins {
            text
        } else {
            self.pack.filled(chance.pick(&self.pack.requests.then), "sentence", &text, chance)
        };
        let mut text = self.pack.stopped(&text);
        if let Some(choice) = &sentence.choice {
            let choice = self.pack.stopped(&self.pack.filled(self.next(style, chance), "intent", choice, chance));
            text = self.pack.requests.join_sentences(&[self.pack.tidy(&text), self.pack.tidy(&choice)]);
        }
        let Some(first) = &sentence.first else { return text };
        let first = self.pack.stopped(&self.pack.filled(self.next(style, chance), "intent", first, chance));
        let second = self.pack.tidy(&text);
        let joined = chance
            .pick(&self.pack.requests.backward)
            .map(|pattern| self.pack.rendered(pattern, &[("1", &first), ("2", &second)], chance));
        joined.unwrap_or_else(|| self.pack.requests.join_sentences(&[self.pack.tidy(&first), second]))
    }

    /// The frame of a request that is not the first.
    fn next<'s>(&'s self, style: &'s Style, chance: &mut Chance) -> Option<&'s Pattern> {
        chance.pick(&self.pack.requests.next).or_else(|| style.frames.first())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::{BriefChoice, BriefFork, BriefPart, BriefWords, Common};
    use indexmap::IndexMap;

    fn said(text: &str) -> Vec<BriefWords> {
        vec![BriefWords::Said(text.to_owned())]
    }

    fn slots(pairs: Vec<(&str, Vec<BriefWords>)>) -> IndexMap<String, Vec<BriefWords>> {
        pairs.into_iter().map(|(name, words)| (name.to_owned(), words)).collect()
    }

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    fn cheapest() -> Vec<BriefWords> {
        let phrases = texts(&["the cheapest hotel"]);
        vec![BriefWords::Item { part: 0, pick: "cheapest".to_owned(), phrases, name: None }]
    }

    fn written(parts: Vec<BriefPart>, draw: u32) -> String {
        let grammar = Grammar::new(crate::fixtures::pack("en"), 7);
        let variables = BriefVariables {
            common: Common::default(),
            title: "Hotels".to_owned(),
            today: "October 13, 2024".to_owned(),
            why: String::new(),
            parts,
            style: "plain".to_owned(),
            manner: String::new(),
            seed: None,
        };
        grammar.write_complex_query(&variables, &mut Chance::new(1, "s", "i", draw))
    }

    fn search(places: Vec<BriefWords>) -> BriefPart {
        BriefPart {
            asks: texts(&["find hotels in {place} from {from}[ for {people}]"]),
            slots: slots(vec![("place", places), ("from", said("November 3")), ("people", said("two adults"))]),
            ..BriefPart::default()
        }
    }

    fn rules() -> BriefPart {
        BriefPart {
            things: texts(&["the rules of {hotel}", "its rules"]),
            slots: slots(vec![("hotel", cheapest())]),
            wanted: true,
            ..BriefPart::default()
        }
    }

    #[test]
    fn a_search_is_asked_for_and_what_is_wanted_of_its_result_before_it_or_after_it() {
        let mut before = 0;
        for draw in 0..40 {
            let text = written(vec![search(said("Porto")), rules()], draw);
            let place = |words: &str| text.to_lowercase().find(&words.to_lowercase());
            assert!(place("find hotels in Porto from November 3 for two adults").is_some(), "{text}");
            assert!(place("the rules of the cheapest hotel").is_some(), "{text}");
            assert!(text.contains("October 13, 2024") && text.ends_with(['.', '?']), "{text}");
            before += usize::from(place("the rules of") < place("find hotels"));
        }
        assert!((4..30).contains(&before), "{before}");
    }

    #[test]
    fn things_of_one_hotel_stand_in_a_row_and_name_it_once() {
        let reviews = BriefPart { things: texts(&["the reviews of {hotel}", "its reviews"]), ..rules() };
        let text = written(vec![search(said("Porto")), rules(), reviews], 1);
        assert!(text.contains("the rules of the cheapest hotel and its reviews"), "{text}");
    }

    #[test]
    fn what_takes_two_items_names_the_thing_before_what_is_of_it() {
        let covers = BriefPart { slots: slots(vec![("hotel", cheapest())]), ..BriefPart::default() };
        let phrases = texts(&["the best cover for {hotel}", "its best cover"]);
        let cover = vec![BriefWords::Item { part: 1, pick: "best".to_owned(), phrases, name: None }];
        let total = BriefPart {
            things: texts(&["the total of {hotel}, with {cover}", "its total, with {cover}"]),
            slots: slots(vec![("hotel", cheapest()), ("cover", cover)]),
            wanted: true,
            ..BriefPart::default()
        };
        for draw in 0..20 {
            let text = written(vec![search(said("Porto")), covers.clone(), total.clone()], draw);
            assert!(text.contains("the total of the cheapest hotel, with its best cover"), "{text}");
        }
    }

    #[test]
    fn what_differs_is_joined_and_the_rest_is_for_each() {
        let places = vec![BriefWords::Said("Porto".to_owned()), BriefWords::Said("Lyon".to_owned())];
        let text = written(vec![search(places), BriefPart { each: true, ..rules() }], 1);
        assert!(text.contains("in Porto and Lyon from"), "{text}");
        assert!(["each", "both"].iter().any(|word| text.contains(word)), "{text}");
    }

    #[test]
    fn both_ends_of_a_range_are_said_together_and_one_by_itself() {
        let asks = texts(&["find a hotel[, {low} to {high} a night][, from {low} a night][, up to {high} a night]"]);
        let text = |slots: Vec<(&str, Vec<BriefWords>)>| {
            let search = BriefPart { asks: asks.clone(), slots: super::tests::slots(slots), ..BriefPart::default() };
            written(vec![search], 3)
        };
        let both = text(vec![("low", said("90")), ("high", said("180"))]);
        assert!(both.contains("90 to 180 a night") && !both.contains("from") && !both.contains("up to"), "{both}");
        assert!(text(vec![("high", said("180"))]).contains("up to 180 a night"));
    }

    #[test]
    fn a_choice_is_said_with_both_branches_before_what_hangs_on_it() {
        let choice = BriefChoice {
            first: "cheapest".to_owned(),
            one: texts(&["the cheapest hotel"]),
            when: "it has a pool".to_owned(),
            second: "best".to_owned(),
            other: texts(&["the best hotel"]),
        };
        for draw in 0..20 {
            let text =
                written(vec![BriefPart { choice: Some(choice.clone()), ..search(said("Porto")) }, rules()], draw);
            let place = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words}: {text}"));
            let both = ["the cheapest hotel", "it has a pool", "the best hotel"].map(place);
            assert!(place("Porto") < both[0] && both[0] < both[1] && both.iter().all(|it| *it < place("its rules")));
        }
    }

    #[test]
    fn what_hangs_on_a_condition_is_said_with_what_is_wanted_otherwise() {
        for (met, wanted) in [(true, ["its rules", "its sights"]), (false, ["its sights", "its rules"])] {
            let sights = BriefPart { things: texts(&["the sights around {hotel}", "its sights"]), ..rules() };
            let when = "it has a pool".to_owned();
            let fork = BriefFork { one: cheapest().remove(0), when, met, other: sights };
            for draw in 0..20 {
                let part = BriefPart { fork: Some(Box::new(fork.clone())), ..rules() };
                let text = written(vec![search(said("Porto")), part], draw);
                let place = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words}: {text}"));
                let places = ["Porto", "the cheapest hotel", "it has a pool", wanted[0], wanted[1]].map(place);
                assert!(places.is_sorted(), "{text}");
            }
        }
    }

    #[test]
    fn what_a_search_found_is_told_where_nothing_else_is_wanted() {
        let part = BriefPart { told: cheapest(), wanted: true, ..search(said("Porto")) };
        let text = written(vec![part], 3);
        assert!(text.contains("the cheapest hotel"), "{text}");
    }
}
