//! The table of what secrets look like.
//!
//! A pattern takes a whole run of the characters that such a secret is made of; how long it must
//! be stands beside it. So patterns stay small, and a longer run, which is something else, is not
//! cut to fit.

use std::ops::RangeInclusive;

use super::judge;

/// One form.
pub(super) struct Rule {
    /// What people call it.
    pub(super) kind: &'static str,
    /// The last group is the secret; a group before it is context for the judge.
    pub(super) pattern: &'static str,
    /// One of these is in every text that the pattern matches, in whatever case (given in lower
    /// case): looking for them is cheaper than making the pattern.
    pub(super) hints: &'static [&'static str],
    /// Bytes of the secret.
    pub(super) lengths: RangeInclusive<usize>,
    /// Has the last word.
    pub(super) judge: fn(&Candidate<'_>) -> bool,
    /// Whether the form alone gives it away.
    pub(super) certain: bool,
}

/// What a pattern took.
pub(super) struct Candidate<'a> {
    pub(super) secret: &'a str,
    /// What the pattern took before the secret.
    pub(super) context: &'a str,
    /// All of the text before the secret.
    pub(super) before: &'a str,
    /// All of the text behind it.
    pub(super) after: &'a str,
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        kind: "AWS access key id",
        pattern: r"(?-u:\b)((?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]+)",
        hints: &["akia", "asia", "abia", "acca"],
        lengths: 20..=20,
        judge: judge::capitals,
        certain: true,
    },
    form(
        "AWS secret access key",
        r#"(?i-u:aws[_-]?secret[_-]?(?:access[_-]?)?key|secret[_-]?access[_-]?key)["'`\]]{0,2}[ \t]*(?:=>|:=|[=:,])[ \t]*["'`]?([A-Za-z0-9/+]+)"#,
        &["key"],
        40..=40,
    ),
    form(
        "GitHub token",
        r"(?-u:\b)(gh[pousr]_[A-Za-z0-9]+)",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        40..=260,
    ),
    form("GitHub token", r"(?-u:\b)(github_pat_[A-Za-z0-9_]+)", &["github_pat_"], 82..=260),
    form(
        "GitLab token",
        r"(?-u:\b)(gl(?:pat|dt|rt|ptt|ft|soat|imt|agent|cbt)-[A-Za-z0-9_-]+)",
        &["glpat-", "gldt-", "glrt-", "glptt-", "glft-", "glsoat-", "glimt-", "glagent-", "glcbt-"],
        25..=260,
    ),
    form("DigitalOcean token", r"(?-u:\b)(do[opr]_v1_[a-f0-9]+)", &["_v1_"], 71..=71),
    Rule {
        kind: "Slack token",
        pattern: r"(?-u:\b)(xox[abceoprs]-[A-Za-z0-9-]+|xapp-[0-9]-[A-Za-z0-9-]+)",
        hints: &["xox", "xapp-"],
        lengths: 24..=260,
        judge: judge::last_part,
        certain: true,
    },
    Rule {
        kind: "Slack webhook",
        pattern: r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9_/]+)",
        hints: &["hooks.slack.com/"],
        lengths: 36..=100,
        judge: judge::last_part,
        certain: true,
    },
    form(
        "Discord webhook",
        r"discord(?:app)?\.com/api/(?:v[0-9]+/)?webhooks/[0-9]+/([A-Za-z0-9_-]+)",
        &["/webhooks/"],
        60..=80,
    ),
    form("Vault token", r"(?-u:\b)(hv[sbr]\.[A-Za-z0-9_-]+)", &["hvs.", "hvb.", "hvr."], 28..=260),
    form("age key", r"AGE-SECRET-KEY-(1[A-Z0-9]+)", &["age-secret-key-1"], 59..=59),
    form("Google API key", r"(?-u:\b)(AIza[0-9A-Za-z_-]+)", &["aiza"], 39..=39),
    form(
        "Google access token",
        r"(?-u:\b)(ya29\.(?:[a-z]\.)?[A-Za-z0-9_-]+)",
        &["ya29."],
        40..=2_048,
    ),
    form("Google client secret", r"(?-u:\b)(GOCSPX-[0-9A-Za-z_-]+)", &["gocspx-"], 35..=35),
    form("Anthropic API key", r"(?-u:\b)(sk-ant-[A-Za-z0-9_-]+)", &["sk-ant-"], 40..=260),
    form("OpenRouter API key", r"(?-u:\b)(sk-or-[A-Za-z0-9_-]+)", &["sk-or-"], 40..=160),
    form(
        "OpenAI API key",
        r"(?-u:\b)(sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]+)",
        &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-none-"],
        45..=300,
    ),
    form("OpenAI API key", r"(?-u:\b)(sk-[A-Za-z0-9]+)(?-u:\b)", &["sk-"], 35..=70),
    form("Stripe live key", r"(?-u:\b)([sr]k_live_[A-Za-z0-9]+)", &["k_live_"], 24..=260),
    // Behind `test`, which a secret does not hold.
    form("Stripe test key", r"(?-u:\b)[sr]k_test_([A-Za-z0-9]+)", &["k_test_"], 16..=250),
    form("Stripe webhook secret", r"(?-u:\b)(whsec_[A-Za-z0-9]+)", &["whsec_"], 38..=70),
    form("SendGrid API key", r"(?-u:\b)(SG\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)", &["sg."], 69..=69),
    form("npm token", r"(?-u:\b)(npm_[A-Za-z0-9]+)", &["npm_"], 40..=40),
    form(
        "PyPI token",
        r"(?-u:\b)(pypi-(?:AgEIcHlwaS5vcmc|AgENdGVzdC5weXBpLm9yZw)[A-Za-z0-9_-]+)",
        &["pypi-age"],
        70..=2_000,
    ),
    form("Hugging Face token", r"(?-u:\b)(hf_[A-Za-z0-9]+)", &["hf_"], 37..=43),
    form(
        "Azure storage key",
        r#"(?i-u:account[_-]?key|storage[_-]?key|access[_-]?key)["'`\]]{0,2}[ \t]*[=:][ \t]*["'`]?([A-Za-z0-9+/]+==)"#,
        &["key"],
        88..=88,
    ),
    Rule {
        kind: "JSON web token",
        pattern: r"(?-u:\b)(eyJ[A-Za-z0-9_-]+\.eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)",
        hints: &["eyj"],
        lengths: 60..=20_000,
        judge: judge::web_token,
        certain: true,
    },
    form(
        "access token",
        concat!(
            r"(?-u:\b)((?:glsa_|glc_|gsk_|xai-|r8_|rpa_|figd_|lin_api_|ntn_|PMAK-|pul-|pscale_(?:tkn|pw|oauth)_",
            r"|dp\.[a-z]{2,5}\.|sbp_|rubygems_|NRAK-|sntry[su]_|xkeysib-|pplx-|nvapi-|lsv2_[ps]t_|shp(?:at|ca|pa|ss)_",
            r"|tskey-[a-z]+-|CFPAT-|ATATT3x|ATBB|dapi|fo1_|[A-Za-z0-9]{14}\.atlasv1\.)[A-Za-z0-9_=-]+)"
        ),
        &[
            "glsa_", "glc_", "gsk_", "xai-", "r8_", "rpa_", "figd_", "lin_api_", "ntn_", "pmak-",
            "pul-", "pscale_", "dp.", "sbp_", "rubygems_", "nrak-", "sntry", "xkeysib-", "pplx-",
            "nvapi-", "lsv2_", "shp", "tskey-", "cfpat-", "atatt3x", "atbb", "dapi", "fo1_",
            ".atlasv1.",
        ],
        32..=400,
    ),
    form(
        "Azure client secret",
        r"(?-u:\b)([A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]+)",
        &["q~"],
        37..=40,
    ),
    form(
        "private key",
        r"Private-Lines: [0-9]+[\r\n]+([A-Za-z0-9+/=\r\n]+)",
        &["private-lines"],
        40..=8_000,
    ),
    form("Docker access token", r"(?-u:\b)(dckr_pat_[A-Za-z0-9_-]+)", &["dckr_pat_"], 36..=40),
    form("Telegram bot token", r"(?-u:\b)([0-9]{8,10}:AA[A-Za-z0-9_-]+)", &[":aa"], 44..=46),
    Rule {
        kind: "password in a URL",
        pattern: r#"[A-Za-z0-9]://([^\x00-\x20\x7f/?#@:"'<>`()\[\]|\\]*):([^\x00-\x20\x7f/?#@"'<>`()\[\]|\\]+)@"#,
        hints: &["://"],
        lengths: 6..=128,
        judge: judge::url_password,
        certain: true,
    },
    Rule {
        kind: "password in a command",
        pattern: concat!(
            // After the user, as curl has it.
            r#"(?-u:\s)(?:-u|--user|--proxy-user)(?:=|[ \t]*)["']?([A-Za-z0-9._@+-]+):([^\x00-\x20\x7f"'`<>|;()\\]+)"#,
            // Behind a letter, of programs for which it is one.
            r#"|(?:(?-u:\b)(?:(?:mysql|mariadb)[a-z-]*[ \t](?:[^\n|;&]*?[ \t])?-p|sshpass[ \t]+-p[ \t]*"#,
            r#"|login[ \t](?:[^\n|;&]*?[ \t])?-p[ \t]+|redis-cli[ \t](?:[^\n|;&]*?[ \t])?-a[ \t]+"#,
            r#"|(?:PGPASSWORD|MYSQL_PWD|REDISCLI_AUTH|SSHPASS|RESTIC_PASSWORD|BORG_PASSPHRASE)=)"#,
            // Of databases, in their own language or settings.
            r#"|(?i-u:identified[ \t]+by)[ \t]+|(?-u:\b)requirepass[ \t]+"#,
            r#"|(?-u:\s)--[a-z-]*pass(?:word|wd|phrase)?[ \t]+)["']?([^\x00-\x20\x7f"'`<>|;()\\]+)"#
        ),
        hints: &["-u", "-p", "-a", "pass", "_pwd", "_auth", "identified"],
        lengths: 6..=128,
        judge: judge::password_in_command,
        certain: false,
    },
    Rule {
        kind: "password in .pgpass",
        // Host, port, database and user before it.
        pattern: concat!(
            r#"(?:(?-u:\b)[A-Za-z0-9][A-Za-z0-9_.-]*|\*):(?:[0-9]{4,5}|\*):"#,
            r#"(?:[A-Za-z_][A-Za-z0-9_.-]*|\*):([A-Za-z_][A-Za-z0-9_.@-]*):([^\x00-\x20\x7f"'`:|<>]+)"#
        ),
        hints: &["0:", "1:", "2:", "3:", "4:", "5:", "6:", "7:", "8:", "9:", "*:"],
        lengths: 6..=128,
        judge: judge::last_field,
        certain: false,
    },
    Rule {
        kind: "bearer token",
        pattern: r#"(?i-u:(?-u:\b)bearer)[ \t]+([A-Za-z0-9._~+/=-]+)"#,
        hints: &["bearer"],
        lengths: 16..=4_000,
        judge: judge::bearer,
        certain: false,
    },
    Rule {
        kind: "bearer token",
        pattern: r#"(?i-u:authorization)["'`\]]{0,2}[ \t]*[:=,][ \t]*["'`]?(?i-u:bearer|basic|token)[ \t]+([A-Za-z0-9._~+/=-]+)"#,
        hints: &["authorization"],
        lengths: 16..=4_000,
        judge: judge::named,
        certain: false,
    },
    Rule {
        kind: "secret by its name",
        pattern: concat!(
            "(?i-u:(?:api|access|auth|account|encryption|signing|private)[ _-]?key",
            "|secret(?:[ _-]?key)?(?:[_-]?base)?|token|passw(?:or[dt]|d)|passphrase|pwd|credentials?",
            r"|(?:[a-z0-9][_-]|(?-u:\b))(?:pass|pw))",
            // Also between the marks of Markdown, and in the next cell of a table.
            r#"(["'`\]*_]{0,3}[ \t]*(?:=>|:=|[=:|])[*_]{0,2}[ \t]*|["'`*_]{0,3}[ \t]+(?:is|was|ist|lautet):?[ \t]+)"#,
            r#"(?:"([^\x00-\x20\x7f"\\]+)"|'([^\x00-\x20\x7f'\\]+)'|`([^\x00-\x20\x7f`\\]+)`"#,
            r#"|([^\x00-\x20\x7f"'`,;()\[\]{}<>|\\]+))"#
        ),
        hints: &["key", "secret", "token", "pass", "pw", "credential"],
        lengths: 8..=512,
        judge: judge::named,
        certain: false,
    },
    Rule {
        kind: "secret by its name",
        // As a Dockerfile may have it: without `=`.
        pattern: concat!(
            "(?-u:\\b)ENV[ \\t]+[A-Za-z0-9_]*(?i-u:(?:api|access|auth|account|encryption|signing|private)_?key",
            "|secret(?:_?key)?(?:_?base)?|token|passw(?:or[dt]|d)|passphrase|pwd|credentials?|_pass|_pw)",
            r#"([ \t]+)["']?([^\x00-\x20\x7f"'`,;()\[\]{}<>|\\]+)"#
        ),
        hints: &["env"],
        lengths: 8..=512,
        judge: judge::named,
        certain: false,
    },
    Rule {
        kind: "secret by its name",
        // Between its tags.
        pattern: concat!(
            r#"(?i-u:(passw(?:or[dt]|d)|passphrase|pwd|secret|token|(?:api|access|private)[_-]?key))["']?>"#,
            r"[ \t]*([^\x00-\x20\x7f<>]+)[ \t]*</"
        ),
        hints: &["</"],
        lengths: 8..=512,
        judge: judge::placed,
        certain: false,
    },
    Rule {
        kind: "secret by its name",
        // `name: DB_PASSWORD` above or beside its `value:`.
        pattern: concat!(
            r#"(?i-u:(?-u:\b)(?:name|key)["']?[ \t]*[:=][ \t]*["']?[a-z0-9_.-]*"#,
            r#"(passw(?:or[dt]|d)|passphrase|pwd|secret|token|(?:api|access|private)[_-]?key)["']?,?[ \t]*"#,
            r#"(?:\r?\n[ \t]*)?["']?value["']?[ \t]*[:=])[ \t]*"#,
            r#"(?:"([^\x00-\x20\x7f"]+)"|'([^\x00-\x20\x7f']+)'|([^\x00-\x20\x7f"',{}]+))"#
        ),
        hints: &["value"],
        lengths: 8..=512,
        judge: judge::placed,
        certain: false,
    },
];

/// A secret whose form alone gives it away, if it looks made by a machine.
const fn form(
    kind: &'static str,
    pattern: &'static str,
    hints: &'static [&'static str],
    lengths: RangeInclusive<usize>,
) -> Rule {
    Rule { kind, pattern, hints, lengths, judge: judge::strong, certain: true }
}
