//! Objects that git is to show by their ids: of a content it cannot be told which file it belongs
//! to, so whoever knows the repository has to look.

/// Digits of the shortest id that git takes.
const FEWEST_DIGITS: usize = 4;
/// Subcommands of git that show contents they are given the ids of.
const SHOWS: &[&str] = &["show", "diff", "cat-file", "grep", "archive", "log", "blame"];

/// Ids in these commands, each as its words, of objects that git would show. A word that is known
/// only in part counts as one.
pub fn shown_objects(commands: &[Vec<String>]) -> Vec<&str> {
    let mut objects = Vec::new();
    for command in commands {
        let Some((name, rest)) = command.split_first() else { continue };
        let is_git = name.rsplit('/').next() == Some("git");
        if !is_git || !rest.iter().any(|word| SHOWS.contains(&word.as_str())) {
            continue;
        }
        objects.extend(rest.iter().filter(|word| !word.starts_with('-')).filter_map(|word| {
            let id = word.split(['^', '~']).next().unwrap_or_default();
            let is_id = id.len() >= FEWEST_DIGITS && id.bytes().all(|b| b.is_ascii_hexdigit());
            (is_id || word.contains('\u{2026}')).then_some(id)
        }));
    }
    objects
}

#[cfg(test)]
mod tests {
    use super::shown_objects;

    #[test]
    fn ids_are_found() {
        for (line, ids) in [
            ("git show abc1234", vec!["abc1234"]),
            ("git --no-pager show --stat ABCDEF0^{blob} HEAD", vec!["ABCDEF0"]),
            ("git diff 1234567 89abcde -- docs", vec!["1234567", "89abcde"]),
            ("/usr/bin/git cat-file -t beef", vec!["beef"]),
            ("git show \u{2026}", vec!["\u{2026}"]),
            ("git show HEAD~2 main v1.2 abc", vec![]),
            ("git status beef", vec![]),
            ("grep beef cafe", vec![]),
        ] {
            let command: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(shown_objects(&[command]), ids, "{line}");
        }
    }
}
