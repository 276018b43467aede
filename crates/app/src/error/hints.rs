//! What to do next about each failure of the rooms below.

use super::{Error, Kind};
use crate::{
    clients::ClientError,
    config::{ConfigError, Origin, StoreError},
    hooks::{self, HookError, HookName},
    init::InitError,
    on_commit::CommitError,
    schedule::{Place, ScheduleError},
};
use elophanto_agent::{
    AgentError, CompactError, SessionsError, TrailsError, checkpoint::CheckpointError,
    plugins::PluginError, skills::SkillError,
};
use elophanto_base::{beneath::is_link, shell::quoted};
use elophanto_index::{
    IndexError, eval::EvalError, search::SearchError, store::tables::TableError, watch::WatchError,
};
use elophanto_knowledge::{learn::LearnError, memory::MemoryError, scan::ScanError};
use elophanto_models::{EmbedError, bert::ModelError, llm::LedgerError};
use elophanto_net::vault::{BadPassphrase, KeyringError, Refusal, VaultError};
use elophanto_repo::{GitError, LocateError, WriteError, journal::JournalError};
use elophanto_tables::{fleet::FleetError, store::StoreError as ObjectStoreError};
use elophanto_text::authoring::{AuthoringError, NoPart};

/// What to do next about failures of one type, by what they are; about those that only hand another one on,
/// what to do about that.
macro_rules! hints {
    ($type:ident of $($other:ident),+; $hint:expr) => {
        impl From<$type> for Error {
            fn from(cause: $type) -> Self {
                let hint: fn(&$type) -> _ = $hint;
                let hint = hint(&cause);
                match cause {
                    $($type::$other(cause) => cause.into(),)+
                    cause => Self::of(cause).hint(hint),
                }
            }
        }
    };
    ($type:ty) => {
        impl From<$type> for Error {
            fn from(cause: $type) -> Self {
                Self::of(cause)
            }
        }
    };
    ($type:ty, Kind::$kind:ident, $hint:expr) => {
        impl From<$type> for Error {
            fn from(cause: $type) -> Self {
                let hint: fn(&$type) -> _ = $hint;
                let hint = hint(&cause);
                Self::of(cause).kind(Kind::$kind).hint(hint)
            }
        }
    };
    ($type:ty, $hint:expr) => {
        impl From<$type> for Error {
            fn from(cause: $type) -> Self {
                let hint: fn(&$type) -> _ = $hint;
                let hint = hint(&cause);
                Self::of(cause).hint(hint)
            }
        }
    };
}

impl From<LocateError> for Error {
    fn from(cause: LocateError) -> Self {
        let is_nowhere = matches!(cause, LocateError::Nowhere { .. });
        let hint = match &cause {
            LocateError::Nowhere { .. } => {
                "run `elophanto init` here to make this folder a knowledge base, or `git init` first"
            }
            LocateError::Bare { .. } => "clone it and work in the clone",
            LocateError::OfGit { .. } => "go to the work tree: `cd` to the folder above `.git`",
            LocateError::BadGitFile { .. } => "repair it with `git worktree repair`, or remove it",
            LocateError::NoFile { .. } => "clone the repository anew",
            LocateError::NotOwn { path } => {
                let path = quoted(&path.to_string_lossy());
                return Self::of(cause).hint(format!(
                    "if you trust its owner: `git config --global --add safe.directory {path}`"
                ));
            }
            LocateError::Unreadable { .. } => "give a folder that exists and can be read",
        };
        Self { is_nowhere, ..Self::of(cause) }.hint(hint)
    }
}

impl From<IndexError> for Error {
    fn from(cause: IndexError) -> Self {
        match cause {
            IndexError::NoRoot(_) => {
                let hint =
                    "create the folder, or correct `knowledge.roots` in `.elophanto/config.yaml`";
                Self::of(cause).hint(hint)
            }
            IndexError::Io(cause) => {
                let message = format!("the index cannot be written: {cause}");
                Self::because(message, cause).hint(
                    "check the space and the rights of `.elophanto/index` and of the git directory; \
                     searching works without",
                )
            }
            IndexError::Git(cause) => cause.into(),
            IndexError::Table(cause) => cause.into(),
            IndexError::Damaged => Self::of(cause).hint("run `elophanto index --full`"),
            IndexError::BadTable { .. } => Self::of(cause).hint(
                "bring it back with `git checkout -- .elophanto/index`; if git holds it damaged, \
                 `git rm -r` it",
            ),
        }
    }
}

