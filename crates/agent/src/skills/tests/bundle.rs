//! The bundled skills, and which goals they are found for.

use super::*;

#[test]
fn they_are_in_form() {
    let skills = bundled();
    assert_eq!(skills.len(), 6);
    for skill in &skills {
        assert!(skill.problems.is_empty(), "{}: {:?}", skill.name, skill.problems);
        let lines = skill.body.lines().count();
        assert!((50..=120).contains(&lines), "{}: {lines} lines", skill.name);
        assert!(skill.description.chars().count() <= 600, "{}", skill.name);
        assert!(skill.body.contains("\n## "));
        assert!(line(skill).starts_with(&format!("- {}: ", skill.name)));
    }
    assert!(skills.is_sorted_by_key(|skill| skill.name.clone()));
}
