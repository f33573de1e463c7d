//! What a model wrote of a tool must hold to be taken: every parameter and no other, patterns that can be read, the right
//! script, and values that stand in the clauses that say them.

use crate::gate::{Fault, check_script};
use crate::llm::{EnrichedParameter, EnrichedTool};
use crate::locale::{Fill, Language, Pattern, Stand, value_stands};
use crate::record::{Chance, Parameter, Tool, Value};
use crate::text::read_object;
use std::collections::BTreeSet;

/// Fewest requests that name no value: as the lint has it.
const FREE: usize = 3;

/// Fewest clauses, negations and questions of a parameter.
const EACH: usize = 2;

/// Fewest values of a parameter that wants some.
const VALUES: usize = 4;

/// Reads an answer about the tool; `wanted` names the parameters that want values.
pub(super) fn read(text: &str, tool: &Tool, wanted: &[String], language: &Language) -> Result<EnrichedTool, Fault> {
    let object = Value::from(read_object(text).map_err(Fault::from)?.0);
    let answer: EnrichedTool = serde_json::from_str(&object.to_string())
        .map_err(|error| Fault::new("wrong_shape", format!("the answer has another shape: {error}")))?;
    names(tool, &answer)?;
    if answer.description.trim().is_empty() {
        return Err(Fault::new("description_missing", "the description is empty"));
    }
    check_script(&answer.description, language, None)?;
    intents(tool, &answer.intents, language)?;
    for parameter in &answer.parameters {
        if let Some(declared) = tool.parameters.properties.get(&parameter.name) {
            said(parameter, declared, language)?;
            wordings(parameter, declared)?;
            values(parameter, wanted.contains(&parameter.name), language)?;
        }
    }
    Ok(answer)
}

fn names(tool: &Tool, answer: &EnrichedTool) -> Result<(), Fault> {
    let given: BTreeSet<&str> = answer.parameters.iter().map(|it| it.name.as_str()).collect();
    let own: BTreeSet<&str> = tool.parameters.properties.keys().map(String::as_str).collect();
    if let Some(name) = own.difference(&given).next() {
        return Err(Fault::new("parameter_missing", format!("nothing is said of the parameter `{name}`")));
    }
    match given.difference(&own).next() {
        Some(name) => Err(Fault::new("parameter_unknown", format!("there is no parameter `{name}`"))),
        None if given.len() < answer.parameters.len() => Err(Fault::new("parameter_twice", "a parameter stands twice")),
        None => Ok(()),
    }
}

fn intents(tool: &Tool, intents: &[String], language: &Language) -> Result<(), Fault> {
    let mut free = 0;
    for text in intents {
        let pattern = parsed(text)?;
        for slot in pattern.slots() {
            match tool.parameters.properties.get(slot) {
                Some(parameter) if parameter.type_name() != "boolean" => {}
                _ => {
                    return Err(Fault::new("wrong_slot", format!("`{text}` names `{slot}`, which no request can say")));
                }
            }
        }
        free += usize::from(pattern.needed().is_empty());
        check_script(&without_slots(text), language, None)?;
    }
    if free < FREE {
        return Err(Fault::new(
            "few_intents",
            format!("only {free} requests name no value; at least {FREE} are wanted"),
        ));
    }
    Ok(())
}

fn said(parameter: &EnrichedParameter, declared: &Parameter, language: &Language) -> Result<(), Fault> {
    let name = &parameter.name;
    let is_flag = declared.type_name() == "boolean";
    let few = |what: &str| Err(Fault::new("few_phrases", format!("`{name}` wants at least {EACH} {what}")));
    if parameter.label.trim().is_empty() || parameter.description.trim().is_empty() {
        return Err(Fault::new("description_missing", format!("`{name}` has no label or no description")));
    }
    if parameter.questions.len() < EACH {
        return few("questions");
    }
    if parameter.clauses.len() < EACH {
        return few("clauses");
    }
    if is_flag && parameter.negations.len() < EACH {
        return few("negations");
    }
    for text in parameter.clauses.iter().chain(&parameter.negations) {
        let slots: Vec<String> = parsed(text)?.slots().into_iter().map(str::to_owned).collect();
        let wanted: Vec<String> = if is_flag { Vec::new() } else { vec![name.clone()] };
        if slots != wanted {
            let expected = if is_flag { "no slot".to_owned() } else { format!("`{{{name}}}` once") };
            return Err(Fault::new("wrong_slot", format!("the clause `{text}` must hold {expected}")));
        }
    }
    let texts = parameter.clauses.iter().chain(&parameter.negations).map(|text| without_slots(text));
    let all = texts.chain(parameter.questions.iter().cloned()).chain([parameter.description.clone()]);
    check_script(&all.collect::<Vec<_>>().join(" "), language, None)
}

fn wordings(parameter: &EnrichedParameter, declared: &Parameter) -> Result<(), Fault> {
    let listed: Vec<&str> = declared.values.iter().flatten().filter_map(|value| value.as_str()).collect();
    let has = |value: &str| {
        parameter.wordings.iter().any(|it| it.value == value && it.said.iter().any(|said| !said.trim().is_empty()))
    };
    if let Some(value) = listed.iter().find(|value| !has(value)) {
        return Err(Fault::new(
            "wording_missing",
            format!("the listed value `{value}` of `{}` has no wording", parameter.name),
        ));
    }
    match parameter.wordings.iter().find(|it| !listed.contains(&it.value.as_str())) {
        Some(it) => Err(Fault::new("value_unknown", format!("`{}` lists no value `{}`", parameter.name, it.value))),
        None => Ok(()),
    }
}

