//! The ledger of a conversation, without a model: what is kept over restarts and cuts.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use proptest::prelude::*;
use uuid::Uuid;

use super::{
    Channel,
    events::without_run,
    found::Found,
    ledger::{Ended, Ledger, Record, Settled},
    message::{ApprovalOf, ApprovalRequest, Word},
};

pub(super) fn open(path: &Path) -> (Ledger, Vec<String>) {
    Found::read(path).unwrap().take_up("cli:ada", Path::new("/r")).unwrap()
}

pub(super) fn opened() -> Record {
    Record::Opened {
        person: "cli:ada".to_owned(),
        root: PathBuf::from("/r"),
        session: id(99),
        at: Timestamp::UNIX_EPOCH,
    }
}

pub(super) fn id(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

pub(super) fn taken(number: u128) -> Record {
    Record::Taken {
        id: id(number),
        content: format!("message {number}"),
        attachments: Vec::new(),
        channel: Channel::Cli,
        user: "ada".to_owned(),
        at: Timestamp::UNIX_EPOCH,
        scheduled: None,
    }
}

pub(super) fn ended(number: u128) -> Record {
    let complete = without_run("goal", "done", "the agent gave its answer".to_owned());
    let answer = format!("answer {number}");
    let ended = Ended { answer, ..Ended::without_answer(complete) };
    Record::Ended { id: id(number), ended: Box::new(ended) }
}

fn asked(number: u128, request: u128) -> Record {
    let request = ApprovalRequest {
        request_id: id(request),
        digest: "d".to_owned(),
        asked: Timestamp::UNIX_EPOCH,
        expires: Timestamp::MAX,
        run: "R".to_owned(),
        repository: "r".to_owned(),
        is_interrupted: false,
        what: ApprovalOf::Question { question: "q".to_owned(), options: Vec::new() },
    };
    Record::Asked { id: id(number), request: Box::new(request) }
}

fn settled(request: u128) -> Record {
    let settled = Settled::Answered { word: Word::Once, text: None, channel: Channel::Telegram };
    Record::Settled { request: id(request), settled, at: Timestamp::UNIX_EPOCH, goes_on: true }
}

fn begun(number: u128) -> Record {
    Record::Begun { id: id(number), at: Timestamp::UNIX_EPOCH }
}

#[test]
fn what_is_known_of_a_message() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.jsonl");
    let (mut ledger, problems) = open(&path);
    assert!(problems.is_empty() && ledger.kept.session.is_none());
    for record in [opened(), taken(1), taken(1), begun(1), asked(1, 7), taken(2)] {
        ledger.note(&record).unwrap();
    }
    let (ledger_again, _) = open(&path);
    let kept = &ledger_again.kept;
    assert_eq!(kept.open.len(), 2);
    assert_eq!(kept.waiting(id(7)), Some(id(1)));
    assert!(kept.knows(id(1)) && kept.knows(id(2)) && !kept.knows(id(3)));
    // The second answer to one approval changes nothing.
    ledger.note(&settled(7)).unwrap();
    ledger
        .note(&Record::Settled {
            request: id(7),
            settled: Settled::Expired,
            at: Timestamp::UNIX_EPOCH,
            goes_on: false,
        })
        .unwrap();
    let message = ledger.kept.find(id(1)).unwrap();
    assert_eq!(message.asked[0].1.as_ref().map(Settled::word), Some("once"));
    ledger.note(&ended(1)).unwrap();
    let (read, _) = open(&path);
    assert_eq!(read.kept.ended[&id(1)].answer, "answer 1");
    assert_eq!(read.kept.pending().count(), 0);
}

#[test]
fn answers_of_long_ago_are_let_go_of_and_their_messages_stay_known() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.jsonl");
    let (mut ledger, _) = open(&path);
    for number in 0..300 {
        ledger.kept.take(&taken(number));
        ledger.kept.take(&ended(number));
    }
    assert_eq!((ledger.kept.ended.len(), ledger.kept.done.len()), (200, 100));
    assert!((0..300).all(|number| ledger.kept.knows(id(number))));
    // A message that is known is not taken again.
    ledger.kept.take(&taken(0));
    assert!(ledger.kept.open.is_empty());
}

proptest! {
    /// Written anew, a log says the same as before; cut off anywhere, it says what it said by then.
    #[test]
    fn a_log_says_the_same_whole_and_shortened(
        steps in prop::collection::vec((0u8..5, 0u128..6), 0..40),
        cut in 0usize..10_000,
    ) {
        let record = |(step, number): &(u8, u128)| match step {
            0 => taken(*number),
            1 => begun(*number),
            2 => asked(*number, 10 + number),
            3 => settled(10 + number),
            _ => ended(*number),
        };
        let records: Vec<Record> = [opened()].into_iter().chain(steps.iter().map(record)).collect();
        let mut kept = super::ledger::Kept::default();
        records.iter().for_each(|record| kept.take(record));
        let mut anew = super::ledger::Kept::default();
        kept.records(Timestamp::UNIX_EPOCH).iter().for_each(|record| anew.take(record));
        prop_assert_eq!(&kept.open, &anew.open);
        prop_assert_eq!(&kept.ended, &anew.ended);

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.jsonl");
        let (mut ledger, _) = open(&path);
        records.iter().for_each(|record| ledger.note(record).unwrap());
        let bytes = std::fs::read(&path).unwrap_or_default();
        let cut = cut.min(bytes.len());
        let whole = bytes[..cut].iter().filter(|byte| **byte == b'\n').count();
        let mut by_then = super::ledger::Kept::default();
        records[..whole].iter().for_each(|record| by_then.take(record));
        if cut > 0 {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            let (read, _) = open(&path);
            // A last line that is whole but for its line end may count.
            let mut or_one_more = super::ledger::Kept::default();
            records.iter().take(whole + 1).for_each(|record| or_one_more.take(record));
            prop_assert!(read.kept.open == by_then.open || read.kept.open == or_one_more.open);
        }
    }
}
