//! CallNavi's questions keep their promises: looked at as a reader of the files would, without the pipeline's own eyes.

use crate::made::{Made, made};
use fcgen::gate::pointed;
use fcgen::locale::Pack;
use fcgen::record::{Difficulty, Expected, Object, Origin, PLACEHOLDER, Sample, Step, Value};
use fcgen::run::Manifest;
use fcgen::toolset::Toolset;
use fcgen::world::World;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a run wrote.
struct Written(Arc<Made>);

async fn written(settings: &[&str]) -> Written {
    Written(made("callnavi", settings).await)
}

impl Written {
    fn json(&self, part: &str, domain: &str) -> Json {
        self.0.json(&format!("benchmark/Dataset/{part}/{domain}.json"))
    }

    fn of(&self, difficulty: Difficulty) -> impl Iterator<Item = &Sample> {
        self.0.samples.iter().filter(move |sample| sample.difficulty == Some(difficulty))
    }
}

fn steps(sample: &Sample) -> &[Step] {
    let Expected::Steps(steps) = &sample.expected else { panic!("{} wants no calls in order", sample.id) };
    steps
}

fn domain(sample: &Sample) -> &str {
    sample.id.as_str().split('/').next().unwrap()
}

/// A third of the default run.
const THIRD: &str = "scale=0.3";

#[tokio::test]
async fn every_domain_gives_what_the_paper_has_of_each_difficulty() {
    let written = written(&[]).await;
    let count = |difficulty| written.of(difficulty).count();
    assert_eq!((count(Difficulty::Easy), count(Difficulty::Medium), count(Difficulty::Hard)), (456, 188, 85));
    let bank = |difficulty| written.of(difficulty).filter(|sample| domain(sample) == "bank").count();
    assert_eq!((bank(Difficulty::Easy), bank(Difficulty::Medium), bank(Difficulty::Hard)), (70, 28, 17));
    let manifest: &Manifest = &written.0.summary.manifest;
    assert!(manifest.template && written.0.samples.iter().all(|sample| sample.provenance.template));
    assert_eq!(manifest.samples.values().sum::<usize>(), 729);
    let large = ["bank", "telecommunications"]
        .map(|domain| written.json("APIs", domain)["api_ports"].as_array().unwrap().len());
    assert!(large.iter().all(|apis| *apis > 100), "{large:?}");
}

#[tokio::test]
async fn chains_give_the_values_that_they_promise_in_the_declared_world() {
    for locale in ["en", "ko"] {
        let written = written(&[THIRD, &format!("locale={locale}")]).await;
        let toolset = Toolset::load(fcgen::assets(), "enterprise", locale).unwrap();
        let mut pack = Pack::load(fcgen::assets(), locale).unwrap();
        toolset.extend(&mut pack).unwrap();
        let pack = Arc::new(pack);
        let worlds: BTreeMap<&String, World> = toolset
            .domains
            .iter()
            .map(|(name, domain)| (name, World::new(domain.clone(), pack.clone(), 7).unwrap()))
            .collect();
        let mut fed = 0;
        for sample in &written.0.samples {
            fed += replay(sample, &worlds[&domain(sample).to_owned()]);
        }
        assert!(fed >= 30, "{locale}: {fed} arguments come from earlier answers");
    }
}

/// Makes the calls of a sample, each placeholder filled from the answers that came; how many were.
fn replay(sample: &Sample, world: &World) -> usize {
    let mut session = world.session();
    let mut answers: Vec<Value> = Vec::new();
    let mut fed = 0;
    for (place, step) in steps(sample).iter().enumerate() {
        let call = &step.calls[0];
        let mut arguments = Object::new();
        let mut open = false;
        for (name, value) in &call.arguments {
            let note = &step.notes[0][name];
            let given = match &note.origin {
                Origin::Answer { call, field } => {
                    assert!(*call < place && value.as_str() == Some(PLACEHOLDER), "{}: {name}", sample.id);
                    fed += 1;
                    pointed(&answers[*call], field).cloned().unwrap()
                }
                Origin::Open => Value::from(note.surface.as_deref().unwrap()),
                Origin::Missing => {
                    open = true;
                    continue;
                }
                _ => value.clone(),
            };
            arguments.insert(name.clone(), given);
        }
        // A call that lacks something answers what it lacks.
        let answer = session.call(&call.name, &arguments);
        assert_eq!(answer.is_err(), open, "{}: {}", sample.id, call.name);
        let answer = answer.unwrap_or_else(|fault| fault.answer());
        assert_eq!(answer, step.answers[0], "{}: {}", sample.id, call.name);
        answers.push(answer);
    }
    fed
}

