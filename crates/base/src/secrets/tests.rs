use std::time::{Duration, Instant};

use proptest::{prelude::*, strategy::ValueTree};

use super::*;

/// Kind, what stands before, the secret, what stands behind. All of them are made up, and cut so
/// that no other scanner takes this file for a leak.
#[rustfmt::skip]
const SECRETS: &[(&str, &str, &str, &str)] = &[
    ("AWS access key id", "id ", concat!("AKI", "AHBRPOIGF", "3CBFNOBM"), ""),
    ("AWS access key id", "(", concat!("ASI", "AQWMZLKXT", "PRJDNVHC"), ")"),
    ("AWS secret access key", "AWS_SECRET_ACCESS_KEY=", concat!("", "k1C5Jau2RJtBRnlWmTSH", "f6pWkLUyifDLkDmWJ6Uu"), ""),
    ("AWS secret access key", "\"SecretAccessKey\": \"", concat!("", "zVTAIjvFu7WICPhDeOZI", "iBOB+Y6sHrFH2ZUCr+lg"), "\""),
    ("GitHub token", "token: ", concat!("ghp", "_3hjOkYRBMeyyMDHqJ3", "8aRUhR4IWrXPvhsBkD"), ""),
    ("GitHub token", "token: ", concat!("gho", "_a9U4UqGWlG6g3Ot1OG", "MmjxWkI9X7H6aMuFbh"), ""),
    ("GitHub token", "token: ", concat!("ghu", "_7x41Ztpdp4K8ffUF0e", "WIXiiQE8JkqH3MB9n7"), ""),
    ("GitHub token", "token: ", concat!("ghs", "_IWUSmTtzQPxC5HChpo", "evbLJoLoaeTOdoe5c3"), ""),
    ("GitHub token", "token: ", concat!("ghr", "_veGprQFnIiU74KKEpY", "EZAmggQBwBAD3UdRPP"), ""),
    ("GitHub token", "`", concat!("github_pat", "_gdzUvZ3gpmmICiBlrDp37e_CZ32JgdPI1af7W2pkA", "FEn3z5dkyayq7YYDsBS9UYJQTFjmsn9dLVIdVuddL"), "`"),
    ("GitLab token", "", concat!("glpat", "-EG62Hkd9Gf", "2leMeR3pzh"), ""),
    ("DigitalOcean token", "", concat!("dop", "_v1_8b0e7153bf7c3706d85c524e440066", "559a6656c90bd5482a90a29b9fa5ff5180"), ""),
    ("Slack token", "", concat!("xoxb", "-294857610382-491827365019", "2-84KpLMcNfAQLKHu7qnQTupqz"), ""),
    ("Slack token", "", concat!("xapp", "-1-A02BCDE4F-2938475610293-49ea20e32684b27b95e", "909348334896a68f812d810a485ed03241b4d419b1b67"), ""),
    ("Slack webhook", "https://hooks.slack.com/services/", concat!("", "T04QX7ZPLK/B05MWR8TN/Qg", "wXJ43ANVj77p3kZZl4AblV"), ""),
    ("Google API key", "?key=", concat!("AIz", "a7vY7AZQ3VZprkYSgy", "3c2Eom06Dwt0Y3oobQ"), "&v=1"),
    ("Google client secret", "", concat!("GOCSPX", "-mzvr3e9XrwPGzR", "1Iv8bh4qlL9qcg"), ""),
    ("OpenAI API key", "OPENAI_API_KEY=", concat!("sk-proj", "-MBwUYuBM_Ghy5KmqcTBaH7ZIRU8VVQ", "mxBe8Q6vNuQ2hU5tGtQAuzSsJimAQ8"), ""),
    ("OpenAI API key", "", concat!("sk", "-yRV5lNKtzJ1atsnBYLMPuDCC", "RnGEY59YVkQfsGQONvf08WpR"), "."),
    ("Anthropic API key", "", concat!("sk-ant", "-api03-toZmjbcp_EN2XeDA4OKmTSyFzpjPSa5W3X4gXBolZ9SH", "DdJp62hDiZDQHJMu8W5CN0U5GB16JC5kV3ECqWp1OrXXHFOprAA"), ""),
    ("OpenRouter API key", "", concat!("sk-or", "-v1-e2978aa2447c462ddaed16dc0cf0b9", "cd7f78df0cac5e40c02d4e518ca6eaac8d"), ""),
    ("Stripe live key", "", concat!("sk_live", "_q1fEbVId8woP", "eX9PcWb8pm1b"), ""),
    ("Stripe live key", "", concat!("rk_live", "_NjpiEQhK8nDSqXxkMM9VThX0k9tgLb7tKR69yz8TmeLS1OpgS", "Xt2RMZhYKYcwIBQxeGPva2A0FgB9xO51DTjBlUH9PrNZ6IXEDB"), ""),
    ("Stripe test key", concat!("sk", "_test_"), concat!("", "51Hq1fEbVId8woP", "eX9PcWb8pm1b"), ""),
    ("Google access token", "", concat!("ya29", ".a0AfH6SMBx3nQ8vTz1LkPw5", "Rc7YdGm2JhNs9KfUe4VoXq6Wb"), "."),
    ("Google access token", "", concat!("ya29", ".c.b0AXv0zTNq8vTz1LkPw5", "Rc7YdGm2JhNs9KfUe4VoXq6Wb"), ""),
    ("Stripe webhook secret", "", concat!("whsec", "_0ULru2p17fr4CpWD", "KNQyvbF2ulFnwZqv"), ""),
    ("SendGrid API key", "", concat!("SG", ".r4MS4rJaH8mfpUAFJWpSEP.TFCYbfsozS", "ptQLxEJHwBVJvwSDrtqohUmuhVI8WSlmn"), ""),
    ("npm token", "//registry.npmjs.org/:_authToken=", concat!("npm", "_VErULWHMsg1msoxlta", "TIircdJsS8iO3WFg3a"), ""),
    ("PyPI token", "", concat!("pypi", "-AgEIcHlwaS5vcmcKsEECvl9dq83Eh0ezFeKORdjjZK8tfphJWAMMYNoXHyC6Ct3LBtK", "NdN9Vg8WnOnqQfkplJekaACSMEscosTsS3DeRo7qYYOLQZ7mBhIoPj6r0jedkYtMV0K6"), ""),
    ("Hugging Face token", "", concat!("hf", "_sChDStSz8rGIFCfMc", "4BVuMqbfo9R13KL8b"), ""),
    ("Azure storage key", "AccountName=a;AccountKey=", concat!("", "qIfw84Jx3/l8S0QPnuQ0+KZe6lOGPoZa70gyU+4gAIqK", "4/pdEuNb0lCo7pt+LI198F6sXyriJ1RIaKM/t59SQW=="), ";"),
    ("JSON web token", "Bearer ", concat!("e", "yJhbGciOiJIUzI1NiJ9.eyJpZCI6Nzc0MX0.D7u3", "mSpKyo2XAcuVET6ZyyQY0PjF9ciG9Lv3g32CgH6"), ""),
    ("Telegram bot token", "", concat!("7193846205", ":AADaUjA3PjeEYqvNS", "zPf2v2R2Iy9uOT4WF3"), ""),
    ("password in a URL", "postgres://app:", concat!("", "k7Wq-", "pz9x"), "@db.internal.net:5432/x"),
    ("password in a URL", "postgres://app:", concat!("", "Summer", "2026!"), "@db1:5432/x"),
    ("password in a URL", "redis://:", concat!("", "Rx81m", "mQaz"), "@cache.prod.net"),
    ("Docker access token", "", concat!("dckr", "_pat_", "k7Wq9pz9xLm4TnB8cWd1YsF6hJg"), ""),
    ("secret by its name", "password: ", concat!("", "l7UeioE", "JP2NNern6"), ""),
    ("secret by its name", "Passwort: ", concat!("", "xK9mQ2", "vL7pTz"), ""),
    ("secret by its name", "The database password: ", concat!("", "Rx8-1m", "Qaz7"), " "),
    ("secret by its name", "- **Password**: `", concat!("", "V7kq2L", "mZx9Rt"), "`"),
    ("secret by its name", "**Password:** ", concat!("", "V7kq2L", "mZx9Rt"), ""),
    ("secret by its name", "| `password` | ", concat!("", "V7kq2L", "mZx9Rt"), " |"),
    ("secret by its name", "Password: ", concat!("", "Tr0ub4", "dor&3xyz"), ""),
    ("secret by its name", "password: ", concat!("", "Kestrel", "-Prod-77!"), ""),
    ("secret by its name", "The password: ", concat!("", "Kestrel", "-Prod-77!"), " works."),
    ("secret by its name", "the admin password is ", concat!("", "Kestrel", "-Prod-77!"), " since May"),
    ("secret by its name", "the admin password is `", concat!("", "Kestrel", "-Prod-77"), "`"),
    ("secret by its name", "Das Passwort lautet ", concat!("", "Kestrel", "-Prod-77!"), ""),
    ("secret by its name", "DB_PASS=", concat!("", "Kestrel", "-Prod-77!"), ""),
    ("secret by its name", "pw: ", concat!("", "Kestrel", "-Prod-77!"), ""),
    ("secret by its name", "Password: ", concat!("", "correct", "horse7staple"), ""),
    ("secret by its name", "DB_PASSWORD=", concat!("", "kestrel", "2024"), ""),
    ("secret by its name", "SECRET_KEY_BASE=", concat!("", "a801f97b7684319e1b429ad564b858f9", "c3d7e10f5b2946a8d07c1e93f4b65a28"), ""),
    ("secret by its name", "webhook secret: ", concat!("", "a801f97b7684319e1b42", "9ad564b858f9c3d7e10f"), ""),
    ("password in a command", "curl -u admin:", concat!("", "Kestrel", "-Prod-77!"), " https://wiki.corp.net/api"),
    ("password in a command", "curl --user 'ci:", concat!("", "kX77", "prodwq"), "' https://wiki.corp.net/api"),
    ("password in a command", "PGPASSWORD=", concat!("", "kestrel", "77prod"), " psql -h db"),
    ("password in a command", "mysql -h db -u app -p", concat!("", "Kestrel", "-Prod-77!"), " shop"),
    ("password in a command", "mysqldump -uapp -p'", concat!("", "k77", "prodwq"), "' shop"),
    ("password in a command", "sshpass -p ", concat!("", "Kestrel", "77!"), " ssh root@h"),
    ("password in a command", "docker login -u ci -p ", concat!("", "Kestrel", "-77-Prod!"), " reg.corp.net"),
    ("password in a command", "redis-cli -h r -a ", concat!("", "Kx77", "prodwq"), " ping"),
    ("password in a command", "x --admin-password ", concat!("", "Kestrel", "77!x"), ""),
    ("password in a URL", "https://deploy:", concat!("", "Kestrel", "-Prod-77!"), "@git.corp.local/x"),
    ("password in .pgpass", "db.corp.net:5432:shop:app:", concat!("", "Zx81kq", "Pw77mm"), ""),
    ("password in .pgpass", "echo \"*:*:*:app:", concat!("", "Kestrel", "-Prod-77!"), "\" >> ~/.pgpass"),
    ("bearer token", "Authorization: Bearer ", concat!("", "8f3c9d2e71b04a5f9c8e", "7d6b5a493827c1d0e5b2"), ""),
    ("bearer token", "Bearer ", concat!("", "9aK2pQz81L", "mXw77TbYc4"), " was"),
    ("secret by its name", "ENV DB_PASSWORD ", concat!("", "Zx81kq", "Pw77mm"), ""),
    ("secret by its name", "ENV\tAPI_TOKEN \"", concat!("", "9aK2pQz81L", "mXw77TbYc4"), "\""),
    ("bearer token", "-H \"Authorization: Bearer ", concat!("", "vIcNepOR6soVfBgWOT3g", "CkSt5bcuYdswxBjpHAKR"), "\""),
    ("secret by its name", "api_key = \"", concat!("", "jYlklfN3yNRpF6Lj", "oDOqDqQa5ZD5sRIk"), "\""),
    ("secret by its name", "api-key: ", concat!("", "jeC8wLtO9BSqD2tm", "y2EgpyKwKsSsb1Qz"), ""),
    ("secret by its name", "DATADOG_API_KEY=", concat!("", "a801f97b7684319e", "1b429ad564b858f9"), ""),
    ("secret by its name", "DB_PASSWORD=", concat!("", "u7Kp!", "qwZ2x"), ""),
    ("secret by its name", "API key: ", concat!("", "jYlklfN3yNRpF6Lj", "oDOqDqQa5ZD5sRIk"), ""),
    ("secret by its name", "- **Access key**: `", concat!("", "jYlklfN3yNRpF6Lj", "oDOqDqQa5ZD5sRIk"), "`"),
    ("secret by its name", "Secret key: ", concat!("", "jYlklfN3yNRpF6Lj", "oDOqDqQa5ZD5sRIk"), ""),
    ("Discord webhook", "https://discord.com/api/v10/webhooks/1122334455667788/", concat!("", "vIcNepOR6soVfBgWOT3gCkSt5bcuYdswxBjp", "HAKRjYlklfN3yNRpF6LjoDOqDqQa5ZD5"), ""),
    ("access token", "", concat!("glsa", "_k7Wq9pz9xLm4TnB8cWd1YsF6hJgQa5Ue_", "0f3b9c2d"), ""),
    ("access token", "", concat!("dapi", "8b0e7153bf7c3706", "d85c524e440066a1"), ""),
    ("access token", "", concat!("shpat", "_8b0e7153bf7c3706", "d85c524e440066a1"), ""),
    ("access token", "", concat!("tskey", "-auth-k7Wq9pz9xLmC", "NTRL-4TnB8cWd1YsF6hJgQa5Ue0oR7kq2Zp"), ""),
    ("Azure client secret", "secret ", concat!("k7W8", "Q~", "q9pz9xLm4TnB8cWd1YsF6hJgQa5Ue0oR7k"), ""),
    ("Vault token", "", concat!("hvs", ".CAESIJYlklfN3yNRpF6LjoDOqDqQa5ZD5sRIkvIcNepOR6soVfBgWOT3g"), ""),
    ("age key", "AGE-SECRET-KEY-", concat!("1QL3Z7HJY54PW3HYWW5AYYFG7ZQGVC", "7W3J2ELW8ZMRJ2KG5SFN9AQMCAC8P"), ""),
    ("secret by its name", "\"password\": \"", concat!("", "w9;Fz", "(4mQ"), "\""),
    ("secret by its name", "The root password is `", concat!("", "Zx81kq", "Pw77mm"), "`."),
    ("secret by its name", "The wifi password is ", concat!("", "Zx81kq", "Pw77mm"), "."),
    ("secret by its name", "Login with user `admin` and password `", concat!("", "Zx81kq", "Pw77mm"), "`."),
    ("secret by its name", "Use the password ", concat!("", "Tr0ub4", "dor&3xy9"), " for staging."),
    ("secret by its name", "Use the password ", concat!("", "Kestrel", "-Prod-77!"), " for staging."),
    ("secret by its name", "use password ", concat!("", "Zx81kq", "Pw77mm"), ""),
    ("secret by its name", "The API key is ", concat!("", "8f3c9d2e71b04a5f", "9c8e7d6b5a493827"), "."),
    ("secret by its name", "The token for CI is `", concat!("", "9aK2pQz81L", "mXw77TbYc4"), "`."),
    ("secret by its name", "Our Grafana login is admin / ", concat!("", "Zx81kq", "Pw77mm"), ""),
    ("secret by its name", "Credentials are admin:", concat!("", "Zx81kq", "Pw77mm"), ""),
    ("secret by its name", "log in as admin with ", concat!("", "Zx81kq", "Pw77mm"), ""),
    ("secret by its name", "The password of the staging database was changed to ", concat!("", "Zx81kq", "Pw77mm"), " in May"),
    ("secret by its name", "Das WLAN-Passwort ist ", concat!("", "Zx81kq", "Pw77mm"), "."),
    ("secret by its name", "The **password** is **", concat!("", "Zx81kq", "Pw77mm"), "**"),
    ("secret by its name", "The passphrase was \"", concat!("", "k7wq9p", "z9xLmT"), "\"."),
    ("secret by its name", "", concat!("", "Zx81kq", "Pw77mm"), " is the root password"),
    ("secret by its name", "Use `", concat!("", "Zx81kq", "Pw77mm"), "` as the wifi password."),
    ("secret by its name", "The password of the wifi in the office is\n", concat!("", "Zx81kq", "Pw77mm"), " and"),
    ("secret by its name", "> Wifi password:\n> ", concat!("", "Zx81kq", "Pw77mm"), ""),
    ("secret by its name", "The password is <code>", concat!("", "Zx81kq", "Pw77mm"), "</code>."),
    ("secret by its name", "Where it asks for the password, enter `", concat!("", "Zx81kq", "Pw77mm"), "`."),
    ("secret by its name", "A senha do wifi é ", concat!("", "Zx81kq", "Pw77mm"), "."),
    ("secret by its name", "api_key=", concat!("", "8f3c9d2e71b04a5f", "9c8e7d6b5a493827"), ""),
];

