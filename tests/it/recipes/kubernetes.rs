//! The Kubernetes indexed job: its file as the cluster reads it, and the command of its pods.

use super::cluster::{Cluster, LATE, must};
use fcgen::python::read_yaml;
use serde_json::Value;
use std::process::Command;

/// A job's file.
fn job(name: &str) -> Value {
    serde_json::from_str(&read_yaml(&Cluster::text(name)).unwrap().to_string()).unwrap()
}

/// The only container of a job's pods.
fn container(job: &Value) -> &Value {
    &job["spec"]["template"]["spec"]["containers"][0]
}

/// What the pods have in their environment.
fn environment(job: &Value) -> Vec<(&str, &str)> {
    let entries = container(job)["env"].as_array().unwrap();
    entries.iter().map(|entry| (entry["name"].as_str().unwrap(), entry["value"].as_str().unwrap())).collect()
}

/// A pod's command, for so many shards.
fn pod(cluster: &Cluster, job: &Value, index: &str, shards: &str) -> Command {
    let words = |key: &str| container(job)[key].as_array().unwrap().iter().map(|word| word.as_str().unwrap());
    let mut line = words("command").chain(words("args"));
    let mut command = cluster.command(line.next().unwrap());
    command.args(line).envs(environment(job));
    command.envs([("SHARDS", shards), ("FLAGS", cluster.flags.as_str()), ("JOB_COMPLETION_INDEX", index)]);
    command
}

#[test]
fn the_job_has_a_pod_for_every_shard() {
    let (shards, merge) = (job("kubernetes.yaml"), job("kubernetes_merge.yaml"));
    let spec = &shards["spec"];
    assert_eq!((&shards["apiVersion"], &shards["kind"]), (&"batch/v1".into(), &"Job".into()));
    assert_eq!((&spec["completionMode"], &spec["completions"]), (&"Indexed".into(), &8.into()));
    assert_eq!(environment(&shards), environment(&merge));
    assert!(environment(&shards).contains(&("SHARDS", "8")));
    // A pod that fails is replaced, unless another one would fail as well.
    assert_eq!(spec["template"]["spec"]["restartPolicy"], "Never");
    assert!(spec["backoffLimitPerIndex"].as_u64() > Some(0));
    let fatal = spec["podFailurePolicy"]["rules"][1]["onExitCodes"]["values"].as_array().unwrap();
    assert!(!fatal.contains(&12.into()) && !fatal.contains(&130.into()), "{fatal:?}");
    // All of them work in the volume.
    assert_eq!(container(&shards)["volumeMounts"][0]["mountPath"], container(&shards)["workingDir"]);
}

#[test]
fn every_pod_makes_its_shard_and_the_merge_is_one_process() {
    let cluster = Cluster::new();
    for index in ["0", "1"] {
        must(pod(&cluster, &job("kubernetes.yaml"), index, "2"));
    }
    must(pod(&cluster, &job("kubernetes_merge.yaml"), "", "2"));
    cluster.assert_as_one_process("output/hammer-en");
}

#[test]
fn a_pod_that_is_killed_is_replaced_and_repays_only_the_last_moment() {
    let (cluster, server, word) = Cluster::asking(80);
    let job = job("kubernetes.yaml");
    let mut child = pod(&cluster, &job, "0", "1").spawn().unwrap();
    word.recv().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let before = server.stub.stats();
    must(pod(&cluster, &job, "0", "1"));
    let after = server.stub.stats();
    assert!(after.repeated <= before.max_in_flight + LATE, "{before:?} {after:?}");
    cluster.assert_as_one_process("output/hammer-en-shard-1-of-1");
}
