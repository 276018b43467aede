//! Runs and their undo in real repositories.

mod baselines;
mod cases;
mod crash;
mod measure;
mod private;
mod random;
mod repository;
