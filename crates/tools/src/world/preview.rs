//! Shows what can be said with a domain, with real rows of its world, for the people who write its text.

use super::{DeclaredWorld, Row, Sampler, Words, World};
use crate::toolset::{Api, Finding, Operation, Resource, Saying, Slot, Toolset};
use fcgen_core::locale::{Drawn, Fill, Pack};
use fcgen_core::record::{Chance, Object, Value};
use indexmap::IndexMap;
use std::sync::Arc;

/// Deepest nesting of phrases that is shown.
const DEPTH: usize = 3;

/// The domains of a toolset whose tables cannot be drawn, and what sample calls of a declared world show to be wrong.
pub fn world_faults(toolset: &Toolset, pack: &Arc<Pack>) -> Vec<Finding> {
    let fault = |(name, domain)| {
        let error = World::new(Arc::clone(domain), Arc::clone(pack), 0).err()?;
        Some(Finding::error(name, error.to_string()).in_structure())
    };
    let mut faults: Vec<Finding> = toolset.domains.iter().filter_map(fault).collect();
    if let Some(declaration) = &toolset.world {
        match DeclaredWorld::new(declaration.clone(), pack.clone(), 0) {
            Ok(world) => {
                faults.extend(world.faults().into_iter().filter(|it| !is_fed(toolset, it) && !is_live(toolset, it)));
            }
            Err(error) => faults.push(Finding::error(&declaration.name, error.to_string()).in_structure()),
        }
    }
    faults
}

/// Whether a fault is of a tool that a live server answers: what it was not asked nobody knows.
fn is_live(toolset: &Toolset, fault: &Finding) -> bool {
    let name = fault.place.rsplit('.').next().unwrap_or_default();
    toolset.world.as_ref().and_then(|world| world.functions.get(name)).is_some_and(|function| function.live)
}

/// Whether a fault is of a tool that takes what a goal's earlier call answered: goals are looked over by themselves.
fn is_fed(toolset: &Toolset, fault: &Finding) -> bool {
    let name = fault.place.rsplit('.').next().unwrap_or_default();
    toolset.phrases.contains_key(name) && toolset.tool(name).is_some_and(|tool| !tool.from.is_empty())
}

/// For every tool of a domain whose name begins with `prefix`: `n` sentences, the phrases for what it finds, sentences
/// whose identifiers are said by other APIs' phrases, and the ways to say that something was mentioned or made before.
pub fn preview(toolset: &Toolset, pack: &Arc<Pack>, prefix: &str, n: u32) -> Vec<String> {
    let worlds = toolset.domains.values().filter_map(|it| World::new(Arc::clone(it), Arc::clone(pack), 0).ok());
    let mut lines: Vec<String> = worlds.flat_map(|world| Preview { world: &world }.lines(prefix, n)).collect();
    let declared = toolset.world.as_ref().and_then(|it| DeclaredWorld::new(it.clone(), pack.clone(), 0).ok());
    lines.extend(declared.iter().flat_map(|world| shown(world, prefix, n)));
    lines
}

/// For every declared function whose name or place begins with `prefix`: `n` sample calls with their answers, the last
/// of them with all that a call may have, and what an empty call is answered.
fn shown(world: &DeclaredWorld, prefix: &str, n: u32) -> Vec<String> {
    let mut sampler = Sampler::new(world);
    let mut lines = Vec::new();
    for function in world.declaration().functions.values() {
        let place = format!("{}.{}", function.domain, function.name);
        if !place.starts_with(prefix) && !function.name.starts_with(prefix) {
            continue;
        }
        lines.push(format!("# {place} - {}", function.description));
        for draw in 0..n {
            let Some(sample) = sampler.sample(&function.name, draw + 1 == n, draw) else { continue };
            lines.push(format!("  {}", Value::Object(sample.call.arguments)));
            let answer = sample.answer.unwrap_or_else(|fault| world.session().refusal(&function.name, &fault));
            lines.push(format!("  = {answer}"));
        }
        if let Err(fault) = world.session().call(&function.name, &Object::new()) {
            lines.push(format!("  ! {}", world.session().refusal(&function.name, &fault)));
        }
    }
    lines
}

