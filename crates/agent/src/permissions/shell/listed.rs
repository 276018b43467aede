//! Commands that only read: a list of programs, each with the options that it may have.

/// A program: letters that stand alone, letters that take a value, long options (before `=`), parted by blanks.
type Reader = (&'static str, &'static str, &'static str, &'static str);

const READERS: &[Reader] = &[
    (
        "ls",
        "laAhRrtS1dFiGkmnopqsucXvZ",
        "",
        "--all --almost-all --color --human-readable --recursive --reverse --size --sort --group-directories-first",
    ),
    ("cat", "nbsETAvet", "", "--number"),
    ("head", "qv", "nc", "--lines --bytes"),
    ("tail", "qvr", "nc", "--lines --bytes"),
    ("wc", "lwcmL", "", "--lines --words --bytes --chars"),
    (
        "grep",
        "inrRvlLcowxEFPHhsqzaIy",
        "eABCm",
        "--include --exclude --exclude-dir --color --colour --count --ignore-case --line-number --recursive --only-matching --files-with-matches --invert-match --fixed-strings --context --regexp --word-regexp --no-filename --max-count",
    ),
    ("egrep", "inrvlLcowxHhsq", "eABCm", "--include --exclude --exclude-dir --color"),
    ("fgrep", "inrvlLcowxHhsq", "eABCm", "--include --exclude --exclude-dir --color"),
    (
        "rg",
        "inNvlcowxFPHISsUuL",
        "egtTABCmMj",
        "--files --type --type-not --glob --iglob --count --hidden --no-heading --line-number --ignore-case --smart-case --fixed-strings --word-regexp --context --max-count --sort --json --color --files-with-matches --only-matching --no-ignore --multiline --max-depth",
    ),
    ("pwd", "LP", "", ""),
    ("echo", "neE", "", ""),
    ("printf", "", "", ""),
    ("true", "", "", ""),
    (":", "", "", ""),
    ("false", "", "", ""),
    ("test", "efdrwxszntoahLSNO", "", "-eq -ne -lt -gt -le -ge -nt -ot"),
    ("[", "efdrwxszntoahLSNO", "", "-eq -ne -lt -gt -le -ge -nt -ot"),
    (
        "sort",
        "nrufhVbdgiMsc",
        "kt",
        "--numeric-sort --reverse --unique --key --human-numeric-sort --version-sort --ignore-case",
    ),
    ("uniq", "cdui", "fsw", "--count --repeated --unique"),
    ("cut", "s", "dfcb", "--delimiter --fields --complement --characters"),
    ("tr", "dsc", "", "--delete --squeeze-repeats --complement"),
    (
        "diff",
        "uqrNbwBiyacs",
        "U",
        "--brief --unified --recursive --color --ignore-all-space --side-by-side --stat",
    ),
    ("cmp", "sbl", "n", "--silent --quiet"),
    ("comm", "123", "", ""),
    ("stat", "Lx", "cf", "--format --printf"),
    ("file", "biLkz", "", "--brief --mime-type --mime"),
    ("du", "shacxkmb", "d", "--max-depth --human-readable --summarize --apparent-size --exclude"),
    ("df", "hTikml", "", "--human-readable"),
    ("date", "uRI", "dr", "--utc --iso-8601 --rfc-3339 --date"),
    ("which", "a", "", ""),
    ("tree", "adfihCsDF", "LIP", "--dirsfirst --gitignore --noreport"),
    (
        "jq",
        "rcesSMCnRj",
        "",
        "--raw-output --compact-output --sort-keys --slurp --null-input --exit-status",
    ),
    ("basename", "a", "s", ""),
    ("dirname", "z", "", ""),
    ("realpath", "mesq", "", "--relative-to"),
    ("readlink", "fenm", "", ""),
    ("nl", "", "bwsn", ""),
    ("seq", "w", "sf", ""),
    ("rev", "", "", ""),
    ("tac", "", "", ""),
    ("paste", "s", "d", ""),
    ("column", "tx", "sc", ""),
    ("fold", "s", "w", ""),
    ("od", "cxbv", "AtNj", ""),
    ("hexdump", "Cvcdox", "ns", ""),
    ("md5sum", "", "", ""),
    ("sha1sum", "", "", ""),
    ("sha256sum", "", "", ""),
    ("shasum", "", "a", ""),
    ("cksum", "", "", ""),
    ("uname", "asrmnpo", "", ""),
    ("whoami", "", "", ""),
    ("id", "unGg", "", ""),
    ("nproc", "", "", ""),
    ("uptime", "ps", "", ""),
    ("free", "hmgk", "", ""),
    ("arch", "", "", ""),
    ("type", "at", "", ""),
    ("cd", "", "", ""),
    ("exit", "", "", ""),
    ("sleep", "", "", ""),
    ("expr", "", "", ""),
];

