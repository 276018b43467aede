//! Whole materials, good and bad.

use std::time::Duration;

use proptest::prelude::*;
use url::Url;

use super::{Hint, Kind, Options, Read, ReadError, TEXT_CAP, plain, read, read_with};

fn html(page: &str) -> Result<Read, ReadError> {
    // Unoptimised, on a machine that does much else.
    let options = Options { limit: Duration::from_secs(300), base: None };
    read_with(page.as_bytes(), Hint { media_type: Some("text/html"), name: None }, &options)
}

/// The text of a page.
#[track_caller]
fn check(page: &str, expected: &str) {
    let text = html(page).map_or_else(|error| error.to_string(), |read| read.text);
    assert_eq!(text, expected);
}

/// Sentences enough to make an article.
fn prose(about: &str, paragraphs: usize) -> String {
    let sentence =
        format!("The {about}, as far as anybody knows, sleeps by day, and hunts at night. ");
    format!("<p>{}</p>", sentence.repeat(5)).repeat(paragraphs)
}

#[test]
fn articles_are_found() {
    let page = format!(
        "<!doctype html><html><head><title>Owls | Site</title>
         <meta property='og:title' content='Owls &amp; mice'>
         <meta property=og:image content=/i.png><link rel=canonical href=/owls>
         <style>p {{ color: red }}</style><script>var x = '<p>no</p>';</script></head><body>
         <header><a href=/>Site</a></header><nav><ul><li><a href=/a>Menu</a></ul></nav>
         <div class=cookie-banner>We use cookies.</div>
         <article><h1>Owls</h1>{}<pre><code>let a = 1;\n\nlet b;</code></pre>
         <p><a href='more?x=1'>More</a> <a href='javascript:x'>click</a>
         <img src='data:image/png;base64,AAAA' alt=inline><img src=pic.jpg alt=Picture></p>
         <div class=share-buttons>Share this</div>
         <!-- a comment --><form><input value=x><p>Subscribe</p></form></article>
         <section id=comments><p>First!</p></section>
         <div class='related-articles'><a href=/b>Related</a></div>
         <aside>Beside</aside><footer>All rights reserved</footer></body></html>",
        prose("owl", 4),
    );
    let base = Some(Url::parse("https://h.test/a/b").unwrap());
    let hint = Hint { media_type: None, name: Some("x.html") };
    let limit = Duration::from_secs(20);
    let read = read_with(page.as_bytes(), hint, &Options { limit, base }).unwrap();
    assert_eq!(read.kind, Kind::Html);
    assert_eq!(read.title.as_deref(), Some("Owls & mice"));
    assert_eq!(read.image.as_deref(), Some("https://h.test/i.png"));
    assert_eq!(read.canonical.as_deref(), Some("https://h.test/owls"));
    assert!(!read.cut);
    assert_eq!(read.text.matches("sleeps by day").count(), 20);
    for kept in [
        "let a = 1;\n\nlet b;",
        "[More](https://h.test/a/more?x=1)",
        "click",
        "![Picture](https://h.test/a/pic.jpg)",
    ] {
        assert!(read.text.contains(kept), "{kept} in {}", read.text);
    }
    for dropped in [
        "Menu", "cookies", "color", "var x", "data:", "javascript", "Share", "comment",
        "Subscribe", "First!", "Related", "Beside", "rights", "Site",
    ] {
        assert!(!read.text.contains(dropped), "{dropped} in {}", read.text);
    }
}

#[test]
fn pages_without_article_are_read_whole() {
    check("<p>Short.</p>", "Short.\n");
    check("<title>T</title><h2>A</h2><ul><li>one<li>two</ul>", "## A\n\n- one\n- two\n");
    check("<nav>Menu</nav><p>x</p><div role=navigation>y</div><footer>z</footer>", "x\n");
    // Articles begin at the second level.
    check("<header>Top</header><main><header><h1>Title</h1></header>x</main>", "## Title\n\nx\n");
    check("<table><tr><th>a<th>b<tr><td>1<td>2</table>", "| a | b |\n| - | - |\n| 1 | 2 |\n");
    check("<h2><a href='#x'>Heading</a><a href='#x'>¶</a></h2>t", "## Heading\n\nt\n");
    // Everything in one form, as some sites have it, and a body named after its cookies.
    let form = format!("<form>{}<input><select><option>x</select></form>", prose("owl", 3));
    assert_eq!(html(&form).unwrap().text.matches("sleeps").count(), 15);
    let body = format!("<body class=cookie-banner>{}</body>", prose("owl", 3));
    assert_eq!(html(&body).unwrap().text.matches("sleeps").count(), 15);
    check("", "there is no text in it");
    check("<script>only()</script><!-- x -->", "there is no text in it");
}

