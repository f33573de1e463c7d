//! Points at a value that stands elsewhere, and writes the message that holds it (HammerBench E.6): what queries and
//! answers with external information share.

use crate::failure::ItemError;
use crate::llm::tasks::read_entity;
use crate::llm::{EntityVariables, MessageVariables, PointerVariables, Reply, Task, Variables};
use crate::record::{Draw, ItemId, Object, Tool};
use crate::stage::context::{Context, Question};
use crate::stage::outcome::Fault;
use std::sync::Arc;

/// The reason of requests that nothing can be pointed at in.
pub const NO_ENTITY: &str = "no_entity";

/// Asks the questions of one item.
#[derive(Clone, Copy)]
pub(crate) struct Pointing<'a> {
    pub context: &'a Context,
    pub id: &'a ItemId,
    pub asks: u32,
}

/// What is pointed at.
pub(crate) struct Target {
    /// The entity, in the locale's words.
    pub entity: String,
    /// What the parameter is about.
    pub about: String,
    /// Where the value stands: mail, note ...
    pub source: String,
    /// The words for the value.
    pub value: String,
    /// Its kind; empty where the tool states none.
    pub kind: String,
    /// The name of the tool.
    pub tool: String,
}

impl Pointing<'_> {
    /// A question of this item.
    pub(crate) fn question(&self, task: Task) -> Question<'_> {
        self.context.question(task, self.id, self.asks)
    }

    /// Where the value stands.
    pub(crate) fn source(&self) -> String {
        let mut chance = self.context.chance(self.id.as_str(), 1);
        chance.pick(&self.context.pack().external.sources).cloned().unwrap_or_default()
    }

    /// Which argument is one of the known entities: parameter and entity.
    pub(crate) async fn entity(&self, tool: &Arc<Tool>, label: &Object) -> Result<(String, String, Draw), ItemError> {
        let entities: Vec<String> = self.context.pack().external.entities.values().cloned().collect();
        let variables = |common| {
            let (tool, label) = (tool.clone(), label.clone());
            Variables::ExternalEntity(EntityVariables { common, tool, label, entities: entities.clone() })
        };
        let read = |reply: &Reply| {
            let found = read_entity(&reply.text)?.0;
            match found {
                Some(found) if !label.contains_key(&found.parameter) => {
                    Err(Fault::new("undeclared_parameter", format!("`{}` is no argument of the call", found.parameter)))
                }
                found => Ok(found),
            }
        };
        let (found, draw) = self
            .context
            .obtain(&self.question(Task::ExternalEntity), Task::ExternalEntity.reply_schema(), variables, read)
            .await?;
        let found = found.ok_or_else(|| Fault::new(NO_ENTITY, "no argument is one of the known entities"))?;
        Ok((found.parameter, found.entity, draw))
    }

    /// A phrase that points at the value without saying it.
    pub(crate) async fn pointer(&self, target: &Target) -> Result<(String, Draw), ItemError> {
        let variables = |common| {
            Variables::ExternalPointer(PointerVariables {
                common,
                entity: target.entity.clone(),
                about: target.about.clone(),
                source: target.source.clone(),
                value: target.value.clone(),
                kind: target.kind.clone(),
                tool: target.tool.clone(),
            })
        };
        let read = |reply: &Reply| {
            let pointer = self.context.line(reply)?;
            if holds(&pointer, &target.value) {
                return Err(Fault::new("value_in_pointer", format!("the pointer must not say `{}`", target.value)));
            }
            Ok(pointer)
        };
        self.context
            .obtain(&self.question(Task::ExternalPointer), Task::ExternalPointer.reply_schema(), variables, read)
            .await
    }

    /// The message that holds the value and none of `forbidden`, once `check` is content with it.
    pub(crate) async fn message(
        &self,
        target: &Target,
        pointer: &str,
        forbidden: Vec<String>,
        check: impl Fn(&str) -> Result<(), Fault>,
    ) -> Result<(String, Draw), ItemError> {
        let variables = |common| {
            Variables::ExternalMessage(MessageVariables {
                common,
                entity: target.entity.clone(),
                about: target.about.clone(),
                source: target.source.clone(),
                pointer: pointer.to_owned(),
                value: target.value.clone(),
                forbidden: forbidden.clone(),
                kind: target.kind.clone(),
            })
        };
        let read = |reply: &Reply| {
            let message = self.context.text(reply)?;
            check(&message)?;
            Ok(message)
        };
        self.context
            .obtain(&self.question(Task::ExternalMessage), Task::ExternalMessage.reply_schema(), variables, read)
            .await
    }
}

/// Whether a text gives a value away: it says it, or half of its longer words.
pub(crate) fn gives_away(text: &str, value: &str) -> bool {
    let longer: Vec<&str> = value.split_whitespace().filter(|word| word.chars().count() > 2).collect();
    let said = longer.iter().filter(|word| holds(text, word)).count();
    holds(text, value) || (longer.len() > 1 && 2 * said >= longer.len())
}

/// Whether a text says a value.
pub(crate) fn holds(text: &str, value: &str) -> bool {
    !value.is_empty() && text.to_lowercase().contains(&value.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::testing::{context, train};

    fn target() -> Target {
        let word = |text: &str| text.to_owned();
        Target {
            entity: word("place"),
            about: word("Destination"),
            source: word("note"),
            value: word("Porto"),
            kind: String::new(),
            tool: String::new(),
        }
    }

    #[test]
    fn half_of_a_value_gives_it_away() {
        let away = |text: &str| gives_away(text, "Vila Nova de Gaia");
        assert!(away("to Vila Nova de Gaia") && away("the Nova Gaia place in my mail"));
        assert!(!away("the town in my mail") && !away("the Gaia place in my mail"));
        assert!(gives_away("at noon", "noon") && !gives_away("the noon mail", "half past three"));
    }

    #[tokio::test]
    async fn a_pointer_must_not_say_the_value() {
        let (context, asked) = context(|request| {
            if request.draw == 0 { "the Porto of my note".to_owned() } else { "the place in my note".to_owned() }
        });
        let id = ItemId::root("a");
        let pointing = Pointing { context: &context, id: &id, asks: 2 };
        assert_eq!(pointing.pointer(&target()).await.unwrap().0, "the place in my note");
        assert_eq!(asked.faults()[1], "the pointer must not say `Porto`");
    }

    #[tokio::test]
    async fn an_entity_is_one_of_the_arguments_that_are_given() {
        let (context, _) = context(|_| "at: time".to_owned());
        let id = ItemId::root("a");
        let pointing = Pointing { context: &context, id: &id, asks: 1 };
        let label = Object::from_iter([("to".to_owned(), "Porto".into())]);
        let failure = pointing.entity(&Arc::new(train()), &label).await.unwrap_err();
        assert!(matches!(failure, ItemError::Item { fault, .. } if fault.reason == "undeclared_parameter"));
    }

    #[test]
    fn a_text_holds_a_value_in_any_case() {
        assert!(holds("to PORTO", "Porto") && !holds("to Faro", "Porto") && !holds("to Faro", ""));
    }
}
