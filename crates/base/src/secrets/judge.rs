//! What only looks like a secret: placeholders, words, ids, hashes.

use super::{rules::Candidate, said::Named};

/// Words that stand where a secret would. All have four letters or more: a random key holds one
/// of them once in ten thousand times.
const PLACEHOLDERS: &[&str] = &[
    "example", "sample", "placeholder", "changeme", "change-me", "change_me", "your", "replace",
    "dummy", "fake", "redacted", "insert", "foobar", "password", "passwd", "w0rd", "s3cr3t",
    "secret", "token", "apikey", "api_key", "api-key", "mykey", "my_key", "my-key", "notreal",
    "not-real", "invalid", "goes-here", "goes_here", "todo", "test", "demo", "lorem", "hidden",
    "xxxx", "****", "....", "____", "----",
];

/// Signs that the value is filled in later.
const TEMPLATES: &[&str] = &["${", "$(", "{{", "}}", "<%", "%>", "#{", "%s", "...", "…", "***"];

/// The token that the site on JSON web tokens shows, the key of Azure's storage emulator, and keys that Stripe
/// shows: in documentation everywhere, and keys to nothing.
const PUBLIC: &[&str] = &[
    "eyJzdWIiOiIxMjM0NTY3ODkwIi",
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50u",
    "4eC39HqLyjWDarjtT1zdp7dc",
    "BQokikJOvBiI2HlWgH4olfQ2",
    "26PHem9AhJZvU623DfE1x4sd",
];

/// Characters before a password that are looked at.
const MOST_BEFORE: usize = 256;

/// Bits per character below which a long value is no random one.
const MIN_ENTROPY: f64 = 3.0;

/// For forms that nothing else has: everything but placeholders.
pub(super) fn strong(candidate: &Candidate<'_>) -> bool {
    random(candidate.secret)
}

/// For forms in capitals, which may lack a digit.
pub(super) fn capitals(candidate: &Candidate<'_>) -> bool {
    !is_placeholder(candidate.secret) && entropy(candidate.secret) >= MIN_ENTROPY
}

/// For forms of several parts of which the last is the secret one.
pub(super) fn last_part(candidate: &Candidate<'_>) -> bool {
    let last = candidate.secret.rsplit(['-', '/']).next().unwrap_or_default();
    let numbered = candidate.secret.bytes().any(|byte| byte.is_ascii_digit());
    last.len() >= 12 && numbered && random(last) && !is_placeholder(candidate.secret)
}

/// Header and payload tell nothing; the signature must be one.
pub(super) fn web_token(candidate: &Candidate<'_>) -> bool {
    let signature = candidate.secret.rsplit('.').next().unwrap_or_default();
    let public = PUBLIC.iter().any(|known| candidate.secret.contains(known));
    signature.len() >= 20 && !public && random(signature)
}

/// For a password between user and host.
pub(super) fn url_password(candidate: &Candidate<'_>) -> bool {
    let (user, password) = (candidate.context, candidate.secret);
    let host_end = |char: char| !(char.is_ascii_alphanumeric() || "-._[".contains(char));
    // The `@` stands between.
    let host = candidate.after.get(1..).unwrap_or_default();
    let host = host.split(host_end).next().unwrap_or_default().to_ascii_lowercase();
    let local = ["localhost", "127.0.0.1", "0.0.0.0", "[", "host", "hostname", "server"];
    let top = host.rsplit('.').next().unwrap_or_default();
    let nowhere = local.contains(&host.as_str())
        || host.is_empty()
        || host.split('.').any(|part| part == "example")
        || ["test", "invalid", "localhost"].contains(&top);
    !nowhere && !password.eq_ignore_ascii_case(user) && is_password(password)
}

/// For a password in a line of a shell.
pub(super) fn password_in_command(candidate: &Candidate<'_>) -> bool {
    let (user, password) = (candidate.context, candidate.secret.trim_end_matches(['.', ',']));
    !password.eq_ignore_ascii_case(user) && is_password(password) && !is_reference(password)
}

/// Whether what stands in the place of a password is meant as one.
fn is_password(value: &str) -> bool {
    !is_common(value)
        && !is_placeholder(value)
        && !value.starts_with(['$', '%', '{', '*'])
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
        && classes(value) >= 2
        // Who mixes all kinds of characters meant it as a password, even of words.
        && (classes(value) == 4 || !is_plain_words(value))
        && entropy(value) >= 2.0
}

