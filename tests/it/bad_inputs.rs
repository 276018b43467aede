//! Inputs that must not break anything (SAFETY.md).
