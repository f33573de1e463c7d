//! Shows what the built-in model would say for a toolset: `cargo run --example toolset_preview -- mobile en [CATEGORY] [N]`.

use fcgen::llm::grammar::preview;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let word = |index: usize, otherwise: &str| arguments.get(index).cloned().unwrap_or_else(|| otherwise.to_owned());
    let (toolset, locale, category) = (word(0, "mobile"), word(1, "en"), word(2, ""));
    for line in preview(&toolset, &locale, &category, word(3, "6").parse()?)? {
        #[expect(clippy::print_stdout, reason = "this is what the example is for")]
        {
            println!("{line}");
        }
    }
    Ok(())
}
