//! `file_search`: lines of files that match.

use std::{
    fmt::Write as _,
    io,
    path::{Path, PathBuf},
};

use globset::GlobSet;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{
    BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch,
};
use serde_json::{Value, json};

use super::{
    OutOfReach,
    approved::Approved,
    arguments::{Arguments, bad, spec},
    contents::key_lines,
    cut::{cut, text_of},
    paths::{Last, Place, place, shown},
    tree::{globs, walk},
};
use crate::{
    Host, Intent, Output, Spec, Tool, ToolError,
    permissions::{Action, Level},
};
use elophanto_base::beneath::{Folder, Kind};
use elophanto_base::counted::counted;
use elophanto_base::secrets::{self, KeyLines};

/// Matching lines that are shown unless told otherwise, and at most.
const USUAL: u64 = 200;
const MOST: u64 = 2_000;
/// Bytes of a line that are shown.
const MOST_OF_A_LINE: usize = 400;
/// Bytes of a pattern, and of what it is compiled to.
const MOST_OF_A_PATTERN: usize = 4_000;
const MOST_COMPILED: usize = 8 << 20;
/// Bytes of a file that is searched, and of a line that is held in memory.
const MOST_OF_A_FILE: u64 = 256 << 20;
const MOST_HELD: usize = 16 << 20;
/// Bytes that are collected: more would be cut anyway.
const MOST_COLLECTED: usize = 4 << 20;

/// Searches in files.
pub struct FileSearch {
    approved: Approved,
    out_of_reach: OutOfReach,
}

impl FileSearch {
    /// Files that `out_of_reach` names, by absolute path, are passed over.
    pub fn new(out_of_reach: OutOfReach) -> Self {
        Self { approved: Approved::default(), out_of_reach }
    }

    fn asked<'a>(&self, arguments: &'a Value, host: &dyn Host) -> Result<Asked<'a>, ToolError> {
        let arguments = Arguments::of(&self.spec(), arguments)?;
        let path = arguments.optional_text("path")?.unwrap_or(".");
        let place = place(host.root(), path, Last::Followed)?;
        let shown = place.shown();
        match place.kind {
            Some(Kind::Folder | Kind::File) => {}
            Some(_) => return Err(ToolError::Refused(format!("`{shown}` is no regular file"))),
            None => return Err(ToolError::Failed(format!("there is no `{shown}`"))),
        }
        let globs = match &*arguments.texts("globs")? {
            [] => None,
            texts => Some(globs(texts)?),
        };
        Ok(Asked {
            pattern: arguments.text("pattern")?,
            matcher: matcher(&arguments)?,
            globs,
            context: arguments.number("context", 0, 10)?.unwrap_or(0) as usize,
            most: arguments.number("max", 1, MOST)?.unwrap_or(USUAL) as usize,
            names_only: arguments.flag("names_only")?,
            // A file that is named is searched, even if git ignores it.
            all: place.kind == Some(Kind::File) || arguments.flag("all")?,
            place,
        })
    }
}

struct Asked<'a> {
    place: Place,
    pattern: &'a str,
    matcher: RegexMatcher,
    globs: Option<GlobSet>,
    context: usize,
    most: usize,
    names_only: bool,
    all: bool,
}

impl Tool for FileSearch {
    fn spec(&self) -> Spec {
        spec(
            "file_search",
            Level::Safe,
            true,
            "Search the lines of files with a regular expression (Rust syntax, one line at a time), \
             or for a text as it is with `literal`. Answers are `path:line: text`, sorted by path. \
             What git ignores, binary files and `.git` are left out. At most 200 lines unless `max` \
             says otherwise, each cut at 400 bytes.",
            json!({
                "pattern": { "type": "string" },
                "literal": { "type": "boolean", "description": "a text, not an expression" },
                "ignore_case": { "type": "boolean" },
                "path": { "type": "string", "description": "folder or file; the root if left out" },
                "globs": { "type": "array", "items": { "type": "string" },
                    "description": "only files that match one: `*.rs`, `docs/**`" },
                "context": { "type": "integer", "minimum": 0, "maximum": 10,
                    "description": "lines before and after each match" },
                "all": { "type": "boolean", "description": "ignored files too" },
                "names_only": { "type": "boolean", "description": "only the paths of files" },
                "max": { "type": "integer", "minimum": 1, "maximum": MOST },
            }),
            &["pattern"],
        )
    }

    fn intent(&self, arguments: &Value, host: &dyn Host) -> Result<Intent, ToolError> {
        let Asked { place, pattern, .. } = self.asked(arguments, host)?;
        let state = place.absolute.as_os_str().as_encoded_bytes();
        self.approved.remember(host.root(), arguments, state);
        Ok(Intent {
            shown: format!("search {} for {pattern}", place.shown()),
            action: Action::Read { paths: vec![place.absolute] },
        })
    }

