//! Shows what the built-in model would say for a toolset, for the people who write its text.

use super::{Speech, draw_arguments, draw_style};
use crate::locale::Pack;
use crate::record::Chance;
use crate::toolset::{Toolset, ToolsetError, lint};

/// Lint findings first, then `n` sentences for every tool whose name begins with `category`.
pub fn preview(toolset: &str, locale: &str, category: &str, n: u32) -> Result<Vec<String>, ToolsetError> {
    let toolset = Toolset::load(toolset, locale)?;
    let mut pack = Pack::load(locale)?;
    toolset.extend(&mut pack)?;
    let mut lines: Vec<String> = lint(&toolset, &pack)
        .into_iter()
        .filter(|finding| finding.place.starts_with(category))
        .map(|finding| format!("LINT {}: {}", finding.place, finding.message))
        .collect();
    for tool in toolset.tools.iter().filter(|tool| tool.name.starts_with(category)) {
        let Some(phrases) = toolset.phrases.get(&tool.name) else { continue };
        let speech = Speech::new(phrases);
        lines.push(format!("# {} - {}", tool.name, tool.description));
        let names: Vec<String> = tool.parameters.properties.keys().cloned().collect();
        for draw in 0..n {
            let mut chance = Chance::new(7, "preview", &tool.name, draw);
            // The first sentences say nothing, the last ones everything.
            let given = (names.len() * draw as usize).div_ceil((n as usize).saturating_sub(1).max(1)).min(names.len());
            let mut some = names.clone();
            chance.shuffle(&mut some);
            some.truncate(given);
            let arguments = draw_arguments(&pack, tool, &some, &mut chance);
            if let Some(style) = draw_style(&pack, &mut chance) {
                lines.push(format!("  {}", speech.compose(&pack, style, &arguments, &mut chance)));
            }
        }
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_category_is_shown_tool_by_tool() {
        let lines = preview("mobile", "en", "UtilityTools.AlarmClock", 4).unwrap();
        assert_eq!(lines.iter().filter(|line| line.starts_with("# ")).count(), 5, "{lines:#?}");
        assert!(!lines.iter().any(|line| line.starts_with("LINT")), "{lines:#?}");
    }
}