/// The lines of a made-up key.
const KEY: [&str; 3] = [
    "Ro7jsCYUlYbHp6VHWVnD8dPCi7M0orfeM+omErX6V1t1m/0JeVB44EUmVThYJyp6",
    "lBcgQFqAiABDQsaJsqGwodqbTEPcwHgq1oi85Un5CfM6dh9Z2n/4jkPsiqJPWL63",
    "moB35D0R6Z1mO2OGVt8ilkl3mVqhQp0T2gKNTnBt9CnSVoJC2dIdxINRSaxsZisd",
];

fn kinds(text: &str) -> Vec<&'static str> {
    scan(text).into_iter().map(|finding| finding.kind).collect()
}

#[test]
fn finds_every_kind() {
    for (kind, before, secret, after) in SECRETS {
        for around in ["", "Text before: see `x`.\n\n    ", "| cell | "] {
            let text = format!("{around}{before}{secret}{after}\nMore text.\n");
            let found = scan(&text);
            assert_eq!(found.len(), 1, "{text}\n{found:#?}");
            let start = around.len() + before.len();
            let line_start = text[..start].rfind('\n').map_or(0, |end| end + 1);
            let line = 1 + text[..start].matches('\n').count();
            let expected = (*kind, line, 1 + text[line_start..start].chars().count());
            assert_eq!((found[0].kind, found[0].line, found[0].column), expected, "{text}");
            let hash = blake3::hash(secret.as_bytes()).to_hex();
            assert_eq!(found[0].hash, hash[..16], "{text}");
            let masked = mask(&text).0;
            assert_eq!(masked, text.replace(secret, MASK), "{text}");
            assert!(scan(&masked).is_empty(), "{masked}");
        }
    }
}

