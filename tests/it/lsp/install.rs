//! `elophanto editor install`: every change is shown, and taken back.

use std::fs;

use crate::env::TestEnv;

/// Puts it in, looks, and takes it out.
fn there_and_back(editor: &str, before: &[(&str, &str)], expected: &[(&str, &str)]) {
    let env = TestEnv::new();
    let home = env.outside().join("home");
    for (path, text) in before {
        fs::create_dir_all(home.join(path).parent().unwrap()).unwrap();
        fs::write(home.join(path), text).unwrap();
    }
    let read = |path: &str| fs::read_to_string(home.join(path)).unwrap_or_default();
    let dry = env.run(&["editor", "install", editor, "--dry-run"]);
    assert!(dry.code == Some(1) && dry.stdout().contains("+++ "), "{dry}");
    let asked = env.run(&["editor", "install", editor]);
    assert_eq!(asked.code, Some(1), "nobody can be asked: {asked}");
    assert!(expected.iter().all(|(path, _)| !read(path).contains("elophanto")));
    env.ok(&["editor", "install", editor, "--yes"]);
    for (path, holds) in expected {
        assert!(read(path).contains(holds), "{editor} {path}: {}", read(path));
    }
    // The program is named as a whole: an editor has a PATH of its own.
    let program = crate::env::PROGRAM;
    assert!(expected.iter().any(|(path, _)| read(path).contains(program)), "{editor}");
    env.ok(&["editor", "install", editor, "--yes"]);
    env.ok(&["editor", "install", editor, "--remove", "--yes"]);
    let again = env.run(&["editor", "install", editor, "--remove", "--yes"]);
    assert_eq!(again.code, Some(1), "{again}");
    for (path, text) in before {
        assert_eq!(read(path), *text, "{editor}");
    }
    for (path, _) in expected {
        assert!(!read(path).contains("elophanto"), "{editor} {path}");
    }
}

#[test]
fn editors_are_set_up_and_left_as_they_were() {
    let lua = ".config/nvim/after/plugin/elophanto.lua";
    there_and_back(
        "neovim",
        &[(".config/nvim/init.lua", "vim.o.number = true\n")],
        &[(lua, "\"lsp\"")],
    );
    let helix = ".config/helix/languages.toml";
    let own = "[[language]]\nname = \"rust\"\nauto-format = true\n";
    there_and_back("helix", &[(helix, own)], &[(helix, "args = [\"lsp\"]")]);
    there_and_back("helix", &[], &[(helix, "name = \"markdown\"")]);
    let emacs = [(".emacs.d/init.el", "(setq x 1)\n"), (".emacs.d/elophanto.el", "")];
    there_and_back(
        "emacs",
        &emacs[..1],
        &[
            (".emacs.d/elophanto.el", "\"lsp\""),
            (".emacs.d/init.el", "(load (locate-user-emacs-file \"elophanto\") t)"),
        ],
    );
}

#[test]
fn what_cannot_be_set_up_says_what_to_do() {
    let env = TestEnv::new();
    let home = env.outside().join("home");
    let put = |path: &str, text: &str| {
        fs::create_dir_all(home.join(path).parent().unwrap()).unwrap();
        fs::write(home.join(path), text).unwrap();
    };
    let check = |args: &[&str], says: &str| {
        let output = env.run(&[&["editor", "install"], args].concat());
        assert!(output.code == Some(2) && output.stderr().contains(says), "{output}");
    };
    put(".config/helix/languages.toml", "[[language]]\nname = \"markdown\"\n");
    check(&["helix", "--yes"], "sets up Markdown already");
    put(".config/helix/languages.toml", "[[language]\n");
    check(&["helix", "--yes"], "mend the file");
    put(".config/nvim/after/plugin/elophanto.lua", "print(1)\n");
    check(&["neovim", "--yes"], "is not ours");
    check(&["vscode", "--yes"], "pack.sh");
    check(&["vscode", "--yes", "--vsix", "nowhere.vsix"], "there is no file");
    check(&["ed"], "no such editor");
}