#[tokio::test]
async fn difficulty_is_what_calls_and_dependencies_make_it() {
    let harder =
        ["ambiguous", "incomplete", "conflicting", "transformed"].map(|it| format!("stage.hard_questions.{it}=0.5"));
    let settings: Vec<&str> = harder.iter().map(String::as_str).chain([THIRD]).collect();
    let written = written(&settings).await;
    let chained = |sample: &Sample| {
        let notes = steps(sample).iter().flat_map(|step| step.notes[0].values());
        notes.into_iter().any(|note| matches!(note.origin, Origin::Answer { .. }))
    };
    assert!(written.of(Difficulty::Easy).all(|sample| steps(sample).len() == 1 && !chained(sample)));
    assert!(written.of(Difficulty::Medium).all(|sample| (2..=4).contains(&steps(sample).len()) && !chained(sample)));
    assert!(written.of(Difficulty::Hard).all(|sample| (2..=5).contains(&steps(sample).len()) && chained(sample)));
    let tags: BTreeSet<&str> = written.of(Difficulty::Hard).flat_map(|it| &it.tags).map(String::as_str).collect();
    for tag in ["dependent", "ambiguous", "incomplete", "conflicting", "transformed"] {
        assert!(tags.contains(tag), "no hard question is {tag}: {tags:?}");
    }
}

#[tokio::test]
async fn the_authors_files_hold_the_same_as_the_samples() {
    let written = written(&[THIRD]).await;
    let mut seen = 0;
    for domain in written.0.samples.iter().map(domain).collect::<BTreeSet<_>>() {
        let (apis, schemas) = (written.json("APIs", domain), written.json("APISchema", domain));
        let names = |list: &Json| -> Vec<String> {
            list.as_array().unwrap().iter().map(|api| api["name"].as_str().unwrap().to_owned()).collect()
        };
        let known = names(&apis["api_ports"]);
        assert_eq!(known, names(&schemas), "{domain}");
        assert_eq!(known.iter().collect::<BTreeSet<_>>().len(), known.len(), "{domain}");
        for question in written.json("Questions", domain).as_array().unwrap() {
            seen += 1;
            let truth = &question["ground_truth"];
            let (called, given) = (truth["API"].as_array().unwrap(), truth["parameters"].as_array().unwrap());
            assert_eq!(called.len(), given.len());
            for (name, arguments) in called.iter().zip(given) {
                let api = apis["api_ports"].as_array().unwrap().iter().find(|api| api["name"] == *name).unwrap();
                let declared = api["parameters"].as_object().unwrap();
                assert!(arguments.as_object().unwrap().keys().all(|key| declared.contains_key(key)), "{question}");
            }
        }
    }
    assert_eq!(seen, written.0.samples.len());
}

#[tokio::test]
async fn candidate_lists_are_drawn_at_any_breadth() {
    for (count, near) in [(10, 3), (20, 10), (50, 20), (100, 30)] {
        let settings =
            ["scale=0.1", &format!("stage.candidates.count={count}"), &format!("stage.candidates.near={near}")];
        let written = written(&settings).await;
        for sample in &written.0.samples {
            let names: BTreeSet<&str> = sample.candidates.iter().map(|tool| tool.name.as_str()).collect();
            assert_eq!((names.len(), sample.candidates.len()), (count, count), "{}", sample.id);
            assert!(steps(sample).iter().all(|step| names.contains(step.calls[0].name.as_str())), "{}", sample.id);
        }
    }
}

#[tokio::test]
async fn both_locales_ask_for_the_same_kinds_of_things() {
    let (english, korean) = (written(&["scale=0.1"]).await, written(&["scale=0.1", "locale=ko"]).await);
    assert_eq!(english.0.samples.len(), korean.0.samples.len());
    let hangul = |sample: &Sample| sample.query().chars().any(|letter| ('가'..='힣').contains(&letter));
    assert!(korean.0.samples.iter().all(hangul) && !english.0.samples.iter().any(hangul));
}
