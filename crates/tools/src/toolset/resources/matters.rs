//! What people come with: which APIs they want together, and why.

use super::api::scalar;
use super::domain::{Content, Domain, Matter};
use super::join::Join;
use super::structure::MatterText;
use fcgen_core::record::{Object, Value};
use indexmap::IndexMap;

impl Join<'_> {
    /// Adds the matters, once all resources and APIs are there.
    pub(super) fn add_matters(&mut self, domain: &mut Domain, mut said: IndexMap<String, Vec<String>>) {
        let fields = domain.resources.values();
        let places: Vec<String> = fields
            .flat_map(|resource| resource.fields.keys().map(move |field| format!("{}.{field}", resource.name)))
            .collect();
        let places: Vec<&str> = places.iter().map(String::as_str).collect();
        for (name, text) in self.matters {
            let says = said.shift_remove(name).unwrap_or_default();
            if says.is_empty() {
                self.text_fault(format!("no text for the matter `{name}`"));
            }
            let says = self.sayings(&format!("matter `{name}`"), &says, &places);
            let given = self.given(domain, name, text);
            if text.calls.len() < 2 {
                self.structure_fault(format!("matter `{name}` has fewer than two tools"));
            }
            for call in text.calls.iter().filter(|call| !domain.apis.contains_key(*call)) {
                self.structure_fault(format!("unknown tool `{call}` in the matter `{name}`"));
            }
            domain.matters.insert(name.clone(), Matter { calls: text.calls.clone(), given, says });
        }
        for name in said.keys() {
            self.text_fault(format!("text for an unknown matter `{name}`"));
        }
    }

    /// The values of arguments, each one that a call of the matter takes.
    fn given(&mut self, domain: &Domain, matter: &str, text: &MatterText) -> Object {
        let mut given = Object::new();
        for (name, value) in &text.given {
            let slots = text.calls.iter().filter_map(|call| domain.apis.get(call)?.slots.get(name));
            let fields: Vec<_> = slots.map(|slot| &slot.field).collect();
            let value = scalar(value).unwrap_or_default();
            let fits = |content: &Content| match content {
                Content::Listed(values) => values.iter().any(|listed| value.as_str() == Some(listed)),
                Content::Boolean => matches!(value, Value::Bool(_)),
                Content::Kind(_) => value != Value::Null,
                Content::Reference(_) => false,
            };
            if fields.is_empty() || !fields.iter().all(|field| fits(&field.content)) {
                let message = format!("matter `{matter}` gives `{name}` a value that none of its tools accepts");
                self.structure_fault(message);
            }
            given.insert(name.clone(), value);
        }
        given
    }
}

#[cfg(test)]
mod tests {
    use crate::toolset::resources::testing::{STRUCTURE, TEXT, load};

    fn faults(structure: &str, text: &str) -> Vec<String> {
        let more = "[card.tools.shut]\ndescription = \"Shuts a card\"\nintents = [\"shut {cardId}\"]\n";
        let structure = format!("[matters]\n{structure}\n{STRUCTURE}shut = {{ update = [\"state\"] }}\n");
        let more = more.replace("{cardId}", "{cardId} to {state}");
        load(&structure, &format!("{TEXT}{more}[matters]\n{text}")).err().unwrap_or_default()
    }

    const CALLS: &str = "calls = [\"getLimit\", \"shut\"]";

    #[test]
    fn a_matter_names_tools_values_and_fields_that_are_there() {
        let lost = format!("lost = {{ {CALLS}, given = {{ state = \"shut\" }} }}");
        assert_eq!(faults(&lost, "lost = [\"A card with {card.limit} is lost.\"]"), Vec::<String>::new());
        let wrong = faults(&lost.replace("\"shut\" }", "\"lost\" }"), "lost = [\"{card.size}.\"]\nmore = []");
        assert_eq!(
            wrong,
            [
                "en/cards.toml: matter `lost`: `{card.size}.` contains `card.size`, which is not available here",
                "resources/cards.toml: matter `lost` gives `state` a value that none of its tools accepts",
                "en/cards.toml: text for an unknown matter `more`",
            ]
        );
        let wrong = faults("lost = { calls = [\"close\"] }", "");
        assert_eq!(
            wrong,
            [
                "en/cards.toml: no text for the matter `lost`",
                "resources/cards.toml: matter `lost` has fewer than two tools",
                "resources/cards.toml: unknown tool `close` in the matter `lost`",
            ]
        );
    }
}
