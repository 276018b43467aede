//! What speaks with machines elsewhere, and the vault that keeps the keys for it.
//!
//! Owns a small client of JSON APIs, GET of public pages with every amount capped, requests to servers
//! that a person named, signing in there, and the encrypted file of secrets. It knows no settings, no
//! notes and no models.

pub mod address;
#[cfg(any(test, feature = "testutil"))]
pub mod fake_store;
pub mod http;
pub mod oauth;
pub mod objects;
pub mod remote;
pub mod socket;
pub mod vault;
pub mod web;