#[test]
fn a_private_key_is_one_finding() {
    let block = |label: &str, lines: &[&str], ending: &str| {
        let dashes = "-----";
        let all = [&[&*format!("{dashes}BEGIN {label}{dashes}")], lines].concat().join(ending);
        format!("{all}{ending}{dashes}END {label}{dashes}")
    };
    let hash = blake3::hash(KEY.concat().as_bytes()).to_hex()[..16].to_owned();
    for label in ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY"] {
        for ending in ["\n", "\r\n", "\\n", "\n    ", "\n> "] {
            let text = format!("key = \"{}\"\nafter\n", block(label, &KEY, ending));
            let found = scan(&text);
            assert_eq!(found.len(), 1, "{text}\n{found:?}");
            assert_eq!((found[0].kind, found[0].line, found[0].column), ("private key", 1, 8));
            assert_eq!(found[0].hash, hash, "{text}");
        }
    }
    let header = ["Proc-Type: 4,ENCRYPTED", "", KEY[0], KEY[1], KEY[2]];
    assert_eq!(scan(&block("RSA PRIVATE KEY", &header, "\n"))[0].hash, hash);
    let open = block("PRIVATE KEY", &KEY, "\n");
    let open = open.split("-----END").next().unwrap();
    assert_eq!(scan(open)[0].hash, hash);
    assert_eq!(kinds(&format!("{open}\nIt goes on.\n{open}")), ["private key"; 2]);
    for (label, lines) in [
        ("PUBLIC KEY", &KEY[..]),
        ("CERTIFICATE", &KEY[..]),
        ("PRIVATE KEY", &["..."][..]),
        ("PRIVATE KEY", &["<your key>", "MIIEvQ"][..]),
        ("PRIVATE KEY", &[&*"A".repeat(64), &*"B".repeat(64)][..]),
        ("PRIVATE KEY", &[][..]),
    ] {
        let text = block(label, lines, "\n");
        assert_eq!(kinds(&text), [""; 0], "{text}");
    }
}

