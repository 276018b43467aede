//! Loops, branches and functions.

use tree_sitter::Node;

use super::{Env, Kind, MAX_ROUNDS, MAX_TURNS, Result, Script, Walker, Word, children};

impl Walker<'_> {
    /// `if`: the conditions one after the other, each body by itself.
    pub(super) fn branches(
        &mut self,
        node: Node,
        script: &mut Script,
        env: &mut Env,
    ) -> Result<()> {
        let mut conditions = Vec::new();
        let mut body = Vec::new();
        let mut others = Vec::new();
        let mut after_then = false;
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            match child.kind() {
                "then" => after_then = true,
                "elif_clause" | "else_clause" => others.push(child),
                _ if !child.is_named() => {}
                _ if after_then => body.push(child),
                _ => conditions.push(child),
            }
        }
        self.block(&conditions, script, env)?;
        let base = env.clone();
        self.block(&body, script, env)?;
        for other in others {
            let mut own = base.clone();
            self.statement(other, script, &mut own)?;
            env.join(&own);
        }
        env.join(&base);
        Ok(())
    }

    /// `while` and `until`: until nothing changes any more.
    pub(super) fn open_loop(
        &mut self,
        inside: &[Node],
        script: &mut Script,
        env: &mut Env,
    ) -> Result<()> {
        for round in 0..=MAX_ROUNDS {
            if round == MAX_ROUNDS {
                env.lose();
            }
            let before = env.clone();
            self.block(inside, script, env)?;
            env.join(&before);
            if *env == before {
                break;
            }
        }
        Ok(())
    }

    /// `for` and `select`.
    pub(super) fn given_loop(
        &mut self,
        node: Node,
        script: &mut Script,
        env: &mut Env,
    ) -> Result<()> {
        let body = node.child_by_field_name("body").ok_or("a loop without a body")?;
        let head = script.within(node.start_byte(), body.start_byte());
        let mut variable = None;
        let mut values = Vec::new();
        let mut listed = false;
        for index in head {
            match script.kind(index) {
                Some(Kind::Test) => {
                    let raw = script.raw(index).to_owned();
                    self.arithmetic(raw.trim_matches(['(', ')']), env)?;
                    listed = true;
                }
                Some(Kind::Word) if variable.is_none() => {
                    variable = Some(script.raw(index).to_owned());
                }
                Some(Kind::Word) => {
                    let raw = script.raw(index).to_owned();
                    values.extend(self.expand(&raw, env)?);
                }
                Some(Kind::Reserved) => listed |= script.raw(index) == "in",
                Some(Kind::Separator) => {}
                _ => return Err("an unusual loop"),
            }
            script.see(index);
        }
        if !listed {
            values.push(Word::unknown());
        }
        let before = env.clone();
        let Some(name) = variable else { return self.open_loop(&[body], script, env) };
        self.assigned(&name, &[]);
        if values.len() > MAX_TURNS {
            values = vec![Word::unknown()];
        }
        for value in values {
            let turns = if value.literal().is_some() { 1 } else { 2 };
            for _ in 0..turns {
                env.set(&name, Word { is_many: false, ..value.clone() });
                self.statement(body, script, env)?;
                if turns > 1 {
                    env.join(&before);
                }
            }
        }
        env.join(&before);
        env.set(&name, Word::unknown());
        Ok(())
    }

    pub(super) fn cases(&mut self, node: Node, script: &mut Script, env: &mut Env) -> Result<()> {
        let inside = children(node);
        let items: Vec<Node> = inside.iter().copied().filter(|n| n.kind() == "case_item").collect();
        let until = items.first().map_or(node.end_byte(), Node::start_byte);
        self.plain_words(node.start_byte(), until, script, env)?;
        let base = env.clone();
        for item in items {
            let mut own = base.clone();
            let body: Vec<Node> = children(item)
                .into_iter()
                .filter(|n| !matches!(n.kind(), "word" | "concatenation" | "extglob_pattern"))
                .collect();
            let until = body.first().map_or(item.end_byte(), Node::start_byte);
            self.plain_words(item.start_byte(), until, script, &mut own)?;
            own.join(&base);
            self.block(&body, script, &mut own)?;
            env.join(&own);
        }
        Ok(())
    }

    /// Words that are only compared.
    pub(super) fn plain_words(
        &mut self,
        start: usize,
        end: usize,
        script: &mut Script,
        env: &mut Env,
    ) -> Result<()> {
        for index in script.within(start, end) {
            if script.kind(index) == Some(Kind::Word) {
                let raw = script.raw(index).to_owned();
                self.expand_value(&raw, env)?;
                script.see(index);
            }
        }
        Ok(())
    }

    pub(super) fn function(
        &mut self,
        node: Node,
        script: &mut Script,
        env: &mut Env,
    ) -> Result<()> {
        let body = node.child_by_field_name("body").ok_or("a function without a body")?;
        for index in script.within(node.start_byte(), body.start_byte()) {
            if script.kind(index) == Some(Kind::Word) {
                let name = script.raw(index).to_owned();
                let plain = |b: u8| b.is_ascii_alphanumeric() || b"_-".contains(&b);
                if !name.bytes().all(plain) {
                    return Err("an unusual name of a function");
                }
                // One that calls itself twice in the background never ends.
                let text = script.text.get(body.start_byte()..body.end_byte()).unwrap_or_default();
                if text.split(|c: char| !c.is_ascii() || !plain(c as u8)).any(|w| w == name) {
                    self.found
                        .harm(format!("the function `{name}` calls itself, as fork bombs do"));
                }
                env.functions.insert(name);
                script.see(index);
            }
        }
        // It runs later, when anything may have changed.
        let mut own = env.clone();
        own.lose();
        self.statement(body, script, &mut own)
    }
}
