//! Approvals as they are shown on a channel, and what a button says: which request, which answer, and what
//! was shown. Pure.

use uuid::Uuid;

use crate::gateway::{
    Channel,
    message::{ApprovalOf, ApprovalRequest, ApprovalResponse, Word},
};
use elophanto_base::{
    fenced::fenced,
    visible::{exact, exact_line},
};
use elophanto_channels::{Button, Sign};

/// Digits of the digest that a button repeats: what fits beside the rest of it.
const DIGITS: usize = 16;
/// Answers to choose from.
const MOST_OPTIONS: usize = 8;

/// A request in words. All of what runs is in it, behind what speaks against it.
pub fn shown(request: &ApprovalRequest) -> String {
    let what = match &request.what {
        ApprovalOf::Call { shown, .. } => fenced("", &exact(shown)),
        ApprovalOf::Question { .. } => String::new(),
    };
    with(request, &what)
}

/// A request that is too long for one message: what runs is in a file.
pub fn shown_beside_file(request: &ApprovalRequest, file: &str) -> String {
    with(request, &format!("**All of what runs is in `{file}`: read it first.**"))
}

fn with(request: &ApprovalRequest, what: &str) -> String {
    let repository = exact_line(&request.repository);
    match &request.what {
        ApprovalOf::Call { tool, level, reasons, tainted, .. } => {
            let reasons: Vec<String> = reasons.iter().map(|it| exact_line(it)).collect();
            let taint = match tainted {
                true => "Text from outside has been read before this.\n\n",
                false => "",
            };
            format!(
                "**May this be done?** `{}` ({}), in `{repository}`\n\n{taint}{}\n\n{what}",
                exact_line(tool),
                exact_line(level),
                reasons.join("; "),
            )
        }
        ApprovalOf::Question { question, .. } => {
            format!(
                "**A question**, in `{repository}`\n\n{}\n\nAnswer to this message.",
                exact(question)
            )
        }
    }
}

/// What can be pressed below it. A rule is made on the user's machine alone.
pub fn buttons(request: &ApprovalRequest) -> Vec<Button> {
    let button = |label: &str, word: &str| Button {
        label: label.to_owned(),
        data: format!(
            "{word}:{}:{}",
            request.request_id.simple(),
            request.digest.get(..DIGITS).unwrap_or_default()
        ),
    };
    match &request.what {
        ApprovalOf::Call { can_be_kept, can_be_edits, .. } => {
            let mut all = vec![button("✅ Once", "once")];
            all.extend(can_be_kept.then(|| button("✅ In this session", "session")));
            all.extend(can_be_edits.then(|| button("✅ All edits", "edits")));
            all.push(button("❌ No", "no"));
            all
        }
        ApprovalOf::Question { options, .. } => {
            let label = |option: &String| exact_line(option).chars().take(60).collect::<String>();
            let of =
                |(number, option): (usize, &String)| button(&label(option), &number.to_string());
            options.iter().take(MOST_OPTIONS).enumerate().map(of).collect()
        }
    }
}

/// The request that a button is about.
pub fn request_of(data: &str) -> Option<Uuid> {
    data.split(':').nth(1)?.parse().ok()
}

/// The answer that a button gives to a request; `None` where it is none of its buttons, or shows what it
/// was made for no more.
pub fn pressed(data: &str, request: &ApprovalRequest) -> Option<ApprovalResponse> {
    let is_its = buttons(request).iter().any(|button| button.data == data);
    let word = data.split(':').next().filter(|_| is_its)?;
    let (answer, text) = match (&request.what, word) {
        (ApprovalOf::Question { options, .. }, number) => {
            (Word::Once, Some(options.get(number.parse::<usize>().ok()?)?.clone()))
        }
        (ApprovalOf::Call { .. }, word) => (Word::named(word)?, None),
    };
    Some(response(request, answer, text))
}

/// The digits that the buttons below a message repeat; none where there are no buttons.
pub fn digits_of(buttons: &[Button]) -> String {
    let last = buttons.first().and_then(|button| button.data.rsplit(':').next());
    last.unwrap_or_default().to_owned()
}

/// The answer that a sign gives to a request which is shown with these digits; `None` where it gives none,
/// or something else was shown.
pub fn signed(sign: Sign, digits: &str, request: &ApprovalRequest) -> Option<ApprovalResponse> {
    let is_shown = digits == digits_of(&buttons(request));
    match (&request.what, sign) {
        _ if !is_shown => None,
        (ApprovalOf::Call { .. }, Sign::Yes) => Some(response(request, Word::Once, None)),
        (ApprovalOf::Call { .. }, Sign::No) => Some(response(request, Word::No, None)),
        _ => None,
    }
}

/// The answer to a question, in somebody's own words.
pub fn said(text: &str, request: &ApprovalRequest) -> Option<ApprovalResponse> {
    match &request.what {
        ApprovalOf::Question { .. } => Some(response(request, Word::Once, Some(text.to_owned()))),
        ApprovalOf::Call { .. } => None,
    }
}