/// How values begin that documentation is full of.
const COMMON: &[&str] =
    &["pass", "admin", "root", "guest", "user", "abc", "foo", "bar", "hello", "pw"];

fn is_common(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    COMMON.iter().any(|word| lower.starts_with(word))
}

/// For a value behind a name such as `api_key`.
pub(super) fn named(candidate: &Candidate<'_>) -> bool {
    let is_asked = in_query(candidate);
    let value = candidate.secret.split('&').next().filter(|_| is_asked).unwrap_or(candidate.secret);
    let is_cut_off = value.ends_with("...");
    let value = value.trim_end_matches(['.', ':', '!', '?', '*']);
    let quoted = candidate.before.ends_with(['"', '\'', '`']);
    // `NAME=value`, as in the environment, is as clear as quotes are. In the query of a URL, where badges have
    // short tokens that everybody may know, only that of a password.
    let is_open = is_asked && !is_named(candidate, PASSWORDS);
    // Behind blanks alone stands what a Dockerfile sets.
    let is_set = !candidate.context.is_empty() && candidate.context.trim().is_empty();
    let assigned = quoted || is_set || (candidate.context == "=" && !is_open);
    // `password: value` says what it is, where nothing follows, and so does a row of a table; a key's
    // or token's value is longer.
    let marks = |char: char| char.is_whitespace() || "\"'`]*_".contains(char);
    let context = candidate.context.trim_matches(marks);
    let is_alone = candidate.after.chars().next().is_none_or(char::is_whitespace);
    let is_password_name = is_named(candidate, PASSWORDS) || is_named(candidate, SHORT_PASSWORDS);
    let told = [":", "|"].contains(&context) && is_password_name && is_alone;
    // In a sentence, only a value that nothing else looks like.
    let is_said = context.starts_with(|char: char| char.is_ascii_alphabetic());
    let is_meant = is_named(candidate, PASSWORDS) || is_password_name && !is_said;
    let is_last = candidate.after.trim_start_matches([' ', '\t', '|']).starts_with(['\r', '\n'])
        || candidate.after.trim().is_empty();
    let is_odd = candidate.secret.contains(ODD);
    let is_mixed = is_meant
        && classes(value) == 4
        && (quoted || is_odd || (!is_said && (assigned || is_last)))
        && !is_common(value);
    let calls = candidate.after.starts_with(['(', '[', '{', '<', '\\', '|']);
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    // Where a password stands, words with a number are one too, but for a type in a table.
    let is_given = is_meant
        && (assigned || told && context == ":")
        && !is_common(value)
        && (quoted || !is_named(candidate, &["pwd"]) && !is_member(value));
    let long = value.len() >= 20 && !is_given;
    !is_named(candidate, OPEN)
        && !is_cut_off
        && (!is_said || is_mixed)
        && value.len() >= if assigned || told || is_mixed { 8 } else { 20 }
        && !calls
        && letters >= 3
        && digits >= if long { 2 } else { 1 }
        && (long || is_given || classes(value) >= 3)
        && entropy(value) >= if long { 3.3 } else { 2.75 }
        && !is_placeholder(value)
        && !is_reference(value)
        && (is_mixed || is_given && assigned || !is_plain_words(value))
        && (is_mixed || is_given || !is_mostly_words(value))
        && (!is_id_or_hash(value) || is_key_in_hex(value) && is_named(candidate, SECRETS))
}

/// What words and names hold none of.
const ODD: [char; 11] = ['!', '@', '#', '$', '%', '^', '&', '+', '=', '?', '~'];
/// What no word of a sentence holds that is a secret.
const DIVIDERS: &[u8] = b"\"'`,;()[]{}<>|\\";

