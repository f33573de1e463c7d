//! Asks about all samples at once, as far as the limits allow, and writes what is said in the order of the samples.

use super::asking::Asking;
use super::desk::{Desk, Job, Row};
use super::samples::{Pool, read_samples};
use super::summary::{Live, Summary};
use crate::failure::{RunError, RunStopped};
use crate::format::{Bench, PredictionMeta};
use crate::fs::AtomicFile;
use crate::record::{ItemId, Sample, SuiteName};
use crate::{Recorded, append};
use futures::StreamExt;
use futures::stream::FuturesOrdered;
use indexmap::IndexSet;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use tokio::task::JoinHandle;

/// So many rows may wait for a slow one before them; memory grows with this and not with the benchmark.
const WAITING: usize = 1024;

/// Asks a model about the samples of a benchmark. `watch` is told where to look, before the first question.
///
/// Every sample is looked at before anything is asked. The file of predictions appears when all are there; until then
/// replies are in the journal, and the same job goes on from it. What is asked and how lies beside it from the first
/// question on, so that an interrupted job is known again.
pub async fn predict(job: &Job, asking: Arc<dyn Asking>, watch: impl FnOnce(Live)) -> Result<Summary, RunError> {
    let began = Instant::now();
    let Survey { suite, ids, left_out } = survey(job, &*asking)?;
    let samples = ids.len();
    let desk = Desk::open(job, asking.clone())?;
    let meta = meta(job, &*asking, &desk, suite, &ids)?;
    if !job.out.exists() {
        // Predictions of an earlier job keep what tells of them until they are replaced.
        put_meta(job, &meta)?;
    }
    let (tally, usage) = (desk.tally.clone(), desk.deps.usage.clone());
    watch(Live { tally, usage, rows: samples * job.runs as usize });
    let mut out = AtomicFile::create(&job.out)?;
    let example = ask_all(job, &*asking, &desk, &ids, &mut out).await?;
    desk.flush()?;
    out.finish()?;
    put_meta(job, &meta)?;
    Ok(Summary {
        out: job.out.clone(),
        model: desk.chat.model_name().to_owned(),
        router: desk.router.as_ref().map(|router| router.model_name().to_owned()),
        built_in: desk.chat.is_builtin(),
        variant: asking.variant().to_owned(),
        samples,
        left_out,
        runs: job.runs,
        lost: desk.tally.read().1,
        example,
        cut: desk.tally.cut(),
        routing: desk.tally.routing(),
        usage: desk.deps.usage.totals(),
        notes: desk.notes(),
        wall: began.elapsed(),
    })
}

/// What there is to ask about.
struct Survey {
    suite: SuiteName,
    ids: IndexSet<ItemId>,
    left_out: usize,
}

/// Looks at all samples, so that a faulty one is told before anything is paid for.
fn survey(job: &Job, asking: &dyn Asking) -> Result<Survey, RunStopped> {
    let bench = job.bench.display();
    let (mut suite, mut ids, mut left_out, mut pool) = (None, IndexSet::new(), 0, Pool::default());
    for sample in taken(job, asking, &mut left_out)? {
        let sample = sample?;
        asking.check(&sample).map_err(|why| RunStopped::Input(format!("`{bench}`, sample `{}`: {why}", sample.id)))?;
        if job.interrupt.is_triggered() {
            return Err(RunStopped::Interrupted);
        }
        if job.limit.is_some() {
            pool.add(&sample);
        }
        suite.get_or_insert(sample.suite);
        // Predictions are joined to samples by their ids.
        if let (_, Some(id)) = ids.replace_full(sample.id) {
            return Err(RunStopped::Input(format!("`{bench}`: duplicate sample id `{id}`")));
        }
    }
    match (suite, left_out) {
        (None, 0) => Err(RunStopped::Input(format!("`{bench}` has no samples"))),
        (None, _) => Err(RunStopped::Input(format!("`{bench}` has no samples that can be scored"))),
        (Some(suite), _) => {
            if let Some(limit) = job.limit {
                let drawn = pool.draw(limit, job.seed);
                ids.retain(|id| drawn.contains(id));
            }
            Ok(Survey { suite, ids, left_out })
        }
    }
}

/// What is asked and how.
fn meta(
    job: &Job,
    asking: &dyn Asking,
    desk: &Desk,
    suite: SuiteName,
    ids: &IndexSet<ItemId>,
) -> Result<PredictionMeta, RunStopped> {
    let bench = Bench::open(&job.bench).and_then(|bench| bench.fingerprint());
    let (bench_hash, _) = bench.map_err(|error| RunStopped::Input(error.to_string()))?;
    Ok(PredictionMeta {
        format: PredictionMeta::FORMAT,
        bench_hash,
        suite,
        paradigm: asking.paradigm(),
        mode: job.mode.as_str().to_owned(),
        prompts: job.prompts.clone(),
        limit: job.limit.and_then(|limit| u64::try_from(limit).ok()),
        seed: job.limit.map(|_| job.seed),
        ids: ids.iter().map(ToString::to_string).collect(),
        model: (!desk.chat.is_builtin()).then(|| desk.chat.model_name().to_owned()),
        fcgen: env!("CARGO_PKG_VERSION").to_owned(),
    })
}

