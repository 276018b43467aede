//! What leads around a site.

/// What pages put around their text. Whole names only: `Home Assistant` and `Next.js` are names.
pub(super) fn is_navigation(name: &str, words: &[&str]) -> bool {
    const ARROWS: &[char] = &[
        '→', '←', '↑', '↓', '»', '«', '›', '‹', '▲', '▼', '▶', '◀', '⬆', '⬇', '➡', '⬅', '↩', '↗',
        '⟶', '⟵',
    ];
    const PHRASES: &[&str] = &[
        "skip to content",
        "skip to main content",
        "skip to main",
        "skip to navigation",
        "skip navigation",
        "skip to search",
        "skip to footer",
        "table of contents",
        "back to top",
        "back to home",
        "go to top",
        "return to top",
        "scroll to top",
        "on this page",
        "in this page",
        "in this article",
        "in this section",
        "edit this page",
        "edit this page on github",
        "edit on github",
        "view page source",
        "view source",
        "view on github",
        "view this page",
        "show source",
        "improve this page",
        "suggest an edit",
        "suggest edits",
        "report an issue",
        "report a bug",
        "create an issue",
        "open an issue",
        "report issue",
        "read more",
        "learn more",
        "see more",
        "show more",
        "load more",
        "view more",
        "view all",
        "see all",
        "show all",
        "find out more",
        "continue reading",
        "read the docs",
        "more information",
        "more info",
        "click here",
        "sign in",
        "sign up",
        "log in",
        "log out",
        "sign out",
        "login",
        "logout",
        "subscribe",
        "subscribe now",
        "contact us",
        "about us",
        "privacy policy",
        "cookie policy",
        "cookie settings",
        "cookie preferences",
        "manage cookies",
        "accept cookies",
        "accept all cookies",
        "accept all",
        "reject all",
        "reject all cookies",
        "we use cookies",
        "terms of service",
        "terms of use",
        "terms and conditions",
        "terms & conditions",
        "all rights reserved",
        "share this",
        "share this page",
        "share this article",
        "was this page helpful",
        "was this helpful",
        "previous page",
        "next page",
        "previous",
        "prev",
        "previous post",
        "next post",
        "previous article",
        "next article",
        "main menu",
        "toggle navigation",
        "toggle menu",
        "open menu",
        "close menu",
        "open main menu",
        "toggle search",
        "toggle dark mode",
        "toggle theme",
        "toggle sidebar",
        "expand all",
        "collapse all",
        "copy link",
        "copy to clipboard",
        "print this page",
        "download pdf",
        "search results",
        "jump to",
        "jump to content",
        "jump to navigation",
        "jump to main content",
        "site map",
        "sitemap",
        "follow us",
        "get started now",
        "try it now",
        "try it free",
        "buy now",
        "add to cart",
        "last updated",
        "last modified",
        "powered by",
        "related articles",
        "related posts",
        "leave a comment",
        "leave a reply",
        "post a comment",
        "hide navigation",
        "show navigation",
        "select language",
        "choose language",
        "permalink",
        "loading",
        "menu",
        "submit",
        "back",
        "next",
        "give feedback",
        "send feedback",
        "provide feedback",
        "this page",
        "this section",
        "this article",
        "recent posts",
        "latest posts",
    ];
    let bare = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(name);
    let lower = bare.trim_end_matches(['.', '!', '?', ':', '…']).to_lowercase();
    let crumbs = words.len() > 2
        && words.iter().any(|word| matches!(*word, ">" | "/" | "»" | "›" | "→" | "·" | "•"))
        && !words.iter().any(|word| matches!(*word, "<" | "="));
    PHRASES.contains(&lower.as_str())
        || crumbs
        || name.contains('©')
        || name.starts_with(ARROWS)
        || (words.len() > 1 && matches!(words.first(), Some(&("<<" | "×" | "✕" | "✖" | "☰" | "<"))))
        || matches!(words.last(), Some(&(">>" | "×" | "☰")))
        || is_pager(words)
        || name.ends_with(ARROWS)
        || lower.starts_with("copyright (c)")
        || lower.starts_with("skip to ")
        || lower.starts_with("edit this page")
        || lower.starts_with("last updated")
        || lower.starts_with("last modified")
        || lower.starts_with("powered by ")
        || lower.ends_with("all rights reserved")
        || (lower.starts_with("page ") && words.get(2) == Some(&"of"))
        || (words.len() > 1
            && matches!(
                lower.split_once(": "),
                Some((
                    "previous"
                        | "next"
                        | "prev"
                        | "tags"
                        | "by"
                        | "posted by"
                        | "written by"
                        | "published"
                        | "updated"
                        | "share",
                    _
                ))
            ))
}

/// `1 2 3 Next`
fn is_pager(words: &[&str]) -> bool {
    let Some((last, rest)) = words.split_last() else { return false };
    rest.len() > 1
        && matches!(last.to_lowercase().as_str(), "next" | "last" | "older" | "previous")
        && rest.iter().all(|word| word.bytes().all(|byte| byte.is_ascii_digit()))
}
