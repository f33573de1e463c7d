//! The Slurm array: its script with the variables that Slurm sets.

use super::cluster::{Cluster, end, must};
use std::process::Command;

fn task(cluster: &Cluster, task: &str, shards: &str) -> Command {
    let mut command = cluster.command("sh");
    command.arg(Cluster::recipe("slurm.sh")).arg("hammer").args(cluster.flags.split(' '));
    command.envs([("SLURM_ARRAY_TASK_ID", task), ("SLURM_ARRAY_JOB_ID", "70"), ("SHARDS", shards)]);
    command
}

#[test]
fn every_task_of_the_array_makes_its_shard() {
    let cluster = Cluster::new();
    for ordinal in ["0", "1"] {
        let said = must(task(&cluster, ordinal, "2")).stdout;
        assert!(String::from_utf8(said).unwrap().starts_with("output/hammer-en-shard-"));
    }
    let shards = "output/hammer-en-shard-1-of-2 output/hammer-en-shard-2-of-2";
    cluster.bench.must(&format!("merge {shards} {}", cluster.flags));
    cluster.assert_as_one_process("output/hammer-en");
}

#[test]
fn the_array_has_as_many_tasks_as_shards() {
    let text = Cluster::text("slurm.sh");
    assert!(text.contains("#SBATCH --array=0-7\n") && text.contains("shards=${SHARDS:-8}\n"));
    // Only a task beyond them is refused, as fcgen refuses it.
    let refused = task(&Cluster::new(), "8", "8").output().unwrap();
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
}

#[test]
fn a_stopped_task_takes_its_place_in_the_queue_again_and_repays_nothing_answered() {
    let (cluster, server, word) = Cluster::asking(60);
    cluster.bench.write("bin/scontrol", "#!/bin/sh\necho \"$@\" >> queue\n");
    must({
        let mut mode = cluster.command("chmod");
        mode.args(["+x", "bin/scontrol"]);
        mode
    });
    let child = task(&cluster, "0", "1").spawn().unwrap();
    word.recv().unwrap();
    let stopped = end(child, "-TERM");
    assert_eq!(stopped.status.code(), Some(130), "{}", String::from_utf8_lossy(&stopped.stderr));
    assert_eq!(cluster.bench.read("queue"), "requeue 70_0\n");
    let before = server.stub.stats();
    must(task(&cluster, "0", "1"));
    let after = server.stub.stats();
    // What was under way came in before the task ended, unless the machine is very busy.
    assert!(after.repeated <= before.max_in_flight, "{before:?} {after:?}");
    cluster.assert_as_one_process("output/hammer-en-shard-1-of-1");
}

#[test]
fn what_no_further_try_mends_stays_out_of_the_queue() {
    let cluster = Cluster { flags: "--set nothing=1".to_owned(), ..Cluster::new() };
    let refused = task(&cluster, "0", "2").output().unwrap();
    assert_eq!(refused.status.code(), Some(10), "{refused:?}");
    assert!(!cluster.bench.path("queue").exists());
}