fn put_meta(job: &Job, meta: &PredictionMeta) -> Result<(), RunError> {
    let mut file = AtomicFile::create(&PredictionMeta::path(&job.out))?;
    writeln!(file, "{}", serde_json::to_string(meta)?)?;
    Ok(file.finish()?)
}

/// The samples that can be asked about, counting those that are none of its business.
fn taken<'c>(
    job: &Job,
    asking: &'c dyn Asking,
    left_out: &'c mut usize,
) -> Result<impl Iterator<Item = Result<Sample, RunStopped>> + 'c, RunStopped> {
    let is_taken = move |sample: &Result<Sample, RunStopped>| {
        let is_taken = sample.as_ref().map_or(true, |sample| asking.takes(sample));
        *left_out += usize::from(!is_taken);
        is_taken
    };
    Ok(read_samples(&job.bench)?.filter(is_taken))
}

/// Asks and writes. Gives the first error among the rows.
async fn ask_all(
    job: &Job,
    asking: &dyn Asking,
    desk: &Arc<Desk>,
    ids: &IndexSet<ItemId>,
    out: &mut impl Write,
) -> Result<Option<String>, RunError> {
    let mut left_out = 0;
    let mut questions = questions(job, asking, ids, &mut left_out)?;
    let mut work = Work { desk, rows: FuturesOrdered::new(), stop: None };
    let window = job.model.most_waiting().saturating_add(WAITING);
    let (mut example, mut judged) = (None, Vec::new());
    loop {
        while work.stop.is_none() && work.rows.len() < window {
            match questions.next() {
                Some(Ok((sample, run))) => work.begin(sample, run),
                Some(Err(stop)) => work.end(stop),
                None => break,
            }
        }
        let Some(row) = work.rows.next().await else { break };
        match row.map_err(|error| RunError::broken_off("work on a sample", &error))? {
            Ok(row) => {
                out.write_all(row.line.as_bytes())?;
                example = example.or(row.error);
                judged.extend(row.judged);
            }
            Err(stop) => work.end(stop),
        }
    }
    if let Some(stop) = work.stop {
        return Err(stop.into());
    }
    // Before the predictions appear: whoever has these can score them.
    keep(&job.judgements, judged)?;
    Ok(example)
}

/// Writes what a judge said behind what was said before; what several runs asked at once is the same question.
fn keep(path: &Path, mut judged: Vec<Recorded>) -> std::io::Result<()> {
    let mut seen = BTreeSet::new();
    judged.retain(|recorded| seen.insert((recorded.question, recorded.id.clone(), recorded.hash.clone())));
    if judged.is_empty() { Ok(()) } else { append(path, &judged) }
}

/// Each chosen sample as often as it is to be asked about.
fn questions<'c>(
    job: &Job,
    asking: &'c dyn Asking,
    ids: &'c IndexSet<ItemId>,
    left_out: &'c mut usize,
) -> Result<impl Iterator<Item = Result<(Arc<Sample>, u32), RunStopped>> + 'c, RunStopped> {
    let runs = job.runs;
    let is_chosen =
        |sample: &Result<Sample, RunStopped>| sample.as_ref().map_or(true, |sample| ids.contains(&sample.id));
    Ok(taken(job, asking, left_out)?.filter(is_chosen).flat_map(move |sample| {
        let sample = sample.map(Arc::new);
        (0..runs).map(move |run| sample.clone().map(|sample| (sample, run)))
    }))
}

/// What is under way.
struct Work<'a> {
    desk: &'a Arc<Desk>,
    rows: FuturesOrdered<JoinHandle<Result<Row, RunStopped>>>,
    stop: Option<RunStopped>,
}

