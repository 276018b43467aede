//! What ends self-development before anything is deployed.

use super::*;

#[test]
fn only_a_yes_is_a_yes() {
    for answer in [None, Some("leave it"), Some("yes"), Some(""), Some("Deploy it, but later")] {
        let scene = Scene::new();
        let mut host = Scripted::new(&scene, &[code(&[])], &[APPROVED]);
        host.answers = [answer].into();
        let output = scene.run(&mut host).unwrap();
        assert!(output.failed && output.text.starts_with("Not deployed"), "{}", output.text);
        scene.check_nothing_deployed(Ended::NotAgreed);
        assert!(scene.world.root.join("plugins/capitals/plugin.py").exists());
    }
}

#[test]
fn what_changed_while_the_user_thought_is_not_deployed() {
    for (path, text) in
        [("plugin.py", "#!/bin/sh\nevil\n"), ("extra.py", ""), ("test_plugin.py", "")]
    {
        let scene = Scene::new();
        let mut host = Scripted::new(&scene, &[code(&[])], &[APPROVED]);
        let path = scene.world.root.join("plugins/capitals").join(path);
        host.on_question = Some(Box::new(move || fs::write(&path, text).unwrap()));
        let error = scene.run(&mut host).unwrap_err().to_string();
        assert!(error.contains("has changed since it was looked at"), "{error}");
        let seen = scene.seen.lock().unwrap();
        assert_eq!((seen.tools.len(), &*seen.ended), (0, &[Ended::Failed][..]));
        drop(seen);
        assert!(scene.world.load(true).tools.is_empty());
    }
}

#[test]
fn cancelled_at_any_step_it_deploys_nothing() {
    let mut step = 0;
    loop {
        let scene = Scene::new();
        let codes = [code(&[("test_plugin.py", FAILING)]), code(&[])];
        let mut host = Scripted::new(&scene, &codes, &[APPROVED]);
        host.cancel_after = step;
        match scene.run(&mut host) {
            Err(ToolError::Cancelled) => scene.check_nothing_deployed(Ended::Cancelled),
            Ok(output) => {
                assert!(!output.failed, "{}", output.text);
                assert!(host.steps < step, "step {step}: deployed all the same");
                break;
            }
            Err(error) => panic!("step {step}: {error}"),
        }
        step += 1;
    }
    assert!(step > 10, "{step}");
}

#[test]
fn what_permissions_refuse_ends_it() {
    for denied in ["file_write", "file_delete"] {
        let scene = Scene::new();
        scene.world.write("plugins/capitals/old.py", "x");
        let mut host = Scripted::new(&scene, &[code(&[])], &[APPROVED]);
        host.denied = denied;
        assert!(matches!(scene.run(&mut host), Err(ToolError::Refused(_))), "{denied}");
        scene.check_nothing_deployed(Ended::Failed);
    }
    // Without a search, conventions or a model that reviews.
    let scene = Scene::new();
    let mut host = Scripted::new(&scene, &[code(&[])], &[]);
    host.denied = "knowledge_search";
    let error = scene.run(&mut host).unwrap_err().to_string();
    assert!(error.contains("no model for review"), "{error}");
    assert_eq!(scene.stages()[0], "0 research failed");
    assert_eq!(scene.stages().last().unwrap(), "1 review failed");
    scene.check_nothing_deployed(Ended::Failed);
}

#[test]
fn what_no_model_can_rewrite_is_left_alone() {
    for (path, bytes) in
        [("data.bin", vec![0xff]), ("big.txt", vec![b'x'; MAX_ANSWER_FILE_BYTES + 1])]
    {
        let scene = Scene::new();
        scene.world.write(&format!("plugins/capitals/{path}"), &bytes);
        let mut host = Scripted::new(&scene, &[code(&[])], &[APPROVED]);
        let error = scene.run(&mut host).unwrap_err().to_string();
        assert!(error.contains("changed by hand"), "{error}");
        assert!(host.calls.iter().all(|(tool, _)| tool != "file_delete"));
        scene.check_nothing_deployed(Ended::Failed);
    }
}

#[test]
fn calls_out_of_form_are_refused() {
    let scene = Scene::new();
    let mut host = Scripted::new(&scene, &[], &[]);
    let long = "x".repeat(MAX_GOAL_CHARS + 1);
    for arguments in [
        json!({}),
        json!({"goal": ""}),
        json!({"goal": 1}),
        json!({"goal": long}),
        json!({"goal": "x", "name": "../../bin/x"}),
        json!({"goal": "x", "name": "-rf"}),
        json!({"goal": "x", "name": "con"}),
        json!({"goal": "x", "name": "file_read"}),
        json!({"goal": "x", "name": "self_develop"}),
        json!({"goal": "数える"}),
        json!({"goal": "x", "mode": "full"}),
        json!("x"),
    ] {
        let refused = scene.tool.intent(&arguments, &host);
        assert!(matches!(refused, Err(ToolError::Arguments(_))), "{arguments}");
        assert!(scene.tool.execute(&arguments, &mut host).is_err(), "{arguments}");
    }
    assert_eq!(host.steps, 0);
    assert_eq!(scene.tool.spec().level, Level::Critical);
    let intent = scene.tool.intent(&json!({"goal": "Count words"}), &host).unwrap();
    assert_eq!(intent.action, Action::Develop);
    assert!(intent.shown.contains("elophanto/develop/count_words"), "{}", intent.shown);
}
