//! Files of our own: a table in the binary, nothing of the disk.

use std::sync::LazyLock;

/// A file that pages refer to.
pub struct Asset {
    pub name: &'static str,
    pub kind: &'static str,
    pub bytes: &'static [u8],
    /// Names its content, in quotes.
    pub etag: String,
}

static ALL: LazyLock<Vec<Asset>> = LazyLock::new(|| {
    let asset = |name, kind, bytes: &'static [u8]| {
        let etag = format!("\"{}\"", &blake3::hash(bytes).to_hex()[..16]);
        Asset { name, kind, bytes, etag }
    };
    vec![
        asset("page.css", "text/css; charset=utf-8", include_bytes!("../../assets/page/page.css")),
        asset(
            "page.js",
            "text/javascript; charset=utf-8",
            include_bytes!("../../assets/page/page.js"),
        ),
        asset(
            "chat.js",
            "text/javascript; charset=utf-8",
            include_bytes!("../../assets/page/chat.js"),
        ),
        asset("icon.svg", "image/svg+xml", include_bytes!("../../assets/page/icon.svg")),
    ]
});

/// All of them.
pub fn all() -> &'static [Asset] {
    &ALL
}

/// The file of a name.
pub fn named(name: &str) -> Option<&'static Asset> {
    ALL.iter().find(|asset| asset.name == name)
}