hints!(GitError, |cause| match cause {
    GitError::NoProgram(_) => "install git",
    GitError::Foreign(_) => {
        "run this in that work tree; for a second one of the same repository use \
         `git worktree add`"
    }
    GitError::Occupied(_) => {
        "name a folder of this repository as `knowledge.write_root`, or run this in the other one"
    }
    GitError::NoRepository => "run this in a git repository, or `git init` first",
    GitError::UnknownRevision(_) => "give a branch, a tag, a commit id or HEAD~3",
    GitError::TooSlow { .. } => "try again, or run that git command by hand",
    GitError::Failed { .. } | GitError::Odd(_) | GitError::Library(_) => {
        "check the repository with `git status`"
    }
});

impl From<WriteError> for Error {
    fn from(cause: WriteError) -> Self {
        let hint = "replace the link with a file or folder of its own, then run this again";
        let hint = matches!(cause, WriteError::Outside { .. }).then_some(hint);
        Self::of(cause).hints_of(hint)
    }
}

hints!(CommitError of Git, Index, Write, Journal, Memory; |_| {
    "unset GIT_DIR and GIT_INDEX_FILE, then commit again"
});

hints!(JournalError, |cause| match cause {
    JournalError::NotAFolder(_) => "replace it with a folder of its own, then run this again",
    JournalError::Tracked { .. } => "run `git status` to see what is wrong with the repository",
    _ => "check the space and rights of `.elophanto/journal` and of the git directory",
});

hints!(MemoryError, |cause| match cause {
    MemoryError::Files(JournalError::NotAFolder(_)) | MemoryError::Taken(_) => {
        "replace it with a folder of its own, then run this again"
    }
    MemoryError::Files(JournalError::Tracked { .. }) => {
        "run `git status` to see what is wrong with the repository"
    }
    MemoryError::RepoName(_) => "use letters, digits, `.`, `_` and `-`",
    MemoryError::Files(JournalError::TooManyFiles { .. }) => {
        "move old ones away with `elophanto agent memory archive`"
    }
    MemoryError::TooLarge { .. } => {
        "a lesson is a sentence or two; write a note for more: elophanto agent note"
    }
    MemoryError::NotJson(_)
    | MemoryError::UnknownKey { .. }
    | MemoryError::Field { .. }
    | MemoryError::NoRecords => {
        "a record has event_type, context, command, lesson, success_rate and tags"
    }
    MemoryError::Files(_) => {
        "check the space and rights of `.elophanto/memory` and of the git directory"
    }
});

impl From<AuthoringError> for Error {
    fn from(cause: AuthoringError) -> Self {
        let hint = cause.hint();
        Self::of(cause).hints_of(hint)
    }
}

hints!(NoPart, |cause| match cause {
    NoPart::Heading { suggestions, .. } if !suggestions.is_empty() => {
        format!("it has: {}", suggestions.join("; "))
    }
    NoPart::Heading { .. } => "leave the heading out to read all of it".to_owned(),
    NoPart::PastEnd { .. } | NoPart::Backwards { .. } => {
        "give lines such as 10-40, counted from 1".to_owned()
    }
    NoPart::Unparsable(_) => "give lines instead".to_owned(),
});

hints!(ClientError);

hints!(ScanError of Journal, Git; |cause| match cause {
    ScanError::Damaged => "run `elophanto index --full`, then again",
    ScanError::NotWanted(_) => {
        "what `scan.patterns` names is described, such as `*.rb` in `scan.patterns.source`, unless \
         `scan.skip` or an ignore file leaves it out, or others made it (`vendor`, `node_modules`)"
    }
    _ => "check the rights of the git directory",
});