/// Whatever part of a key there is, and however a program shows its lines.
#[test]
fn pieces_of_a_private_key_are_found() {
    let dashes = "-----";
    let (begin, end) =
        (format!("{dashes}BEGIN PRIVATE KEY{dashes}"), format!("{dashes}END PRIVATE KEY{dashes}"));
    let body = KEY.join("\n");
    let numbered = |mark: &dyn Fn(usize) -> String| {
        let lines: Vec<&str> = [&*begin].into_iter().chain(KEY).chain([&*end]).collect();
        let line = |(at, line): (usize, &&str)| format!("{}{line}\n", mark(at + 1));
        lines.iter().enumerate().map(line).collect::<String>()
    };
    for (text, expected) in [
        (format!("{body}\n{end}\n"), 1),
        (format!("Some text.\n{}\n{}\n{end}\nMore.", KEY[1], KEY[2]), 1),
        (format!("{begin}\n{body}\n"), 1),
        (format!("\"{}\\n{}\\n{end}\\n\"", KEY[0], KEY[1]), 1),
        (numbered(&|at| format!("{at:>6}\t")), 1),
        (numbered(&|at| format!("notes/key.md:{at}: ")), 1),
        (numbered(&|at| format!("{at}:")), 1),
        (numbered(&|_| "+".to_owned()), 1),
        (numbered(&|_| "-".to_owned()), 1),
        (format!("{begin}\nIt is this one:\n{body}\n{end}"), 1),
        // Of these nobody can say that they are a key.
        (body.clone(), 0),
        (format!("{}\n", KEY[0]), 0),
        (format!("{dashes}BEGIN CERTIFICATE{dashes}\n{body}\n"), 0),
        (format!("{body}\n{dashes}END CERTIFICATE{dashes}\n"), 0),
        (format!("{body}\n{dashes}END PUBLIC KEY{dashes}\n"), 0),
        (format!("{body}\n\nThat was a picture. A key ends with:\n{end}\n"), 0),
        (
            format!(
                "{dashes}BEGIN PUBLIC KEY{dashes}\n{body}\n{dashes}END PUBLIC KEY{dashes}\n{end}"
            ),
            0,
        ),
    ] {
        assert_eq!(kinds(&text), vec!["private key"; expected], "{text}");
        let masked = mask(&text).0.into_owned();
        let shows = KEY.iter().any(|line| masked.contains(line));
        assert_eq!(shows, expected == 0, "{masked}");
    }
    // What comes behind a key that does not end is seen.
    let open = format!("{begin}\n{body}\nwarning: cut off\nIt goes on.\n");
    assert!(mask(&open).0.ends_with("\nwarning: cut off\nIt goes on.\n"), "{}", mask(&open).0);
    let torn = format!("{begin}\n{}\nwarning: slow\n{}\nAll is well.\n", KEY[0], KEY[1]);
    assert!(!mask(&torn).0.contains(KEY[1]) && mask(&torn).0.ends_with("\nAll is well.\n"));
}

