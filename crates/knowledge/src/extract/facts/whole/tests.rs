use super::place::MAX_WHOLE;
use super::*;
use crate::extract::Statement;
use crate::extract::page::{Kind, read};

fn thing() -> Thing {
    Thing { entity: 0, name: "Foo".to_owned(), is_sure: true, is_document: false }
}

fn is_kept(text: &str, item: bool) -> bool {
    of(text, &thing(), &Setting { item, ..Setting::default() }).is_some()
}

#[test]
fn sentences_that_need_no_other_one_are_kept() {
    for text in [
        "Open enrollment is in November every year.",
        "Dental insurance in the US is provided through MetLife.",
        "If an object is under legal hold, it cannot be deleted unless the hold is removed.",
        "In Compliance mode, objects cannot be deleted before the date.",
        "Your Foo client must reuse tokens for at least 30 minutes.",
        "Projects at 18F begin as opportunities.",
        "The length of time that a token is valid depends on the environment.",
        "In most cases, if your contract has ended, you will be paid.",
        "Your monthly refund is capped at the amount of the plan.",
        "So long as a provider follows the rules, it won't be liable for content of users.",
        "Because of modern aids, the number of active sites has declined to 1,500.",
        "All requests require authentication via a token.",
        "A \"Badge Award\" event is of kind 8 with a tag.",
        "Records in the “fully denied” category have no owner.",
        "Everyone receives a new machine in January.",
        "Any request must be sent to the clerk in Rome.",
        "Running Foo on two machines can cause problems.",
        "Devices running Android, iOS, and Windows are currently unmanaged.",
        "Without parameters, authorization applies only to one name.",
        "There may be several records of one kind for a name.",
        "The domain name of a server must begin with a dot.",
        "If no cable, or a broken cable, is connected, a warning is shown.",
        "An editor formally documents the types of a module.",
        "Passing --all shows the files in a_b.txt to everybody.",
        "Identifiers MUST NOT include leading or trailing whitespace.",
        "Incremental compilation is off by default, so few builds are affected.",
        "Your stock options expire 10 years after their issue.",
        "Guidance.data.gov.uk provides documentation for publishers.",
        "Books, magazines, audio books and cassettes may be borrowed for three weeks.",
    ] {
        assert!(is_kept(text, false), "{text}");
    }
}

#[test]
fn sentences_that_need_another_one_are_left() {
    for text in [
        "It cannot be deleted before the date.",
        "This bar is applied to all objects.",
        "This configuration is applied to all objects.",
        "The incident was reported to the police.",
        "Many suspects were beaten up and some bribed.",
        "If it fails, the request is repeated twice.",
        "Returns a list of all objects in a bucket.",
        "Future versions may enforce a limit on requests.",
        "A replacement for SQLite code that has the ability to read databases.",
        "We adjusted the limits to accommodate usage patterns.",
        "You can store objects in a bucket of your choice.",
        "Noting that there were problems, they did not go on.",
        "Do not share long snippets.",
        "Pass the object to the other function.",
        "The function is called for every row of data.",
        "Use the lid to cover the bowl for an hour.",
        "Click the button to open the page of settings.",
        "In return, you will be asked for a release.",
        "If you want to know more, you will see a list.",
        "As we saw in 2022, the number of talks is small.",
        "We changed the limits of requests to 5.",
        "Your ticket is for a time and a train.",
        "If objects are locked, it cannot be deleted.",
        "There is a lot more.",
        "There is no need for it on any of the machines.",
        "The second value gives the size of an image.",
        "The body in section 4.0.3 shall decide on a report.",
        "Realizing that this is a risk, members were told of 5 faults.",
        "Everyone is keen to see them merged.",
        "Members do not prevent people from using it in shops.",
        "One or more ordered pairs of tags for the 8 badges.",
    ] {
        assert!(!is_kept(text, false), "{text}");
    }
}

#[test]
fn those_whose_document_a_page_is_are_quoted() {
    let policy = Thing { name: "Foo policy".to_owned(), ..thing() };
    for (text, expected) in [
        ("We meet in Rome every year.", Some("\"We meet in Rome every year.\"")),
        ("We think that Rome is far away.", None),
    ] {
        let setting = Setting { written: text, ..Setting::default() };
        assert_eq!(of(text, &policy, &setting).as_deref(), expected, "{text}");
        assert_eq!(of(text, &thing(), &setting), None, "{text}");
    }
}

#[test]
fn items_may_lack_a_stop() {
    for (text, expected) in [
        ("Retention headers can be optionally set while uploading objects", true),
        ("Fast - it is fast.", false),
        ("1,5s clean release build time", false),
    ] {
        assert_eq!(is_kept(text, true), expected, "{text}");
    }
}

#[test]
fn a_label_gives_way_to_this_and_also_is_left_out() {
    for (text, expected) in [
        (
            "Bar Request – The Foo board approved this request in 2015.",
            "Bar Request – The Foo board approved the request in 2015.",
        ),
        ("This foo must be kept at 5 degrees.", "The foo must be kept at 5 degrees."),
        ("An object can also be under legal hold.", "An object can be under legal hold."),
    ] {
        assert_eq!(of(text, &thing(), &Setting::default()).as_deref(), Some(expected));
    }
}

#[test]
fn a_heading_says_which_part_a_sentence_is_about() {
    let page =
        read("# Foo\n\nA.\n\n## 2. Dental insurance\n\nB.\n\n### Overview\n\nC.\n\n## Bar?\n\nD.");
    let parts = parts(&page, &thing());
    let told = page.blocks.iter().zip(&parts).filter(|(block, _)| block.kind == Kind::Paragraph);
    let told: Vec<Option<&str>> = told.map(|(_, part)| part.as_deref()).collect();
    assert_eq!(told, [None, Some("Dental insurance"), None, None]);
    for (part, text, expected) in [
        (Some("Dental insurance"), "The fee is paid.", "Foo, Dental insurance – The fee is paid."),
        (Some("Fees"), "The fee is paid.", "Foo – The fee is paid."),
        (None, "Foo pays the fee.", "Foo pays the fee."),
    ] {
        assert_eq!(named(&thing(), part, text), expected);
    }
}

#[test]
fn of_too_many_those_with_figures_and_limits_stay() {
    let of = |text: &str| (0, Statement { text: text.to_owned(), line: 1 });
    let mut all = vec![of("Cats like milk."); MAX_WHOLE];
    all.insert(3, of("A request must take less than 5 seconds."));
    let kept = best(all);
    assert_eq!(kept.len(), MAX_WHOLE);
    assert_eq!(kept[3].1.text, "A request must take less than 5 seconds.");
}

#[test]
fn what_is_short_for_two_words_is_told_as_it_was_written() {
    let policy = Thing { name: "Foo policy".to_owned(), is_document: true, ..thing() };
    for (text, expected) in [
        (
            "If you tried one of our products, we’re happy to give you five dollars.",
            Some("\"If you tried one of our products, we’re happy to give you five dollars.\""),
        ),
        ("We’ll see about one payment.", None),
        (
            "If you’ll pay within five days of an order, you get two percent of the price back.",
            Some(
                "If you’ll pay within five days of an order, you get two percent of the price back.",
            ),
        ),
        ("If you will pay within five days of an order, you'll get two percent of it back.", None),
    ] {
        let setting = Setting { written: text, ..Setting::default() };
        assert_eq!(of(text, &policy, &setting).as_deref(), expected, "{text}");
    }
}
