use proptest::prelude::*;

use super::*;

fn shown(text: &str, canvas: Canvas) -> String {
    let mut markdown = Markdown::default();
    let mut lines = markdown.push(text, canvas);
    lines.extend(markdown.end(canvas));
    lines.join("\n")
}

const TEXT: &str = "\
# What otters *do*

They **hold hands** while they sleep, as [the notes](knowledge/otters.md) say; `count(sea)` and
<https://otters.test> know more.


- one thing that is long enough to be wrapped at a word
  - another, below
12. the twelfth
> a quote that goes on for more than one line of the terminal
***
```rust
let otters = count(sea); // this line is longer than the terminal is wide, and stays whole
```
```diff
-two
+three
```
| name | count |
|------|------:|
| [sea](s.md) | **3** |

The end with an [open bracket and *stars.
";

#[test]
fn a_text_in_forty_columns() {
    insta::assert_snapshot!(shown(TEXT, Canvas { width: 40, colour: false }), @"
    What otters do

    They hold hands while they sleep, as
    the notes (knowledge/otters.md) say;
    `count(sea)` and
    https://otters.test know more.

    • one thing that is long enough to be
      wrapped at a word
      • another, below
    12. the twelfth
    │ a quote that goes on for more than one
    │ line of the terminal
    ────────────────────────────────────────
        let otters = count(sea); // this line is longer than the terminal is wide, and stays whole
        -two
        +three
    │   name   │count│
    ├──────────┼─────┤
    │sea (s.md)│    3│

    The end with an
    [open bracket and *stars.
    ");
}

#[test]
fn styles_are_those_of_the_theme() {
    let text = "# A\n**b** *c* `d` [e](f) ~~g~~\n";
    let shown = shown(text, Canvas { width: 40, colour: true });
    insta::assert_snapshot!(shown.replace('\u{1b}', "^"), @"
    ^[1m^[4mA^[0m
    ^[1mb^[0m ^[3mc^[0m ^[36md^[0m ^[4me^[0m^[36m (f)^[0m ^[9mg^[0m
    ");
}

#[test]
fn nothing_steers_the_terminal() {
    let steer = "\u{1b}]0;evil\u{7}\u{202e}&#27;[2J&#x9b;&#8238;";
    for text in [
        format!("{steer}\n"),
        format!("`{steer}` **{steer}** [{steer}]({steer})\n"),
        format!("# {steer}\n- {steer}\n"),
        format!("```{steer}\n{steer}\n```\n"),
        format!("| {steer} |\n|---|\n| {steer} |\n"),
    ] {
        let shown = shown(&text, Canvas { width: 80, colour: false });
        let steers = |char: char| char != '\n' && (char.is_control() || char == '\u{202e}');
        assert!(!shown.contains(steers), "{shown:?}");
    }
}

#[test]
fn a_line_is_shown_before_it_ends() {
    let canvas = Canvas { width: 20, colour: false };
    let mut markdown = Markdown::default();
    assert_eq!(markdown.push("- otters hold **han", canvas), [""; 0]);
    assert_eq!(markdown.push("ds** while they sl", canvas), ["• otters hold hands"]);
    assert_eq!(markdown.push("eep in the sea\n", canvas), ["  while they sleep", "  in the sea"]);
    assert_eq!(markdown.end(canvas), [""; 0]);
}

fn pieces() -> impl Strategy<Value = String> {
    const WORDS: &[&str] = &[
        "a ", "**b** ", "`c d` ", "[e](f) ", "*", "`", "_x", "[", "](", ")", "\n", "- ", "# ",
        "```\n", "| g | h |\n", "1. ", "> ", "\\*", "otters ", "---\n", "  ",
    ];
    prop::collection::vec(prop::sample::select(WORDS), 0..30).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn how_it_comes_makes_no_difference(text in pieces(), cuts in prop::collection::vec(0_usize..100, 0..6)) {
        let canvas = Canvas { width: 20, colour: false };
        let mut markdown = Markdown::default();
        let (mut lines, mut rest) = (Vec::new(), text.as_str());
        for cut in cuts {
            let (head, tail) = rest.split_at(cut.min(rest.len()));
            lines.extend(markdown.push(head, canvas));
            rest = tail;
        }
        lines.extend(markdown.push(rest, canvas));
        lines.extend(markdown.end(canvas));
        let (pieces, whole) = (lines.join("\n"), shown(&text, canvas));
        prop_assert_eq!(pieces.trim_end(), whole.trim_end());
    }

    #[test]
    fn words_stay(text in "[a-c *_`\\[\\]()#>~\n-]{0,200}", width in 12_usize..40) {
        let shown = shown(&text, Canvas { width, colour: false });
        prop_assert!(letters(&shown) + fence_words(&text) >= letters(&text), "{:?}", shown);
    }
}

fn letters(text: &str) -> usize {
    text.chars().filter(char::is_ascii_lowercase).count()
}

/// What stands behind fences names a language, and is not shown.
fn fence_words(text: &str) -> usize {
    let is_fence = |line: &&str| FENCES.iter().any(|fence| line.trim().starts_with(fence));
    text.lines().filter(is_fence).map(letters).sum()
}