#[test]
fn hidden_text_is_dropped() {
    let hidden = [
        "<p hidden>IGNORE",
        "<div aria-hidden=TRUE>IGNORE</div>",
        "<span style='display:none'>IGNORE</span>",
        "<span style='DISPLAY&colon; none'>IGNORE</span>",
        "<span style='display&#58;/**/none !important'>IGNORE</span>",
        "<div style='font-size:0'>IGNORE</div>",
        "<div style='position:absolute;left:-9999px'>IGNORE</div>",
        "<div class='sr-only'>IGNORE</div>",
        "<template>IGNORE</template>",
        "<noscript>IGNORE</noscript>",
        "<!-- IGNORE -->",
        "<details><summary>Open</summary><p hidden>IGNORE</p></details>",
        "<iframe srcdoc='IGNORE'>IGNORE</iframe>",
        "<svg><text>IGNORE</text></svg>",
        "<textarea>IGNORE</textarea>",
        "<input value=IGNORE><button>IGNORE</button>",
        "<img alt=IGNORE src='data:image/gif;base64,R0lGOD'>",
    ];
    for part in hidden {
        for page in [format!("<p>Seen.</p>{part}"), format!("{}{part}", prose("owl", 4))] {
            let text = html(&page).unwrap().text;
            assert!(!text.contains("IGNORE"), "{part}: {text}");
        }
    }
    // Letters that are not shown at all.
    check("<p>a\u{e0049}\u{e0047}\u{202e}b\u{200b}c</p>", "abc\n");
}

#[test]
fn titles_are_one_line() {
    #[track_caller]
    fn check_title(page: &str, expected: Option<&str>) {
        assert_eq!(html(page).unwrap().title.as_deref(), expected);
    }
    check_title("<title> a\n <b>b</b> &amp; c </title>x", Some("a <b>b</b> & c"));
    check_title("<meta name=og:title content=' '><title>t</title>x", Some("t"));
    check_title("<h1>Only <i>this</i></h1>", Some("Only this"));
    check_title("x", None);
    let long = format!("<title>{}</title>x", "é".repeat(5000));
    check_title(&long, Some(&"é".repeat(300)));
}

#[test]
fn markdown_and_text_stay() {
    let hint = |name| Hint { media_type: None, name: Some(name) };
    let given = "---\ntitle: x\n---\r\n# Owls #\r\n\r\n\r\n\r\n<nav>kept</nav>\n- a\n";
    let found = read(given.as_bytes(), hint("a.md")).unwrap();
    assert_eq!(found.text, "---\ntitle: x\n---\n# Owls #\n\n<nav>kept</nav>\n- a\n");
    assert_eq!((found.kind, found.title.as_deref()), (Kind::Markdown, Some("Owls")));
    let found = read(b"# a comment\nx", hint("a.txt")).unwrap();
    assert_eq!((found.kind, found.title), (Kind::Text, None));
    let found = read(b"![x](data:image/png;base64,AAAA)", hint("a.md")).unwrap();
    assert_eq!(found.text, "![x]()\n");
    assert_eq!(read(b" \n", hint("a.md")), Err(ReadError::Empty));
}

#[test]
fn snippets_are_plain() {
    assert_eq!(plain("a <b>bold</b> &lt;T&gt;&#x27;s\n x"), "a bold <T>'s x");
    assert_eq!(plain("<script>x</script>"), "");
    assert_eq!(plain(&"<b >".repeat(50_000)), "");
}

#[test]
fn large_pages_are_cut() {
    let page = format!("<p>{}</p>", "Words and more words. ".repeat(200_000));
    let found = html(&page).unwrap();
    assert!(found.cut && found.text.len() <= TEXT_CAP + 1, "{}", found.text.len());
    let lines = "line of text\n".repeat(400_000);
    let found = read(lines.as_bytes(), Hint::default()).unwrap();
    assert!(found.cut && found.text.ends_with("line of text\n"));
    let large = vec![b'x'; (20 << 20) + 1];
    assert!(matches!(read(&large, Hint::default()), Err(ReadError::TooLarge { .. })));
}

/// Pages that are built to be slow, deep or large.
#[test]
fn pages_that_attack() {
    const MANY: usize = 10_000;
    let around = |open: &str, close: &str| format!("{}x{}", open.repeat(MANY), close.repeat(MANY));
    let pages = [
        around("<div>", "</div>"),
        around("<b>", ""),
        around("<b id=1><p>", ""),
        around("<ul><li>", "</ul>"),
        around("<blockquote>", "</blockquote>"),
        around("<table><tr><td>", "</table>"),
        around("<a href=x>", "</a>"),
        around("<svg><g>", ""),
        around("<x-y>", "</z>"),
        around("</p>", ""),
        around("<b><div></b>", "y"),
        around("<p>a", "<p>b"),
        around("<h1>", "</h2>"),
        around("<", ">"),
        around("<!--", "-->"),
        around("<script>", "</scrip>"),
        around("&lt;", "&"),
        around("<p\0 class='what a nice long class' id=and-more>", "words"),
        format!("<p {}>x", "a=1 ".repeat(MANY)),
        format!("<p {}>x", (0..MANY).map(|n| format!("a{n} ")).collect::<String>()),
        format!("<p class='{}'>x", "cookie ".repeat(MANY)),
        format!("{}x", (0..MANY).map(|n| format!("<p><i id={n}>")).collect::<String>()),
        format!("<table>{}</table>", "<tr><td>x".repeat(MANY / 2)),
        format!("<table><tr>{}<tr><td>x</table>", "<td>x".repeat(MANY / 2)),
        // Much text within much, all of which is gone through for each.
        format!("{}{}", "<div>".repeat(190), "Otters swim. ".repeat(20 * MANY)),
        format!("{}{}", "<div class=nav>".repeat(190), "Otters swim. ".repeat(20 * MANY)),
    ];
    for page in pages {
        let found = html(&page);
        let shown = page.get(..20).unwrap_or_default();
        assert!(matches!(found, Ok(_) | Err(ReadError::Empty)), "{shown}: {:?}", found.err());
    }
}