struct Preview<'w> {
    world: &'w World,
}

/// How the identifiers of a sentence are said.
#[derive(Clone, Copy)]
enum Manner {
    /// By the identifiers, or by phrases nested so deep.
    Named(usize),
    /// As what was mentioned before.
    Again,
    /// As what was made before.
    Fresh,
}

impl Preview<'_> {
    fn lines(&self, prefix: &str, n: u32) -> Vec<String> {
        let domain = self.world.domain();
        let wanted = domain.apis.values().filter(|api| api.tool.starts_with(prefix));
        wanted.flat_map(|api| self.of_api(api, n)).collect()
    }

    fn of_api(&self, api: &Api, n: u32) -> Vec<String> {
        let mut lines = vec![format!("# {} - {}", api.tool, api.description)];
        lines.extend(
            (0..n).filter_map(|draw| self.sentence(api, Manner::Named(0), draw)).map(|text| format!("  {text}")),
        );
        let phrases = (0..n.min(2)).filter_map(|draw| self.phrase_alone(api, draw));
        lines.extend(phrases.map(|text| format!("  = {text}")));
        if api.identifiers().next().is_some() {
            let nested = (0..n.div_ceil(2)).filter_map(|draw| self.sentence(api, Manner::Named(depth(draw)), draw + n));
            lines.extend(nested.map(|text| format!("  > {text}")));
            let before = [Manner::Again, Manner::Fresh].into_iter().filter(|_| n > 0);
            lines.extend(before.filter_map(|manner| self.sentence(api, manner, n)).map(|text| format!("  ~ {text}")));
        }
        lines
    }

    fn sentence(&self, api: &Api, manner: Manner, draw: u32) -> Option<String> {
        let mut chance = Chance::new(0, "sentence", &api.tool, draw);
        let rows: Vec<&Row> = self.world.rows(&api.resource).collect();
        let words = self.words(api, chance.pick(&rows).copied(), manner, &mut chance)?;
        let intent = self.render(&api.intents, words, &mut chance)?;
        let pack = self.world.pack();
        let style = pack.styles.get(chance.weighted(pack.styles.iter().map(|style| style.weight)))?;
        let frame = chance.pick(&style.frames)?;
        let intent = Drawn { value: Value::Null, surface: intent };
        let framed = frame.render(&mut Words::new(pack, IndexMap::from([("intent".to_owned(), intent)])), &mut chance);
        Some(pack.tidy(&framed))
    }

    fn phrase_alone(&self, api: &Api, draw: u32) -> Option<String> {
        let mut chance = Chance::new(0, "phrase", &api.tool, draw);
        let rows: Vec<&Row> = self.world.rows(&api.resource).collect();
        let words = self.words(api, chance.pick(&rows).copied(), Manner::Named(0), &mut chance)?;
        self.render(&api.phrases, words, &mut chance)
    }

    fn render(&self, sayings: &[Saying], words: IndexMap<String, Drawn>, chance: &mut Chance) -> Option<String> {
        let mut words = Words::new(self.world.pack(), words);
        let fitting: Vec<&Saying> = sayings.iter().filter(|saying| saying.pattern.fits(&words)).collect();
        Some(chance.pick(&fitting)?.pattern.render(&mut words, chance))
    }

    /// Words for the parameters of a call about one row; some of those that may be left out are.
    fn words(
        &self,
        api: &Api,
        row: Option<&Row>,
        manner: Manner,
        chance: &mut Chance,
    ) -> Option<IndexMap<String, Drawn>> {
        let mut words = IndexMap::new();
        for (name, slot) in &api.slots {
            let left_out =
                slot.field.content.reference().is_none() && chance.happens(if slot.required { 0.25 } else { 0.5 });
            if left_out && can_do_without(api, &words, name) {
                continue;
            }
            words.insert(name.clone(), self.word(api, name, slot, row, manner, chance)?);
        }
        Some(words)
    }

    fn word(
        &self,
        api: &Api,
        name: &str,
        slot: &Slot,
        row: Option<&Row>,
        manner: Manner,
        chance: &mut Chance,
    ) -> Option<Drawn> {
        let depth = if let Manner::Named(depth) = manner { depth } else { 0 };
        let looked_up = matches!(api.operation, Operation::Find(_) | Operation::Latest(_) | Operation::List(_));
        let known = row.filter(|_| looked_up).and_then(|row| row.value(name)).cloned();
        let Some(of) = slot.field.content.reference() else {
            if let Some(words) =
                slot.from.first().filter(|_| depth > 0).and_then(|source| self.source(&source.tool, depth, chance))
            {
                return Some(Drawn { value: Value::Null, surface: words });
            }
            return match known {
                Some(value) => Some(Drawn { surface: self.world.say(&slot.field, &value, chance), value }),
                None => self.world.draw(&slot.field, chance),
            };
        };
        let own = row.filter(|_| slot.own).map(|row| Value::from(row.id()));
        let value = own.or(known).or_else(|| self.world.draw(&slot.field, chance).map(|drawn| drawn.value))?;
        let id = value.as_str()?.to_owned();
        let surface = match manner {
            Manner::Named(depth) => self.noun(of, &id, depth, chance),
            Manner::Again => self.before(of, |resource| &resource.again, chance)?,
            Manner::Fresh => self.before(of, |resource| &resource.fresh, chance)?,
        };
        Some(Drawn { value, surface })
    }

    fn before(&self, resource: &str, sayings: fn(&Resource) -> &Vec<Saying>, chance: &mut Chance) -> Option<String> {
        let resource = self.world.domain().resources.get(resource)?;
        self.render(sayings(resource), IndexMap::new(), chance)
    }

    /// What another API answers, by its phrases.
    fn source(&self, tool: &str, depth: usize, chance: &mut Chance) -> Option<String> {
        let api = self.world.domain().api(tool)?;
        let rows: Vec<&Row> = self.world.rows(&api.resource).collect();
        let row = chance.pick(&rows).copied();
        let words = self.words(api, row, Manner::Named(depth - 1), chance)?;
        self.render(&api.phrases, words, chance)
    }

    /// A noun phrase for a thing: its identifier, or the phrase of an API that finds it.
    fn noun(&self, resource: &str, id: &str, depth: usize, chance: &mut Chance) -> String {
        if depth > 0 {
            let ways = self.ways(resource, id);
            if let Some((api, row)) = chance.pick(&ways) {
                let words = self.words(api, Some(row), Manner::Named(depth - 1), chance);
                if let Some(phrase) = words.and_then(|words| self.render(&api.phrases, words, chance)) {
                    return phrase;
                }
            }
        }
        self.world.call_by_id(resource, id, chance)
    }

    /// The APIs that answer with this identifier, each with a row about which they are asked.
    fn ways(&self, resource: &str, id: &str) -> Vec<(&Api, &Row)> {
        let leads = |api: &Api, row: &Row| match &api.operation {
            Operation::Find(_) | Operation::Latest(_) => api.resource == resource && row.id() == id,
            Operation::Get(_) => {
                api.found().any(|(name, of)| of == resource && row.value(name).and_then(Value::as_str) == Some(id))
            }
            _ => false,
        };
        let apis = self.world.domain().apis.values().filter(|api| !api.phrases.is_empty());
        apis.filter_map(|api| Some((api, self.world.rows(&api.resource).find(|row| leads(api, row))?))).collect()
    }
}