#[test]
fn lines_of_a_key_are_known_in_a_piece() {
    let dashes = "-----";
    let key = format!(
        "{dashes}BEGIN PRIVATE KEY{dashes}\n{}\n{dashes}END PRIVATE KEY{dashes}",
        KEY.join("\n")
    );
    let other = "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXD";
    let lines = KeyLines::of(&format!("# Server\n\n{key}\n\n{other}\n"));
    for (piece, expected) in [
        (KEY[1].to_owned(), "masked-secret".to_owned()),
        (format!("{}\n{}\n{other}\n", KEY[1], KEY[2]), format!("{MASK}\n{MASK}\n{other}\n")),
        (format!("     4\t{}", KEY[1]), format!("     4\t{MASK}")),
        (format!("+{}\n-{}", KEY[0], KEY[2]), format!("+{MASK}\n-{MASK}")),
        (format!("a.md:4: {}", KEY[1]), format!("a.md:4: {MASK}")),
        (format!("x\\n{}\\n", KEY[1]), format!("x\\n{MASK}\\n")),
        (other.to_owned(), other.to_owned()),
        (String::new(), String::new()),
    ] {
        assert_eq!(lines.hide(&piece), expected, "{piece}");
    }
    for none in [other.to_owned(), key.replace("PRIVATE KEY", "CERTIFICATE"), KEY.join("\n")] {
        assert!(KeyLines::of(&none).is_empty());
    }
}