hints!(LearnError of Journal, Write, Git; |cause| match cause {
    LearnError::Unreadable(_) => {
        "see what lies there: a link, a folder, or a file that is too large"
    }
    LearnError::Encoding(_) => "save the page as UTF-8 in an editor, then again",
    _ => "check the space and the rights of the git directory",
});

impl From<ScheduleError> for Error {
    fn from(cause: ScheduleError) -> Self {
        let hint = match &cause {
            ScheduleError::Job(_) => "`elophanto schedule add --help` says what a job takes",
            ScheduleError::Neither { .. } => {
                "`--gateway` has your gateway run it; `elophanto schedule print` shows what to put into \
                 another scheduler"
            }
            ScheduleError::NoSystemd { line, .. } => {
                let start = "start it when you log in: `elophanto gateway --ensure`";
                let hint = match line {
                    Some(line) => format!("put this line in by `crontab -e`: {line}"),
                    None => start.to_owned(),
                };
                return Self::of(cause).hint(hint);
            }
            ScheduleError::Taken { .. } => "take another name, or add `--replace`",
            ScheduleError::Unclear(Place::File { .. }) => {
                "`elophanto schedule add` with `--replace` sets it aside, and begins another"
            }
            ScheduleError::Unclear { .. } | ScheduleError::Odd { .. } => {
                "look at it, and remove it by hand if it is of no use"
            }
            _ => "nothing was changed; see what `systemctl --user status` or `crontab -l` says",
        };
        Self::of(cause).hint(hint)
    }
}

impl From<TableError> for Error {
    fn from(cause: TableError) -> Self {
        Self::because(format!("the committed index cannot be written: {cause}"), cause)
            .hint("search works all the same; check the space and rights of `.elophanto/index`")
    }
}

hints!(SearchError, |cause| match cause {
    SearchError::Damaged => "run `elophanto index --full` to build it anew",
    SearchError::UnknownNote(_) => "give the path of a note relative to this folder",
    SearchError::NoSuchLine(_) => "give a line that holds text, or leave it out",
    SearchError::Embed(_) => "search by keyword with `--mode keyword`",
});

impl From<EvalError> for Error {
    fn from(cause: EvalError) -> Self {
        let hint = "a test set is a folder with `corpus.jsonl` (id, title, text), \
                    `queries.jsonl` (id, text) and `qrels.tsv` (query, document, grade)";
        let hint = matches!(cause, EvalError::Set(_)).then_some(hint);
        Self::of(cause).hints_of(hint)
    }
}

hints!(EmbedError);

hints!(ConfigError, Kind::Settings, |cause| match cause {
    ConfigError::Value { origin: Origin::Flag, .. } => "`--help` says what may stand there",
    ConfigError::Marked { .. } => {
        "keep what stands between the marks on one side, and take the marks out"
    }
    _ => "every key with its default: `elophanto init` in an empty folder",
});

impl From<HookError> for Error {
    fn from(cause: HookError) -> Self {
        let hint = match &cause {
            HookError::NoGit { .. } => Some("run `git init` first".to_owned()),
            HookError::Outside { .. } => Some(format!(
                "add this line to its `pre-commit` by hand: {}\n      and to its `post-merge`: {}",
                hooks::by_hand(HookName::PreCommit),
                hooks::by_hand(HookName::PostMerge)
            )),
            HookError::Odd { .. } => Some("git cannot run it; move it away".to_owned()),
            HookError::NotRun { .. } => Some(
                "take the block out with `elophanto hook uninstall`, then install again".to_owned(),
            ),
            HookError::Edited { .. } => {
                Some("put the two together by hand, and remove our block".to_owned())
            }
            HookError::InTheWay { .. } => {
                Some("look at the second, keep the one you need, then install again".to_owned())
            }
            HookError::Git(_) => Some("check the repository with `git status`".to_owned()),
            HookError::Block { .. } | HookError::Io { .. } => None,
        };
        Self::of(cause).hints_of(hint)
    }
}