/// For a word of a sentence: what looks like nothing else.
pub(super) fn said(value: &str, named: Named) -> bool {
    let count = |test: fn(&u8) -> bool| value.bytes().filter(test).count();
    let is_hex = named == Named::Key && is_key_in_hex(value);
    let is_long = matches!(named, Named::Key | Named::Token);
    let looks = changes(value) >= 3 && value.len() <= 128 || is_hex;
    let is_odd = value.contains(ODD);
    let is_mixed = !is_long && is_odd && classes(value) == 4;
    let least = if is_long { 16 } else { 8 };
    value.len() >= least
        && value.bytes().all(|byte| byte.is_ascii_graphic() && !DIVIDERS.contains(&byte))
        && count(u8::is_ascii_alphabetic) >= 3
        && count(u8::is_ascii_digit) >= 1
        && (looks || is_mixed)
        && entropy(value) >= if value.len() >= 20 { 3.3 } else { 2.75 }
        && !is_common(value)
        && !is_placeholder(value)
        && !is_reference(value)
        && !is_member(value)
        && !value.starts_with("0x")
        && (is_mixed || !is_plain_words(value) && !is_mostly_words(value))
        && (is_hex || !is_id_or_hash(value))
}

/// For the word behind `Bearer`.
pub(super) fn bearer(candidate: &Candidate<'_>) -> bool {
    let value = candidate.secret.strip_suffix('.').unwrap_or(candidate.secret);
    let is_cut_off = value.ends_with('.') || candidate.after.starts_with('…');
    // A JSON web token has a rule of its own.
    !is_cut_off && !value.starts_with("eyJ") && said(value, Named::Key)
}

/// For the last field of a line of `.pgpass`.
pub(super) fn last_field(candidate: &Candidate<'_>) -> bool {
    let is_border = |char: char| char.is_whitespace() || "\"'`|>".contains(char);
    let fields = candidate.before.chars().rev().take(MOST_BEFORE);
    let is_path = fields.take_while(|char| !is_border(*char)).any(|char| char == '/');
    !is_path && !candidate.after.starts_with([':', '<']) && password_in_command(candidate)
}

/// For a value whose name stands around it or beside it.
pub(super) fn placed(candidate: &Candidate<'_>) -> bool {
    let name = candidate.context.to_ascii_lowercase();
    let is_password = name.starts_with("pass") || name == "pwd";
    said(candidate.secret, if is_password { Named::Password } else { Named::Key })
}

/// `1:4.13+dfsg1-1`, `0.8.0=py312h14ff09d_1`.
fn is_version(value: &str) -> bool {
    let digit = |char: char| char.is_ascii_digit();
    let rest = value.trim_start_matches(digit);
    rest.len() < value.len() && rest.starts_with(['.', ':']) && rest[1..].starts_with(digit)
}

/// How often letters, their case, and digits change within a word: `Zx81kqPw77mm` five times, `OAuth2Client` twice.
/// What a name is divided by changes nothing.
pub(super) fn changes(value: &str) -> usize {
    let is_change = |(a, b): (char, char)| {
        let divides = |char: char| "-._/:".contains(char);
        let kind = |char: char| match char {
            'a'..='z' => 0,
            'A'..='Z' => 1,
            '0'..='9' => 2,
            _ => 3,
        };
        // `Word` is written so.
        let is_capital = a.is_ascii_uppercase() && b.is_ascii_lowercase();
        !divides(a) && !divides(b) && !is_capital && kind(a) != kind(b)
    };
    value.chars().zip(value.chars().skip(1)).filter(|pair| is_change(*pair)).count()
}

/// `config.value`: it says where a program has it.
fn is_member(value: &str) -> bool {
    value.contains('.') && value.split('.').all(|part| part.starts_with(char::is_alphabetic))
}

/// Names of tokens that open nothing: the next page of a list, an article that was shared.
const OPEN: &[&str] = &[
    "nexttoken", "next_token", "pagetoken", "page_token", "paging_token", "sharing_token",
    "updatetoken", "changetoken",
];

/// Names of what is secret even where it looks like the hash of something.
const SECRETS: &[&str] = &[
    "secret", "secret_key", "secret-key", "secret key", "secretkey", "secret_key_base",
    "signing_key", "encryption_key", "passphrase", "password", "api key", "api_key", "api-key",
    "apikey",
];