#[test]
fn passes_over_what_is_no_secret() {
    for text in [
        // The documentation of those who issue them.
        concat!("AKIA", "IOSFODNN7EXAMPLE"),
        concat!("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfi", "CYEXAMPLEKEY"),
        concat!(
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6Ikpv",
            "aG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"
        ),
        // Placeholders.
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "ghp_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "sk-your-api-key-here-and-more-of-it-so-that-it-is-long",
        "sk-ant-api03-...",
        "OPENAI_API_KEY=sk-...",
        "sk_test_xxxxxxxxxxxxxxxxxxxxxxxx",
        concat!("sk_test_", "4eC39HqLyjWDarjtT1zdp7dc"),
        "Authorization: Bearer eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9...",
        "Bearer 9aK2pQz81LmXw77...",
        "Bearer YOUR_ACCESS_TOKEN_2",
        "ENV DB_PASSWORD ${DB_PASSWORD_2}",
        "ENV SECRET_KEY_FILE /run/secrets/Key2",
        "ENV API_TOKEN /run/secrets/Db2Password9x",
        "localhost:5432:db:app:$DB_PASS2",
        "hostname:port:database:username:password",
        "src/main.rs:1012:from:App2Config9:Zx81kqPw77mm",
        "db.corp.net:5432:shop:app:Zx81kqPw77mm:x",
        "api_key: <your-api-key>",
        "api_key = \"${API_KEY_FROM_VAULT_2}\"",
        "api_key = \"{{ secrets.API_KEY_2 }}\"",
        "token: ${{ secrets.GITHUB_TOKEN }}",
        "password=$DB_PASSWORD_2",
        "password: changeme123",
        "password = \"hunter2\"",
        "secret: \"my-secret-key-123\"",
        "secret_key = \"abc123def456ghi789\"",
        "token = \"0123456789abcdef0123456789abcdef\"",
        "xoxb-your-slack-bot-token-1",
        "xoxb-123456789012-1234567890123-abcdefghijklmnopqrstuvwx",
        // Names, paths and code.
        "token: String, secret: &'static str",
        "let token = parse_token2(input.next());",
        "let secret = std::env::var(\"API_KEY2\").unwrap();",
        "password: Option<SecretString32Bytes>",
        "password: required, at least 12 characters",
        "Password: see 1Password",
        "password: String",
        "password: hashPassword2(input)",
        "the password: OAuth2 or LDAP",
        "pwd: /srv/App2/Release",
        "password: Chapter12",
        "Password: Admin@123",
        "password: <your password>",
        "password: ****",
        "password: secret",
        "password: see the vault",
        "password: SHA-256-based and salted",
        "password: Node.js-18 or newer",
        "The password is Argon2id-hashed, the token is not",
        "the password is at least 12 characters",
        "the password is RFC-2617a here",
        "the password is $DB_PASS",
        "password is `hunter2`",
        "The password for the BMC `iDRAC9-7XK2Q93` is on the pull-out tag.",
        "The default password for `BRW4C7525A1B2C3` is on the back.",
        "The wrong password came from `nginx-deployment-66b6c48dd5-7xzkq`.",
        "Password auth uses `sntrup761x25519-sha512`.",
        "The password column has the collation `utf8mb4_0900_ai_ci`.",
        "Log in to web01 and db02pg15.",
        "Sign in with B2C_1A_SIGNUP_SIGNIN.",
        "Failed login with OpenSSH_9.6p1",
        "access_token: \"ya29.a0AWY7CknlXtELCHzdKuS...\"",
        "password: ENC[AES256_GCM,data:9aK2pQz81LmX,type:str]",
        "password: '{cipher}9aK2pQz81LmXw77TbYc4'",
        "The password is set\n9aK2pQz81LmX by the installer",
        "Mix-Match99: the pass is 3rd-Base!",
        "pass: 12-of-15 tests",
        "bypass=Kestrel-Prod-77!",
        "pwm: Timer1-Channel-2!",
        // Commands.
        "curl -u user:password https://wiki.corp.net",
        "curl -u \"$USER:$PASS77\" https://wiki.corp.net",
        "curl -u admin:admin https://wiki.corp.net",
        "docker run -u 1000:1000 x",
        "docker run -u $(id -u):$(id -g) x",
        "rsync -u server1:data2/ x",
        "git push -u origin:main2",
        "mysql -h db -u root -p shop",
        "mysql -u root -ppassword",
        "mysql -u root -p$MYSQL_ROOT_PASSWORD2",
        "mysql --protocol=tcp",
        "PGPASSWORD=postgres psql",
        "PGPASSWORD=mysecretpassword psql",
        "PGPASSWORD=\"$PASS2\" psql",
        "docker login -u ci -p ${TOKEN2}",
        "mkdir -p Some-Folder-2!",
        "x --password <your password>",
        "x --password-file /run/secrets/Db2",
        "x --password changeme1",
        "Mot de passé: Qx7-mm9Lz2",
        "token: l7UeioEJP2",
        "token = MyTokenV2BuilderForTests1",
        "api_key: config.providers[0].apiKey2",
        "token_url = \"https://login.example.com/v2/x9Kq2LmZ81\"",
        "secret = /run/secrets/Db2Password9x",
        "secret: \"arn:aws:secretsmanager:eu-west-1:123:secret:x9Kq2LmZ81\"",
        "token=user42@mail7.example.com",
        "credentials: ~/.config/gcloud/2Kx9LmZ81qqW",
        "sk-spinner-chasing-dot sk-circle-fade-dot sk-fading-circle-12",
        "task-0123456789abcdef0123456789abcdef01234567",
        // Sentences.
        "The password is required, and stored in Vault 1.15.2-rc1.",
        "- The hook asks for a password <!-- f:0a1b2c3d4e5f6071 src:file:a.md -->",
        "- title: ../../etc/passwd <!-- t:191a4166925e8ccb at:2026-11-30T16:00:31Z -->",
        "The password of web1.example.com is in the vault of team7-Ops.",
        "The token is 3f2a9c1d8b7e, as of that commit.",
        "The API key is 550e8400-e29b-41d4-a716-446655440000.",
        "Login with user `admin` and password `changeme1`.",
        "Use the password `YourStr0ngPassw0rd`.",
        "The secret is 0x02a40c85b6f28da08dfdbe0926c53fab2de6d28c10301f8f7c4073d5e42e3148.",
        "A password is hashed. Zx81kqPw77mm is a build.",
        "tokens Zx81kqPw77mmTb81kqPw77mm, password-protected Zx81kqPw77mm",
        "log in to STM32F103C8T6/Zephyr with AES256Gcm",
        "aws cognito-idp forgot-password --client-id 38fjsnc484p94kpqsnet7mpld0",
        "CLIENT_TRAFFIC_SECRET 044a5d42b163208ff7a45ba0e0a9f6f6cd1eb0f49de32c9c4c09d302f0c7738c",
        "entry.set_password(\"topS3cr3tP4$$w0rd\").await?;",
        "apt passwd 1:4.13+dfsg1-1+deb12u1",
        "tiktoken=0.8.0=py312h14ff09d_1",
        "\"NextToken\": \"D/vRIYNyhG79ugdta3f+8cRg9oSRo+HigGOuxRiYpTn0ExnqTi1CJektVAc4HrAX\"",
        "https://www.linkedin.com/profile/view?id=13370427&authToken=etG3&goback=%2Eamf_2041742_13370427",
        // Ids and hashes.
        "token: da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "secret = \"550e8400-e29b-41d4-a716-446655440000\"",
        "secret = \"01JD8XQ0T3V5W7Y9Z1A3C5E7G9\"",
        "token = \"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\"",
        "token: sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
        "integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
        // URLs.
        "https://user:pass@host",
        "postgres://postgres:postgres@localhost:5432/db",
        "postgres://app:k7Wq9pz9x@localhost/db",
        "https://user:p4ssWq9x@example.com/",
        "amqp://guest:guest@rabbit.net",
        "https://$USER:$TOKEN2@github.com",
        "https://user:${PASS2}@github.com/x",
        "http://localhost:8080/@scope/name",
        "git+ssh://git@github.com:owner/repo.git",
        "mailto:a:b@c.net",
        "| password | varchar255 |",
        "password: postgres",
        "connect(user=u, password=s3_config.value)",
        "password=argon2id",
        "pwd=project2024",
        "password: base64encoded",
        "password: admin2024",
        "password: changeme1",
        "token: a801f97b7684319e1b42c3d7e10f5b2946a8d07c",
        "digest of the key: a801f97b7684319e1b42c3d7e10f5b2946a8d07c",
        "![c](https://codecov.io/gh/a/b/graph/badge.svg?token=yt4XSmQNKQ)",
    ] {
        let found = scan(text);
        assert!(found.is_empty(), "{text}\n{found:?}");
    }
}

