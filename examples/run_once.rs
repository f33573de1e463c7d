//! Temporary.
use fcgen::config::{Overrides, load};
use fcgen::llm::Interrupt;
use fcgen::run::{Options, folder_name, run};
#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut overrides = Overrides::default();
    for set in std::env::args().skip(2) { overrides.set(&set); }
    let text = std::fs::read_to_string("pipelines/hammer.toml")?;
    let plan = load(&text, "pipelines/hammer.toml", &overrides).map_err(|p| anyhow::anyhow!("{p}"))?;
    let _ = folder_name(&plan, None);
    let options = Options { out: std::env::args().nth(1).unwrap().into(), shard: None, preview: None, concurrency: None, rerun_rejects: false, interrupt: Interrupt::new() };
    let summary = run(&plan, &options, |_| ()).await?;
    println!("{}", serde_json::to_string_pretty(&summary.manifest)?);
    Ok(())
}