fn values(parameter: &EnrichedParameter, wanted: bool, language: &Language) -> Result<(), Fault> {
    let distinct: BTreeSet<&str> = parameter.values.iter().map(|it| it.trim()).filter(|it| !it.is_empty()).collect();
    if wanted && distinct.len() < VALUES {
        return Err(Fault::new("few_values", format!("`{}` wants at least {VALUES} different values", parameter.name)));
    }
    for value in distinct {
        for clause in &parameter.clauses {
            let text = parsed(clause)?.render(&mut One(value), &mut Chance::of(&[b"enrich"]));
            let stand = Stand { type_name: "string", ..Stand::default() };
            if value_stands(&text, &Value::from(value), &stand, language).is_none() {
                let detail = format!("the value `{value}` of `{}` does not stand in `{text}`", parameter.name);
                return Err(Fault::new("value_lost", detail));
            }
        }
    }
    Ok(())
}

/// Says one value wherever there is a slot.
struct One<'a>(&'a str);

impl Fill for One<'_> {
    fn has(&self, _slot: &str) -> bool {
        true
    }

    fn say(&mut self, _slot: &str, particle: Option<&str>, _chance: &mut Chance) -> String {
        format!("{}{}", self.0, particle.unwrap_or_default())
    }
}

fn parsed(text: &str) -> Result<Pattern, Fault> {
    Pattern::parse(text).map_err(|error| Fault::new("no_pattern", format!("`{text}`: {error}")))
}

/// A pattern's own words.
pub(super) fn without_slots(text: &str) -> String {
    let mut parts = text.split('{');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |said, part| said + part.split_once('}').map_or("", |(_, rest)| rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value as Json, json};

    fn tool() -> Tool {
        let properties = json!({"name": {"type": "string"}, "gift": {"type": "boolean"}, "size": {"type": "string", "enum": ["s", "l"]}});
        serde_json::from_value(json!({"name": "buy", "parameters": {"properties": properties}})).unwrap()
    }

    fn answer() -> Json {
        let parameter = |name: &str, clauses: Json, negations: Json, wordings: Json, values: Json| {
            json!({"name": name, "description": "What it is", "label": "the thing", "questions": ["Which one?", "What is it?"],
                "clauses": clauses, "negations": negations, "wordings": wordings, "values": values})
        };
        json!({"description": "Buys a plant.", "intents": ["buy a plant", "get a plant", "order a plant", "buy {name}"], "parameters": [
            parameter("name", json!([" called {name}", ", its name is {name}"]), json!([]), json!([]), json!(["fern", "oak", "rose", "sage"])),
            parameter("gift", json!([", as a gift", ", wrapped up"]), json!([", not as a gift", ", without wrapping"]), json!([]), json!([])),
            parameter("size", json!([" in {size}", ", size {size}"]), json!([]), json!([{"value": "s", "said": ["small"]}, {"value": "l", "said": ["large"]}]), json!([])),
        ]})
    }

    fn reason(change: impl Fn(&mut Json)) -> &'static str {
        let mut answer = answer();
        change(&mut answer);
        let language = crate::fixtures::language("en");
        read(&answer.to_string(), &tool(), &["name".to_owned()], &language)
            .map_or_else(|fault| fault.reason, |_| "taken")
    }

    #[test]
    fn what_is_whole_is_taken() {
        assert_eq!(reason(|_| {}), "taken");
    }

    #[test]
    fn every_fault_has_its_reason() {
        assert_eq!(reason(|it| it["description"] = json!(" ")), "description_missing");
        assert_eq!(reason(|it| it["intents"] = json!(["buy", "buy {name}"])), "few_intents");
        assert_eq!(reason(|it| it["intents"][0] = json!("buy {gift}")), "wrong_slot");
        assert_eq!(reason(|it| it["intents"][0] = json!("buy (a")), "no_pattern");
        assert_eq!(reason(|it| it["intents"][0] = json!("\u{446}\u{432}\u{435}\u{442}\u{43e}\u{43a}")), "wrong_script");
        assert_eq!(reason(|it| drop(it["parameters"].as_array_mut().unwrap().pop())), "parameter_missing");
        assert_eq!(reason(|it| it["parameters"][0]["name"] = json!("title")), "parameter_missing");
        assert_eq!(reason(|it| it["parameters"][0]["clauses"] = json!([" called so", " {name}"])), "wrong_slot");
        assert_eq!(reason(|it| it["parameters"][1]["negations"] = json!([])), "few_phrases");
        assert_eq!(reason(|it| it["parameters"][2]["wordings"] = json!([])), "wording_missing");
        assert_eq!(
            reason(|it| it["parameters"][0]["wordings"] = json!([{"value": "x", "said": ["y"]}])),
            "value_unknown"
        );
        assert_eq!(reason(|it| it["parameters"][0]["values"] = json!(["fern", "fern"])), "few_values");
        assert_eq!(reason(|it| it["more"] = json!(1)), "wrong_shape");
    }

    #[test]
    fn a_value_that_its_clause_swallows_is_lost() {
        assert_eq!(reason(|it| it["parameters"][0]["clauses"] = json!([" called x{name}x", " {name}"])), "value_lost");
    }
}