impl Work<'_> {
    fn begin(&mut self, sample: Arc<Sample>, run: u32) {
        let desk = self.desk.clone();
        self.rows.push_back(tokio::spawn(async move { desk.ask(&sample, run).await }));
    }

    /// Nothing new is sent from now on; what was sent is paid for, and may come in.
    fn end(&mut self, stop: RunStopped) {
        self.desk.deps.closing.trigger();
        self.stop = Some(match self.stop.take() {
            Some(earlier) => earlier.before(stop),
            None => stop,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{file, sample_line};
    use super::super::{Candidates, Mode, Snapshots};
    use super::*;
    use crate::record::Prediction;

    async fn run(job: &Job) -> Result<Summary, RunError> {
        predict(job, Arc::new(Snapshots::new(Mode::BuiltIn, Candidates::All, crate::fixtures::prompts())), |_| {}).await
    }

    async fn fault(text: &str) -> String {
        let (folder, path) = file(text);
        let out = folder.path().join("p.jsonl");
        let error = run(&Job::new(crate::fixtures::assets(), &path, &out)).await.unwrap_err().to_string();
        assert!(!out.exists() && !folder.path().join("p.jsonl.part").exists());
        error.replace(&path.display().to_string(), "FILE")
    }

    fn three() -> String {
        ["a", "b", "c"].map(|id| sample_line(id) + "\n").concat()
    }

    #[tokio::test]
    async fn rows_stand_in_the_order_of_samples_and_runs() {
        let (folder, path) = file(&three());
        let job =
            Job { runs: 2, limit: Some(2), ..Job::new(crate::fixtures::assets(), path, folder.path().join("p.jsonl")) };
        let mut rows = 0;
        let asking = Arc::new(Snapshots::new(Mode::BuiltIn, Candidates::All, crate::fixtures::prompts()));
        let summary = predict(&job, asking, |live| rows = live.rows).await.unwrap();
        assert_eq!((summary.samples, summary.rows(), rows, summary.lost), (2, 4, 4, 0));
        assert!(summary.built_in && summary.model == "grammar" && summary.example.is_none());
        let text = std::fs::read_to_string(&job.out).unwrap();
        let rows: Vec<Prediction> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let places: Vec<_> = rows.iter().map(|row| (row.id.as_str(), row.run)).collect();
        assert_eq!(places, [("a", 0), ("a", 1), ("b", 0), ("b", 1)]);
    }

    #[tokio::test]
    async fn every_sample_is_looked_at_before_anything_is_asked() {
        let silent = sample_line("b").replace("\"role\":\"user\"", "\"role\":\"system\"");
        let text = format!("{}\n{silent}\n", sample_line("a"));
        insta::assert_snapshot!(fault(&text).await, @"`FILE`, sample `b`: no user message");
        let text = format!("{}\n[]\n", sample_line("a"));
        assert!(fault(&text).await.starts_with("`FILE`, line 2:"));
        insta::assert_snapshot!(fault("\n").await, @"`FILE` has no samples");
        let twice = ["a", "b", "a"].map(|id| sample_line(id) + "\n").concat();
        insta::assert_snapshot!(fault(&twice).await, @"`FILE`: duplicate sample id `a`");
    }

    /// Takes what is not `b`.
    struct Choosy(Snapshots);

    impl Asking for Choosy {
        fn variant(&self) -> &str {
            self.0.variant()
        }

        fn takes(&self, sample: &Sample) -> bool {
            sample.id.as_str() != "b"
        }

        fn check(&self, sample: &Sample) -> Result<(), String> {
            self.0.check(sample)
        }

        fn next(
            &self,
            sample: &Sample,
            run: u32,
            said: &[crate::llm::Reply],
        ) -> Result<Option<crate::llm::Request>, RunStopped> {
            self.0.next(sample, run, said)
        }
    }

    #[tokio::test]
    async fn what_is_none_of_its_business_is_left_out_and_counted() {
        let (folder, path) = file(&three());
        let job = Job { limit: Some(2), ..Job::new(crate::fixtures::assets(), path, folder.path().join("p.jsonl")) };
        let asking = || Arc::new(Choosy(Snapshots::new(Mode::BuiltIn, Candidates::All, crate::fixtures::prompts())));
        let summary = predict(&job, asking(), |_| {}).await.unwrap();
        assert_eq!((summary.samples, summary.left_out), (2, 1));
        let text = std::fs::read_to_string(&job.out).unwrap();
        let ids: Vec<&str> = text.lines().filter_map(|line| line.split('"').nth(3)).collect();
        assert_eq!(ids, ["a", "c"]);
        let (_folder, path) = file(&sample_line("b"));
        let error = predict(&Job::new(crate::fixtures::assets(), path, &job.out), asking(), |_| {})
            .await
            .unwrap_err()
            .to_string();
        assert!(error.ends_with("has no samples that can be scored"), "{error}");
    }

    #[tokio::test]
    async fn whoever_stops_it_gets_no_half_file() {
        let (folder, path) = file(&three());
        let job = Job::new(crate::fixtures::assets(), path, folder.path().join("p.jsonl"));
        job.interrupt.trigger();
        assert!(matches!(run(&job).await, Err(RunError::Stop(RunStopped::Interrupted))));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[tokio::test]
    async fn a_file_that_is_no_folder_is_told() {
        let (folder, path) = file(&three());
        let error =
            run(&Job::new(crate::fixtures::assets(), &path, path.join("p.jsonl"))).await.unwrap_err().to_string();
        assert!(error.contains(&folder.path().display().to_string()), "{error}");
    }
}
