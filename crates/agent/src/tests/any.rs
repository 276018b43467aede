//! Whatever the model does.

use proptest::prelude::*;
use serde_json::json;

use super::kit::*;
use crate::{
    permissions::{Action, Level, Mode},
    *,
};
use elophanto_models::llm::Message;

fn any_step() -> impl Strategy<Value = Say> {
    let name = prop_oneof![
        Just("look"),
        Just("read"),
        Just("write"),
        Just("shell"),
        Just("web"),
        Just("fails"),
        Just("nest"),
        Just("nothing"),
        Just("")
    ];
    let arguments = prop_oneof![
        Just(json!({})),
        Just(json!(null)),
        Just(json!({"path": "a"})),
        Just(json!({"path": 1})),
        Just(json!({"bad": 1}))
    ];
    let calls = proptest::collection::vec((name.prop_map(str::to_owned), arguments), 0..4);
    let text = prop_oneof![Just(""), Just("I will look."), Just("Done."), Just("</quoted-x>")];
    prop_oneof![
        8 => calls.prop_map(Say::Calls),
        2 => text.prop_map(|text| Say::Text(text.to_owned())),
        1 => Just(Say::Fails(BrainErrorKind::TooLong)),
        1 => Just(Say::Fails(BrainErrorKind::Malformed { raw: "x".into() })),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 48, ..Default::default() })]

    /// Whatever the model does: the run ends, the session stays short and whole, and what
    /// reaches out is asked for once untrusted text was there.
    #[test]
    fn any_model_is_borne(
        rounds in proptest::collection::vec(proptest::collection::vec(any_step(), 0..25), 1..4),
        mode in prop_oneof![Just(Mode::Ask), Just(Mode::Smart), Just(Mode::Full)],
        yes in any::<bool>(),
    ) {
        let mut bench = Bench::new(mode, []);
        bench.add(tool("nest", Level::Safe, Action::Model, false, |_, host| {
            said(&host.sub_task("smaller", &["look", "write", "read", "nest"])?)
        }));
        bench.person.always = yes.then_some(Answer::Session);
        let mut session = bench.session();
        for steps in rounds {
            bench.brain.steps = steps.into();
            let finished = bench.run_in("go", &mut session);
            prop_assert!(session.messages.len() <= MAX_MESSAGES);
            let is_said = |message: &Message| matches!(message, Message::Assistant { .. });
            if session.messages.iter().any(is_said) || finished.end == End::Answered {
                prop_assert_eq!(&bench.sessions.load(session.id).unwrap(), &session);
            } else if let Ok(kept) = bench.sessions.load(session.id) {
                // Where no model said anything there may be nothing to go on with.
                prop_assert_eq!(&kept, &session);
            }
            let trail = bench.trail(&finished);
            let mut is_tainted = matches!(&trail[0], EntryKind::Begin { tainted: true, .. });
            for kind in &trail {
                match kind {
                    EntryKind::Tainted { .. } => is_tainted = true,
                    EntryKind::Call { tool, made: true, approved, .. }
                        if ["write", "shell", "web"].contains(&tool.as_str()) =>
                    {
                        let stays = tool != "web";
                        let is_free = !is_tainted || stays;
                        prop_assert!(is_free || approved == "once", "{} {}", tool, approved);
                        prop_assert!(yes || mode == Mode::Full && is_free);
                    }
                    _ => {}
                }
            }
        }
    }
}
