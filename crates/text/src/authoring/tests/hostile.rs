//! Any text becomes a note that reads as what was given.

use super::*;
use elophanto_base::one_line::one_line;

/// Text full of what begins and ends blocks.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\n"),
        Just("\n\n"),
        Just("\r\n"),
        Just("\r"),
        Just("    "),
        Just("\t"),
        Just("\0"),
        Just("# "),
        Just("## x"),
        Just("###### "),
        Just("#"),
        Just("---\n"),
        Just("===\n"),
        Just("+++\n"),
        Just("...\n"),
        Just("```"),
        Just("~~~~"),
        Just("`"),
        Just("<!--"),
        Just("-->"),
        Just("<script>"),
        Just("</pre>"),
        Just("<?"),
        Just("<![CDATA["),
        Just("<div>"),
        Just("<!X"),
        Just("> "),
        Just("- "),
        Just("1. "),
        Just("| a | b |\n|---|---|\n"),
        Just("[a]: b\n"),
        Just("[a]"),
        Just("[[b]]"),
        Just("\\"),
        Just("*"),
        Just("_"),
        Just("&amp;"),
        Just("\u{202e}"),
        Just("\u{200b}"),
        Just("\u{feff}"),
        Just("\u{2028}"),
        Just("\u{85}"),
        Just("\u{1b}]0;x\u{7}"),
        Just("👨\u{200d}👩"),
        Just("\u{3000}"),
        Just("\u{a0}"),
        Just("title: x\n"),
        Just("tags: [a, b]\n"),
        Just("scope: system\n"),
        Just(": "),
        Just("<<<<<<< a\n"),
        Just(">>>>>>> b\n"),
        Just("word"),
        Just("ß語"),
    ]
    .prop_map(str::to_owned);
    let piece = prop_oneof![9 => piece, 1 => any::<String>()];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

fn level_two(document: &Document) -> Vec<&str> {
    let headings = document.headings.iter().filter(|heading| heading.level <= 2);
    headings.skip(1).map(|heading| heading.text.as_str()).collect()
}

