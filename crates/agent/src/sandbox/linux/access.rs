//! Which files the program may read and write, as rules of Landlock.
//!
//! In the full sandbox read-only mounts keep protected paths from being written and these rules
//! stand behind them. In the narrow one they are all there is. Rules only ever add rights to a
//! whole tree, so a folder that holds a protected path gets none itself, and its other entries get
//! theirs one by one.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd,
    Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
};

use super::{places::Places, request::Failure};

/// The newest rules that are asked for; an older kernel takes those it knows.
const NEWEST: ABI = ABI::V9;
/// Rules of one sandbox.
const MAX_RULES: usize = 20_000;

/// Programs, libraries and settings of the system. What is missing is passed over.
const SYSTEM: &[&str] = &[
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu",
    "/snap", "/proc", "/sys", "/var/lib/dpkg", "/var/lib/alternatives", "/var/cache/fontconfig",
];
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];
/// What names are looked up with lies outside `/etc` on many systems.
const NAMES: &[&str] = &["/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf"];
/// Toolchains and their caches in the user's home, read only.
const TOOLCHAINS: &[&str] = &[
    ".cargo", ".rustup", ".nvm", ".npm/_cacache", ".pyenv", ".rbenv", ".asdf", ".sdkman", ".deno",
    ".bun", ".volta", ".local/bin", ".local/lib", ".local/share/mise", ".local/share/uv",
    ".local/share/pnpm", "go", ".cache/pip", ".cache/uv", ".cache/go-build",
];
/// Keys within those.
const TOOLCHAIN_KEYS: &[&str] = &[".cargo/credentials", ".cargo/credentials.toml"];

/// Closes all files but those of the places, for this process and all that come from it.
pub fn restrict(places: &Places, narrow: bool, network: bool) -> Result<(), Failure> {
    let rules = rules(places, narrow, network)?;
    let refused = |cause: &dyn std::fmt::Display| Failure::Absent(format!("Landlock: {cause}"));
    let all = AccessFs::from_all(NEWEST);
    let ruleset = Ruleset::default();
    // Older kernels would let protected files be emptied where no mount keeps them.
    let ruleset = if narrow {
        ruleset
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::Truncate)
            .map_err(|cause| refused(&cause))?
    } else {
        ruleset
    };
    let mut ruleset = ruleset
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)
        .and_then(|ruleset| ruleset.scope(Scope::from_all(NEWEST)))
        .and_then(|ruleset| {
            if network { Ok(ruleset) } else { ruleset.handle_access(AccessNet::from_all(NEWEST)) }
        })
        .and_then(Ruleset::create)
        .map_err(|cause| refused(&cause))?;
    for (path, rights) in &rules {
        ruleset = add(ruleset, path, *rights).map_err(|cause| refused(&cause))?;
    }
    let status = ruleset.restrict_self().map_err(|cause| refused(&cause))?;
    if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs {
        return Err(Failure::Absent(
            "the kernel has no Landlock, or it is switched off".to_owned(),
        ));
    }
    Ok(())
}

/// The folders of `PATH` in which a program that is shut in can run anything: what lies in a toolchain of
/// another home, say, is found there by shells and interpreters, and then refused. `read`: what else is read.
pub fn searched(path: &str, home: &Path, read: &[PathBuf]) -> String {
    let system = SYSTEM.iter().map(PathBuf::from);
    let toolchains = TOOLCHAINS.iter().map(|name| home.join(name));
    let all = system.chain(toolchains).chain(read.iter().cloned());
    let all: Vec<PathBuf> = all.filter_map(|path| path.canonicalize().ok()).collect();
    // What is not there does no harm.
    let is_read = |folder: &&str| match Path::new(folder).canonicalize() {
        Ok(folder) => all.iter().any(|path| folder.starts_with(path)),
        Err(_) => true,
    };
    path.split(':').filter(is_read).collect::<Vec<_>>().join(":")
}

