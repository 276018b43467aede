//! Pictures that the user shows, and those that the agent finds.

use std::fs;

use serde_json::Value;

use super::{Bench, Told};
use crate::{
    fake::script::{Model, call, text},
    pty::Pty,
};

/// A PNG of 64 x 48 pixels with a place written into it.
pub fn png(filling: &[u8]) -> Vec<u8> {
    let chunk = |kind: &[u8; 4], data: &[u8]| {
        [&(data.len() as u32).to_be_bytes()[..], kind, data, &[0; 4]].concat()
    };
    let head = [&64_u32.to_be_bytes()[..], &48_u32.to_be_bytes(), &[8, 6, 0, 0, 0]].concat();
    let parts = [
        chunk(b"IHDR", &head),
        chunk(b"tEXt", b"Location\x0059.3293 N 18.0686 E"),
        chunk(b"IDAT", filling),
        b"\0\0\0\0IEND\xae\x42\x60\x82".to_vec(),
    ];
    [&b"\x89PNG\r\n\x1a\n"[..], &parts.concat()].concat()
}

/// What was sent of pictures with a request, decoded.
fn sent(body: &Value) -> Vec<Vec<u8>> {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    let messages = body["messages"].as_array().unwrap().iter();
    let parts = messages.filter_map(|message| message["content"].as_array()).flatten();
    let urls = parts.filter_map(|part| part["image_url"]["url"].as_str());
    urls.map(|url| STANDARD.decode(url.strip_prefix("data:image/png;base64,").unwrap()).unwrap())
        .collect()
}

fn last(bench: &Bench) -> Vec<Vec<u8>> {
    let asked = bench.model.asked();
    sent(asked.iter().rfind(|body| !body["tools"].is_null()).unwrap())
}

/// A model that takes pictures, as its user says.
fn sees(says: &[&str]) -> Bench {
    let turns = says.iter().map(|said| text(said)).collect();
    Bench::new(Model::script(turns)).set("llm.images: always\n")
}

/// All that is kept of sessions and runs.
fn kept(bench: &Bench) -> String {
    let state = bench.home(".local/state/elophanto/agent");
    let folders = ["sessions", "runs"].map(|folder| fs::read_dir(state.join(folder)).unwrap());
    let files = folders
        .into_iter()
        .flatten()
        .map(|entry| fs::read(entry.unwrap().path()).unwrap_or_default());
    files.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect()
}

#[test]
fn an_image_is_shown_without_what_is_written_beside_it() {
    let bench = sees(&["It shows an otter."]);
    bench.env.write("shot.bin", png(b"otter"));
    let told = bench.run("What is this?", &["--image", "shot.bin"], "no");
    assert_eq!(told.output.code, Some(0), "{}", told.output);
    let shown = last(&bench);
    assert_eq!(shown.len(), 1, "{:?}", bench.model.asked());
    let shown = String::from_utf8_lossy(&shown[0]);
    assert!(shown.contains("otter") && !shown.contains("59.3293"), "{shown}");
    assert_eq!(told.all("tainted").len(), 1);
    // Its file is named, what it shows is kept nowhere.
    let kept = kept(&bench);
    assert!(kept.contains("\"role\": \"image\"") && kept.contains("\"type\":\"image\""), "{kept}");
    assert!(!kept.contains("iVBOR") && !kept.contains("IHDR"), "{kept}");
    let trail = bench.env.ok(&["agent", "runs", "show", told.run()]).stdout();
    assert!(trail.contains("path: shot.bin") && trail.contains("format: PNG"), "{trail}");
    let session = bench.env.ok(&["agent", "sessions", "show", told.session()]).stdout();
    assert!(session.contains("Image `shot.bin` (PNG, 64 x 48, "), "{session}");
}

#[test]
fn a_model_that_is_not_known_to_take_images_is_not_asked() {
    let bench = Bench::new(Model::script(vec![text("No.")]));
    bench.env.write("shot.png", png(b"otter"));
    let refused = |more: &str| {
        bench.env.write_settings(&format!("{}{more}", bench.model.settings()));
        let output = bench.env.run(&["agent", "run", "What is this?", "--image", "shot.png"]);
        assert_eq!(output.code, Some(2), "{output}");
        output.stderr()
    };
    let said = refused("");
    assert!(said.contains("`one/m` is not known to take images"), "{said}");
    assert!(said.contains("`llm.images: always`"), "{said}");
    let said = refused("llm.images: never\n");
    assert!(said.contains("`llm.images: never` in the settings: no image is sent"), "{said}");
    assert!(bench.model.asked().is_empty());
}

