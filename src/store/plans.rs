//! How SQLite runs each statement: through an index, whatever the number of skills.

use rusqlite::Connection;

use super::{schema, sql};

/// Counting reads one entry per lineage of an index, and there is no faster way. Recordings are the few tasks that run.
const ALLOWED: &[(&str, &str)] = &[
    ("COUNT", "SCAN lineage USING COVERING INDEX"),
    ("RECORDINGS", "SCAN recording"),
];

/// Steps of a plan that read or sort as many rows as there are.
fn unbounded_steps(name: &str, plan: &[String]) -> Vec<String> {
    let allowed = |step: &str| {
        ALLOWED
            .iter()
            .any(|(who, what)| *who == name && step.starts_with(what))
    };
    // Walking the arrays of one row, or the one row of a subquery or view, is no scan of a table.
    let harmless = |step: &str| {
        ["SCAN CONSTANT ROW", "SCAN next_change"].contains(&step) || step.starts_with("SCAN json_each")
    };
    plan.iter()
        .filter(|step| step.starts_with("SCAN") || step.contains("TEMP B-TREE") || step.contains("AUTOMATIC"))
        .filter(|step| !harmless(step) && !allowed(step))
        .cloned()
        .collect()
}

fn plan(conn: &Connection, statement: &str) -> Vec<String> {
    let mut statement = conn.prepare(&format!("EXPLAIN QUERY PLAN {statement}")).unwrap();
    // Any values do: the plan is made before they are looked at.
    let values = vec![rusqlite::types::Value::Null; statement.parameter_count()];
    let steps = statement
        .query_map(rusqlite::params_from_iter(values), |row| row.get("detail"))
        .unwrap();
    steps.map(Result::unwrap).collect()
}

fn store() -> Connection {
    let mut conn = Connection::open_in_memory().unwrap();
    schema::CURRENT.prepare(&mut conn).unwrap();
    conn
}

#[test]
fn no_statement_scans_or_sorts_a_whole_table() {
    let conn = store();
    for (name, statement) in sql::ALL {
        let plan = plan(&conn, statement);
        assert_eq!(
            unbounded_steps(name, &plan),
            Vec::<String>::new(),
            "{name}: {plan:#?}"
        );
    }
}

#[test]
fn the_plans_of_bad_statements_are_told_apart() {
    let conn = store();
    for bad in [
        "SELECT id FROM skill WHERE goal = ?1",
        "SELECT id FROM skill WHERE skeleton = ?1 ORDER BY goal",
        "SELECT count(*) FROM lineage",
        "SELECT * FROM stored_skill",
    ] {
        assert_ne!(
            unbounded_steps("", &plan(&conn, bad)),
            Vec::<String>::new(),
            "{bad}"
        );
    }
}