type Rights = BitFlags<AccessFs>;

fn add(
    ruleset: RulesetCreated,
    path: &Path,
    rights: Rights,
) -> Result<RulesetCreated, landlock::RulesetError> {
    // What cannot be opened even for a rule cannot be used either.
    let Ok(opened) = PathFd::new(path) else { return Ok(ruleset) };
    let rights = if path.is_dir() { rights } else { rights & AccessFs::from_file(NEWEST) };
    ruleset.add_rule(PathBeneath::new(opened, rights))
}

fn rules(places: &Places, narrow: bool, network: bool) -> Result<Vec<(PathBuf, Rights)>, Failure> {
    let read = AccessFs::from_read(NEWEST);
    let devices = AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev;
    let write = (read | AccessFs::from_write(NEWEST)) & !devices;
    let mut keys: BTreeSet<PathBuf> = TOOLCHAIN_KEYS
        .iter()
        .filter_map(|name| places.home.join(name).canonicalize().ok())
        .collect();
    if narrow {
        keys.extend(places.hidden.iter().cloned());
    }
    let unwritable = if narrow { places.unwritable() } else { BTreeSet::new() };
    let mut rules = Rules { hidden: &keys, unwritable: &unwritable, all: Vec::new() };
    for path in SYSTEM {
        rules.tree(Path::new(path), read, read)?;
    }
    for name in TOOLCHAINS {
        rules.tree(&places.home.join(name), read, read)?;
    }
    for path in &places.read {
        rules.tree(path, read, read)?;
    }
    for path in NAMES.iter().filter(|_| network) {
        rules.tree(Path::new(path), read, read)?;
    }
    rules.tree(&places.root, read, read)?;
    for path in &places.writable {
        rules.tree(path, write, read)?;
    }
    let mut all = rules.all;
    if !narrow {
        all.push((PathBuf::from("/dev/shm"), write));
    }
    let file = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev;
    all.extend(DEVICES.iter().map(|path| (PathBuf::from(path), file)));
    all.push((PathBuf::from("/dev"), AccessFs::ReadDir.into()));
    Ok(all)
}

struct Rules<'a> {
    hidden: &'a BTreeSet<PathBuf>,
    unwritable: &'a BTreeSet<PathBuf>,
    all: Vec<(PathBuf, Rights)>,
}

impl Rules<'_> {
    /// Grants `rights` on a tree, but only `protected` on what is not written in it, and nothing
    /// on what is hidden.
    fn tree(&mut self, path: &Path, rights: Rights, protected: Rights) -> Result<(), Failure> {
        let Ok(path) = path.canonicalize() else { return Ok(()) };
        self.grant(&path, rights, protected)
    }

    fn grant(&mut self, path: &Path, rights: Rights, protected: Rights) -> Result<(), Failure> {
        if self.all.len() >= MAX_RULES {
            return Err(Failure::TooManyEntries(path.into()));
        }
        if self.hidden.iter().any(|hidden| path.starts_with(hidden)) {
            return Ok(());
        }
        let is_written = rights != protected;
        if is_written && self.unwritable.iter().any(|held| path.starts_with(held)) {
            return self.grant(path, protected, protected);
        }
        let holds = |set: &BTreeSet<PathBuf>| set.iter().any(|held| held.starts_with(path));
        if !(holds(self.hidden) || is_written && holds(self.unwritable)) {
            self.all.push((path.to_owned(), rights));
            return Ok(());
        }
        // Names may be listed, hidden ones included; a file needs a rule of its own.
        self.all.push((path.to_owned(), AccessFs::ReadDir.into()));
        for entry in fs::read_dir(path).map_err(Failure::path(path))? {
            let entry = entry.map_err(Failure::path(path))?;
            if entry.file_type().is_ok_and(|kind| !kind.is_symlink()) {
                self.grant(&entry.path(), rights, protected)?;
            }
        }
        Ok(())
    }
}
