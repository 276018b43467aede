//! Pictures in a conversation: shown, kept by their files, shown again.

use serde_json::json;

use super::kit::*;
use crate::{
    image::tests::png,
    permissions::{Action, Level, Mode},
    *,
};
use elophanto_models::llm::{Image, Message, Request};

fn picture(filling: usize) -> Image {
    image("shot.png", &png(64, 48, filling)).unwrap()
}

fn images(request: &Request) -> Vec<&Image> {
    let messages = request.messages.iter();
    let images = messages.filter_map(|message| match message {
        Message::Image(image) => Some(image),
        _ => None,
    });
    images.collect()
}

fn given(takes_images: bool) -> Bench {
    let mut bench = Bench::new(Mode::Full, [text("It shows otters."), text("As before.")]);
    bench.settings.takes_images = takes_images;
    bench.given = vec![Attachment::Image(picture(9))];
    bench
}

#[test]
fn what_the_user_shows_is_shown_and_taints() {
    let mut bench = given(true);
    let mut session = bench.session();
    let finished = bench.run_in("What is this?", &mut session);
    let asked = bench.step_requests()[0];
    assert_eq!(images(asked), [&picture(9)]);
    assert!(asked.shows_images() && session.is_tainted);
    let noted = |kind: &EntryKind| matches!(kind, EntryKind::Image { path, hash, .. } if path == "shot.png" && *hash == picture(9).hash);
    assert!(bench.trail(&finished).iter().any(noted));
    // What it shows is written down nowhere.
    let disk = bench.on_disk();
    assert!(disk.contains("shot.png") && disk.contains(&picture(9).hash), "{disk}");
    assert!(!disk.contains("IHDR") && !disk.contains("iVBOR"), "{disk}");
    bench.given.clear();
    bench.run_in("And now?", &mut session);
    assert_eq!(images(bench.step_requests()[1]), [&picture(9)]);
}

#[test]
fn a_model_that_takes_none_is_told_of_it() {
    let mut bench = given(false);
    let mut session = bench.session();
    bench.run_in("What is this?", &mut session);
    let asked = bench.step_requests()[0];
    assert_eq!(images(asked)[0].data, None);
    assert!(!asked.shows_images());
    // Another model may.
    bench.settings.takes_images = true;
    bench.given.clear();
    bench.run_in("And now?", &mut session);
    assert!(bench.step_requests()[1].shows_images());
}

#[test]
fn pictures_are_read_again_after_a_restart() {
    for (now, data, is_changed, warned) in [
        (Some(picture(9)), true, false, None),
        (Some(picture(8)), true, true, Some("`shot.png` has changed since it was shown")),
        (None, false, false, Some("`shot.png` is not shown again: it is gone")),
    ] {
        let mut bench = given(true);
        let mut session = bench.session();
        bench.run_in("What is this?", &mut session);
        bench.given.clear();
        bench.world.image = now.ok_or_else(|| "it is gone".to_owned());
        let mut session = bench.sessions.load(session.id).unwrap();
        let finished = bench.run_in("And now?", &mut session);
        let shown = images(bench.step_requests()[1])[0].clone();
        assert_eq!((shown.data.is_some(), shown.is_changed), (data, is_changed));
        let warnings = finished.warnings.join("\n");
        assert_eq!(warned.is_some(), !warnings.is_empty(), "{warnings}");
        assert!(warnings.contains(warned.unwrap_or_default()), "{warnings}");
    }
}

#[test]
fn pictures_of_tools_come_behind_all_results() {
    let calls = vec![("snap".to_owned(), json!({})), ("look".to_owned(), json!({}))];
    let mut bench = Bench::new(Mode::Full, [Say::Calls(calls), text("Seen.")]);
    bench.settings.takes_images = true;
    bench.add(tool("snap", Level::Safe, Action::Look, true, |_, host| {
        assert!(host.takes_images());
        Ok(Output { text: "shown below".into(), images: vec![picture(9)], ..Output::default() })
    }));
    let mut session = bench.session();
    bench.run_in("Look", &mut session);
    let kinds: String = session
        .messages
        .iter()
        .map(|message| match message {
            Message::Tool { .. } => 't',
            Message::Image(_) => 'i',
            Message::Assistant { .. } => 'a',
            _ => 'u',
        })
        .collect();
    assert_eq!(kinds, "uattia");
    assert!(session.is_tainted);
}
