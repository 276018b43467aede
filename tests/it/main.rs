//! End to end: the program in sealed repositories, one file per command or promise.

mod env;

mod architecture;
mod bad_inputs;
mod concurrency;
mod help;
mod hostile;
mod incremental;
mod index;
mod init;
mod quiet;
mod repair;
mod search;
mod trust;
