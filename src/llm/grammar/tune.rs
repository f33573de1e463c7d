//! Temporary.
use super::read::*;
use super::*;
use crate::toolset::Toolset;
pub fn tune() {
    let toolset = Toolset::load("mobile", "en").unwrap();
    let mut pack = Pack::load("en").unwrap();
    toolset.extend(&mut pack).unwrap();
    let recogniser = Recogniser::new(&pack);
    let ideas: Vec<_> = toolset.tools.iter().map(|t| (ToolIdeas::new(t, &pack.reading), Slot::all(t, &pack, &recogniser))).collect();
    let mut hist: std::collections::BTreeMap<(String, String), usize> = Default::default();
    for (i, tool) in toolset.tools.iter().enumerate() {
        let speech = Speech::new(&toolset.phrases[&tool.name]);
        for draw in 0..10u32 {
            let mut chance = Chance::new(7, "tune", &tool.name, draw);
            let names: Vec<String> = tool.parameters.properties.keys().cloned().collect();
            let mut some = names.clone();
            chance.shuffle(&mut some);
            some.truncate(draw as usize % 3);
            let arguments = draw_arguments(&pack, tool, &some, &mut chance);
            let style = draw_style(&pack, &mut chance).unwrap();
            let text = speech.compose(&pack, style, &arguments, &mut chance);
            let t = Text::new(&text, true);
            for (j, other) in toolset.tools.iter().enumerate() {
                let near = other.category() == tool.category();
                if !near && (i * 7 + j + draw as usize) % 40 != 0 { continue; }
                let (_, values) = read_slots(&ideas[j].1, &t, &recogniser, &pack.reading, &Learned::new());
                let fit = RequestIdeas::new(t.lower(), &values, &pack.reading).fit(&ideas[j].0);
                let kind = if i == j { "gold" } else if near { "near" } else { "far" };
                let a = if fit.same_action { "same" } else if fit.other_action { "other" } else { "none" };
                *hist.entry((format!("{kind} {a}"), format!("{:4.1}", (fit.things * 2.0).floor() / 2.0))).or_default() += 1;
                if i == j && std::env::args().any(|x| x == "-v") && !fit.serves() { eprintln!("{:4.1} {a} {} <- {text}", fit.things, tool.name); }
            }
        }
    }
    let mut rows: std::collections::BTreeMap<String, Vec<(String, usize)>> = Default::default();
    for ((k, t), n) in hist { rows.entry(k).or_default().push((t, n)); }
    for (k, v) in rows { println!("{k}: {}", v.iter().map(|(t, n)| format!("{t}:{n}")).collect::<Vec<_>>().join(" ")); }
}