hints!(StoreError, Kind::Settings, |cause| match cause {
    StoreError::NoHome { .. } => "set HOME to your home folder",
    StoreError::Within { .. } => "set XDG_CONFIG_HOME to a folder outside of the repository",
    StoreError::Shared { .. } => "see what it says, then take the right away: `chmod go-w`",
    StoreError::TooLarge { .. } | StoreError::NoFile { .. } => {
        "move it away; what it trusted then needs trust again"
    }
    StoreError::Read { .. } | StoreError::Write { .. } => {
        "check the rights of your configuration folder"
    }
});

impl From<InitError> for Error {
    fn from(cause: InitError) -> Self {
        let is_in_conflict = matches!(cause, InitError::InConflict { .. });
        Self::of(cause).hints_of(is_in_conflict.then_some("settle it, then run this again"))
    }
}

hints!(WatchError, |_| "index at intervals instead: `elophanto index --every 10m`");

hints!(VaultError, |cause| match cause {
    VaultError::Missing { .. } => {
        "make one by keeping a first secret: `elophanto vault set NAME`".to_owned()
    }
    VaultError::Exists { .. } => "run this again".to_owned(),
    VaultError::Link { .. } => "put the file itself in its place".to_owned(),
    VaultError::NoFile { .. } => "move it away".to_owned(),
    VaultError::Exposed { path, .. } => format!(
        "take the rights away: `chmod 600 {}`; if others may have read it, give it a new \
         passphrase with `elophanto vault rotate`",
        quoted(&path.to_string_lossy())
    ),
    VaultError::SharedFolder { path } => {
        format!("take the right away: `chmod go-w {}`", quoted(&path.to_string_lossy()))
    }
    VaultError::Foreign { .. } => "run this as the user it belongs to".to_owned(),
    VaultError::TooLarge { .. } => NEW_VAULT.to_owned(),
    VaultError::Refused { why, .. } => match why {
        Refusal::Newer(_) => "install the newest version of elophanto".to_owned(),
        Refusal::WrongPassphrase => "try again with the right one".to_owned(),
        Refusal::WrongKey => {
            "forget that key with `elophanto vault lock`, then try again".to_owned()
        }
        Refusal::NotAVault | Refusal::Damaged | Refusal::Costly(_) => NEW_VAULT.to_owned(),
    },
    VaultError::Rekeyed { .. } => "run this again with its new passphrase".to_owned(),
    VaultError::Name => "the value is never given as an argument".to_owned(),
    VaultError::Value(_) => "it is read from a prompt, standard input, or `--value-fd`".to_owned(),
    VaultError::Full => "remove what is not needed: `elophanto vault remove`".to_owned(),
    VaultError::Resources(_) => "free some memory, then try again".to_owned(),
    VaultError::Read { .. } | VaultError::Write { .. } => {
        "check the rights and the space of your data folder".to_owned()
    }
});

/// For what will never open again.
const NEW_VAULT: &str = "bring it back from a backup, or move it away and set your secrets anew";

hints!(LedgerError, |_| "check the rights of your state folder, and what lies there");

hints!(BadPassphrase, |cause| match cause {
    BadPassphrase::Differ => "type the same passphrase twice",
    BadPassphrase::TooShort => "take a few words, or what a password manager makes",
    BadPassphrase::Read(_) => "name a descriptor that is open for reading",
    _ => "a passphrase is one line of text",
});

hints!(KeyringError, |_| "leave out `--remember`; the passphrase is then asked for");

hints!(CheckpointError, |cause| match cause {
    CheckpointError::Busy { .. } | CheckpointError::BusyUnnamed => {
        "wait until it has ended, or end it"
    }
    CheckpointError::BadRun(_) | CheckpointError::UnknownRun(_) => {
        "`elophanto agent runs` lists the runs"
    }
    CheckpointError::ReadOnly { .. } => "make it writable: nothing is changed without a way back",
    CheckpointError::OtherWorkTree { .. } => "run this there",
    CheckpointError::Interrupted { .. } => "`elophanto agent undo --interrupted` takes it all back",
    CheckpointError::Conflicts { .. } => "`--partly` takes back what nobody changed since",
    CheckpointError::TooMany { .. } => "work in a smaller repository, or a part of it",
    CheckpointError::Damaged { .. } => {
        "what it kept may still be found: `git show refs/elophanto/checkpoints/RUN`"
    }
    CheckpointError::Git(_) => "check the repository with `git status`",
    CheckpointError::Outside(_)
    | CheckpointError::OfGit(_)
    | CheckpointError::RunExists(_)
    | CheckpointError::Io { .. }
    | CheckpointError::Journal(_) => "check the disk and the rights of `.git/elophanto`",
});

