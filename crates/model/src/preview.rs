//! Shows what the built-in model would say for a toolset, for the people who write its text; for tools without text, what
//! is derived from names and descriptions.

use super::{Speech, draw_arguments, draw_style};
use crate::locale::Pack;
use crate::record::Chance;
use crate::toolset::Toolset;
use std::sync::Arc;

/// `n` sentences for every tool whose name begins with `category`; `pack` has the toolset's kinds.
pub fn preview(toolset: &Toolset, pack: &Pack, category: &str, n: u32) -> Vec<String> {
    let mut lines = Vec::new();
    for tool in toolset.tools.iter().filter(|tool| tool.name.starts_with(category)) {
        let derived = || Arc::new(pack.derived.phrases(tool));
        let speech = Speech::new(pack, tool, &toolset.phrases.get(&tool.name).cloned().unwrap_or_else(derived));
        lines.push(format!("# {} - {}", tool.name, tool.description));
        let names: Vec<String> = tool.parameters.properties.keys().cloned().collect();
        for draw in 0..n {
            let mut chance = Chance::new(7, "preview", &tool.name, draw);
            // The first sentences say nothing, the last ones everything.
            let given = (names.len() * draw as usize).div_ceil((n as usize).saturating_sub(1).max(1)).min(names.len());
            let mut some = names.clone();
            chance.shuffle(&mut some);
            some.truncate(given);
            let arguments = draw_arguments(pack, tool, &some, &mut chance);
            if let Some(style) = draw_style(pack, &mut chance) {
                lines.push(format!("  {}", speech.compose(pack, style, &arguments, &mut chance)));
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_category_is_shown_tool_by_tool() {
        let toolset = crate::fixtures::toolset("mobile", "en");
        let lines = preview(&toolset, &crate::fixtures::pack("en"), "UtilityTools.AlarmClock", 4);
        assert_eq!(lines.iter().filter(|line| line.starts_with("# ")).count(), 5, "{lines:#?}");
    }

    #[test]
    fn tools_without_text_are_shown_by_what_is_derived() {
        let tool = serde_json::from_str(r#"{"name": "list_carriers", "description": "Lists the carriers"}"#).unwrap();
        let toolset = Toolset { tools: vec![Arc::new(tool)], ..Toolset::default() };
        let lines = preview(&toolset, &crate::fixtures::pack("en"), "", 3);
        assert_eq!(lines.len(), 4, "{lines:#?}");
        assert!(lines[1].to_lowercase().contains("list"), "{lines:#?}");
    }
}
