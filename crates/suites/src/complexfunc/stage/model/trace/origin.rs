//! Where the arguments of a call come from: the request, an earlier answer, or a default.

use super::held::{Answered, Known, Traced, declared, of, today, together, undeclared};
use super::steps::leaves;
use crate::gate::stands;
use crate::llm::SaidBy;
use crate::locale::{FoundDuration, Stamp, durations_in};
use crate::record::{Argument, Constraint, Number, Object, Origin, Tool, Value};
use crate::stage::context::Context;

const MINUTES_OF_A_DAY: i64 = 24 * 60;

/// Traces arguments to what a request says.
pub(crate) struct Tracer<'a> {
    context: &'a Context,
    text: &'a str,
    /// Words that somebody says a choice is made by; they count where they stand in the request.
    said: &'a [SaidBy],
    today: String,
}

impl<'a> Tracer<'a> {
    /// A tracer for a request.
    pub(crate) fn new(context: &'a Context, text: &'a str, said: &'a [SaidBy]) -> Self {
        Self::at(context, text, said, today(context))
    }

    /// The same for what was said at this time, in ISO 8601.
    pub(crate) fn at(context: &'a Context, text: &'a str, said: &'a [SaidBy], today: String) -> Self {
        Self { context, text, said, today }
    }

    /// Where an argument of a call comes from; its origin is [`Origin::Missing`] where nothing tells.
    pub(crate) fn argument(&self, tool: &Tool, name: &str, arguments: &Object, earlier: &[Answered<'_>]) -> Traced {
        let known = Known::new(self.context.toolset(), tool, name);
        let Some(value) = arguments.get(name) else { return Traced::default() };
        let mut traced = self.value(&known, value, arguments, earlier);
        traced.argument.constraint = known.constraint();
        traced
    }

    /// The argument of a call that comes from an earlier answer which is known to decide it: one that is declared to come from
    /// there, else the first whose value stands there.
    pub(crate) fn taken(&self, tool: &Tool, arguments: &Object, from: &Answered<'_>) -> Option<(String, Traced)> {
        let answer = std::slice::from_ref(from);
        let by = |find: &dyn Fn(&Known<'_>, &Value) -> Option<Traced>| {
            arguments.iter().find_map(|(name, value)| {
                let known = Known::new(self.context.toolset(), tool, name);
                let mut traced = find(&known, value)?;
                traced.argument.constraint = known.constraint();
                Some((name.clone(), traced))
            })
        };
        by(&|known, value| declared(known.sources, value, answer))
            .or_else(|| by(&|known, value| undeclared(known.name, value, answer)))
    }

    /// Whether nobody but the service can know an argument's value, so that no request can say it.
    pub(crate) fn is_secret(&self, tool: &Tool, name: &str) -> bool {
        Known::new(self.context.toolset(), tool, name).is_secret()
    }

    fn value(&self, known: &Known<'_>, value: &Value, beside: &Object, earlier: &[Answered<'_>]) -> Traced {
        let part = |known: &Known<'_>, value: &Value| self.value(known, value, beside, earlier);
        match value {
            Value::List(items) if !items.is_empty() => together(items.iter().map(|item| part(known, item))),
            Value::Object(fields) if !fields.is_empty() => together(fields.iter().map(|(name, value)| {
                let known = known.field(name);
                self.value(&known, value, fields, earlier)
            })),
            leaf => self.leaf(known, leaf, beside, earlier).unwrap_or_else(|| self.parts(known, leaf, beside, earlier)),
        }
    }

