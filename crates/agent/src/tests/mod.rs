//! Whole runs, with a scripted model that also misbehaves.

mod any;
mod figures;
mod images;
mod kit;
mod misbehaving;
mod nested;
mod poisoned;
mod readers;
mod runs;
mod sessions;
mod talking;
