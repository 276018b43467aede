//! Discoveries with the picture that their page names.

use super::{ADA, Harbour};
use crate::{
    agent_run::images::png,
    fake::{
        Answer, Fake,
        script::{Model, text},
    },
    sources::{HTML, WEIGHT, page},
};

#[test]
fn discoveries_show_a_picture() {
    for (kind, is_picture) in [("image/png", true), ("image/png", false), ("text/html", true)] {
        let bytes = if is_picture { png(b"") } else { b"<script>".to_vec() };
        let pages = Fake::start(move |seen| match seen.path.as_str() {
            "/img/ls50.jpg" => Answer { body: bytes.clone(), ..Answer::text(kind, "") },
            _ => Answer::text(HTML, &page(&[WEIGHT])),
        });
        let harbour = Harbour::with(
            Model::script(vec![text("Aye.")]),
            "notify.sinks: [telegram]\nlearn.private_pages: true\n",
        );
        let gate = harbour.gate();
        harbour.let_in(ADA, &["--approve"]);
        let address = format!("{}/review", pages.url);
        let learned = harbour.run(&["learn", "KEF LS50 Meta", "--from", &address]);
        assert_eq!(learned.code, Some(0), "{learned}");
        let told = harbour.hear(ADA, "I just");
        let is_shown = kind == "image/png" && is_picture;
        // What is no picture, by its bytes and by what its server says, is named at most.
        assert_eq!(told.text.contains("/img/ls50.jpg"), !is_shown, "{told:?}");
        if is_shown {
            let shown = harbour.wait(ADA, |sent| sent.file.is_some());
            assert_eq!(shown.file.unwrap().0, "picture.png");
        }
        gate.end();
        assert!(harbour.platform.sent().iter().all(|sent| is_shown || sent.file.is_none()));
    }
}