hints!(SessionsError, |cause| match cause {
    SessionsError::BadId(_)
    | SessionsError::Missing(_)
    | SessionsError::NoneNamed(_)
    | SessionsError::NoneBegins(_) => "`elophanto agent sessions` lists them",
    SessionsError::Ambiguous { .. } => "give more of the id",
    SessionsError::Busy(_) => "wait until that run has ended, or begin a new session",
    SessionsError::Damaged { .. } => "move it away, or begin a new session",
    SessionsError::Newer { .. } => "update elophanto, or begin a new session",
    SessionsError::Io { .. } => "check the disk and the rights of that folder",
});

hints!(TrailsError, |cause| match cause {
    TrailsError::BadPrefix(_) | TrailsError::Missing(_) => "`elophanto agent runs` lists them",
    TrailsError::Ambiguous { .. } => "give more of the id",
    TrailsError::Io { .. } | TrailsError::Log(_) | TrailsError::Stopped => {
        "check the disk and the rights of that folder"
    }
});

hints!(AgentError of Session, Trail; |cause| match cause {
    AgentError::OtherRoot { .. } => "go on there, or without `--session` begin another one here",
    AgentError::EmptyGoal => "say what is to be done: elophanto agent run 'GOAL'",
    _ => "put the text into a file and name the file in the goal",
});

impl From<CompactError> for Error {
    fn from(cause: CompactError) -> Self {
        match cause {
            CompactError::Session(cause) => cause.into(),
            CompactError::Brain(cause) => {
                let hint = cause.hint.clone();
                Self::of(cause).hints_of(hint)
            }
            CompactError::Nothing => Self::of(cause).hint("say something first"),
            CompactError::Empty => Self::of(cause).hint("try again, or begin anew with `/clear`"),
            CompactError::NoShorter { .. } => {
                Self::of(cause).hint("it is short already; `/clear` begins anew")
            }
        }
    }
}

hints!(SkillError, |cause| match cause {
    SkillError::Name { .. } => "use lower case letters, digits and hyphens",
    SkillError::Source { .. } => "give a folder, an https or ssh address, or hub:NAME",
    SkillError::Form { .. } | SkillError::NoSkill(_) => {
        "a skill is a folder with a SKILL.md that begins with name and description"
    }
    SkillError::Several { .. } => "add `#` and one of the folders to the address",
    SkillError::TooLarge { .. } | SkillError::FileName { .. } => "tell whoever made it",
    SkillError::Git { .. } => "check the address and the connection",
    SkillError::NoHub => {
        "set `agent.hub` in your own settings: builtin, a folder, or the address of a git \
         repository of skills"
    }
    SkillError::Hub(_) => {
        "set `agent.hub` in your own settings: builtin, a folder from `/` or `~/` on, or an \
         https, ssh or file:// address"
    }
    SkillError::Unpublished(_) => "mend it and publish again; nothing was written",
    SkillError::HubNotRead => "`elophanto agent hub search` reads it",
    SkillError::NotInHub(_) => "`elophanto agent hub search` says what there is",
    SkillError::NotInstalled(_) => "`elophanto agent skill list` says what is",
    SkillError::Renamed { .. } => "tell whoever keeps the hub",
    SkillError::NotAgreed(_) | SkillError::Overtaken(_) => "run it again and look at what is shown",
    SkillError::Occupied(_) => "move it away, or give the skill another name",
    SkillError::Lock { .. } => "move it away and install the skills again",
    SkillError::Tampered(_) => "`elophanto agent skill update` brings it back",
    SkillError::Io { source, .. } if is_link(source) => "replace the link with a folder of its own",
    SkillError::Io { .. } => "check the disk and the rights of that folder",
});