#[test]
fn what_cannot_be_shown_says_why() {
    let bench = sees(&["No."]);
    bench.env.write("notes.png", "# Otters\n");
    bench.env.write("cut.png", &png(b"otter")[..60]);
    bench.env.write("large.png", png(&vec![7; 5 << 20]));
    bench.env.write("id_rsa", png(b"key"));
    for (file, says) in [
        ("notes.png", "`notes.png` cannot be shown: it is no PNG, JPEG, GIF or WebP image"),
        ("cut.png", "the PNG image is damaged or cut off"),
        ("large.png", "over the cap of 3932160 (3.7 MB): make it smaller, or save it as JPEG"),
        ("id_rsa", "is key material"),
        ("gone.png", "cannot be shown: "),
    ] {
        let output = bench.env.run(&["agent", "run", "Look", "--image", file]);
        assert_eq!(output.code, Some(2), "{output}");
        let said = output.stderr().replace(&format!("{}/", bench.env.root().display()), "");
        assert!(said.contains(says), "{said}");
    }
    bench.env.write("a.png", png(b"a"));
    let eleven = ["--image", "a.png"].repeat(11);
    let output = bench.env.run(&[&["agent", "run", "Look"], &eleven[..]].concat());
    assert!(output.stderr().contains("11 images with one message, over the cap of 10"), "{output}");
    assert!(bench.model.asked().is_empty());
}

#[test]
fn the_agent_looks_at_a_picture_of_the_work_tree() {
    let look = || {
        Model::script(vec![
            call("file_read", serde_json::json!({ "path": "docs/a.png" })),
            text("An otter."),
        ])
    };
    let run = |more: &str| -> (Bench, Told) {
        let bench = Bench::new(look()).set(more);
        bench.env.write("docs/a.png", png(b"otter"));
        let told = bench.run("What is in docs/a.png?", &["--mode", "smart"], "no");
        (bench, told)
    };
    let (bench, told) = run("llm.images: always\n");
    told.done();
    assert_eq!(last(&bench).len(), 1);
    assert!(told.results()[0].contains("PNG image of 64 x 48 pixels: shown below"));
    // As any file of the repository.
    assert!(!told.all("tainted").is_empty());
    let (bench, told) = run("");
    told.done();
    assert!(last(&bench).is_empty());
    let result = told.results()[0];
    assert!(result.contains("64 x 48 pixels, not shown: none of the models"), "{result}");
}

#[test]
fn a_session_that_goes_on_shows_its_images_again() {
    let bench = sees(&["An otter."]);
    bench.env.write("shot.png", png(b"otter"));
    let told = bench.run("What is this?", &["--image", "shot.png"], "no");
    let session = told.session().to_owned();
    let again = |goal: &str| bench.run(goal, &["--session", &session], "no");
    let warned = |told: &Told| -> String {
        let all = told.all("warning").into_iter();
        let all = all.map(|it| it["message"].as_str().unwrap().to_owned());
        all.filter(|text| text.contains("shot.png")).collect()
    };
    let told = again("Is it brown?");
    assert_eq!((last(&bench).len(), warned(&told)), (1, String::new()));
    bench.env.write("shot.png", png(b"beaver"));
    let told = again("And now?");
    assert!(String::from_utf8_lossy(&last(&bench)[0]).contains("beaver"));
    assert!(warned(&told).starts_with("`shot.png` has changed since it was shown"));
    bench.env.remove("shot.png");
    let told = again("Still there?");
    assert!(last(&bench).is_empty());
    assert!(warned(&told).starts_with("`shot.png` is not shown again"));
}

#[test]
fn images_are_named_and_pasted_in_a_chat() {
    let bench = sees(&["Two otters."]);
    bench.env.write("docs/a.png", png(b"first"));
    let outside = bench.env.outside().join("screen shot.png");
    fs::write(&outside, png(b"second")).unwrap();
    let mut command = bench.env.command(&["agent", "chat"]);
    command.env("TERM", "xterm");
    let mut pty = Pty::start(&mut command, 100);
    pty.until("`/help` says", 1);
    let pasted = outside.display().to_string().replace(' ', "\\ ");
    pty.types(&format!("Compare @docs/a.png with {pasted}\r"));
    pty.until("run 01", 1);
    let shown = last(&bench);
    let words: String = shown.iter().map(|it| String::from_utf8_lossy(it).into_owned()).collect();
    assert!(shown.len() == 2 && words.contains("first") && words.contains("second"), "{words}");
    pty.types("/quit\r");
    assert_eq!(pty.wait(), Some(0), "{}", pty.said());
}