    /// A text of several values with commas between.
    fn parts(&self, known: &Known<'_>, value: &Value, beside: &Object, earlier: &[Answered<'_>]) -> Traced {
        let parts: Vec<Value> = value.as_str().unwrap_or_default().split(',').map(str::trim).map(part).collect();
        let missing = || Traced::new(of(Origin::Missing));
        if parts.len() < 2 {
            return missing();
        }
        together(parts.iter().map(|part| self.leaf(known, part, beside, earlier).unwrap_or_else(missing)))
    }

    fn leaf(&self, known: &Known<'_>, value: &Value, beside: &Object, earlier: &[Answered<'_>]) -> Option<Traced> {
        let handed_out = known.is_handed_out().then(|| declared(known.sources, value, earlier)).flatten();
        handed_out
            .or_else(|| self.stated(known, value).map(Traced::new))
            .or_else(|| self.claimed(known, value).map(Traced::new))
            .or_else(|| self.counted_on(value, beside).map(Traced::new))
            .or_else(|| known.default().filter(|it| it.equals(value)).map(|_| Traced::new(of(Origin::Default))))
            .or_else(|| declared(known.sources, value, earlier))
            .or_else(|| undeclared(known.name, value, earlier))
            .or_else(|| self.derived(value, earlier))
    }

    /// What the request says by itself.
    fn stated(&self, known: &Known<'_>, value: &Value) -> Option<Argument> {
        // What a table calls its row says nothing of a key that only an answer gives.
        let titles = if known.is_secret() { Vec::new() } else { known.titles(self.context, value) };
        let reference = Some(self.today.as_str()).filter(|today| !today.is_empty());
        let place = (known.tool, known.name, known.parameter.as_ref());
        let language = self.context.language();
        stands(place, value, self.text, (&titles, reference), language)
    }

    /// A choice, a flag or a number of people by words that somebody pointed at.
    fn claimed(&self, known: &Known<'_>, value: &Value) -> Option<Argument> {
        // "My wife and I" are two people.
        let is_choice = value.as_bool().is_some()
            || known.parameter.values.is_some()
            || known.constraint() == Some(Constraint::People)
            || !known.titles(self.context, value).is_empty();
        let is_it = |it: &&SaidBy| it.function == known.tool.name && it.parameter == known.name && !it.words.is_empty();
        let by = self.said.iter().filter(|_| is_choice).filter(is_it);
        let words = by.map(|it| &it.words).find(|words| self.text.contains(words.as_str()))?;
        Some(Argument { surface: Some(words.clone()), ..of(Origin::Enum) })
    }

    /// A day that comes so many days after another one of the call, where the request says how many.
    fn counted_on(&self, value: &Value, beside: &Object) -> Option<Argument> {
        let day = |value: &Value| Stamp::read(value.as_str()?).filter(|it| it.time.is_none())?.date;
        let own = day(value)?;
        let after = beside.values().filter_map(day).map(|other| own.number() - other.number()).filter(|it| *it > 0);
        let surface = after.into_iter().find_map(|days| self.lasting(days * MINUTES_OF_A_DAY))?;
        Some(Argument { surface: Some(surface), ..of(Origin::Inferred) })
    }

    /// An hour that an answer has beside a day, or that comes so many hours or minutes after one.
    fn derived(&self, value: &Value, earlier: &[Answered<'_>]) -> Option<Traced> {
        let own = Stamp::read(value.as_str()?)?;
        let shift = |other: Stamp| {
            let is_part = (own.date.is_some() && own.time.is_none() && own.date == other.date)
                || (own.date.is_none() && own.time.is_some() && own.time == other.time);
            let minutes = |stamp: Stamp| stamp.time.map(|it| i64::from(it.hour) * 60 + i64::from(it.minute));
            let later = minutes(own).zip(minutes(other)).map(|(own, other)| (own - other).rem_euclid(MINUTES_OF_A_DAY));
            is_part || later.is_some_and(|it| it > 0 && self.lasting(it).is_some())
        };
        let found = earlier.iter().find_map(|it| {
            let stamped = |leaf: &Value| Stamp::read(leaf.as_str()?);
            let place = leaves(it.answer).into_iter().find(|(_, leaf)| stamped(leaf).is_some_and(shift));
            Some((it.call, place?.0))
        });
        let (call, field) = found?;
        Some(Traced { argument: of(Origin::Derived { call, field }), sources: vec![call] })
    }

    /// The words that say so many minutes.
    fn lasting(&self, minutes: i64) -> Option<String> {
        let language = self.context.language();
        #[expect(clippy::cast_precision_loss, reason = "days of a calendar have far fewer minutes than 2^52")]
        let is_it = |it: &FoundDuration| (it.minutes - minutes as f64).abs() < 0.5;
        let found = durations_in(self.text, language).into_iter().find(is_it)?;
        self.text.get(found.range).map(str::to_owned)
    }
}

