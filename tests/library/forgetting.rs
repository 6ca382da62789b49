//! A forgotten skill is gone, and nothing else is.

use adroit::outcome::Decision;
use adroit::ranking::Scope;
use rusqlite::Connection;

use crate::common::{Home, Words, contains, files, learn, learned, stored};
use crate::recordings::{alarm, alarm_and_swipe, note, unlike};

#[test]
fn a_forgotten_skill_is_found_no_more_and_the_others_stay() {
    let home = Home::new();
    let library = home.open_with(Words::new());
    learn(&library, alarm("one", "7:00"));
    let skill = learned(&library, alarm_and_swipe("two", "8:30"));
    let other = learned(&library, note("three", "milk"));
    assert_eq!(library.history(skill.lineage_id.clone()).unwrap().len(), 2);
    let before = library.rank(skill.goal.clone(), 5, Scope::default()).unwrap();
    assert_eq!(before.results[0].skill_id, skill.skill_id);

    assert_eq!(library.forget(skill.lineage_id.clone()), Ok(true));

    assert_eq!(library.skill(skill.skill_id.clone()).unwrap(), None);
    assert_eq!(library.skill_by_name(skill.name).unwrap(), None);
    assert_eq!(
        library.skill_by_goal_family(skill.goal_family, None).unwrap(),
        None
    );
    assert_eq!(library.history(skill.lineage_id.clone()).unwrap(), []);
    assert_eq!(library.executions(skill.skill_id).unwrap(), []);
    assert_eq!(library.list(None, 10).unwrap(), std::slice::from_ref(&other));
    assert_eq!(library.count(), Ok(1));
    let after = library.rank(skill.goal, 5, Scope::default()).unwrap();
    let found: Vec<_> = after.results.iter().map(|result| &result.skill_id).collect();
    assert_eq!(found, [&other.skill_id]);
    assert_eq!(
        library.forget(skill.lineage_id),
        Ok(false),
        "there is nothing left to forget"
    );
    assert_eq!(library.executions(other.skill_id).unwrap().len(), 1);
}

#[test]
fn forgetting_what_was_never_there_creates_no_file() {
    let home = Home::new();
    let library = home.open_without_embedding();
    assert_eq!(library.forget("nobody".to_owned()), Ok(false));
    assert_eq!(files(home.folder.path()), []);
}

#[test]
fn nothing_of_a_forgotten_skill_can_be_read_in_the_files() {
    let home = Home::new();
    let library = home.open_with(Words::new());
    let word = "zanzibar-quokka";
    for round in 0..40 {
        learn(&library, unlike(&format!("other {round}"), round));
    }
    let skill = learned(&library, note("one", word));
    learn(&library, note("two", "quokka again"));
    let on_disk = |text: &str| {
        files(home.folder.path())
            .iter()
            .any(|(_, bytes)| contains(bytes, text))
    };
    assert!(on_disk(word) && on_disk("Write down a note"));

    library.forget(skill.lineage_id.clone()).unwrap();

    for text in [word, "quokka again", "Write down a note", skill.skill_id.as_str()] {
        assert!(!on_disk(text), "{text} is still in a file");
    }
    assert!(on_disk(&skill.lineage_id), "the id stays, for readers elsewhere");
}

#[test]
fn another_library_on_the_file_drops_what_was_forgotten_and_still_gives_as_many() {
    let home = Home::new();
    let words = Words::new();
    let (here, there) = (home.open_with(words.clone()), home.open_with(words));
    let mut skills = Vec::new();
    for number in 0..6 {
        skills.push(learned(&here, unlike(&format!("task {number}"), number)));
    }
    let goal = skills[3].goal.clone();
    let rank = || there.rank(goal.clone(), 3, Scope::default()).unwrap().results;
    assert_eq!(rank()[0].skill_id, skills[3].skill_id);

    here.forget(skills[3].lineage_id.clone()).unwrap();
    // The next change takes a number that neither has seen, although the newest row may be gone.
    here.forget(skills[5].lineage_id.clone()).unwrap();
    let newest = learned(&here, unlike("task 6", 6));

    let found = rank();
    assert_eq!(found.len(), 3);
    for gone in [&skills[3], &skills[5]] {
        assert!(found.iter().all(|result| result.skill_id != gone.skill_id));
    }
    let found = there.rank(newest.goal, 1, Scope::default()).unwrap().results;
    assert_eq!(found[0].skill_id, newest.skill_id);
}

#[test]
fn a_forgotten_task_may_be_learned_again() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let first = learned(&library, alarm("one", "7:00"));
    library.forget(first.lineage_id.clone()).unwrap();
    let outcome = learn(&library, alarm("one", "7:00"));
    assert_eq!(outcome.decision, Decision::Created);
    let again = stored(&library, &outcome);
    assert_eq!((again.name, again.version), (first.name, 1));
    assert_ne!(again.lineage_id, first.lineage_id);
}

#[test]
fn the_database_forgets_a_lineage_whole_or_not_at_all() {
    let home = Home::new();
    let library = home.open_without_embedding();
    let skill = learned(&library, alarm("one", "7:00"));
    library.close();
    let conn = Connection::open(home.database()).unwrap();
    conn.pragma_update(None, "foreign_keys", true).unwrap();
    conn.pragma_update(None, "recursive_triggers", true).unwrap();
    for (statement, refusal) in [
        (
            "INSERT INTO forgotten (lineage_id) VALUES ('nobody')",
            "only a stored lineage",
        ),
        ("DELETE FROM skill", "never deleted"),
    ] {
        let error = conn.execute(statement, []).unwrap_err().to_string();
        assert!(error.contains(refusal), "{statement}: {error}");
    }
    conn.execute(
        "INSERT INTO forgotten (lineage_id) VALUES (?1)",
        [&skill.lineage_id],
    )
    .unwrap();
    for table in [
        "lineage",
        "skill",
        "template",
        "execution",
        "goal_term",
        "embedding",
    ] {
        let rows: i64 = conn
            .query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))
            .unwrap();
        assert_eq!(rows, 0, "{table}");
    }
    for statement in [
        "DELETE FROM forgotten",
        "UPDATE forgotten SET lineage_id = 'other'",
    ] {
        let error = conn.execute(statement, []).unwrap_err().to_string();
        assert!(error.contains("stays forgotten"), "{statement}: {error}");
    }
}
