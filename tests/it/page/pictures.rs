//! Pictures that lie beside notes: those that a walk finds, of four kinds, and nothing else.

use super::{Visitor, main_of};
use crate::env::TestEnv;

/// A PNG that also says where it was taken.
fn png() -> Vec<u8> {
    let chunk = |kind: &[u8; 4], data: &[u8]| {
        [&(data.len() as u32).to_be_bytes()[..], kind, data, &[0; 4]].concat()
    };
    let head = [&8_u32.to_be_bytes()[..], &8_u32.to_be_bytes(), &[8, 6, 0, 0, 0]].concat();
    let parts = [
        chunk(b"IHDR", &head),
        chunk(b"tEXt", b"Location\x0059.3293 N 18.0686 E"),
        chunk(b"IDAT", b"pixels"),
        b"\0\0\0\0IEND\xae\x42\x60\x82".to_vec(),
    ];
    [&b"\x89PNG\r\n\x1a\n"[..], &parts.concat()].concat()
}

fn harbour() -> TestEnv {
    let env = TestEnv::with(&[(
        "docs/pier.md",
        "# The pier\n\n![The pier at dawn](img/pier%201.png) ![Drawn](img/drawn.svg) \
         ![Far](https://evil.test/far.png) ![Gone](img/gone.png) ![Above](../../above.png)\n",
    )]);
    env.write("docs/img/pier 1.png", png());
    env.write("docs/img/drawn.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>");
    env.write("docs/img/page.png", "<html><script>alert(1)</script>");
    env.write("docs/img/drawn.png", "<svg xmlns='http://www.w3.org/2000/svg'/>");
    env.write("docs/img/cut.png", &png()[..40]);
    env.write("docs/img/large.png", [png(), vec![0; 8 * 1024 * 1024]].concat());
    env.write("ignored/pier.png", png());
    env.write(".hidden/pier.png", png());
    env.write("other/.git/HEAD", "ref: refs/heads/main\n");
    env.write("other/pier.png", png());
    env.write(".git/pier.png", png());
    env.write(".gitignore", "ignored/\n");
    std::fs::write(env.outside().join("outside.png"), png()).unwrap();
    std::os::unix::fs::symlink(env.outside().join("outside.png"), env.path("docs/img/link.png"))
        .unwrap();
    env
}

#[test]
fn a_note_shows_the_pictures_beside_it() {
    let env = harbour();
    env.git(&["add", "docs"]);
    // Tracked all the same: what an ignore file names is not shown of a commit either.
    env.git(&["add", "--force", ".gitignore", "ignored", ".hidden"]);
    env.git(&["commit", "--quiet", "-m", "First"]);
    let visitor = Visitor::open(&env);
    let html = visitor.html("note/docs/pier.md");
    let main = main_of(&html);
    let address =
        format!("{}{}/picture/docs/img/pier%201.png", visitor.gate.below(""), visitor.name);
    assert!(main.contains(&format!("src=\"{address}\" alt=\"The pier at dawn\"")), "{main}");
    assert_eq!(main.matches("<img ").count(), 1, "{main}");
    assert!(main.contains("Drawn") && main.contains("Far") && main.contains("Gone"));
    let shown = visitor.follow(&address);
    assert_eq!((shown.status, shown.header("content-type")), (200, Some("image/png")));
    assert_eq!(shown.header("x-content-type-options"), Some("nosniff"));
    let policy = shown.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && policy.contains("sandbox"), "{policy}");
    assert!(shown.body.contains("IDAT") && !shown.body.contains("Location"));
    for (picture, status) in [
        ("docs/img/drawn.svg", 404),
        ("docs/img/page.png", 404),
        ("docs/img/drawn.png", 404),
        ("docs/img/cut.png", 404),
        ("docs/img/large.png", 404),
        ("docs/img/link.png", 404),
        ("docs/img/gone.png", 404),
        ("docs/pier.md", 404),
        ("ignored/pier.png", 404),
        (".hidden/pier.png", 404),
        ("other/pier.png", 404),
        (".git/pier.png", 404),
        ("../outside.png", 404),
        ("docs/../../outside.png", 404),
        ("docs/%2e%2e/docs/img/pier%201.png", 404),
        ("ignored/pier.png?at=HEAD", 404),
        (".hidden/pier.png?at=HEAD", 404),
    ] {
        let answer = visitor.page(&format!("picture/{picture}"));
        assert_eq!(answer.status, status, "{picture}: {}", answer.body);
        assert_ne!(answer.header("content-type"), Some("image/png"), "{picture}");
    }
    // Nobody without a cookie.
    let path = format!("{}/picture/docs/img/pier%201.png", visitor.name);
    assert_eq!(visitor.get_with(&path, &[]).status, 401);
    // As it was.
    env.remove("docs/img/pier 1.png");
    env.write("docs/pier.md", "# The pier\n");
    env.git(&["commit", "--quiet", "--all", "-m", "Without"]);
    let old = visitor.html("note/docs/pier.md?at=HEAD~1");
    assert!(old.contains("pier%201.png?at=HEAD~1"), "{old}");
    assert_eq!(visitor.page("picture/docs/img/pier%201.png?at=HEAD~1").status, 200);
    assert_eq!(visitor.page("picture/docs/img/link.png?at=HEAD~1").status, 404);
    assert_eq!(visitor.page("picture/docs/img/pier%201.png").status, 404);
    assert_eq!(visitor.page("picture/docs/img/pier%201.png?at=nowhere").status, 404);
}

#[test]
fn exported_notes_take_their_pictures_along() {
    let env = harbour();
    env.git(&["add", "docs"]);
    env.git(&["commit", "--quiet", "-m", "First"]);
    for arguments in
        [&["page", "--export", "../site"][..], &["page", "--export", "../then", "--at", "HEAD"]]
    {
        env.ok(arguments);
        let site = env.outside().join(arguments[2].trim_start_matches("../"));
        let note = std::fs::read_to_string(site.join("note/docs/pier.md.html")).unwrap();
        assert!(note.contains("src=\"../../picture/docs/img/pier%201.png\""), "{note}");
        let picture = std::fs::read(site.join("picture/docs/img/pier 1.png")).unwrap();
        assert!(!String::from_utf8_lossy(&picture).contains("Location"));
        let pictures = std::fs::read_dir(site.join("picture/docs/img")).unwrap();
        assert_eq!(pictures.count(), 1);
    }
}