/// Whether the code in backticks of a heading is read back without them.
fn without_code(heading: &str) -> String {
    let parts: Vec<&str> = heading.split('`').collect();
    let is_blank = |part: &&str| part.trim() != *part;
    let has_blank = parts.iter().skip(1).step_by(2).any(is_blank);
    let is_code = !parts.len().is_multiple_of(2) && !has_blank && !heading.contains("``");
    let plain = if is_code { heading.replace('`', "") } else { heading.to_owned() };
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What holds for every text that is planned.
fn assert_clean(text: &str) -> Result<(), TestCaseError> {
    prop_assert!(text.ends_with('\n') && !text.ends_with("\n\n"));
    prop_assert!(text.len() <= MAX_NOTE_BYTES);
    let unseen = |char: char| {
        (char.is_control() || elophanto_base::visible::is_deceptive(char))
            && !matches!(char, '\n' | '\t' | '\u{200d}')
    };
    prop_assert!(!text.contains(unseen), "{:?}", text);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None, cases: 256, ..Default::default()
    })]

    #[test]
    fn what_was_planned_is_read(
        title in prop_oneof![r"\PC{1,40}", text()],
        sections in prop::collection::vec((prop_oneof![r"[\PC`*_#\[\]<>&\\~ ]{1,20}", text()], text()), 0..5),
        body in prop::option::of(text()),
        tags in prop::collection::vec(prop_oneof![r"#?\PC{0,12}", text()], 0..6),
    ) {
        let parts: Vec<(&str, &str)> =
            sections.iter().map(|(heading, text)| (heading.as_str(), text.as_str())).collect();
        let draft = Draft {
            kind: Kind::Failure,
            title: &title,
            sections: &parts,
            body: body.as_deref(),
            tags: Some(&tags),
            path: None,
        };
        let planned = match plan_in_void(&draft) {
            Ok(planned) => planned,
            Err(AuthoringError::NoTitle) => {
                prop_assert!(one_line(&title, 200).is_empty());
                return Ok(());
            }
            Err(AuthoringError::NoHeading { number }) => {
                prop_assert!(one_line(parts[number - 1].0, 200).is_empty());
                return Ok(());
            }
            Err(AuthoringError::FrontMatter { .. }) => {
                prop_assert!(body.is_some_and(|body| body.contains(['-', '+'])));
                return Ok(());
            }
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        };
        assert_clean(&planned.text)?;
        let name = planned.path.file_name().unwrap().to_str().unwrap();
        prop_assert!(name.len() <= MAX_MADE_NAME_BYTES);
        prop_assert!(name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-.".contains(&b)));
        prop_assert!(planned.path.starts_with("knowledge/learned/failures"));

        let document = markdown::parse(&planned.text).unwrap();
        let front = &document.front_matter;
        prop_assert_eq!(front.title.clone(), Some(one_line(&title, MAX_TITLE_CHARS)));
        prop_assert_eq!(front.scope, Some(Scope::Learned));
        prop_assert!(front.created.is_some() && front.updated == front.created);
        for tag in &tags {
            let tag = one_line(tag, MAX_TAG_CHARS);
            let tag = tag.trim_start_matches(['#', ' ']);
            prop_assert!(tag.is_empty() || front.tags.iter().any(|found| found == tag));
        }
        // The sections are the last ones, each under its own heading.
        let wanted: Vec<String> = parts
            .iter()
            .map(|(heading, _)| without_code(&one_line(heading, MAX_HEADING_CHARS)))
            .collect();
        let found = level_two(&document);
        prop_assert!(found.len() >= wanted.len(), "{}", planned.text);
        prop_assert_eq!(&found[found.len() - wanted.len()..], &wanted, "{}", planned.text);
        if body.is_none() {
            prop_assert_eq!(found.len(), wanted.len());
        }

        // Writing it again as it is changes nothing.
        let there = world(&[(planned.path.to_str().unwrap(), &planned.text)]);
        let again = Draft {
            body: Some(&planned.text), sections: &[], path: Some(&planned.path), ..draft
        };
        let hash = content_hash(&planned.text);
        let second = plan(&again, Path::new(ROOT), now(), &there, Some(&hash)).unwrap();
        prop_assert_eq!(&second.text, &planned.text);
    }

    #[test]
    fn no_path_leads_elsewhere(
        path in r"(learned|Learned|knowledge|user|entities|ENTITIES|notes|a|\.|\.\.|-|/|//|\\|:|\.md|\PC| |\u{200b}|\x00){0,8}",
        root in prop::sample::select(vec!["", ".", "knowledge", "a/b", "learned"]),
    ) {
        let path = if path.len() % 2 == 0 { format!("learned/{path}") } else { path };
        let draft = Draft { path: Some(Path::new(&path)), ..draft("T") };
        if let Ok(planned) = plan(&draft, Path::new(root), now(), &|_| Existing::None, None) {
            let folder = Path::new(root).join("learned");
            let text = planned.path.to_str().unwrap();
            let rest = text.strip_prefix("./").unwrap_or(text);
            let folder = folder.to_str().unwrap().replace("./", "");
            let below = rest.strip_prefix(&format!("{folder}/")).unwrap();
            prop_assert!(!below.split('/').any(|part| part.is_empty() || part.starts_with(['.', '-'])));
            prop_assert!(!below.to_lowercase().starts_with("entities/"));
            prop_assert!(text.to_lowercase().ends_with(".md") && !text.contains('\\'));
        }
    }

    #[test]
    fn keys_of_an_old_note_stay(
        front in r"((title|a|b|'c d'|created|tags): ?(x|\[y, z\]|'é'|\|\n  t\n|\n  k: v|\n- l|\{m: n\}|~|2026-01-01)?( # c)?\n|# d\n|\n){0,6}",
        body in text(),
    ) {
        let old = format!("---\n{front}---\n\nold\n");
        let there = world(&[("knowledge/learned/a.md", &old)]);
        let draft = Draft { path: Some(Path::new("learned/a")), ..draft("T") };
        let hash = content_hash(&old);
        let keys = |text: &str| -> Option<BTreeMap<String, String>> {
            let inner = text.strip_prefix("---\n")?.split("\n---\n").next()?;
            let node = elophanto_base::yaml::parse(inner, &markdown::FRONT_MATTER_BUDGET).ok()?;
            let elophanto_base::yaml::Value::Mapping(entries) = node.value else { return None };
            let ours = ["title", "created", "updated", "tags", "scope"];
            let others = entries.into_iter().filter(|(key, _)| !ours.contains(&key.as_str()));
            Some(others.map(|(key, node)| (key, plain(&node.value))).collect())
        };
        match plan(&draft, Path::new(ROOT), now(), &there, Some(&hash)) {
            Ok(planned) => {
                if let Some(before) = keys(&old) {
                    prop_assert_eq!(Some(before), keys(&planned.text), "{}", planned.text);
                }
            }
            Err(error) => {
                let is_refused = matches!(error, AuthoringError::OldFrontMatter { .. });
                prop_assert!(is_refused && keys(&old).is_none());
            }
        }
        let old = format!("---\n{body}");
        let there = world(&[("knowledge/learned/a.md", &old)]);
        let _ = plan(&draft, Path::new(ROOT), now(), &there, Some(&content_hash(&old)));
    }
}

/// A value without the lines that it was on.
fn plain(value: &elophanto_base::yaml::Value) -> String {
    use elophanto_base::yaml::Value;
    match value {
        Value::Null => "~".to_owned(),
        Value::Scalar(text) => format!("{text:?}"),
        Value::Sequence(items) => {
            format!("{:?}", items.iter().map(|item| plain(&item.value)).collect::<Vec<_>>())
        }
        Value::Mapping(entries) => format!(
            "{:?}",
            entries.iter().map(|(key, node)| (key, plain(&node.value))).collect::<Vec<_>>()
        ),
    }
}
