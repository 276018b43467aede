//! What people and commands do on a branch.

use std::collections::BTreeSet;

use super::{
    super::{
        Kind, LineHash, NewLine, Origin, Reason, Record, Restoration, Retirement, append, new_page,
        rows::rows,
    },
    at,
    world::{Branch, SLUGS},
};

const FACTS: [&str; 6] = [
    "It is a speaker.",
    "it is a “speaker”",
    "It costs - 5 <b>--></b>",
    "# Made in England",
    "It weighs 7.2 kg.",
    "It is old.",
];

/// What is done, and three numbers that say to what.
pub(super) type Step = (u8, u8, u8, u8);

impl Branch {
    pub(super) fn step(&mut self, (what, a, b, c): Step) {
        self.clock += 1;
        let slug = SLUGS[usize::from(a) % SLUGS.len()];
        let other = SLUGS[usize::from(b) % SLUGS.len()];
        match what % 18 {
            0..=3 => self.learn(slug, b, c),
            4 => self.add(
                slug,
                NewLine::alias(slug, ["A1", "a1", "Beta"][usize::from(b) % 3], at(self.clock)),
            ),
            5 => self.add(slug, NewLine::tag(slug, "audio", at(self.clock))),
            6 => self.note(slug, b, c),
            7 => self.edit(a, b),
            8 => self.delete(a),
            9 => self.shift(a, None),
            10 => self.shift(a, Some(other)),
            11 => self.mask(a),
            12 => self.undo_search(b, c),
            13 => self.restore(a),
            14 if slug != other => self.merge_pages(slug, other, c),
            15 => self.undo_merge(a),
            16 => self.tidy(slug, b),
            17 if c.is_multiple_of(3) => self.delete_entity(slug, b),
            _ => self.commit(),
        }
        self.remember();
    }

    fn learn(&mut self, slug: &str, b: u8, c: u8) {
        let search = format!("s{}", c % 3);
        let source = ["https://a.org/x--y", "https://b.org"].get(usize::from(c / 3) % 3).copied();
        let origin = Origin { source, search: Some(&search), ..Origin::default() };
        let fact = FACTS[usize::from(b) % FACTS.len()];
        self.add(slug, NewLine::fact(slug, fact, &origin, at(self.clock)));
    }

    /// Makes the page if there is none. Does not bring back what is retired.
    fn add(&mut self, slug: &str, line: Option<NewLine>) {
        let line = line.unwrap();
        if !self.retired().holds(&line.hash()) {
            let made = || new_page(slug, slug, at(self.clock));
            let page = self.pages.entry(slug.to_owned()).or_insert_with(made);
            *page = append(page, &[line]);
        }
    }

    /// By hand: in the header, or anywhere below it, perhaps without a line ending at the end.
    fn note(&mut self, slug: &str, b: u8, c: u8) {
        let Some(page) = self.pages.get_mut(slug) else { return };
        if c % 5 == 4 {
            let header = ["title: Mine", "title: Yours", "title: x\ntags: [loud]", "aliases: [Z]"];
            let header = header[usize::from(b) % 4];
            *page = page.replacen(&format!("title: {slug}\n"), &format!("{header}\n"), 1);
            return;
        }
        let mut lines: Vec<&str> = page.lines().collect();
        let place = (5 + usize::from(b) % 8).min(lines.len());
        lines.insert(
            place,
            ["- I like it.", "", "## More", "A person's words."][usize::from(c) % 4],
        );
        let ending = if c.is_multiple_of(2) { "\n" } else { "" };
        *page = format!("{}{ending}", lines.join("\n"));
    }

    /// By hand: the comment stays. All copies, if a merge left several.
    fn edit(&mut self, a: u8, b: u8) {
        let Some((slug, line)) = self.pick(a) else { return };
        let raw = self.history[&line.hash].clone();
        let (text, comment) = raw.rsplit_once(" <!--").unwrap();
        let new = ["", "!", " indeed", " as b says"][usize::from(b) % 4];
        let new = format!("{text}{new} <!--{comment}");
        self.replace(&slug, &raw, &new);
    }

    fn replace(&mut self, slug: &str, old: &str, new: &str) {
        let page = self.pages.get_mut(slug).unwrap();
        *page = rows(page)
            .map(|row| {
                let line = &page[row.range.clone()];
                let is_it = LineHash::of(row.content) == LineHash::of(old);
                if is_it { line.replacen(row.content, new, 1) } else { line.to_owned() }
            })
            .collect();
    }

