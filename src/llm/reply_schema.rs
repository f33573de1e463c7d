//! JSON Schemas of replies whose form is the same for every question of a task, letter by letter.
//!
//! They are sent to servers and are a part of the reply cache's keys, so they are files and not drawn up from Rust types: a
//! type that is renamed, or a field's comment that is mended, must not make a run pay again. Schemas that are drawn up for
//! one question, with its tools and values, are in `stage/schemas.rs`.

use super::request::Task;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// Each schema, read once.
static SCHEMAS: LazyLock<BTreeMap<&'static str, Arc<Value>>> = LazyLock::new(|| {
    let read = |text: &'static str| Some((text, Arc::new(serde_json::from_str(text).ok()?)));
    Task::WITH_PROMPT.into_iter().filter_map(text).filter_map(read).collect()
});

impl Task {
    /// The JSON Schema of the task's reply, where it is the same for every question.
    pub fn reply_schema(self) -> Option<Arc<Value>> {
        SCHEMAS.get(text(self)?).cloned()
    }
}

fn text(task: Task) -> Option<&'static str> {
    Some(match task {
        Task::Toolkits | Task::WriteApis => include_str!("reply_schema/draft_tools.json"),
        Task::JudgeCall
        | Task::CanServe
        | Task::JudgeQuestion
        | Task::ReviewScenario
        | Task::JudgeComplexity
        | Task::JudgeNeeded => include_str!("reply_schema/verdict.json"),
        Task::ExternalEntity => include_str!("reply_schema/found_entity.json"),
        Task::ExternalPointer
        | Task::ExternalMessage
        | Task::ExternalQuery
        | Task::SlotQuestion
        | Task::AskMissing
        | Task::TellAnswer
        | Task::Decline
        | Task::Say
        | Task::WriteScenario => include_str!("reply_schema/plain_text.json"),
        Task::Exchange => include_str!("reply_schema/exchanged.json"),
        Task::PlayUser => include_str!("reply_schema/played_line.json"),
        Task::CoarseQueries => include_str!("reply_schema/written_queries.json"),
        Task::CorrectQuery | Task::GeneralizeQuery => include_str!("reply_schema/rewritten_request.json"),
        Task::Localize => include_str!("reply_schema/localized_texts.json"),
        Task::Enrich => include_str!("reply_schema/enriched_tool.json"),
        // Their schemas are drawn up for each question, or they want none.
        Task::WriteQuery
        | Task::SelectParameters
        | Task::Call
        | Task::Route
        | Task::RouteCalls
        | Task::SlotAnswer
        | Task::WriteQuestion
        | Task::WriteComplexQuery
        | Task::ClassifyDialogActs
        | Task::PlayAgent
        | Task::Simulate
        | Task::Embed
        | Task::Score
        | Task::Annotate
        | Task::Generate => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::answer::DraftTools;
    use crate::llm::{
        EnrichedTool, Exchanged, FoundEntity, LocalizedTexts, PlainText, PlayedLine, RewrittenRequest, Verdict,
        WrittenQueries,
    };
    use serde::de::DeserializeOwned;

    #[test]
    fn every_schema_is_frozen() {
        let line = |task: Task| {
            let text = text(task)?;
            let schema = task.reply_schema().unwrap_or_else(|| panic!("{} is no JSON", task.folder()));
            assert!(jsonschema::validator_for(&schema).is_ok() && text.ends_with("}\n"), "{}", task.folder());
            Some(format!("{} {}", task.folder(), blake3::hash(schema.to_string().as_bytes()).to_hex()))
        };
        let lines: Vec<String> = Task::WITH_PROMPT.into_iter().filter_map(line).collect();
        insta::assert_snapshot!(lines.join("\n"), @"
        toolkits 464d6f1705f9da540525d6c9a4fc545d1a4d11967e46a870a422bdcf6b84c8e1
        judge_call f1a1ee7c36ac57cd55294a804ff1dcd3c2debff4108ce8700a6fb2120f63bd70
        can_serve f1a1ee7c36ac57cd55294a804ff1dcd3c2debff4108ce8700a6fb2120f63bd70
        external_entity dd8477b36ded423acf2994f4b73408ba0820cf455cc6c6f46f2feebde52f38ed
        external_pointer 5d3f22c5321d445efebd468db2fad95c76771748a30c3293b6027aa952710501
        external_message 5d3f22c5321d445efebd468db2fad95c76771748a30c3293b6027aa952710501
        external_query 5d3f22c5321d445efebd468db2fad95c76771748a30c3293b6027aa952710501
        slot_question 5d3f22c5321d445efebd468db2fad95c76771748a30c3293b6027aa952710501
        write_apis 464d6f1705f9da540525d6c9a4fc545d1a4d11967e46a870a422bdcf6b84c8e1
        judge_question f1a1ee7c36ac57cd55294a804ff1dcd3c2debff4108ce8700a6fb2120f63bd70
        ask_missing 5d3f22c5321d445efebd468db2fad95c76771748a30c3293b6027aa952710501
        tell_answer 5d3f22c5321d445efebd468db2fad95c76771748a30c3293b6027aa952710501
        decline 5d3f22c5321d445efebd468db2fad95c76771748a30c3293b6027aa952710501
        exchange 40376a59ab5e43eeadc3c41be5a92cffef9739888aa3cf0a963f17ce322af038
        say 5d3f22c5321d445efebd468db2fad95c76771748a30c3293b6027aa952710501
        write_scenario 5d3f22c5321d445efebd468db2fad95c76771748a30c3293b6027aa952710501
        review_scenario f1a1ee7c36ac57cd55294a804ff1dcd3c2debff4108ce8700a6fb2120f63bd70
        judge_complexity f1a1ee7c36ac57cd55294a804ff1dcd3c2debff4108ce8700a6fb2120f63bd70
        play_user 3ebe7df4c58343c8ade1259a441357152cae2fc81594ddae5f14130e0ae2d87b
        coarse_queries df57257d216f45d4bc838a8e70521061c9e1bb40cd11ddc1c85d1dae8017f7a9
        judge_needed f1a1ee7c36ac57cd55294a804ff1dcd3c2debff4108ce8700a6fb2120f63bd70
        correct_query b1800f61df864fb9cd698bed661a9c3f9b4fdf94a16c88cd94402151bbba53fa
        generalize_query b1800f61df864fb9cd698bed661a9c3f9b4fdf94a16c88cd94402151bbba53fa
        localize 40bcc56e1bb76b45ea691fb76a8cfa3cf5dce849beed4e99b0af3975c58e00a3
        enrich a2fc26e5e47ab8789a47a2720f8cb99f7da4c0c697ccaab66b0094f4acf11368
        ");
        assert_eq!(Task::Generate.reply_schema(), None);
    }

    /// Whether the schema takes a reply, and whether the reader does.
    fn takes<T: DeserializeOwned>(task: Task, reply: &str) -> (bool, bool) {
        let schema = task.reply_schema().unwrap();
        let is_valid = jsonschema::is_valid(&schema, &serde_json::from_str(reply).unwrap());
        (is_valid, serde_json::from_str::<T>(reply).is_ok())
    }

    #[test]
    fn a_schema_takes_what_the_reader_takes() {
        const BOTH: (bool, bool) = (true, true);
        const NONE: (bool, bool) = (false, false);
        let tools =
            r#"{"tools": [{"tool": "Go", "parameters": [{"name": "to", "type": "string", "required": true}]}]}"#;
        assert_eq!(takes::<DraftTools>(Task::Toolkits, tools), BOTH);
        assert_eq!(takes::<DraftTools>(Task::WriteApis, r#"{"tools": [{"tool": "Go"}]}"#), NONE);
        assert_eq!(takes::<Verdict>(Task::CanServe, r#"{"verdict": true}"#), BOTH);
        assert_eq!(takes::<Verdict>(Task::JudgeCall, r#"{"verdict": "True"}"#), NONE);
        assert_eq!(takes::<FoundEntity>(Task::ExternalEntity, r#"{"parameter": "", "entity": ""}"#), BOTH);
        assert_eq!(takes::<FoundEntity>(Task::ExternalEntity, r#"{"entity": ""}"#), NONE);
        assert_eq!(takes::<PlainText>(Task::Decline, r#"{"text": "hm"}"#), BOTH);
        assert_eq!(takes::<PlainText>(Task::Say, "{}"), NONE);
        assert_eq!(takes::<Exchanged>(Task::Exchange, r#"{"user": "Hi"}"#), BOTH);
        assert_eq!(takes::<PlayedLine>(Task::PlayUser, r#"{"text": "Hi", "ends": false}"#), BOTH);
        let queries = r#"{"queries": [{"query": "q", "function_list": ["f"], "thought": "t"}]}"#;
        assert_eq!(takes::<WrittenQueries>(Task::CoarseQueries, queries), BOTH);
        assert_eq!(takes::<WrittenQueries>(Task::CoarseQueries, r#"{"queries": [{"query": "q"}]}"#), NONE);
        let said = r#"{"query": "q", "said": [{"function": "f", "parameter": "p", "words": "w"}]}"#;
        assert_eq!(takes::<RewrittenRequest>(Task::CorrectQuery, said), BOTH);
        assert_eq!(takes::<RewrittenRequest>(Task::GeneralizeQuery, "{}"), NONE);
        let texts = r#"{"texts": [{"id": "message 0", "text": "x"}], "values": []}"#;
        assert_eq!(takes::<LocalizedTexts>(Task::Localize, texts), BOTH);
        assert_eq!(takes::<LocalizedTexts>(Task::Localize, r#"{"texts": []}"#), NONE);
        let tool = r#"{"description": "d", "intents": ["a"], "parameters": [{"name": "n", "description": "d", "label": "l",
            "questions": [], "clauses": [], "negations": [], "wordings": [{"value": "v", "said": ["s"]}], "values": []}]}"#;
        assert_eq!(takes::<EnrichedTool>(Task::Enrich, tool), BOTH);
        assert_eq!(takes::<EnrichedTool>(Task::Enrich, r#"{"description": "d"}"#), NONE);
    }
}
