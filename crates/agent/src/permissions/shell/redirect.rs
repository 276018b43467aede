//! What a redirect reads or writes.

use super::{
    env::Env,
    lex::{Heredoc, Result},
    walk::Walker,
    word::Word,
};

impl Walker<'_> {
    /// Judges one redirect. Gives back the text that it feeds to the command, where that is in the
    /// line itself.
    pub fn redirect(
        &mut self,
        operator: &str,
        target: &str,
        heredoc: Option<Heredoc>,
        env: &mut Env,
    ) -> Result<Option<Word>> {
        if let Some(heredoc) = heredoc {
            return Ok(Some(if heredoc.is_literal {
                Word::text(heredoc.body)
            } else {
                self.expand_text(&heredoc.body, env)?
            }));
        }
        if matches!(operator, "<<" | "<<-") {
            return Err("a here-document without a body");
        }
        if operator == "<<<" {
            return self.expand_value(target, env).map(Some);
        }
        let word = match self.expand(target, env)?.as_slice() {
            [one] => one.clone(),
            _ => return Err("a redirect to several words"),
        };
        let descriptor = word.literal().is_some_and(|text| {
            text == "-" || text.trim_end_matches('-').bytes().all(|b| b.is_ascii_digit())
        });
        if matches!(operator, "<&" | ">&") && descriptor {
            return Ok(None);
        }
        if word
            .literal()
            .is_some_and(|text| text.starts_with("/dev/tcp/") || text.starts_with("/dev/udp/"))
        {
            self.found.harm("a redirect opens a connection");
        }
        if word.is_unknown() {
            self.found.unsure(format!("it is not known where `{}` leads", word.shown()));
        }
        if matches!(operator, "<" | "<&") {
            self.reads(&word, env);
            return Ok(Some(Word::unknown()));
        }
        let before = self.found.written.len();
        self.writes(&word, env);
        let written = self.found.written.split_off(before);
        self.found.redirected.extend(written);
        Ok((operator == "<>").then(Word::unknown))
    }
}