/// A part of a list in a text: a number where it is one.
fn part(text: &str) -> Value {
    Number::parse(text).map_or_else(|| Value::from(text), Value::from)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{answered, call, greyford, inn, made, tool};
    use super::*;
    use crate::stage::testing::silent;

    fn find(context: &Context) -> Vec<super::super::Made> {
        made(context, &[(0, "Find_Town", r#"{"query": "Greyford"}"#)])
    }

    /// The origin of an argument and the words that say it.
    fn trace(text: &str, function: &str, name: &str, arguments: &str) -> (String, Option<String>) {
        let context = inn(silent());
        let earlier = find(&context);
        let arguments = call(function, arguments).arguments;
        let traced =
            Tracer::new(&context, text, &[]).argument(&tool(&context, function), name, &arguments, &answered(&earlier));
        (serde_json::to_string(&traced.argument.origin).unwrap(), traced.argument.surface)
    }

    fn says(text: &str, name: &str, value: &str) -> (String, Option<String>) {
        trace(text, "Search_Inns", name, &format!(r#"{{"arrival": "2024-11-01", "{name}": {value}}}"#))
    }

    #[test]
    fn what_the_request_says_comes_from_there() {
        let text = "An inn in Greyford from November 8th for three guests, sorted by stars, for 5 nights";
        assert_eq!(
            trace(text, "Find_Town", "query", r#"{"query": "Greyford"}"#),
            ("\"verbatim\"".to_owned(), Some("Greyford".to_owned()))
        );
        assert_eq!(says(text, "guests", "3"), ("\"normalised\"".to_owned(), Some("three".to_owned())));
        assert_eq!(says(text, "sort", "\"stars\"").0, "\"verbatim\"");
        assert_eq!(
            says(text, "arrival", "\"2024-11-08\""),
            ("\"inferred\"".to_owned(), Some("November 8th".to_owned()))
        );
        assert_eq!(
            says(text, "departure", "\"2024-11-06\""),
            ("\"inferred\"".to_owned(), Some("5 nights".to_owned())),
            "it follows by a number"
        );
        assert_eq!(
            says("two weeks there", "departure", "\"2024-11-15\""),
            ("\"inferred\"".to_owned(), Some("two weeks".to_owned()))
        );
        assert_eq!(
            says("for children of 5 and eight", "ages", "\"5,8\""),
            ("\"normalised\"".to_owned(), Some("5, eight".to_owned()))
        );
    }

    #[test]
    fn what_the_service_hands_out_comes_from_its_answers_even_where_the_request_has_it() {
        let expected = r#"{"answer":{"call":0,"field":"/data/0/id"}}"#;
        assert_eq!(says("the T2 of towns", "town_id", "\"T2\"").0, expected);
        assert_eq!(says("the T9 of towns", "town_id", "\"T9\"").0, "\"verbatim\"");
        assert_eq!(
            trace("", "Cancel_Booking", "booking_id", r#"{"booking_id": "T2"}"#).0,
            "\"missing\"",
            "it is too short to tell"
        );
        let legs = r#"{"legs": [{"town_id": "T2", "day": "2024-11-03"}]}"#;
        assert_eq!(
            trace("on 2024-11-03", "Plan_Tour", "legs", legs),
            (expected.to_owned(), Some("2024-11-03".to_owned()))
        );
        assert_eq!(trace("whenever", "Plan_Tour", "legs", legs).0, "\"missing\"");
    }

    #[test]
    fn defaults_are_stated_and_the_rest_is_missing() {
        assert_eq!(says("", "guests", "2"), ("\"default\"".to_owned(), None));
        assert_eq!(says("", "quiet", "false").0, "\"default\"");
        for (name, value) in
            [("guests", "3"), ("sort", "\"stars\""), ("departure", "\"2024-11-06\""), ("ages", "\"5,8\"")]
        {
            assert_eq!(
                says("an inn for 4 nights and 1 child of 5", name, value),
                ("\"missing\"".to_owned(), if name == "ages" { Some("5".to_owned()) } else { None }),
                "{name}"
            );
        }
    }

    #[test]
    fn hours_follow_from_answers() {
        let context = silent();
        let taxi: Tool = serde_json::from_str(
            r#"{"name": "taxi", "parameters": {"properties": {"at": {"type": "string"}, "day": {"type": "string"}}, "required": []}}"#,
        )
        .unwrap();
        let answer = Value::read(r#"{"flights": [{"lands": "2024-11-02T08:15"}]}"#).unwrap();
        let earlier = [Answered { call: 3, tool: "flights", answer: &answer }];
        let origin = |text: &str, name: &str, value: &str| {
            let arguments = call("taxi", &format!(r#"{{"{name}": "{value}"}}"#)).arguments;
            let traced = Tracer::new(&context, text, &[]).argument(&taxi, name, &arguments, &earlier);
            (traced.argument.origin, traced.sources)
        };
        let derived = (Origin::Derived { call: 3, field: "/flights/0/lands".to_owned() }, vec![3]);
        assert_eq!(origin("when we land", "at", "08:15"), derived);
        assert_eq!(origin("that day", "day", "2024-11-02"), derived);
        assert_eq!(origin("two hours after we land", "at", "10:15"), derived);
        assert_eq!(origin("90 minutes after we land", "at", "09:45"), derived);
        assert_eq!(origin("an hour after we land", "at", "09:15"), derived);
        assert_eq!(origin("an hour after we land", "at", "09:17").0, Origin::Missing);
    }

    #[test]
    fn words_that_somebody_points_at_count_for_choices_where_they_stand() {
        let context = inn(silent());
        let search = tool(&context, "Search_Inns");
        let claim = |parameter: &str, words: &str| {
            vec![SaidBy {
                function: "Search_Inns".to_owned(),
                parameter: parameter.to_owned(),
                words: words.to_owned(),
            }]
        };
        let origin = |said: &[SaidBy], name: &str, value: &str| {
            let arguments = call("Search_Inns", &format!(r#"{{"{name}": {value}}}"#)).arguments;
            Tracer::new(&context, "the grandest first, in peace", said)
                .argument(&search, name, &arguments, &[])
                .argument
                .origin
        };
        assert_eq!(origin(&claim("sort", "the grandest"), "sort", "\"stars\""), Origin::Enum);
        assert_eq!(origin(&claim("quiet", "in peace"), "quiet", "true"), Origin::Enum);
        assert_eq!(origin(&claim("sort", "the best"), "sort", "\"stars\""), Origin::Missing, "it does not stand there");
        assert_eq!(
            origin(&claim("guests", "in peace"), "guests", "2"),
            Origin::Enum,
            "people are counted by who they are"
        );
        let day = origin(&claim("arrival", "in peace"), "arrival", "\"2024-11-05\"");
        assert_eq!(day, Origin::Missing, "a day is no choice");
    }

    #[test]
    fn a_long_token_is_found_where_it_was_handed_out() {
        let context = inn(silent());
        let (token, search) = greyford(&context);
        let earlier = made(&context, &[(0, "Find_Town", r#"{"query": "Greyford"}"#), (1, "Search_Inns", search)]);
        let arguments = call("Get_Inn", &format!(r#"{{"token": "{token}"}}"#)).arguments;
        let traced = Tracer::new(&context, "", &[]).argument(
            &tool(&context, "Get_Inn"),
            "token",
            &arguments,
            &answered(&earlier),
        );
        assert_eq!(traced.argument.origin, Origin::Answer { call: 1, field: "/data/inns/0/token".to_owned() });
        assert_eq!(traced.sources, [1]);
    }
}
