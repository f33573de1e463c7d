//! The Ray tasks, on a real cluster of this machine. It fetches Ray, so that it runs only where it is asked for:
//!
//!     FCGEN_RAY=1 cargo test --test it recipes -- --nocapture

use super::cluster::{Cluster, must};
use std::process::Command;

/// Dies at its first start for each shard, as a node does that is taken away.
const MORTAL: &str = "#!/bin/sh
mark=\"dead$(echo \"$*\" | sed -n 's/.*--shard \\([0-9]*\\).*/-\\1/p')\"
case $1 in pipeline) [ -e \"$mark\" ] || { : > \"$mark\"; kill -9 $$; } ;; esac
exec fcgen \"$@\"
";

#[test]
fn a_real_cluster_makes_the_shards_and_starts_the_dead_ones_again() {
    if std::env::var_os("FCGEN_RAY").is_none() {
        return;
    }
    let cluster = Cluster::new();
    cluster.bench.write("bin/mortal", MORTAL);
    must(line(&cluster, "chmod +x bin/mortal"));
    must(line(&cluster, "python3 -m venv venv"));
    must(line(&cluster, "venv/bin/python -m pip install --quiet ray"));
    let mut recipe = line(&cluster, "venv/bin/python");
    recipe.arg(Cluster::recipe("on_ray.py")).args(["hammer", "--shards", "3", "--out", "merged"]);
    recipe.args(["--fcgen", "mortal", "--"]).args(cluster.flags.split(' '));
    // Ray keeps things of its own there.
    recipe.env("HOME", cluster.bench.path("home"));
    must(recipe);
    for part in 1..=3 {
        assert!(cluster.bench.path(&format!("dead-{part}")).exists(), "every shard died once");
    }
    cluster.assert_as_one_process("merged");
}

fn line(cluster: &Cluster, line: &str) -> Command {
    let mut words = line.split(' ');
    let mut command = cluster.command(words.next().unwrap());
    command.args(words);
    command
}
