//! The `[world.TOOLSET]` tables: where the calls of a live toolset are answered. Nothing is started to check them.

use crate::config::problem::Problem;
use crate::config::section::Section;
use crate::config::words::found;
use crate::live::WorldConfig;
use indexmap::IndexMap;
use toml::Spanned;
use toml::de::DeValue;

/// Reads every `[world.TOOLSET]` table.
pub(crate) fn read(value: Option<&Spanned<DeValue<'_>>>, problems: &mut Vec<Problem>) -> IndexMap<String, WorldConfig> {
    let Some(value) = value else { return IndexMap::new() };
    let Some(tables) = value.get_ref().as_table() else {
        problems.push(not_a_table(value, "world"));
        return IndexMap::new();
    };
    let read = tables
        .iter()
        .filter_map(|(name, value)| Some((name.get_ref().to_string(), read_one(name.get_ref(), value, problems)?)));
    read.collect()
}

fn read_one(name: &str, value: &Spanned<DeValue<'_>>, problems: &mut Vec<Problem>) -> Option<WorldConfig> {
    let Some(table) = value.get_ref().as_table() else {
        problems.push(not_a_table(value, &format!("world.{name}")));
        return None;
    };
    let place = format!("`[world.{name}]`");
    let section = Section::new(table.clone(), value.span(), place.clone());
    let places = section.places();
    let config: WorldConfig = section.salvage(problems)?;
    if let Some((key, message)) = config.fault() {
        let span = places.get(key).cloned().unwrap_or_else(|| value.span());
        problems.push(Problem::new(span, format!("`{key}` in {place}: {message}")));
    }
    Some(config)
}

fn not_a_table(value: &Spanned<DeValue<'_>>, name: &str) -> Problem {
    let hint = "add one table for each live toolset:\n\n[world.mine]\nserver = \"PROGRAM ARGUMENTS\"";
    Problem::new(value.span(), format!("`{name}` is {}, expected `[world.TOOLSET]`", found(value.get_ref()))).hint(hint)
}

#[cfg(test)]
mod tests {
    use crate::config::{Overrides, load};

    fn told(world: &str, sets: &[&str]) -> Result<Vec<String>, String> {
        let text =
            format!("{world}\n[[stage]]\nkind = \"toolkits\"\n[[stage]]\nkind = \"perfect_queries\"\nper_tool = 4\n");
        let overrides: Overrides = sets.iter().copied().collect();
        let plan =
            load(crate::fixtures::assets(), &text, "p.toml", &overrides).map_err(|problems| problems.to_string())?;
        Ok(plan.worlds.iter().map(|(name, it)| format!("{name} {}", it.server.clone().unwrap_or_default())).collect())
    }

    #[test]
    fn every_world_has_its_toolset_and_a_flag_may_say_more() {
        let set = ["world.mine.server=no-such-program-anywhere", "world.mine.timeout=3"];
        assert_eq!(told("", &set).unwrap(), ["mine no-such-program-anywhere"], "nothing is started");
        assert_eq!(told("[world.a]\n[world.b]\nserver = \"http://localhost:1/mcp\"", &[]).unwrap().len(), 2);
    }

    #[test]
    fn what_is_wrong_is_shown_where_it_stands() {
        let error = told("[world.mine]\nserver = \"ftp://x\"\ntimout = 3\nhosts = [\"a/b\"]", &[]).unwrap_err();
        assert!(error.contains("p.toml:3:1") && error.contains("did you mean `timeout`?"), "{error}");
        assert!(
            error.contains("p.toml:2:10") && error.contains("`server` in `[world.mine]`: `ftp://x` is neither"),
            "{error}"
        );
        let error = told("world = 3", &[]).unwrap_err();
        assert!(error.contains("expected `[world.TOOLSET]`"), "{error}");
    }
}
