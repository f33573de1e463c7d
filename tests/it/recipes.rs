//! The recipes that run shards elsewhere, each as its engine would start it: what comes out is what one process makes,
//! and what dies is started again and repays nothing.

#![cfg(unix)]

mod cluster;
mod kubernetes;
mod ray;
mod slurm;
