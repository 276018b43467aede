//! The sandbox against a real kernel.

mod basics;
mod ends;
mod hostile;
mod reach;
mod systems;
mod world;
