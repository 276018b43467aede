//! POD, in which manuals of Perl are written, made near enough to Markdown: commands, sequences such as
//! `C<code>`, terms with what they mean. Lines stay lines.

use std::borrow::Cow;

/// Levels that a heading goes down: those of a manual are no titles.
const LEVELS: usize = 2;

/// Most sequences within each other, and most bytes of one between several marks.
const DEEPEST: usize = 8;
const LONGEST: usize = 1_000;

/// The text as Markdown if it is POD, else as it is. What is no POD between its parts goes.
pub(super) fn as_markdown(text: &str) -> Cow<'_, str> {
    // What shows POD in a fence of code is none.
    let mut is_code = false;
    let is_pod = text.lines().any(|line| {
        is_code ^= line.trim_start().starts_with("```");
        !is_code && line.starts_with("=head1 ")
    });
    if !is_pod {
        return Cow::Borrowed(text);
    }
    let mut pod = Pod::default();
    for line in text.lines() {
        pod.take(line);
    }
    pod.flush();
    Cow::Owned(pod.kept)
}

/// What is read of a text so far.
#[derive(Default)]
struct Pod {
    kept: String,
    paragraph: String,
    /// Behind a command, and not for another program.
    is_text: bool,
    is_block: bool,
    /// The terms above what they mean, each as code, or the mark of an item.
    terms: Vec<String>,
    /// Whether a list goes on about a term, which is told already; the lists around it.
    is_told: bool,
    lists: Vec<bool>,
}

impl Pod {
    fn take(&mut self, line: &str) {
        let is_code = line.starts_with([' ', '\t']) && !line.trim().is_empty();
        let command =
            line.strip_prefix('=').filter(|it| it.starts_with(|it: char| it.is_ascii_lowercase()));
        if command.is_some() || is_code || line.trim().is_empty() {
            self.flush();
        }
        if let Some(command) = command {
            let (command, rest) = command.split_once(' ').unwrap_or((command, ""));
            self.command(command.trim(), &shown(rest.trim()));
        } else if self.is_text && !self.is_block && is_code {
            // One blank makes it code.
            self.terms.clear();
            self.kept.push_str("    ");
            self.kept.push_str(line);
        } else if self.is_text && !self.is_block && !line.trim().is_empty() {
            self.paragraph.push_str(line);
            self.paragraph.push('\n');
            return;
        }
        self.kept.push('\n');
    }

    fn command(&mut self, command: &str, said: &str) {
        self.is_text = command != "cut";
        self.is_block = command == "begin" || self.is_block && command != "end";
        match command {
            "over" => self.lists.push(self.is_told),
            "back" => self.is_told = self.lists.pop().unwrap_or_default(),
            "item" => {
                self.is_told = false;
                let bare = said.trim_start_matches(['*', '\u{2022}']).trim();
                let is_mark = bare.trim_end_matches('.').bytes().all(|it| it.is_ascii_digit());
                match bare.len() < said.len() || is_mark {
                    true if is_mark => self.terms = vec![String::new()],
                    true => self.kept.push_str(&format!("- {bare}")),
                    false => self.terms.push(bare.replace(['`', '*'], "")),
                }
                return;
            }
            _ => {
                let level = command.strip_prefix("head").and_then(|it| it.parse::<usize>().ok());
                if let Some(level) = level.filter(|_| !self.is_block) {
                    self.kept.push_str(&format!("{} {said}", "#".repeat(level.min(4) + LEVELS)));
                    self.is_told = false;
                }
            }
        }
        self.terms.clear();
    }

    /// Adds the paragraph that is open, behind the term that it explains.
    fn flush(&mut self) {
        let paragraph = std::mem::take(&mut self.paragraph);
        if paragraph.is_empty() {
            return;
        }
        // What is told of a term further below says nothing without it.
        if self.is_told {
            self.kept.push_str(&"\n".repeat(paragraph.matches('\n').count()));
            return;
        }
        let terms: Vec<String> = self.terms.drain(..).collect();
        if !terms.is_empty() {
            let all: Vec<String> =
                terms.iter().filter(|it| !it.is_empty()).map(|it| format!("`{it}`")).collect();
            self.kept.push_str("- ");
            if !all.is_empty() {
                self.is_told = true;
                self.kept.push_str(&format!("{}: ", all.join(", ")));
            }
        }
        self.kept.push_str(&shown(&paragraph));
    }
}