#[test]
fn the_name_may_stand_elsewhere() {
    let password = concat!("Zx81kq", "Pw77mm");
    let token = concat!("9aK2pQz81L", "mXw77TbYc4");
    for (before, secret, after) in [
        // At the head of a column.
        ("| User | Password |\n|---|---|\n| admin | ", password, " |\n"),
        (
            "> | Host | DB **Passwort** | Note |\n> |:--|--:|---|\n> | db1 | `",
            password,
            "` | x |\n",
        ),
        ("User | Token\n--- | ---\nci \\| cd | ", token, "\n"),
        // On the line above.
        ("## Wifi password\n\n`", password, "`\n"),
        ("- Password\n  - ", password, "\n"),
        ("**Password**\r\n\r\n```text\r\n", password, "\r\n```\r\n"),
        ("Password\n: ", password, "\n"),
        ("password: |\n  ", password, "\n"),
        ("password: >-\r\n  ", password, "\r\n"),
        // Around it, and beside it.
        ("<password>", password, "</password>"),
        ("<property name=\"password\">", password, "</property>"),
        ("<add key=\"DbPassword\" value=\"", password, "\"/>"),
        ("- name: DB_PASSWORD\n  value: ", password, "\n"),
        ("{\"name\": \"API_TOKEN\", \"value\": \"", token, "\"}"),
        ("jdbc:mysql://db.corp.net/app?user=app&password=", password, "\n"),
        ("CREATE USER app IDENTIFIED BY '", password, "';"),
        ("requirepass ", password, "\n"),
        ("root_pw: ", password, "\n"),
        ("Пароль: ", password, "\n"),
        ("数据库密码：", password, "。\n"),
        // As editors escape it.
        ("Use ghp", concat!(r"\_", "3hjOkYRBMeyyMDHqJ3", "8aRUhR4IWrXPvhsBkD"), "."),
        (r"my\_DB\_PASSWORD=", password, "\n"),
    ] {
        let text = format!("A line.\n\n{before}{secret}{after}\nMore text.\n");
        let found = locate(&text);
        let all: Vec<&str> = found.iter().map(|(range, _)| &text[range.clone()]).collect();
        assert!(matches!(all[..], [one] if one.ends_with(secret)), "{text}\n{all:?}");
        assert!(!mask(&text).0.contains(secret), "{text}");
    }
    for text in [
        "| Password | Strength |\n|---|---|\n| hunter2 | weak |\n",
        "| Password rules | Zx81kqPw77mm |\n|---|---|\n| Zx81kqPw77mm | x |\n",
        "| Column | Type |\n|---|---|\n| password_hash | varchar255 |\n| token_v2 | char64 |\n",
        "| Token | Id |\n|---|---|\n| Hello2World | 9906Ab1xQ |\n",
        "| Password |\n|---|\n\n| Zx81kqPw77mm |\n",
        "## Token\n\nJWT2RS256 is used.\n",
        "## Passwords\n\n1Password8\n",
        "the password\nZx81kqPw77mm by the installer",
        "<password>${DB_PASSWORD_2}</password>",
        "<label for=\"password\">Password2</label>",
        "- name: DB_PASSWORD\n  valueFrom: Zx81kqPw77mm\n",
        "reset?password=NEW_PASSWORD_2",
    ] {
        let found = scan(text);
        assert!(found.is_empty(), "{text}\n{found:?}");
    }
}