hints!(PluginError, |cause| match cause {
    PluginError::Name(_) => "use a-z, 0-9 and `_`, beginning with a letter",
    PluginError::Missing { .. } => {
        "a plugin is a folder below `plugins/`; `elophanto agent plugin new NAME` makes one"
    }
    PluginError::Exists { .. } => "give it another name, or work on the one that is there",
    PluginError::Untested { .. } => "mend it until its tests pass",
    PluginError::Changed { .. } => "run it again and look at what is shown",
    PluginError::Manifest(_) => "mend it by hand, or bring it back with git",
    _ => "a plugin has plugin.*, test_plugin.*, README.md and schema.json",
});

hints!(
    ModelError,
    |_| "a model is a folder with model.safetensors, config.json and tokenizer.json of the \
             BERT family"
);

hints!(ObjectStoreError, Kind::System, |cause| match cause {
    ObjectStoreError::Address { .. } => {
        "an address is s3://BUCKET/FOLDER, gs://BUCKET/FOLDER, az://CONTAINER/FOLDER or \
         file:///FOLDER"
    }
    ObjectStoreError::NoKey { .. } => {
        "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (or AWS_ROLE_ARN and \
         AWS_WEB_IDENTITY_TOKEN_FILE in CI), or keep the keys in the vault as \
         `aws-access-key-id` and `aws-secret-access-key`; for gs:// \
         GOOGLE_APPLICATION_CREDENTIALS, for az:// AZURE_STORAGE_ACCOUNT_NAME and \
         AZURE_STORAGE_ACCOUNT_KEY"
    }
    ObjectStoreError::Denied { .. } => {
        "check the key, and what it may do there: reading needs to get and list objects, \
         publishing to create them below `inbox/`, folding to write and delete all of them"
    }
    ObjectStoreError::Clock { .. } => "set the clock of this machine right, then try again",
    ObjectStoreError::NoBucket { .. } => {
        "make the bucket first, or check its name, AWS_REGION and AWS_ENDPOINT_URL"
    }
    ObjectStoreError::Unreachable { place, .. } if place.starts_with("file:") => {
        "see that what the folder lies on is mounted, then try again"
    }
    ObjectStoreError::Unreachable { .. } => {
        "check the network and AWS_ENDPOINT_URL, then try again: nothing is half done"
    }
    ObjectStoreError::OddName { .. } => "remove it with the program of your store",
    ObjectStoreError::Careless { .. } => {
        "such a store loses what two write at once; use one that refuses a second create: S3, \
         Google, Azure, R2, MinIO and Ceph do"
    }
    ObjectStoreError::TooLarge { .. } => "it is none of ours; remove it from the bucket",
    ObjectStoreError::Disk { .. } => "check the disk and the rights of that folder",
    ObjectStoreError::Other { place, .. } if place.starts_with("file:") => {
        "check that the folder is there, and may be read and written"
    }
    ObjectStoreError::Other { .. } => {
        "check address, keys and region; behind an endpoint of your own, AWS_ENDPOINT_URL"
    }
});

impl From<FleetError> for Error {
    fn from(cause: FleetError) -> Self {
        let hint = match cause {
            FleetError::Store(cause) => return cause.into(),
            FleetError::Nothing { .. } => {
                "`elophanto publish URL` in a repository begins one; check the address"
            }
            FleetError::Format { found, known, .. } if found < known => {
                "an older elophanto made it, and git holds all of it: remove `kb.json` and `chunks-*.lance` \
                 there, publish each repository again, and fold"
            }
            FleetError::Format { .. } => "use a newer elophanto, or another address",
            FleetError::Undeclared { .. } => "give an address of its own to the knowledge base",
            FleetError::Busy { .. } => "fold from one place only, then try again",
            FleetError::TooOld { .. } => "for what is older ask the repositories: `search --at`",
            FleetError::Damaged { .. } => {
                "remove the table and publish all repositories again: tables hold nothing that git \
                 does not"
            }
            FleetError::TooSlow { .. } => "check the network, then try again",
        };
        Self::of(cause).kind(Kind::System).hint(hint)
    }
}
