//! Text as Discord marks it up. Pure.

use crate::Dialect;

/// Discord counts 2,000 characters, marks included; here they are counted so that none counts less there.
pub const DIALECT: Dialect = Dialect {
    most: 2_000,
    measure: |text| text.rich.encode_utf16().count(),
    escape,
    // Nothing is markup between marks of code, also no `\`.
    escape_code: str::to_owned,
    strong: ["**", "**"],
    emphasis: ["*", "*"],
    struck: ["~~", "~~"],
    code: ["`", "`"],
    quote: ["> ", ""],
    block: ["```\n", "\n```"],
};

/// Words in which Discord finds no markup, mention, link or list.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    // Whether only blanks and digits stand before it in its line.
    let (mut is_start, mut is_number) = (true, false);
    let mut rest = text.chars().peekable();
    while let Some(char) = rest.next() {
        let is_mark = match char {
            '\\' | '`' | '*' | '_' | '~' | '|' | '<' | '@' | '[' => true,
            // An address begins.
            ':' => rest.peek() == Some(&'/'),
            '#' | '>' | '-' | '+' => is_start,
            '.' => is_number,
            _ => false,
        };
        if is_mark {
            escaped.push('\\');
        }
        escaped.push(char);
        is_number = (is_start || is_number) && char.is_ascii_digit();
        is_start = char == '\n' || (is_start && char == ' ');
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_markup() {
        for (text, expected) in [
            ("a_b *c* ~d~ |e| `f` \\", "a\\_b \\*c\\* \\~d\\~ \\|e\\| \\`f\\` \\\\"),
            ("<@1> @everyone [a](b)", "\\<\\@1> \\@everyone \\[a](b)"),
            ("see https://a.test: it", "see https\\://a.test: it"),
            ("# a\n> b\n- c\n  + d\n12. e", "\\# a\n\\> b\n\\- c\n  \\+ d\n12\\. e"),
            ("a # b > c - d 1.5", "a # b > c - d 1.5"),
        ] {
            assert_eq!(escape(text), expected);
        }
    }

    #[test]
    fn answers() {
        let rich = |markdown: &str| DIALECT.parts(markdown)[0].rich.clone();
        assert_eq!(rich("[here](https://evil.test)"), "here (`https://evil.test`)");
        assert_eq!(rich("**a** ~~b~~ `c_d`"), "**a** ~~b~~ `c_d`");
        assert_eq!(rich("```sh\nls *\n```"), "```\nls *\n```");
        assert_eq!(rich("> a\n> b"), "> a\n> b");
        let long = DIALECT.parts(&"Otters swim. ".repeat(1_000));
        assert!(long.len() > 6 && long.iter().all(|part| part.rich.len() <= 2_000));
    }
}