/// Programs that may only be asked for their version.
const VERSIONED: &[&str] = &[
    "cargo", "rustc", "node", "npm", "python", "python3", "go", "git", "make", "gcc", "clang",
    "cmake", "java", "ruby", "perl", "bash", "docker", "pip", "uv", "rustup",
];

const GIT: &[(&str, &str)] = &[
    ("status", "-s -b -sb --short --branch --porcelain -u --untracked-files --ignored -uno -v"),
    (
        "log",
        "--oneline -n -p --stat --graph --all --decorate --since --until --after --before --author --grep --format --pretty --name-only --name-status --follow --reverse --first-parent --no-merges --merges --date --abbrev-commit -S -G -L --shortstat --numstat --max-count --no-color --patch --no-decorate -i --diff-filter --topo-order --cached",
    ),
    (
        "diff",
        "--stat --cached --staged --name-only --name-status --shortstat --numstat -w -b -U --word-diff --no-color --color --check -M --diff-filter --unified -p --exit-code --quiet",
    ),
    (
        "show",
        "--stat --name-only --name-status --oneline --format --pretty -s --no-patch -p --patch --no-color --numstat --shortstat",
    ),
    ("blame", "-L -w -C -M -e -s --date --porcelain"),
    (
        "ls-files",
        "-o -m -d -s -c -z --others --modified --deleted --cached --stage --exclude-standard",
    ),
    ("ls-tree", "-r -t -l -z --name-only --full-tree"),
    (
        "rev-parse",
        "--short --show-toplevel --abbrev-ref --verify --git-dir --is-inside-work-tree -q --quiet",
    ),
    ("describe", "--tags --always --dirty --long --abbrev --exact-match"),
    ("shortlog", "-s -n -e -sn -sne --summary --numbered"),
    ("rev-list", "--count --all --max-count -n --since --no-merges --first-parent"),
    ("merge-base", "--is-ancestor --all"),
    // Not `-p`: what the content belongs to is not known.
    ("cat-file", "-t -s -e"),
    ("grep", "-n -i -l -w -c -E -F -P -v -e --count --name-only -h -A -B -C -ni -in -nE"),
    ("for-each-ref", "--format --sort --count --merged"),
    ("show-ref", "--heads --tags --verify -q"),
    ("name-rev", "--name-only --tags"),
    ("count-objects", "-v -H -vH"),
    ("check-ignore", "-v -q"),
    ("diff-tree", "-r --name-only --name-status --no-commit-id -p --stat"),
    ("version", ""),
];

/// Whether a command, as its words, is on the list.
pub fn only_reads(argv: &[String]) -> bool {
    let Some((name, arguments)) = argv.split_first() else { return false };
    if argv.iter().any(|word| word.contains('\u{2026}'))
        && !matches!(name.as_str(), "echo" | "printf" | "[" | "test")
    {
        return false;
    }
    let bare = name.rsplit_once('/').map_or(name.as_str(), |(folder, base)| {
        if matches!(folder, "/bin" | "/usr/bin") { base } else { "" }
    });
    if VERSIONED.contains(&bare)
        && matches!(arguments, [only] if only == "--version" || only == "-V")
    {
        return true;
    }
    match bare {
        "git" => git(arguments),
        "find" => find(arguments),
        "sed" => {
            matches!(arguments.first().map(String::as_str), Some("-n"))
                && arguments.get(1).is_some_and(|script| super::code::is_plain_sed(script))
                && arguments.iter().skip(2).all(|a| !a.starts_with('-'))
        }
        "command" => matches!(arguments.first().map(String::as_str), Some("-v")),
        "printf" => arguments.first().is_some_and(|a| !a.starts_with('-')),
        "uniq" | "jq"
            if arguments.iter().filter(|a| !a.starts_with('-')).count()
                > usize::from(bare == "jq") + 1 =>
        {
            false
        }
        "xargs" => arguments.iter().position(|a| !a.starts_with('-')).is_some_and(|at| {
            arguments.iter().take(at).all(|a| matches!(a.as_str(), "-0" | "-r"))
                && only_reads(arguments.get(at..).unwrap_or_default())
        }),
        "date" if arguments.iter().any(|a| !a.starts_with(['-', '+'])) => false,
        "exit" | "sleep" => {
            arguments.iter().all(|a| a.bytes().all(|b| b.is_ascii_digit() || b == b'.'))
        }
        _ => READERS
            .iter()
            .find(|reader| reader.0 == bare)
            .is_some_and(|reader| plain(arguments, reader)),
    }
}

