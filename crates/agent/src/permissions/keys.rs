//! Key material that no tool reads: where it usually lies.

use super::matching::{fits, is_open};

/// Names in a row, wherever they stand in a path.
const PLACES: &[&[&str]] = &[
    &[".ssh"],
    &[".gnupg"],
    &[".aws"],
    &[".azure"],
    &[".kube"],
    &[".netrc"],
    &["_netrc"],
    &[".git-credentials"],
    &[".config", "gh"],
    &[".config", "git", "credentials"],
    &[".config", "gcloud"],
    &[".config", "hub"],
    &[".config", "op"],
    &[".config", "google-chrome"],
    &[".config", "chromium"],
    &[".config", "containers", "auth.json"],
    &[".mozilla"],
    &[".docker", "config.json"],
    &[".cargo", "credentials"],
    &[".cargo", "credentials.toml"],
    &[".gem", "credentials"],
    &[".npmrc"],
    &[".yarnrc.yml"],
    &[".pypirc"],
    &[".pgpass"],
    &[".my.cnf"],
    &[".vault-token"],
    &[".terraform.d"],
    &[".password-store"],
    &["keyrings"],
    &["keychains"],
    &[".htpasswd"],
    &[".bash_history"],
    &[".zsh_history"],
    &["id_rsa"],
    &["id_dsa"],
    &["id_ecdsa"],
    &["id_ecdsa_sk"],
    &["id_ed25519"],
    &["id_ed25519_sk"],
    &["id_xmss"],
    &[".env"],
    &[".envrc"],
    // What runs at work keep of files, keys included.
    &[".git", "elophanto", "runs"],
];
/// Names in a row at the start of an absolute path.
const ABSOLUTE: &[&[&str]] = &[
    &["etc", "shadow"],
    &["etc", "shadow-"],
    &["etc", "gshadow"],
    &["etc", "gshadow-"],
    &["etc", "sudoers"],
    &["etc", "sudoers.d"],
    &["etc", "ssh"],
    &["etc", "ssl", "private"],
    &["etc", "krb5.keytab"],
    &["etc", "master.passwd"],
    &["run", "secrets"],
    &["var", "run", "secrets"],
    &["dev", "mem"],
    &["dev", "kmem"],
    &["proc", "kcore"],
];
/// Ends of file names.
const ENDS: &[&str] =
    &[".pem", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk", "_rsa.key", ".env"];
/// Files below `/proc` that say nothing about processes.
const PLAIN_PROC: &[&str] =
    &["cpuinfo", "meminfo", "version", "loadavg", "uptime", "stat", "filesystems", "mounts"];
/// Files of this form that hold examples.
const EXAMPLES: &[&str] = &[
    ".env.example", ".env.sample", ".env.template", ".env.dist", "example.env", "sample.env",
    "template.env",
];

/// The driver of git's diffs for these files.
pub const DRIVER: &str = "elophanto-key";

const ENV_FILES: &str = ".env.*";
const PROCESSES: &str = "/proc";

/// The entry that holds a path, given as its folded names.
pub fn held(names: &[String]) -> Option<&'static str> {
    // Names of files that exist have no stand-ins, and many files are looked at for one command.
    let is_plain = !names.iter().any(|name| is_open(name));
    let is_place = |place: &&&[&str]| {
        if is_plain { anywhere_plainly(names, place) } else { anywhere(names, place) }
    };
    if let Some(places) = PLACES.iter().find(is_place) {
        return places.last().copied();
    }
    if let Some(place) = ABSOLUTE.iter().find(|place| starts(names, place)) {
        return place.last().copied();
    }
    if let [first, second, ..] = names
        && fits(first, "proc")
        && !PLAIN_PROC.contains(&second.as_str())
    {
        return Some(PROCESSES);
    }
    let last = names.last()?;
    if EXAMPLES.contains(&last.as_str()) {
        return None;
    }
    if let Some(end) = ENDS.iter().find(|end| last.ends_with(**end) || may_end(last, end)) {
        return Some(end);
    }
    let tail = last.strip_prefix(".env").and_then(|tail| tail.chars().next());
    let prefix = tail.is_some_and(|c| !c.is_alphanumeric()) && !EXAMPLES.contains(&last.as_str());
    (prefix || is_open(last) && !only_open(last) && fits(last, ".env.local")).then_some(ENV_FILES)
}

/// The same as attributes of git that keep contents out of patches and searches, however git's
/// output goes on from there: all are of the driver [`DRIVER`], which shows nothing. Our own contents of work trees, named by ids, are among them.
pub fn attributes() -> String {
    let mut lines = Vec::new();
    for place in PLACES {
        let place = place.join("/");
        lines.extend([format!("**/{place} diff={DRIVER}"), format!("**/{place}/** diff={DRIVER}")]);
    }
    lines.extend(ENDS.iter().map(|end| format!("*{end} diff={DRIVER}")));
    lines.push(format!(".env[!a-zA-Z0-9]* diff={DRIVER}"));
    lines.extend(EXAMPLES.iter().map(|example| format!("{example} !diff")));
    let digits = |count| "[0-9a-f]".repeat(count);
    // Of SHA-1 and SHA-256.
    lines.extend([38, 62].map(|rest| format!("/{}/{} diff={DRIVER}", digits(2), digits(rest))));
    lines.push(format!("/contents/{} diff={DRIVER}", digits(64)));
    lines.join("\n") + "\n"
}

/// All entries as they are shown.
pub fn entries() -> Vec<String> {
    let places = PLACES.iter().map(|place| place.join("/"));
    let absolute = ABSOLUTE.iter().map(|place| format!("/{}", place.join("/")));
    let ends = ENDS.iter().map(|end| format!("*{end}"));
    let rest =
        [format!("{ENV_FILES} (but examples)"), format!("{PROCESSES} (but a few plain files)")];
    places.chain(absolute).chain(ends).chain(rest).collect()
}

fn starts(names: &[String], place: &[&str]) -> bool {
    names.len() >= place.len() && names.iter().zip(place).all(|(name, wanted)| fits(name, wanted))
}

/// `*` alone stands for ordinary files: a name must say a part of what it means.
fn anywhere(names: &[String], place: &[&str]) -> bool {
    names.windows(place.len()).any(|window| {
        window.iter().zip(place).all(|(name, wanted)| fits(name, wanted) && !only_open(name))
    })
}

/// The same of names without stand-ins.
fn anywhere_plainly(names: &[String], place: &[&str]) -> bool {
    names.windows(place.len()).any(|window| window.iter().zip(place).all(|(name, it)| name == it))
}

/// Nothing of the name is known.
fn only_open(name: &str) -> bool {
    name.chars().all(|c| is_open(c.encode_utf8(&mut [0; 4])))
}

/// `*.pe?` may end in `.pem`.
fn may_end(name: &str, end: &str) -> bool {
    let Some((_, tail)) = name.rsplit_once('.') else { return false };
    is_open(tail) && !only_open(tail) && fits(tail, end.trim_start_matches('.'))
}
