//! Through the structure of a script, statement by statement, in the order in which bash would run
//! them.

mod compound;

use tree_sitter::{Node, Parser};

use super::{
    Findings, MAX_COMMANDS, MAX_DEPTH, Place,
    env::Env,
    lex::{self, Kind, Lexed, Result, Token},
    word::Word,
};

/// Turns of a loop over given words.
const MAX_TURNS: usize = 60;
/// Times that the body of an open loop is walked before everything counts as unknown.
const MAX_ROUNDS: usize = 4;
/// Bytes of scripts that are parsed for one line, those inside it included.
const MAX_PARSED: usize = 1024 * 1024;
/// Statements inside each other.
const MAX_NESTING: usize = 100;

pub struct Walker<'a> {
    pub place: Place<'a>,
    pub found: Findings,
    pub depth: usize,
    pub commands: usize,
    parsed: usize,
    nesting: usize,
    /// What it walks is a guess about the arguments of a command.
    pub is_guess: bool,
}

/// A script with its tokens and which of them were seen in the structure.
struct Script<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    seen: Vec<bool>,
}

impl Script<'_> {
    fn raw(&self, index: usize) -> &str {
        self.tokens.get(index).and_then(|t| self.text.get(t.start..t.end)).unwrap_or_default()
    }

    fn kind(&self, index: usize) -> Option<Kind> {
        self.tokens.get(index).map(|t| t.kind)
    }

    /// Tokens that begin inside of a node.
    fn within(&self, start: usize, end: usize) -> std::ops::Range<usize> {
        let first = self.tokens.partition_point(|t| t.start < start);
        let last = self.tokens.partition_point(|t| t.start < end);
        first..last.max(first)
    }

    fn see(&mut self, index: usize) {
        if let Some(seen) = self.seen.get_mut(index) {
            *seen = true;
        }
    }
}

impl<'a> Walker<'a> {
    pub fn new(place: Place<'a>) -> Self {
        let found = Findings::default();
        Self { place, found, depth: 0, commands: 0, parsed: 0, nesting: 0, is_guess: false }
    }

    /// A walker for what may run inside of a command. Both share their caps.
    pub fn inside(&self) -> Self {
        let (depth, commands, parsed) = (self.depth + 1, self.commands, self.parsed);
        Self { depth, commands, parsed, is_guess: self.is_guess, ..Self::new(self.place) }
    }

    /// Counts what the walker inside has used.
    pub fn charge(&mut self, inner: &Self) {
        (self.commands, self.parsed) = (inner.commands, inner.parsed);
    }

    /// A whole line.
    pub fn line(&mut self, line: &str) {
        let mut env = Env::new(self.place.folder, self.place.home);
        self.script(line, &mut env);
        self.conclude();
    }

    /// A script in the same shell: `eval`.
    pub fn script(&mut self, text: &str, env: &mut Env) {
        self.parsed += text.len();
        if self.depth >= MAX_DEPTH || self.parsed > MAX_PARSED {
            self.found.unsure("scripts are nested too deeply to be judged");
            return;
        }
        self.depth += 1;
        let result = self.statements(text, env);
        self.depth -= 1;
        if let Err(reason) = result {
            self.found.does_more = true;
            self.found.unsure(format!("the line can't be judged: {reason}"));
            env.lose();
        }
    }

    /// A script in a shell of its own: `$(...)`, `sh -c`.
    pub fn nested(&mut self, text: &str, env: &Env) {
        self.script(text, &mut env.clone());
    }

    fn statements(&mut self, text: &str, env: &mut Env) -> Result<()> {
        let Lexed { tokens, skeleton } = lex::lex(text)?;
        if tokens.iter().all(|t| text.get(t.start..t.end) == Some("\n")) {
            return Ok(());
        }
        let mut parser = Parser::new();
        parser
            .set_language(&tree_sitter_bash::LANGUAGE.into())
            .map_err(|_| "the grammar does not fit")?;
        let tree = parser.parse(&skeleton, None).ok_or("the grammar gave up")?;
        let root = tree.root_node();
        if root.has_error() {
            return Err("it does not follow the grammar of the shell");
        }
        let seen =
            tokens.iter().map(|t| matches!(t.kind, Kind::Reserved | Kind::Separator)).collect();
        let mut script = Script { text, tokens, seen };
        self.block(&children(root), &mut script, env)?;
        if script.seen.iter().all(|seen| *seen) {
            Ok(())
        } else {
            Err("a part of it has no place in its structure")
        }
    }

    /// Statements one after the other.
    fn block(&mut self, nodes: &[Node], script: &mut Script, env: &mut Env) -> Result<()> {
        for node in nodes {
            let before = env.clone();
            self.statement(*node, script, env)?;
            if node.next_sibling().is_some_and(|next| next.kind() == "&") {
                env.join(&before);
            }
            // A `cd` may have failed.
            env.also_in(&before.folders);
        }
        Ok(())
    }