fn response(request: &ApprovalRequest, answer: Word, text: Option<String>) -> ApprovalResponse {
    let (request_id, digest) = (request.request_id, request.digest.clone());
    ApprovalResponse { request_id, digest, answer, text }
}

/// That it is answered, in a line.
pub fn settled(answer: &str, channel: Option<Channel>) -> String {
    let word = match answer {
        "once" => "✅ Yes, once",
        "session" => "✅ Yes, in this session",
        "edits" => "✅ Yes, and all edits",
        "rule" => "✅ Yes, by a rule",
        "no" => "❌ No",
        "expired" => "❌ Nobody answered in time",
        _ => "❌ Stopped",
    };
    match channel {
        Some(channel) => format!("{word} ({})", channel.name()),
        None => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::json;

    use super::*;

    fn request(what: ApprovalOf) -> ApprovalRequest {
        ApprovalRequest {
            request_id: Uuid::new_v4(),
            digest: "0123456789abcdef0123".to_owned(),
            asked: Timestamp::UNIX_EPOCH,
            expires: Timestamp::UNIX_EPOCH,
            run: String::new(),
            repository: "harbour".to_owned(),
            is_interrupted: false,
            what,
        }
    }

    fn call(shown: &str) -> ApprovalRequest {
        request(ApprovalOf::Call {
            tool: "shell_execute".to_owned(),
            level: "destructive".to_owned(),
            arguments: json!({}),
            shown: shown.to_owned(),
            reasons: vec!["it asks".to_owned()],
            commands: Vec::new(),
            can_be_kept: true,
            can_be_edits: false,
            can_be_rule: true,
            tainted: true,
            depth: 0,
        })
    }

    #[test]
    fn what_speaks_against_it_stands_before_what_runs() {
        let own = call("rm -r otters");
        let whole = shown(&own);
        let at = |text: &str| whole.find(text).unwrap();
        assert!(at("Text from outside") < at("rm -r otters") && at("it asks") < at("rm -r otters"));
        let beside = shown_beside_file(&own, "approval.md");
        for text in ["Text from outside", "it asks", "`approval.md`"] {
            assert!(beside.contains(text), "{beside}");
        }
        assert!(!beside.contains("otters"), "{beside}");
    }

    #[test]
    fn a_button_is_bound_to_what_was_shown() {
        let own = call("ls");
        let all = buttons(&own);
        let labels: Vec<&str> = all.iter().map(|button| button.label.as_str()).collect();
        assert_eq!(labels, ["✅ Once", "✅ In this session", "❌ No"]);
        assert!(all.iter().all(|button| button.data.len() <= 64));
        assert_eq!(request_of(&all[0].data), Some(own.request_id));
        let once = pressed(&all[0].data, &own).unwrap();
        assert_eq!((once.answer, once.digest.as_str()), (Word::Once, own.digest.as_str()));
        // Another digest, another request, another word: none of its buttons.
        let other = ApprovalRequest { digest: "f".repeat(64), ..own.clone() };
        assert_eq!(pressed(&all[0].data, &other), None);
        assert_eq!(pressed(&all[0].data, &call("ls")), None);
        for word in ["rule", "edits", "9", "", "yes"] {
            let data = all[0].data.replacen("once", word, 1);
            assert_eq!(pressed(&data, &own), None, "{word}");
        }
        assert_eq!(request_of("nonsense"), None);
    }

    #[test]
    fn a_sign_is_bound_to_what_was_shown() {
        let own = call("ls");
        let digits = digits_of(&buttons(&own));
        let word = |sign, digits: &str| signed(sign, digits, &own).map(|it| it.answer);
        assert_eq!(word(Sign::Yes, &digits), Some(Word::Once));
        assert_eq!(word(Sign::No, &digits), Some(Word::No));
        assert_eq!(word(Sign::For, &digits), None);
        for other in ["", "ffffffffffffffff"] {
            assert_eq!(word(Sign::Yes, other), None, "{other}");
        }
        let asked = request(ApprovalOf::Question { question: "?".to_owned(), options: Vec::new() });
        assert_eq!(signed(Sign::Yes, "", &asked), None);
    }

    #[test]
    fn what_runs_is_shown_whole() {
        let text = shown(&call("echo ```\n# no heading\u{202e}"));
        assert!(text.contains("````\necho ```\n# no heading<U+202E>\n````"), "{text}");
        assert!(text.contains("Text from outside"));
    }

    #[test]
    fn questions() {
        let options = vec!["red".to_owned(), "blue".to_owned()];
        let asked = request(ApprovalOf::Question { question: "Which?".to_owned(), options });
        let second = &buttons(&asked)[1];
        assert_eq!(pressed(&second.data, &asked).unwrap().text.as_deref(), Some("blue"));
        assert_eq!(said("green", &asked).unwrap().text.as_deref(), Some("green"));
        assert!(said("green", &call("ls")).is_none());
    }
}