/// Whether some intent says what is there, and what comes, without this value; phrases too, where there are any.
fn can_do_without(api: &Api, words: &IndexMap<String, Drawn>, name: &str) -> bool {
    let others = Others { words, api, name };
    let fits = |sayings: &[Saying]| sayings.iter().any(|it| it.pattern.fits(&others));
    fits(&api.intents) && (api.phrases.is_empty() || fits(&api.phrases))
}

/// The parameters that are said, and those that come after one.
struct Others<'a> {
    words: &'a IndexMap<String, Drawn>,
    api: &'a Api,
    name: &'a str,
}

impl Fill for Others<'_> {
    fn has(&self, slot: &str) -> bool {
        let at = |name: &str| self.api.slots.get_index_of(name);
        slot != self.name && (self.words.contains_key(slot) || at(slot) > at(self.name))
    }

    fn say(&mut self, _slot: &str, _particle: Option<&str>, _chance: &mut Chance) -> String {
        String::new()
    }
}

/// One, two, three, one ...
fn depth(draw: u32) -> usize {
    usize::try_from(draw).unwrap_or(0) % DEPTH + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::testing::{pack, toolset};

    #[test]
    fn every_tool_is_shown_with_rows_of_the_world() {
        for locale in ["en", "ko"] {
            let lines = preview(toolset(locale), &pack(locale), "bank", 4);
            let of = |mark: &str| lines.iter().filter(|line| line.starts_with(mark)).count();
            assert_eq!(of("# "), 17, "{locale}");
            assert!(of("  > ") >= 20 && of("  ~ ") >= 20 && of("  = ") >= 10, "{locale}: {lines:#?}");
            assert!(lines.iter().all(|line| !line.contains(['{', '}', '[', ']', '|'])), "{locale}: {lines:#?}");
        }
    }

    #[test]
    fn declared_functions_are_shown_with_calls_and_answers() {
        let toolset = crate::fixtures::toolset("tests/fixtures/toolsets/inn", "en");
        let mut pack = Pack::load(crate::fixtures::assets(), "en").unwrap();
        toolset.extend(&mut pack).unwrap();
        let pack = Arc::new(pack);
        let lines = preview(&toolset, &pack, "inns.Find", 2);
        assert_eq!(lines.len(), 6, "{lines:#?}");
        assert_eq!(lines[0], "# inns.Find_Town - Looks a town up by its name.");
        assert!(lines[2].starts_with("  = {\"status\":true,\"message\":\"Success\",\"data\":[{\"id\":"), "{lines:#?}");
        assert_eq!(lines[5], r#"  ! {"status":false,"message":[{"query":"This field is required."}]}"#);
        assert_eq!(preview(&toolset, &pack, "", 1).iter().filter(|line| line.starts_with("# ")).count(), 8);
        assert_eq!(world_faults(&toolset, &pack), []);
    }

    #[test]
    fn phrases_nest_and_begin_where_a_prefix_says() {
        let lines = preview(toolset("en"), &pack("en"), "bank.getTransferState", 12);
        assert!(lines.iter().all(|line| line.starts_with("# bank.getTransferState") || line.starts_with("  ")));
        let nested = lines.iter().filter(|line| line.starts_with("  > "));
        assert!(nested.clone().any(|line| line.contains("last ") && !line.contains("TR")), "{lines:#?}");
    }

    #[test]
    fn values_may_be_left_out_where_an_intent_allows() {
        let lines = preview(toolset("en"), &pack("en"), "bank.transferMoney", 40);
        let easy: Vec<&String> =
            lines.iter().filter(|line| line.starts_with("  ") && !line.starts_with("  >")).collect();
        assert!(
            easy.iter().any(|line| !line.contains(" dollars")) && easy.iter().any(|line| line.contains(" dollars"))
        );
        assert!(world_faults(toolset("en"), &pack("en")).is_empty());
        let bare = crate::fixtures::pack("en");
        assert_eq!(world_faults(toolset("en"), &bare).len(), 0, "nothing in its tables is of the domain's kinds");
    }
}
