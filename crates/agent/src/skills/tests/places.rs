//! New skills from the template.

use super::*;

#[test]
fn a_new_skill_is_a_skill() {
    let desk = Desk::new();
    for description in
        ["Plain", "With: colon, \"quotes\" and 'more' # x", "- list\n- two", "{a: b}", "ünï 🦦"]
    {
        let _ = fs::remove_dir_all(desk.at("user"));
        let path = new_skill(&desk.at(""), &desk.at("user"), "my-skill", description).unwrap();
        assert_eq!(path, desk.at("user/my-skill/SKILL.md"));
        let skill = desk.used("my-skill").unwrap();
        assert_eq!(skill.description, elophanto_base::one_line::one_line(description, 100));
        assert!(skill.problems.is_empty() && skill.body.contains("## Steps"));
    }
    assert!(
        new_skill(&desk.at(""), &desk.at("user"), "my-skill", "again").is_err(),
        "never over another"
    );
    for (name, description) in [
        ("../x", "d"),
        ("con", "d"),
        ("-rf", "d"),
        ("a", ""),
        ("a", "\u{200b}"),
        ("a", &"d".repeat(1_025)),
    ] {
        assert!(
            new_skill(&desk.at(""), &desk.at("user"), name, description).is_err(),
            "{name} {description:.10}"
        );
    }
    assert_eq!(names(&desk.at("user")), ["my-skill"]);
}
