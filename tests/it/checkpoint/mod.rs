//! Runs and their undo in real repositories.

mod cases;
mod crash;
mod measure;
mod random;
mod repository;