/// A text with its sequences as Markdown.
fn shown(text: &str) -> String {
    // What is open, each with its letter.
    let mut open: Vec<(char, String)> = Vec::new();
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(char) = rest.chars().next() {
        let depth = open.len();
        let into = open.last_mut().map_or(&mut kept, |(_, inner)| inner);
        let behind = &rest[char.len_utf8()..];
        let marks = behind.len() - behind.trim_start_matches('<').len();
        if char.is_ascii_uppercase() && marks > 0 {
            let inner = &behind[marks..];
            let near = &inner[..inner.floor_char_boundary(LONGEST)];
            let close = format!(" {}", ">".repeat(marks));
            match near.find(&close).filter(|_| marks > 1 && inner.starts_with(' ')) {
                // `C<< a -> b >>`
                Some(end) => {
                    into.push_str(&sequence(char, inner[..end].trim()));
                    rest = &inner[end + close.len()..];
                }
                None if depth == DEEPEST => {
                    into.push(char);
                    rest = behind;
                }
                None => {
                    open.push((char, String::new()));
                    rest = &behind[1..];
                }
            }
            continue;
        }
        rest = behind;
        if char != '>' {
            into.push(char);
            continue;
        }
        match open.pop() {
            Some((letter, inner)) => {
                let into = open.last_mut().map_or(&mut kept, |(_, inner)| inner);
                into.push_str(&sequence(letter, &inner));
            }
            None => kept.push('>'),
        }
    }
    for (letter, inner) in open {
        kept.push_str(&format!("{letter}<{inner}"));
    }
    kept
}

/// What a sequence shows.
fn sequence(letter: char, inner: &str) -> String {
    match letter {
        'C' | 'F' => format!("`{}`", inner.replace('`', "")),
        'B' => format!("**{inner}**"),
        'I' => format!("*{inner}*"),
        'X' | 'Z' => String::new(),
        'L' => inner.split('|').next().unwrap_or_default().trim_matches(['/', '"']).to_owned(),
        'E' => match inner {
            "lt" => "<".to_owned(),
            "gt" => ">".to_owned(),
            "sol" => "/".to_owned(),
            "verbar" => "|".to_owned(),
            _ if inner.starts_with("0x") => format!("&#{};", &inner[1..]),
            _ if inner.starts_with(|it: char| it.is_ascii_digit()) => format!("&#{inner};"),
            _ => format!("&{inner};"),
        },
        _ => inner.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_sequences_become_markdown() {
        for (text, expected) in [
            ("Plain C<x>.\n", "Plain C<x>.\n"),
            ("# A\n\n```pod\n=head1 NAME\n```\n", "# A\n\n```pod\n=head1 NAME\n```\n"),
            ("=head1 E<233>E<0xE9>E<eacute>\n", "### &#233;&#xE9;&eacute;\n"),
            (
                "=head1 NAME\n\nFoo - a B<bar> of C<Foo::Bar>\n\n=cut\n\nmy $x;\n\n=head2 L<Foo|http://x>\n",
                "### NAME\n\nFoo - a **bar** of `Foo::Bar`\n\n\n\n\n\n#### Foo\n",
            ),
            (
                "=head1 A\n\n=over 4\n\n=item -n\n\n=item --lines\n\nPrint\nlines.\n\nMore.\n\n=item *\n\nOne\n\n=back\n\n x E<lt> y\n",
                "### A\n\n\n\n\n\n\n\n- `-n`, `--lines`: Print\nlines.\n\n\n\n\n\n- One\n\n\n\n     x E<lt> y\n",
            ),
            ("=head1 C<< a->b >> E<gt> I<B<c>> D<\n", "### `a->b` > ***c*** D<\n"),
        ] {
            assert_eq!(as_markdown(text), expected, "{text}");
            assert_eq!(as_markdown(text).lines().count(), text.lines().count(), "{text}");
        }
    }
}
