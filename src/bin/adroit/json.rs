//! The JSON that scripts read. These keys stay as they are.

use adroit::JsonValue;
use adroit::library::{EmbedReport, Ranking};
use adroit::outcome::{Decision, Outcome, SkipReason};
use adroit::skill::Skill;
use serde_json::json;

/// What `learn` did with one timeline.
pub fn outcome(outcome: &Outcome) -> JsonValue {
    let skill = outcome.skill.as_ref();
    let new_parameters: &[String] = match &outcome.decision {
        Decision::ParametersUpdated { added, .. } => added,
        _ => &[],
    };
    let skipped = matches!(outcome.decision, Decision::Skipped { .. });
    json!({
        "task_id": outcome.task_id,
        "outcome": decision_code(&outcome.decision),
        "reason": reason_code(&outcome.decision),
        "skill_id": skill.map(|skill| &skill.skill_id),
        "lineage_id": skill.map(|skill| &skill.lineage_id),
        "name": skill.map(|skill| &skill.name),
        "version": skill.map(|skill| skill.version),
        "parameters": outcome.parameters,
        "new_parameters": new_parameters,
        "matched_by": (!skipped).then_some(outcome.evidence.matched_by),
        "embedding": outcome.embedding,
    })
}

/// The code of what was done.
pub fn decision_code(decision: &Decision) -> &'static str {
    match decision {
        Decision::Skipped { .. } => "skipped",
        Decision::Created => "created",
        Decision::Unchanged => "unchanged",
        Decision::ParametersUpdated { .. } => "parameters_updated",
        Decision::VersionAdded { .. } => "version_added",
    }
}

fn reason_code(decision: &Decision) -> Option<&'static str> {
    let Decision::Skipped { reason } = decision else {
        return None;
    };
    Some(match reason {
        SkipReason::Disabled => "disabled",
        SkipReason::NotSucceeded { .. } => "not_succeeded",
        SkipReason::NoSteps => "no_steps",
        SkipReason::AlreadyLearned { .. } => "already_learned",
    })
}

/// The skills found for a goal.
pub fn ranking(goal: &str, ranking: &Ranking) -> JsonValue {
    let results: Vec<JsonValue> = (1..)
        .zip(&ranking.results)
        .map(|(rank, found)| {
            json!({
                "rank": rank,
                "skill_id": found.skill_id,
                "lineage_id": found.lineage_id,
                "name": found.name,
                "version": found.version,
                "goal": found.goal,
                "score": found.score,
            })
        })
        .collect();
    json!({"goal": goal, "results": results, "goal_truncated": ranking.goal_truncated})
}

/// What `embed-pending` did.
pub fn embedded(report: &EmbedReport) -> JsonValue {
    json!({"stored": report.stored, "failed": report.failed, "remaining": report.remaining})
}

/// What `forget` deleted.
pub fn forgotten(skill: &Skill, versions: usize) -> JsonValue {
    json!({"lineage_id": skill.lineage_id, "name": skill.name, "versions": versions})
}

/// A refused input.
pub fn refusal(file: &str, line: u64, field: &str, reason: &str) -> JsonValue {
    json!({"error": reason, "file": file, "line": line, "field": field})
}

#[cfg(test)]
mod tests {
    use super::*;
    use adroit::outcome::{EmbeddingState, Evidence, MatchedBy};
    use adroit::skill::SkillRef;

    #[test]
    fn an_outcome_has_its_stable_keys() {
        let learned = Outcome {
            task_id: "t".into(),
            decision: Decision::ParametersUpdated {
                added: vec!["hour".into()],
                changed: vec!["day".into()],
            },
            skill: Some(SkillRef {
                skill_id: "s".into(),
                lineage_id: "l".into(),
                name: "n".into(),
                version: 2,
            }),
            parameters: vec!["day".into(), "hour".into()],
            evidence: Evidence {
                matched_by: MatchedBy::GoalFamily,
                ..Evidence::default()
            },
            embedding: Some(EmbeddingState::Stored),
        };
        assert_eq!(
            outcome(&learned),
            json!({
                "task_id": "t", "outcome": "parameters_updated", "reason": null, "skill_id": "s", "lineage_id": "l",
                "name": "n", "version": 2, "parameters": ["day", "hour"], "new_parameters": ["hour"],
                "matched_by": "goal_family", "embedding": "stored",
            })
        );
    }

    #[test]
    fn a_skipped_task_says_why() {
        let first = Box::new(Decision::Created);
        for (reason, code) in [
            (SkipReason::Disabled, "disabled"),
            (
                SkipReason::NotSucceeded {
                    status: adroit::timeline::Status::Failed,
                },
                "not_succeeded",
            ),
            (SkipReason::NoSteps, "no_steps"),
            (SkipReason::AlreadyLearned { first }, "already_learned"),
        ] {
            let skipped = Outcome {
                task_id: "t".into(),
                decision: Decision::Skipped { reason },
                skill: None,
                parameters: vec![],
                evidence: Evidence::default(),
                embedding: None,
            };
            let value = outcome(&skipped);
            assert_eq!(
                (&value["outcome"], &value["reason"]),
                (&json!("skipped"), &json!(code))
            );
            assert!(
                value["matched_by"].is_null() && value["embedding"].is_null() && value["skill_id"].is_null()
            );
        }
    }
}
