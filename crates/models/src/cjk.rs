//! What both word-piece tokenizers set apart as words of one character.

/// The ideographs that the `tokenizers` library sets apart, with its range borders. Kana and Hangul are not
/// among them.
pub(super) fn is_cjk(character: char) -> bool {
    matches!(
        u32::from(character),
        0x4e00..=0x9fff
            | 0x3400..=0x4dbf
            | 0x20000..=0x2a6df
            | 0x2a700..=0x2b73f
            | 0x2b740..=0x2b81f
            | 0x2b920..=0x2ceaf
            | 0xf900..=0xfaff
            | 0x2f800..=0x2fa1f
    )
}