    fn delete(&mut self, a: u8) {
        if let Some((slug, line)) = self.pick(a) {
            self.take_out(&slug, &[line.hash]);
        }
    }

    /// To the end of its page or of another.
    fn shift(&mut self, a: u8, to: Option<&str>) {
        let Some((slug, line)) = self.pick(a) else { return };
        let to = to.filter(|to| self.pages.contains_key(*to)).unwrap_or(&slug).to_owned();
        self.take_out(&slug, &[line.hash]);
        self.bring_back(&to, line.hash);
    }

    fn mask(&mut self, a: u8) {
        let Some((slug, line)) = self.pick(a) else { return };
        if line.kind == Kind::Fact {
            self.retire(&slug, &line, Reason::Masked);
            let raw = self.history[&line.hash].clone();
            let new = raw.replacen("It", "[masked]", 1);
            if new == raw {
                self.take_out(&slug, &[line.hash]);
            } else {
                self.replace(&slug, &raw, &new);
            }
        }
    }

    fn undo_search(&mut self, b: u8, c: u8) {
        let search = format!("s{}", b % 3);
        for (slug, line) in self.lines() {
            if line.search.as_ref() == Some(&search) {
                self.retire(&slug, &line, Reason::Undone(search.clone()));
                if c.is_multiple_of(2) {
                    self.take_out(&slug, &[line.hash]);
                }
            }
        }
    }

    /// Takes all retirements of a line back.
    fn restore(&mut self, a: u8) {
        let retired = self.retired();
        let all: Vec<&Retirement> = retired.all().collect();
        if let Some(one) = all.get(usize::from(a) % all.len().max(1)) {
            self.restore_line(&one.slug.clone(), one.hash);
        }
    }

    fn restore_line(&mut self, slug: &str, hash: LineHash) {
        let ids: Vec<String> =
            self.retired().standing(&hash).iter().map(|one| one.id.clone()).collect();
        if !ids.is_empty() {
            let id = self.id();
            self.records.push(Record::Restored(Restoration { id, retirements: ids }));
        }
        if !self.lines().iter().any(|(_, line)| line.hash == hash) {
            self.bring_back(slug, hash);
        }
    }

    /// Facts that both pages have are kept on one.
    fn merge_pages(&mut self, slug: &str, into: &str, c: u8) {
        if !self.pages.contains_key(slug) || !self.pages.contains_key(into) {
            return;
        }
        let merge = self.id();
        self.add(slug, NewLine::merged_into(into, &merge, at(self.clock)));
        let there: BTreeSet<String> = self
            .counting()
            .into_iter()
            .filter(|(page, _)| page == into)
            .map(|(_, l)| l.text)
            .collect();
        for (page, line) in self.counting() {
            if page == slug && line.kind == Kind::Fact && there.contains(&line.text) {
                self.retire(&page, &line, Reason::Merged(merge.clone()));
                if c.is_multiple_of(2) {
                    self.take_out(&page, &[line.hash]);
                }
            }
        }
    }

    fn undo_merge(&mut self, a: u8) {
        let merges = self.counting().into_iter().filter(|(_, line)| line.kind == Kind::MergedInto);
        let merges: Vec<_> = merges.collect();
        let Some((slug, line)) = merges.get(usize::from(a) % merges.len().max(1)) else { return };
        self.retire(slug, line, Reason::Undone(line.id.clone()));
        self.take_out(slug, &[line.hash]);
        let reason = Reason::Merged(line.id.clone());
        let retired = self.retired();
        for one in retired.all().filter(|one| one.reason == reason) {
            self.restore_line(&one.slug, one.hash);
        }
    }

    /// Takes retired lines out, or changes the line endings.
    fn tidy(&mut self, slug: &str, b: u8) {
        let retired = self.retired();
        let hashes: Vec<LineHash> = retired.all().map(|one| one.hash).collect();
        match self.pages.get_mut(slug) {
            Some(page) if b.is_multiple_of(4) => {
                *page = page.replace("\r\n", "\n").replace('\n', "\r\n")
            }
            Some(_) => self.take_out(slug, &hashes),
            None => {}
        }
    }

    fn delete_entity(&mut self, slug: &str, b: u8) {
        for (page, line) in self.lines() {
            if page == slug {
                self.retire(&page, &line, Reason::Deleted);
                if b.is_multiple_of(3) {
                    self.take_out(&page, &[line.hash]);
                }
            }
        }
        if b % 3 == 1 {
            self.pages.remove(slug);
        }
    }
}