    fn execute(&self, arguments: &Value, host: &mut dyn Host) -> Result<Output, ToolError> {
        let asked = self.asked(arguments, host)?;
        let Asked { place, matcher, globs, context, all, .. } = asked;
        let state = place.absolute.as_os_str().as_encoded_bytes();
        self.approved.check(host.root(), arguments, state)?;
        let mut searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .before_context(context)
            .after_context(context)
            .heap_limit(Some(MOST_HELD))
            .build();
        let mut found = Found {
            text: String::new(),
            root: host.root(),
            relative: PathBuf::new(),
            keys: None,
            matches: 0,
            most: asked.most,
            names_only: asked.names_only,
            from: 0,
            matches_before: 0,
            passed_over: 0,
            cancelled: &|| host.is_cancelled(),
        };
        let (mut files, mut skipped) = (0_usize, 0_usize);
        let walked = walk(host, &place.relative, all, usize::MAX, |entry| {
            let wanted = entry.kind == Kind::File
                && globs.as_ref().is_none_or(|globs| globs.is_match(&entry.relative))
                && !(self.out_of_reach)(&host.root().join(&entry.relative));
            if !wanted {
                return Ok(true);
            }
            if entry.size > MOST_OF_A_FILE {
                skipped += 1;
                return Ok(true);
            }
            files += 1;
            (found.from, found.matches_before) = (found.text.len(), found.matches);
            (found.relative, found.keys) = (entry.relative, None);
            let searched = search(&mut searcher, &matcher, &mut found);
            skipped += usize::from(searched.is_err());
            Ok(!found.is_full())
        })?;
        host.alive()?;
        let (matches, full) = (found.matches, found.is_full());
        skipped += found.passed_over;
        let mut text = found.text;
        if matches == 0 {
            let files = counted(files, "file");
            let _ = writeln!(text, "nothing found in {files} below {}", place.shown());
        }
        if full {
            text.push_str("[there may be more: search in a folder, or for something rarer]\n");
        }
        if skipped > 0 {
            let skipped = counted(skipped, "file");
            let _ = writeln!(text, "[{skipped} passed over: binary, too large or unreadable]");
        }
        text.push_str(&walked.told());
        Ok(Output { text: cut(&text, host.max_output()), ..Output::default() })
    }
}

fn matcher(arguments: &Arguments) -> Result<RegexMatcher, ToolError> {
    let pattern = arguments.text("pattern")?;
    if pattern.is_empty() || pattern.len() > MOST_OF_A_PATTERN {
        return Err(bad(format!("`pattern` is to have 1 to {MOST_OF_A_PATTERN} bytes")));
    }
    RegexMatcherBuilder::new()
        .fixed_strings(arguments.flag("literal")?)
        .case_insensitive(arguments.flag("ignore_case")?)
        .line_terminator(Some(b'\n'))
        .size_limit(MOST_COMPILED)
        .dfa_size_limit(MOST_COMPILED)
        .build(pattern)
        .map_err(|cause| bad(format!("`pattern` is no regular expression: {cause}")))
}

fn search(searcher: &mut Searcher, matcher: &RegexMatcher, found: &mut Found) -> io::Result<()> {
    let (file, _) = Folder::open(found.root)?.read(&found.relative)?;
    searcher.search_file(matcher, &file, found)
}

/// What was found so far.
struct Found<'h> {
    text: String,
    root: &'h Path,
    /// The file that is searched.
    relative: PathBuf,
    /// Lines of private keys in it, once a line was found that may be one.
    keys: Option<KeyLines>,
    matches: usize,
    most: usize,
    names_only: bool,
    /// What stood here before the file that is searched.
    from: usize,
    matches_before: usize,
    /// Binary files.
    passed_over: usize,
    cancelled: &'h dyn Fn() -> bool,
}

impl Found<'_> {
    fn is_full(&self) -> bool {
        self.matches >= self.most || self.text.len() > MOST_COLLECTED || (self.cancelled)()
    }

    fn line(&mut self, number: Option<u64>, mark: char, bytes: &[u8]) {
        // Escaping makes a byte four long at most.
        let some = bytes.get(..MOST_OF_A_LINE * 2).unwrap_or(bytes);
        let line = text_of(some);
        let mut line = line.trim_end_matches(['\n', '\r']).to_owned();
        if secrets::may_be_of_key(&line) {
            let keys = self.keys.get_or_insert_with(|| key_lines(self.root, &self.relative));
            line = keys.hide(&line).into_owned();
        }
        if line.len() > MOST_OF_A_LINE {
            // Nobody knows half of a secret for one.
            line = secrets::mask(&line).0.into_owned();
        }
        let kept = &line[..line.floor_char_boundary(MOST_OF_A_LINE)];
        let more = if kept.len() < line.len() { " [...]" } else { "" };
        let (path, number) = (shown(&self.relative), number.unwrap_or(0));
        let _ = writeln!(self.text, "{path}{mark}{number}{mark} {kept}{more}");
    }
}

impl Sink for Found<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.matches += 1;
        if self.names_only {
            let _ = writeln!(self.text, "{}", shown(&self.relative));
            return Ok(false);
        }
        for (number, line) in (found.line_number().unwrap_or(0)..).zip(found.lines()) {
            self.line(Some(number), ':', line);
        }
        Ok(!self.is_full())
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        self.line(context.line_number(), '-', context.bytes());
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> io::Result<bool> {
        self.text.push_str("--\n");
        Ok(true)
    }

    fn finish(&mut self, _: &Searcher, end: &SinkFinish) -> io::Result<()> {
        // What was found before the first NUL of a binary file is no line of text.
        if end.binary_byte_offset().is_some() {
            self.text.truncate(self.from);
            self.matches = self.matches_before;
            self.passed_over += 1;
        }
        Ok(())
    }
}