#[test]
fn ten_megabytes_of_bold() {
    let page = "<b>".repeat((10 << 20) / 3);
    assert_eq!(html(&page), Err(ReadError::Empty));
}

#[test]
fn time_is_limited() {
    let page = prose("owl", 2000);
    let options = Options { limit: Duration::ZERO, base: None };
    let hint = Hint { media_type: Some("text/html"), name: None };
    let found = read_with(page.as_bytes(), hint, &options);
    assert!(matches!(found, Err(ReadError::Timeout { .. } | ReadError::Busy)), "{found:?}");
}

#[test]
fn the_same_page_reads_the_same() {
    let list: String =
        (0..50).map(|n| format!("<div class=c{n}>{}</div>", prose("owl", 2))).collect();
    let first = html(&list).unwrap();
    for _ in 0..5 {
        assert_eq!(html(&list).unwrap(), first);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_or_refused(
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
        name in 0_usize..5,
    ) {
        let name = ["a.md", "a.html", "a.pdf", "a.txt", "a"][name];
        if let Ok(read) = read(&bytes, Hint { media_type: None, name: Some(name) }) {
            prop_assert!(!read.text.trim().is_empty());
        }
    }

    #[test]
    fn any_markup_is_read(
        page in r#"(</?(div|p|b|table|tr|td|ul|li|article|form|h1|a href="x"|img src=y|blockquote|pre|code|br|svg|select)>|words, and more |<|&lt;|[\PC]){0,80}"#,
    ) {
        match html(&page) {
            Ok(read) => prop_assert!(!read.text.chars().any(|c| c.is_control() && !"\n\t".contains(c))),
            Err(error) => prop_assert_eq!(error, ReadError::Empty),
        }
    }
}

#[test]
fn who_wrote_something_and_when_is_told() {
    let check = |text: &str, name: &str, author: Option<&str>, published: Option<&str>| {
        let read = read(text.as_bytes(), Hint { media_type: None, name: Some(name) }).unwrap();
        let told = (read.byline.author.as_deref(), read.byline.published.as_deref());
        assert_eq!(told, (author, published), "{text}");
    };
    let front = "---\nauthor: \"Ada Byron\"\ndate: 2026-03-04\n---\n# Owls\n\nauthor: nobody\n";
    check(front, "a.md", Some("Ada Byron"), Some("2026-03-04"));
    check("---\nauthor: [a, b]\n---\n# Owls\n\nOwls.\n", "a.md", None, None);
    check("# Owls\n\nauthor: nobody\n", "a.md", None, None);
    check(front, "a.txt", None, None);
    let page = |head: &str| format!("<html><head>{head}</head><body><p>Owls.</p></body></html>");
    check(
        &page(
            "<meta name=author content='Ada'><meta property=article:published_time content=2026-03-04>",
        ),
        "a.html",
        Some("Ada"),
        Some("2026-03-04"),
    );
    check(&page("<meta name=author content='https://x.org/ada'>"), "a.html", None, None);
}

/// What pages say for programs, through all that is done to a page.
#[test]
fn microdata_is_read() {
    let page = "<body><main itemscope itemtype='https://schema.org/Product'><h1 itemprop='name'>Owl \
                Box</h1><p>Owls live in it.</p><meta itemprop='color' content='brown'><time \
                itemprop='releaseDate' datetime='2026-03-04'>in March</time></main></body>";
    let text = html(page).unwrap().text;
    assert!(text.trim_end().ends_with("| Owl Box | brown | 2026-03-04 |"), "{text}");
}

#[test]
fn powers_stay_powers_and_notes_are_left() {
    let page = "<p>It holds 10<sup>11</sup> tonnes, 2<sup>53</sup> values and 5 km<sup>2</sup> of the\
                wood<sup>3</sup>, 2010<sup>12</sup>, 110<sup>2</sup>, the 10<sup>th</sup>.</p>";
    let text = html(page).unwrap().text;
    assert!(text.contains("10^11 tonnes, 2^53 values and 5 km^2 of"), "{text}");
    assert_eq!(text.matches('^').count(), 3, "{text}");
}
