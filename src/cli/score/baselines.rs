//! Who to compare a model with: the built-in reader, and a picker that only counts shared words.

use crate::cli::console::exit::Complaint;
use fcgen::check::{Ground, picked};
use fcgen::format::Bench;
use fcgen::llm::BuiltIn;
use fcgen::llm::Prompts;
use fcgen::predict::{Asking, Goal, Locales, Mode, Navigation, Plan};
use fcgen::record::{Prediction, PredictionTurn, Sample};
use fcgen::suite::callnavi::Answers;
use std::sync::Arc;

/// What the built-in reader says to every question, and what the picker picks.
pub(super) fn callnavi(bench: &Bench, locale: Option<&str>) -> anyhow::Result<Vec<(String, Answers)>> {
    let prompts = Prompts::shipped(fcgen::assets());
    let locales = Arc::new(Locales::new(prompts.clone()));
    let goals = [Goal::Routing, Goal::Parameters];
    let readers =
        goals.map(|goal| Navigation::new(Plan { goal, mode: Mode::BuiltIn, ..Plan::default() }, prompts.clone()));
    let mut ground: Option<(String, Arc<Ground>)> = None;
    let (mut read, mut counted) = (Vec::new(), Vec::new());
    bench.each(&mut |sample: Sample| -> anyhow::Result<()> {
        if locale.is_some_and(|locale| locale != sample.locale) {
            return Ok(());
        }
        for reader in &readers {
            read.push(said(reader, &locales, &sample)?);
        }
        if ground.as_ref().is_none_or(|(code, _)| *code != sample.locale) {
            ground = Some((sample.locale.clone(), Ground::load(fcgen::assets(), &sample.locale)?));
        }
        counted.extend(ground.as_ref().map(|(_, ground)| guess(ground, &sample)));
        Ok(())
    })?;
    let answers = |name: &str, rows: &[Prediction]| -> anyhow::Result<(String, Answers)> {
        let lines = rows.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
        Ok((name.to_owned(), Answers::of_lines(lines.join("\n"))))
    };
    Ok(vec![answers("lexical baseline", &read)?, answers("shared-word picker", &counted)?])
}

fn said(reader: &Navigation, locales: &Locales, sample: &Sample) -> anyhow::Result<Prediction> {
    locales.get(&sample.locale).map_err(Complaint::input)?;
    let request = reader.next(sample, 0, &[]).map_err(Complaint::input)?;
    let replies: Vec<_> = request.iter().map(|request| locales.answer(request)).collect();
    Ok(reader.prediction(sample, 0, &replies, None))
}

/// The one API that shares most words with the question, as a routing.
fn guess(ground: &Ground, sample: &Sample) -> Prediction {
    let name = picked(ground, &sample.query(), &sample.candidates).first().map_or("", |tool| tool.name.as_str());
    Prediction {
        id: sample.id.clone(),
        run: 0,
        task: Some("routing".to_owned()),
        variant: None,
        turns: vec![PredictionTurn { content: Some(format!("[{name}]")), ..PredictionTurn::default() }],
        finish_reason: None,
        usage: None,
        error: None,
    }
}
