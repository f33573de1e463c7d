//! The integration tests, one program: the library is linked once, and what several tests look at is made once.

#![expect(clippy::unwrap_used, reason = "a test stops at whatever it did not expect")]

mod batch;
mod bfcl_gold;
mod callnavi;
mod callnavi_check;
mod check;
mod cli;
mod coarse;
mod complexeval;
mod complexfunc;
mod confetti_made;
mod confetti_roles;
mod consumers;
mod demo;
mod dialogue_reading;
mod dialogues;
mod domains;
mod emission;
mod export;
mod faults;
mod functionchat;
mod functionchat_check;
mod functionchat_made;
mod gate_fixtures;
mod gates;
mod guides;
mod install;
mod invariants;
mod leaks;
mod live;
mod locales;
mod made;
mod page;
mod pipeline_files;
mod predict;
mod prompts;
mod recipes;
mod recorded;
mod reference;
mod registries;
mod resume;
mod runs;
mod shared;
mod strict;
mod travel;