/// What `openssl rand -hex 16` and its like make.
fn is_key_in_hex(value: &str) -> bool {
    value.len() >= 32 && value.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Names of passwords, and those that are words of sentences too.
const PASSWORDS: &[&str] = &["password", "passwort", "passwd", "passphrase", "pwd"];
const SHORT_PASSWORDS: &[&str] = &["pass", "pw"];

/// Whether the name before the value ends with one of these.
fn is_named(candidate: &Candidate<'_>, names: &[&str]) -> bool {
    let quotes = ['"', '\'', '`'];
    let before = candidate.before.trim_end_matches(quotes);
    let before = before.strip_suffix(candidate.context.trim_end_matches(quotes));
    let before = before.unwrap_or_default();
    let ends_with = |name: &&str| {
        let tail = before.len().checked_sub(name.len()).and_then(|at| before.as_bytes().get(at..));
        tail.is_some_and(|tail| tail.eq_ignore_ascii_case(name.as_bytes()))
    };
    names.iter().any(ends_with)
}

/// Whether the name before the value follows a `?` or `&`.
fn in_query(candidate: &Candidate<'_>) -> bool {
    let before = candidate.before.strip_suffix(candidate.context).unwrap_or_default();
    let name = |char: char| char.is_ascii_alphanumeric() || "_-".contains(char);
    before.trim_end_matches(name).ends_with(['?', '&'])
}

fn random(secret: &str) -> bool {
    !is_placeholder(secret)
        && classes(secret) >= 2
        && entropy(secret) >= MIN_ENTROPY
        && !is_plain_words(secret)
}

fn is_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let says = |word: &str| {
        let mut places = lower.match_indices(word);
        places.any(|(at, found)| is_one_word(&value[at..at + found.len()]))
    };
    PLACEHOLDERS.iter().chain(TEMPLATES).any(|word| says(word))
        || PUBLIC.iter().any(|known| value.contains(known))
        || is_pattern(value.as_bytes())
}

/// `todo`, `TODO` or `Todo`; `TOdo` is chance.
fn is_one_word(part: &str) -> bool {
    let lower = |byte: u8| !byte.is_ascii_uppercase();
    let upper = |byte: u8| !byte.is_ascii_lowercase();
    part.bytes().skip(1).all(lower) || part.bytes().all(upper)
}

/// `aaaaaa`, `12345`, `abc123def456`, `deadbeefdeadbeef`.
fn is_pattern(value: &[u8]) -> bool {
    let (mut same, mut rising, mut steps) = (1, 1, 0);
    for pair in value.windows(2) {
        let step = pair[0].is_ascii_alphanumeric() && pair[1] == pair[0] + 1;
        steps += usize::from(step);
        rising = if step { rising + 1 } else { 1 };
        same = if pair[1] == pair[0] { same + 1 } else { 1 };
        if same >= 6 || rising >= 5 {
            return true;
        }
    }
    let half = value.len() / 2;
    let repeats = half >= 4 && (4..=half).any(|period| repeats_with(value, period));
    steps * 3 >= value.len() || repeats
}

/// Only short periods are tried on long values, so that the time stays linear.
fn repeats_with(value: &[u8], period: usize) -> bool {
    period <= 32 && value.iter().skip(period).eq(&value[..value.len() - period])
}

/// A path, an address, a variable, an expression: it says where the secret is, not what it is.
fn is_reference(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let email = value.split_once('@').is_some_and(|(user, domain)| {
        let domain = domain.trim_end_matches(|char: char| !char.is_ascii_alphanumeric());
        let top = domain.rsplit('.').next().unwrap_or_default();
        !user.is_empty()
            && domain.contains('.')
            && (2..=6).contains(&top.len())
            && top.bytes().all(|byte| byte.is_ascii_alphabetic())
    });
    let code = value.contains("::") || value.contains("->") || value.contains("&&");
    let starts = ["/", "./", "../", "~/", "$", "%", "@", "#", "&", "*", "-", "=", "arn:", "urn:"];
    // Of SOPS, Jasypt and Spring: encrypted, or only a hash.
    let sealed = ["ENC[", "ENC(", "{cipher}", "{bcrypt}", "encrypted:"];
    let digest = [
        "argon2", "base64", "bcrypt", "blake", "md5", "pbkdf2", "scrypt", "sha1", "sha256",
        "sha384", "sha512",
    ];
    email
        || code
        || is_version(value)
        || value.contains("://")
        || starts.iter().chain(&sealed).any(|start| value.starts_with(start))
        || digest.iter().any(|name| lower.starts_with(name))
}

