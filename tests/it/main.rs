//! End to end: the program in sealed repositories, one file per command or promise.

mod env;
mod fake;

mod architecture;
mod bad_inputs;
mod cache;
mod changelog;
mod commit_index;
mod concurrency;
mod drift;
mod embedders;
mod help;
mod history;
mod hook_install;
mod hook_run;
mod hostile;
mod incremental;
mod index;
mod init;
mod local_models;
mod merges;
mod model;
mod quiet;
mod repair;
mod revisions;
mod scan;
mod search;
mod sequences;
mod trust;
mod upkeep;
mod usage;
mod vault;
mod verify;
