//! The recipes that run shards elsewhere, each as its engine would start it: what comes out is what one process makes,
//! and what dies is started again and repays nothing.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test stops at whatever it did not expect")]

#[path = "cli/bench.rs"]
#[expect(dead_code, reason = "the tests of the command line use more of it")]
mod bench;
#[path = "recipes/cluster.rs"]
mod cluster;
#[path = "recipes/kubernetes.rs"]
mod kubernetes;
#[path = "recipes/ray.rs"]
mod ray;
#[path = "cli/server.rs"]
#[expect(dead_code, reason = "the tests of the command line use more of it")]
mod server;
#[path = "recipes/slurm.rs"]
mod slurm;