/// Whether every part is one word in one case, or a number: `my-api-key-123`, `SECRET_KEY_2`.
fn is_plain_words(value: &str) -> bool {
    let mut parts = value.split(|char: char| !char.is_alphanumeric()).filter(|p| !p.is_empty());
    parts.all(|part| {
        let letters = part.trim_end_matches(|char: char| char.is_ascii_digit());
        let mut rest = letters.chars().skip(1);
        let lower = letters.chars().all(char::is_lowercase);
        let upper = letters.chars().all(char::is_uppercase);
        let number = part.len() - letters.len();
        let word = lower || upper || rest.all(char::is_lowercase);
        word && (letters.is_empty() || number <= 4)
    })
}

/// Whether little is left without its `Words` and `words`: a name in a program.
fn is_mostly_words(value: &str) -> bool {
    const SHORTEST: usize = 3;
    let bytes = value.as_bytes();
    let (mut at, mut inside, mut counted) = (0, 0, 0);
    while at < bytes.len() {
        let start = at;
        at += 1;
        if bytes[start].is_ascii_alphabetic() {
            while bytes.get(at).is_some_and(u8::is_ascii_lowercase) {
                at += 1;
            }
        }
        if at - start >= SHORTEST {
            inside += at - start;
        }
        counted += at - start;
    }
    // A third is left of a name at most, two thirds of a random value.
    (counted - inside) * 20 <= counted * 7
}

/// Names of contents and of records: everybody may know them.
fn is_id_or_hash(value: &str) -> bool {
    let hex = value.bytes().all(|byte| byte.is_ascii_hexdigit());
    let length = value.len();
    let git_or_digest = hex && (length < 32 || matches!(length, 40 | 56 | 64 | 96 | 128));
    let bytes = value.as_bytes();
    // Version and variant of a random UUID stand at fixed places.
    let bare_uuid = hex && length == 32 && bytes[12] == b'4' && b"89abAB".contains(&bytes[16]);
    let uuid = length == 36
        && value.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        });
    let crockford = |byte: u8| byte.is_ascii_alphanumeric() && !b"ILOUilou".contains(&byte);
    let one_case = !value.bytes().any(|byte| byte.is_ascii_lowercase())
        || !value.bytes().any(|byte| byte.is_ascii_uppercase());
    let ulid =
        length == ulid::ULID_LEN && bytes[0] <= b'7' && one_case && value.bytes().all(crockford);
    git_or_digest || bare_uuid || uuid || ulid
}

/// Kinds of characters: lower case, upper case, digits, others.
fn classes(value: &str) -> usize {
    let any = |test: fn(&char) -> bool| usize::from(value.chars().any(|char| test(&char)));
    any(char::is_ascii_lowercase)
        + any(char::is_ascii_uppercase)
        + any(char::is_ascii_digit)
        + any(|char| !char.is_ascii_alphanumeric())
}

/// Shannon's, in bits per byte.
fn entropy(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    value.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let length = value.len() as f64;
    let share = |count: u32| f64::from(count) / length;
    let used = counts.iter().filter(|count| **count > 0);
    used.map(|count| -share(*count) * share(*count).log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_is_shannons() {
        for (value, bits) in [("aaaa", 0.0), ("abab", 1.0), ("abcd", 2.0), ("", 0.0)] {
            assert!((entropy(value) - bits).abs() < 1e-9, "{value}: {}", entropy(value));
        }
    }

    #[test]
    fn ids_and_hashes_are_known() {
        for (value, expected) in [
            ("da39a3ee5e6b4b0d3255bfef95601890afd80709", true),
            ("cfec2c7", true),
            ("550e8400-e29b-41d4-a716-446655440000", true),
            ("550e8400e29b41d4a716446655440000", true),
            ("01JD8XQ0T3V5W7Y9Z1A3C5E7G9", true),
            ("01jd8xq0t3v5w7y9z1a3c5e7g9", true),
            ("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", true),
            ("a94a8fe5ccb19ba61c4c0873d391e987", false),
            ("Zm9vYmFyYmF6cXV4MTIz", false),
        ] {
            assert_eq!(is_id_or_hash(value), expected, "{value}");
        }
    }
}
