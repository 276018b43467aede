//! Codes of errors in a text. Pure.

/// Of the C library and of npm. Listed, for many a word in capitals begins with an E.
const ERRNO: &[&str] = &[
    "E2BIG", "EACCES", "EADDRINUSE", "EADDRNOTAVAIL", "EAGAIN", "EBADENGINE", "EBADF",
    "EBADPLATFORM", "EBUSY", "ECHILD", "ECONNABORTED", "ECONNREFUSED", "ECONNRESET", "EDEADLK",
    "EDQUOT", "EEXIST", "EFAULT", "EFBIG", "EHOSTUNREACH", "EINTEGRITY", "EINTR", "EINVAL", "EIO",
    "EISDIR", "EJSONPARSE", "ELIFECYCLE", "ELOOP", "EMFILE", "EMLINK", "EMSGSIZE", "ENAMETOOLONG",
    "ENEEDAUTH", "ENETDOWN", "ENETUNREACH", "ENFILE", "ENODEV", "ENOENT", "ENOEXEC", "ENOLCK",
    "ENOMEM", "ENOSPC", "ENOSYS", "ENOTCONN", "ENOTDIR", "ENOTEMPTY", "ENOTFOUND", "ENOTSUP",
    "ENOTTY", "ENOWORKSPACES", "ENXIO", "EOPNOTSUPP", "EOTP", "EOVERFLOW", "EPERM", "EPIPE",
    "EPROTO", "ERANGE", "ERESOLVE", "EROFS", "ESPIPE", "ESRCH", "ESTALE", "ETARGET", "ETIMEDOUT",
    "ETXTBSY", "EUSAGE", "EWOULDBLOCK", "EXDEV",
];

const SIGNALS: &[&str] = &[
    "SIGABRT", "SIGALRM", "SIGBUS", "SIGCHLD", "SIGCONT", "SIGFPE", "SIGHUP", "SIGILL", "SIGINT",
    "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGSEGV", "SIGSTOP", "SIGTERM", "SIGTRAP", "SIGTSTP",
    "SIGUSR1", "SIGUSR2", "SIGWINCH", "SIGXFSZ",
];

/// Letters before the digits of a code, and how many digits there are.
const NUMBERED: &[(&str, std::ops::RangeInclusive<usize>)] = &[
    ("E", 3..=4),
    ("TS", 4..=5),
    ("CS", 4..=4),
    ("LNK", 4..=4),
    ("MSB", 4..=4),
    ("NU", 4..=4),
    ("NETSDK", 4..=4),
    ("SC", 4..=4),
    ("ORA-", 4..=5),
    ("F", 3..=3),
    ("W", 3..=3),
];

const HTTP: &[&str] = &[
    "401", "403", "404", "405", "406", "407", "408", "409", "410", "411", "412", "413", "414",
    "415", "416", "417", "421", "422", "423", "424", "425", "426", "428", "429", "431", "451",
    "501", "502", "503", "504", "505", "507", "508", "511",
];

/// Numbers that are as often amounts.
const ROUND: &[&str] = &["400", "500"];

/// What comes before a status rather than an amount.
const STATUS_WORDS: &[&str] =
    &["http", "status", "code", "error", "errors", "a", "an", "returned", "returns", "got", "gets"];

/// What an amount is of.
const UNITS: &[&str] = &[
    "ms", "s", "sec", "seconds", "min", "minutes", "h", "hours", "days", "kb", "mb", "gb", "kib",
    "mib", "gib", "bytes", "lines", "files", "rows", "tests", "items", "times", "records", "px",
    "users", "requests", "percent", "tokens", "chars", "characters", "commits", "packages",
];

/// The codes among the words of a text, in small letters, in their order.
pub(super) fn codes(words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|index| words.get(index)).copied();
        let after = words.get(index + 1).copied();
        if is_code(word) || is_status(word, before, after) {
            found.push(word.to_ascii_lowercase());
        }
    }
    found
}

fn is_code(word: &str) -> bool {
    ERRNO.binary_search(&word).is_ok()
        || SIGNALS.binary_search(&word).is_ok()
        || is_named(word)
        || NUMBERED.iter().any(|(letters, digits)| {
            word.strip_prefix(letters).is_some_and(|number| {
                digits.contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit())
            })
        })
}

/// As Node.js and OpenSSL name errors: `ERR_MODULE_NOT_FOUND`.
fn is_named(word: &str) -> bool {
    word.strip_prefix("ERR_").is_some_and(|name| {
        let is_part = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
        name.len() >= 3 && name.bytes().all(is_part)
    })
}

/// Whether a number is the status of an HTTP response.
fn is_status(word: &str, before: Option<&str>, after: Option<&str>) -> bool {
    let is_one_of = |word: Option<&str>, list: &[&str]| {
        word.is_some_and(|word| list.contains(&word.to_lowercase().as_str()))
    };
    if ROUND.contains(&word) {
        return is_one_of(before, STATUS_WORDS) && !is_one_of(after, UNITS);
    }
    HTTP.contains(&word) && !is_one_of(after, UNITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let words: Vec<_> = text.split(' ').collect();
        assert_eq!(codes(&words).join(" "), expected, "{text}");
    }

    #[test]
    fn errors_signals_and_statuses() {
        assert!(ERRNO.is_sorted() && SIGNALS.is_sorted());
        check("Error EACCES and ENOENT", "eacces enoent");
        check("ERROR EXIT ENTRYPOINT EVERY enoent", "");
        check("error E0502 TS2345 E501 CS0246 E12 E12345 E05x2", "e0502 ts2345 e501 cs0246");
        check("killed by SIGKILL SIGNAL", "sigkill");
        check("ERR_MODULE_NOT_FOUND ERR_ ERR_x", "err_module_not_found");
        check("the server said 404 for 503 rows", "404");
        check("status 500 after 500 ms of 400", "500");
        check("HTTP 400 ORA-01017", "400 ora-01017");
        check("", "");
    }
}