fn plain(arguments: &[String], (name, alone, valued, long): &Reader) -> bool {
    if matches!(*name, "echo" | "expr") {
        return true;
    }
    let mut skip = false;
    for argument in arguments {
        if std::mem::take(&mut skip) {
            continue;
        }
        if argument == "--" {
            return true;
        }
        if argument.starts_with("--") || has(long, argument) {
            if !has(long, argument.split('=').next().unwrap_or_default()) {
                return false;
            }
            continue;
        }
        let Some(letters) = argument.strip_prefix('-') else { continue };
        for (at, letter) in letters.char_indices() {
            if valued.contains(letter) {
                skip = at + letter.len_utf8() == letters.len();
                break;
            }
            if !alone.contains(letter) && !letter.is_ascii_digit() {
                return false;
            }
        }
    }
    true
}

fn find(arguments: &[String]) -> bool {
    const PLAIN: &[&str] = &[
        "-name", "-iname", "-path", "-ipath", "-type", "-maxdepth", "-mindepth", "-size", "-mtime",
        "-mmin", "-newer", "-not", "-o", "-or", "-a", "-and", "-print", "-print0", "-empty",
        "-prune", "-regex", "-iregex", "-wholename", "-perm", "-user", "-ls", "-L", "-H", "-P",
        "-depth", "-executable", "-readable", "-quit", "-printf", "-links", "-xdev",
    ];
    arguments.iter().all(|argument| {
        !argument.starts_with('-')
            || PLAIN.contains(&argument.as_str())
            || argument
                .get(1..)
                .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
    })
}

fn git(arguments: &[String]) -> bool {
    let mut arguments = arguments;
    while let Some((first, rest)) = arguments.split_first() {
        match first.as_str() {
            "--no-pager" | "-P" => arguments = rest,
            "-C" => arguments = rest.get(1..).unwrap_or_default(),
            _ => break,
        }
    }
    let Some((name, rest)) = arguments.split_first() else { return false };
    let first = rest.first().map(String::as_str).unwrap_or_default();
    match name.as_str() {
        "branch" => {
            let plain = [
                "-a", "-r", "-v", "-vv", "-l", "--list", "--all", "--show-current", "-av",
                "--merged", "--no-merged", "--contains",
            ];
            rest.iter().all(|a| plain.contains(&a.as_str()))
                || first == "--list" && rest.iter().skip(1).all(|a| !a.starts_with('-'))
        }
        "tag" => {
            rest.is_empty()
                || matches!(first, "-l" | "--list" | "-n")
                    && rest.iter().skip(1).all(|a| !a.starts_with('-') || a.starts_with("--sort="))
        }
        "remote" => {
            rest.is_empty()
                || first == "-v" && rest.len() == 1
                || first == "get-url" && rest.len() == 2
        }
        "stash" => match first {
            "list" => true,
            "show" => {
                let plain = ["-p", "--patch", "--stat", "--name-only", "--name-status", "-u"];
                rest.iter().skip(1).all(|a| !a.starts_with('-') || plain.contains(&a.as_str()))
            }
            _ => false,
        },
        "worktree" => first == "list",
        "config" => {
            matches!(first, "--get" | "--list" | "-l")
                && rest.iter().skip(1).all(|a| !a.starts_with('-'))
        }
        "reflog" => {
            rest.is_empty() || first == "show" && rest.iter().skip(1).all(|a| !a.starts_with('-'))
        }
        // A second word may be a commit, in which there may be files that nothing reads.
        "grep"
            if rest.iter().take_while(|a| *a != "--").filter(|a| !a.starts_with('-')).count()
                > 1 =>
        {
            false
        }
        _ => GIT.iter().find(|(command, _)| command == name).is_some_and(|(_, options)| {
            let separated = rest.iter().position(|a| a == "--").unwrap_or(rest.len());
            rest.iter().take(separated).all(|argument| {
                if !argument.starts_with('-') {
                    return true;
                }
                let bare = argument.split('=').next().unwrap_or_default();
                let digits = bare
                    .get(1..)
                    .is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()));
                let short = bare.get(..2).is_some_and(|head| {
                    !bare.starts_with("--")
                        && has(options, head)
                        && matches!(
                            head,
                            "-n" | "-L" | "-U" | "-S" | "-G" | "-C" | "-M" | "-A" | "-B"
                        )
                });
                has(options, bare) || digits || short
            })
        }),
    }
}

/// Whether a word is among those parted by blanks.
fn has(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|one| one == word)
}
