//! The bundled skills, and those of the hub that is part of the program.

use super::*;

#[test]
fn they_are_in_form() {
    let skills = bundled();
    assert_eq!(skills.len(), 6);
    let desk = Desk { hub: Some(hub::BUILTIN.to_owned()), ..Desk::new() };
    let hub = hub::load(hub::BUILTIN, &desk.cache()).unwrap();
    assert_eq!((hub.entries.len(), hub.problems.len()), (16, 0));
    assert_eq!(hub, hub::refresh(hub::BUILTIN, &desk.cache(), &desk.environment).unwrap());
    for entry in &hub.entries {
        let plan = desk.install(&format!("hub:{}", entry.name)).unwrap();
        // They name commands for people to run; nothing else is odd about them.
        let is_odd = |warning: &Warning| warning.concern != Concern::Commands;
        assert!(!plan.warnings.iter().any(is_odd), "{}: {:?}", entry.name, plan.warnings);
        assert_eq!((plan.commit.as_deref(), plan.hub.as_deref()), (None, Some(hub::BUILTIN)));
        assert!(desk.plan_update(&entry.name).unwrap().is_current());
    }
    assert!(!desk.cache().exists(), "nothing is fetched");
    let skills = [skills, desk.discover().skills].concat();
    assert_eq!(skills.len(), 6 + 16);
    for skill in &skills {
        assert!(skill.problems.is_empty(), "{}: {:?}", skill.name, skill.problems);
        let lines = skill.body.lines().count();
        assert!((50..=120).contains(&lines), "{}: {lines} lines", skill.name);
        assert!(skill.description.chars().count() <= 600, "{}", skill.name);
        assert!(skill.body.contains("\n## "));
        assert!(line(skill).starts_with(&format!("- {}: ", skill.name)));
    }
    assert!(bundled().is_sorted_by_key(|skill| skill.name.clone()));
}