#[test]
fn one_secret_is_named_once() {
    let (_, _, token, _) = SECRETS[4];
    for text in [
        format!("token = \"{token}\""),
        format!("Authorization: Bearer {token}"),
        format!("https://user:{token}@github.net/x"),
    ] {
        assert_eq!(scan(&text).len(), 1, "{text}\n{:?}", scan(&text));
    }
    let text = format!("é{token}\r\nü {token}");
    let places: Vec<_> = scan(&text).iter().map(|found| (found.line, found.column)).collect();
    assert_eq!(places, [(1, 2), (2, 3)]);
}

#[test]
fn what_is_allowed_is_not_reported() {
    let secrets = [SECRETS[4].2, SECRETS[5].2, SECRETS[6].2];
    let text = secrets.join("\n");
    let found = scan(&text);
    assert_eq!(found.len(), 3);
    let rest = |file: &str, variable: &str| -> Vec<usize> {
        let allowed = AllowList::parse(file, variable);
        found.iter().filter(|one| !allowed.allows(one)).map(|one| one.line).collect()
    };
    let hash = |number: usize| found[number].hash.as_str();
    assert_eq!(rest("", ""), [1, 2, 3]);
    assert_eq!(rest(&format!("# why\r\n{}  # old\r\n", hash(1)), ""), [1, 3]);
    assert_eq!(rest(&format!("\u{feff}{}", hash(0).to_uppercase()), ""), [2, 3]);
    assert_eq!(rest("", &format!("{},{}", hash(0), hash(1))), [3]);
    assert_eq!(rest(&format!("#{}", hash(0)), &format!(" {}  {}", hash(1), hash(2))), [1]);
    assert_eq!(rest(&format!("{}\n*\n", &hash(0)[..15]), "*"), [1, 2, 3]);
}

/// Texts that make a careless scanner look at the rest again and again.
#[test]
fn time_is_linear() {
    let (key, words) = (KEY.join("\n"), "token ".repeat(3));
    for piece in [
        "a",
        " ",
        "token",
        &words,
        "token=\"a",
        "token='`",
        "eyJ",
        "eyJaaaaaaaaaaaa.",
        "://",
        "a://b:",
        "://a:c@",
        "sk-ant-",
        "xoxb-1",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        &format!("-----BEGIN PRIVATE KEY-----\n{key}\n"),
        "api_key=Zx81mmQazLp92KdYw77\n",
        "api_key=Zx81mmQazLp92KdYw77",
        "SG.a.",
        " -u a:b",
        "mysql ",
        "mysql -pa ",
        "login -p ",
        "a:1000:b:c:Zx81kq\u{1}",
        "Bearer a",
        "ENV A_TOKEN ",
        "é",
    ] {
        let time = |bytes: usize| {
            let text = piece.repeat(bytes / piece.len());
            let once = || {
                let start = Instant::now();
                scan(&text);
                start.elapsed()
            };
            once().min(once())
        };
        scan(piece);
        // Eight times the text; a square would be 64 times the time. Something else may take the
        // processor away for a while, but not every time.
        let mut measured = Vec::new();
        let is_linear = (0..6).any(|_| {
            let (small, large) = (time(1 << 16), time(1 << 19));
            measured.push((small, large));
            large < small * 24 + Duration::from_millis(50)
        });
        assert!(is_linear, "{piece:?}: {measured:?}");
    }
}

fn pieces() -> impl Strategy<Value = String> {
    let secret = (0..SECRETS.len()).prop_map(|at| {
        let (_, before, secret, after) = SECRETS[at];
        format!("{before}{secret}{after}")
    });
    let piece = prop_oneof![
        secret,
        "\\PC{0,20}",
        "[a-zA-Z0-9_+/=-]{0,80}",
        Just("-----BEGIN PRIVATE KEY-----".to_owned()),
        Just("-----END PRIVATE KEY-----".to_owned()),
        Just(KEY.join("\n")),
        "(token|secret|password|api_key)[ \"']{0,2}[:=]{0,2}",
        "[\n\r\t \"'`]{1,3}",
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn findings_are_in_order_and_say_little(text in pieces()) {
        let found = scan(&text);
        let places: Vec<_> = found.iter().map(|one| (one.line, one.column)).collect();
        let mut sorted = places.clone();
        sorted.sort_unstable();
        sorted.dedup();
        prop_assert_eq!(&places, &sorted);
        let lines: Vec<&str> = text.split('\n').collect();
        for one in &found {
            prop_assert_eq!(one.hash.len(), 16);
            prop_assert!(one.column <= lines[one.line - 1].chars().count(), "{one:?}");
        }
    }
}

/// The set of all patterns says the same as the hints, whatever matches a pattern.
#[test]
fn every_match_of_a_pattern_holds_a_hint() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for rule in RULES {
        // The generator knows no borders of words, and matches are searched for without Unicode's.
        let pattern = rule.pattern.replace(r"(?-u:\b)", "").replace("(?i-u:", "(?:");
        let matching = proptest::string::string_regex(&pattern).unwrap();
        for _ in 0..200 {
            let text = matching.new_tree(&mut runner).unwrap().current();
            let folded = text.to_ascii_lowercase();
            assert!(rule.hints.iter().any(|hint| folded.contains(hint)), "{}: {text}", rule.kind);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    /// A short text is looked through by hints, a long one by the set.
    #[test]
    fn what_is_found_does_not_depend_on_the_length_of_the_text(text in pieces()) {
        let long = format!("{text}{}", "\n".repeat(SHORT));
        prop_assert_eq!(scan(&text), scan(&long));
    }
}
