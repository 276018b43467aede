//! Files that are small and unpack to much, or are made to be slow: every reader ends in time and
//! within its memory.

use std::{fs, io::Write};

use flate2::{Compression, write::ZlibEncoder};

use crate::{Attack, env::TestEnv};

pub fn run(attack: &mut Attack) {
    while attack.goes_on() {
        let env = TestEnv::with(&[("a.md", "# Heron\n\nThe heron waits at the pond.\n")]);
        let size = 1 << attack.chance.u32(6..21);
        let kinds = [markdown, html, pdf, yaml];
        let kind = attack.chance.usize(0..kinds.len());
        let (name, bytes) = kinds[kind](attack, size);
        if name.ends_with(".md") {
            env.write(&name, &bytes);
            for command in [&["index"][..], &["search", "--json", "heron pond"], &["graph"]] {
                let output = attack.bounded(&mut env.command(command));
                let ended = matches!(output.code, Some(0 | 1));
                attack.expect(ended, || format!("{name} of {size}: {output}"));
            }
        } else {
            let file = env.outside().join(&name);
            fs::write(&file, &bytes).expect("a file can be written");
            let from = file.display().to_string();
            let output = attack.bounded(&mut env.command(&["learn", "Heron", "--from", &from]));
            let ended = matches!(output.code, Some(0..=2));
            attack.expect(ended, || format!("{name} of {size}: {output}"));
        }
    }
}

fn markdown(attack: &mut Attack, size: usize) -> (String, Vec<u8>) {
    let units = [
        ">", "[", "![](", "*a ", "`", "|a", "- ", "1. ", "  ", "#", "<a ", "&amp;", "\\", "~", "_",
        "[a]: b\n", "[^1]", "<!--", "***", "a\u{300}", "\u{202e}", "\r", "\0", "|-\n",
    ];
    let unit = units[attack.chance.usize(0..units.len())];
    let other = units[attack.chance.usize(0..units.len())];
    let text = match attack.chance.u8(0..4) {
        0 => unit.repeat(size),
        1 => format!("{}{}", unit.repeat(size / 2), other.repeat(size / 2)),
        2 => format!("{unit}{other}").repeat(size / 2),
        _ => format!("{unit}{other}\n").repeat(size / 3),
    };
    ("bomb.md".to_owned(), text.into_bytes())
}

fn yaml(attack: &mut Attack, size: usize) -> (String, Vec<u8>) {
    let inner = match attack.chance.u8(0..5) {
        0 => "[".repeat(size),
        1 => {
            let anchors = (1..30).map(|n| format!("a{n}: &a{n} [*a{0}, *a{0}, *a{0}]", n - 1));
            format!("a0: &a0 [x]\n{}", anchors.collect::<Vec<_>>().join("\n"))
        }
        2 => format!("{}: x", "k".repeat(size)),
        3 => "a: b\n".repeat(size / 5),
        _ => (0..size / 8).map(|n| format!("k{n}: {{a: [")).collect(),
    };
    ("bomb.md".to_owned(), format!("---\n{inner}\n---\n# Heron\n\nBody.\n").into_bytes())
}

fn html(attack: &mut Attack, size: usize) -> (String, Vec<u8>) {
    let (begin, unit, end) = [
        ("", "<div>", ""),
        ("<p ", "a=b ", ">"),
        ("<p>", "&amp;&#x41;", "</p>"),
        ("", "<table><tr><td>", ""),
        ("<svg>", "<g>", "</svg>"),
        ("<p>", "<b><i>", "</p>"),
        ("<!--", "-", "-->"),
        ("<script>", "</scrip", "</script>"),
        ("<ul>", "<li>heron</li>", "</ul>"),
    ][attack.chance.usize(0..9)];
    let body = unit.repeat(size / unit.len());
    let page = format!("<html><body><h1>Heron</h1>{begin}{body}{end}</body></html>");
    ("bomb.html".to_owned(), page.into_bytes())
}

/// A PDF whose page is a stream that unpacks to a thousand times its size.
fn pdf(attack: &mut Attack, size: usize) -> (String, Vec<u8>) {
    let unit: &[u8] = [
        &b"q "[..],
        b"BT /F1 12 Tf (heron) Tj ET ",
        b"[(a) 1 (b)] TJ ",
        b"1 0 0 1 0 0 cm ",
        b"<< /A [ ",
        b"\0",
    ][attack.chance.usize(0..6)];
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    for _ in 0..size.saturating_mul(attack.chance.usize(1..64)) / unit.len() {
        encoder.write_all(unit).expect("memory");
    }
    let packed = encoder.finish().expect("memory");
    let mut file = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n\
        2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n\
        3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</Font<</F1 \
        5 0 R>>>>>>endobj\n5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n"
        .to_vec();
    file.extend(format!("4 0 obj<</Length {}/Filter/FlateDecode>>stream\n", packed.len()).bytes());
    file.extend(packed);
    file.extend(b"\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n");
    ("bomb.pdf".to_owned(), file)
}