    fn statement(&mut self, node: Node, script: &mut Script, env: &mut Env) -> Result<()> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err("statements are nested too deeply");
        }
        let result = self.statement_inside(node, script, env);
        self.nesting -= 1;
        result
    }

    fn statement_inside(&mut self, node: Node, script: &mut Script, env: &mut Env) -> Result<()> {
        let inside = children(node);
        if node.kind() != "command" {
            self.redirects_after(node, script, env)?;
        }
        match node.kind() {
            "command" => self.simple(node, script, env),
            "compound_statement" | "do_group" | "else_clause" => self.block(&inside, script, env),
            "subshell" => self.block(&inside, script, &mut env.clone()),
            "negated_command" => self.block(&inside, script, env),
            "pipeline" => {
                for child in inside {
                    let mut own = env.clone();
                    self.statement(child, script, &mut own)?;
                    env.join(&own);
                }
                Ok(())
            }
            "list" => self.list(node, &inside, script, env),
            "if_statement" | "elif_clause" => self.branches(node, script, env),
            "while_statement" => self.open_loop(&inside, script, env),
            "for_statement" => self.given_loop(node, script, env),
            "case_statement" => self.cases(node, script, env),
            "function_definition" => self.function(node, script, env),
            _ => Err("an unusual statement"),
        }
    }

    fn list(
        &mut self,
        node: Node,
        inside: &[Node],
        script: &mut Script,
        env: &mut Env,
    ) -> Result<()> {
        let [left, right] = inside else { return Err("an unusual list") };
        let first = env.clone();
        self.statement(*left, script, env)?;
        let both = (0..node.child_count()).filter_map(|i| node.child(i));
        let either = both.into_iter().any(|child| child.kind() == "||");
        if either {
            env.join(&first);
        }
        let before = env.clone();
        self.statement(*right, script, env)?;
        // What the right side changes may not have happened, but where `&&` goes on, it has.
        let folders = env.folders.clone();
        env.join(&before);
        if !either && right.kind() == "command" && !folders.is_empty() && folders != before.folders
        {
            env.folders = folders;
        }
        Ok(())
    }

    /// Redirects of a loop, a group, a branch: they stand after its end.
    fn redirects_after(&mut self, node: Node, script: &mut Script, env: &mut Env) -> Result<()> {
        let mut index = script.tokens.partition_point(|t| t.start < node.end_byte());
        while script.kind(index) == Some(Kind::Redirect) {
            self.redirect_at(index, script, env)?;
            index += 2;
        }
        Ok(())
    }

    fn redirect_at(
        &mut self,
        index: usize,
        script: &mut Script,
        env: &mut Env,
    ) -> Result<Option<Word>> {
        script.see(index);
        script.see(index + 1);
        let heredoc = script.tokens.get(index).and_then(|t| t.heredoc.clone());
        let (operator, target) = (script.raw(index).to_owned(), script.raw(index + 1).to_owned());
        self.redirect(&operator, &target, heredoc, env)
    }

    /// One command with its words and redirects.
    fn simple(&mut self, node: Node, script: &mut Script, env: &mut Env) -> Result<()> {
        self.commands += 1;
        if self.commands > MAX_COMMANDS {
            return Err("it contains too many commands");
        }
        let mut first = script.within(node.start_byte(), node.end_byte()).start;
        while first >= 2 && script.kind(first - 2) == Some(Kind::Redirect) {
            first -= 2;
        }
        let mut raws = Vec::new();
        let mut stdin = None;
        let mut index = first;
        loop {
            match script.kind(index) {
                Some(Kind::Redirect) => {
                    stdin = self.redirect_at(index, script, env)?.or(stdin);
                    index += 1;
                }
                Some(Kind::Word) => raws.push(script.raw(index).to_owned()),
                Some(Kind::Test) => {
                    let raw = script.raw(index).to_owned();
                    script.see(index);
                    self.test(&raw, env)?;
                }
                // `}` and its like where only an argument can stand.
                _ => break,
            }
            script.see(index);
            index += 1;
        }
        if let Some(end) = script.tokens.get(index.wrapping_sub(1)).map(|t| t.end)
            && end < node.end_byte()
        {
            return Err("a command that the grammar sees otherwise");
        }
        self.command(&raws, stdin.as_ref(), env)
    }

    /// `[[ ... ]]` and `(( ... ))`: nothing in them runs but substitutions.
    fn test(&mut self, raw: &str, env: &mut Env) -> Result<()> {
        if let Some(inner) = raw.strip_prefix("((").and_then(|r| r.strip_suffix("))")) {
            return self.arithmetic(inner, env);
        }
        let numeric = ["-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v"];
        let compares = raw.split_whitespace().any(|word| numeric.contains(&word));
        let inner = raw.trim_start_matches("[[").trim_end_matches("]]");
        let mut at = 0;
        while at < inner.len() {
            let end = super::scan::word_end(inner, at)?;
            if end == at {
                at += inner.get(at..).and_then(|r| r.chars().next()).map_or(1, char::len_utf8);
                continue;
            }
            let word = self.expand_value(inner.get(at..end).unwrap_or_default(), env)?;
            if compares && word.is_unknown() {
                return Err("a comparison of numbers that are not known");
            }
            if compares && word.literal().is_some_and(|text| env.is_assigned(&text)) {
                let text = word.literal().unwrap_or_default();
                if !env.get(&text).is_number() {
                    return Err("a comparison of numbers that are not known");
                }
            }
            at = end;
        }
        Ok(())
    }
}

fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}
