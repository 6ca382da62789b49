//! Every statement the store runs, in one place, so that a test can read the query plan of each.

/// Defines each statement as a constant, and `ALL` for the test of the plans.
macro_rules! statements {
    ($($(#[$why:meta])* $name:ident = $($sql:expr),+;)+) => {
        $($(#[$why])* pub(super) const $name: &str = concat!($($sql),+);)+
        #[cfg(test)]
        pub(super) const ALL: &[(&str, &str)] = &[$((stringify!($name), $name)),+];
    };
}

/// The columns of a `Skill`, in the order `skills::skill_of` reads them.
macro_rules! skill {
    () => {
        "SELECT skill_id, lineage_id, name, version, parent_id, description, goal, goal_family, app, source, \
         subscription, steps, parameters, secrets, created_at_ms FROM "
    };
}

/// The columns of an `Execution`, in the order `skills::execution_of` reads them.
macro_rules! execution {
    () => {
        "SELECT task_id, skill_id, goal, app, decision, evidence, parameter_values, typed, learned_at_ms FROM execution "
    };
}

/// Keeps the newest versions only.
macro_rules! newest_of {
    ($skill:literal) => {
        concat!(
            "NOT EXISTS (SELECT 1 FROM skill AS later WHERE later.lineage_id = ",
            $skill,
            ".lineage_id AND later.version > ",
            $skill,
            ".version) "
        )
    };
}

statements! {
    SKILL = skill!(), "stored_skill WHERE skill_id = ?1";
    NEWEST = skill!(), "stored_skill WHERE lineage_id = ?1 ORDER BY version DESC LIMIT 1";
    HISTORY = skill!(), "stored_skill WHERE lineage_id = ?1 ORDER BY version";
    LIST = skill!(), "latest_skill WHERE name > ?1 ORDER BY name LIMIT ?2";
    COUNT = "SELECT count(*) FROM lineage";
    /// `+` keeps the planner on the lineage's own versions: few, while a skeleton may be everybody's.
    WITH_SKELETON = skill!(), "stored_skill WHERE lineage_id = ?1 AND +skeleton = ?2 ORDER BY version DESC LIMIT 1";

    LINEAGE_OF_SKILL = "SELECT lineage_id FROM skill WHERE id = ?1";
    LINEAGE_BY_NAME = "SELECT id FROM lineage WHERE name = ?1";
    LINEAGE_BY_KEY = "SELECT id FROM lineage WHERE goal_family = ?1 AND coalesce(app, '') = coalesce(?2, '')";
    LINEAGES_BY_FAMILY = "SELECT id FROM lineage WHERE goal_family = ?1 ORDER BY seq DESC LIMIT ?2";
    LINEAGES_BY_SKELETON =
        "SELECT lineage_id FROM skill WHERE skeleton = ?1 AND ", newest_of!("skill"), "ORDER BY seq DESC LIMIT ?2";
    LINEAGES_BY_SKELETON_AND_APP =
        "SELECT lineage_id FROM skill WHERE skeleton = ?1 AND app IS ?3 AND ", newest_of!("skill"),
        "ORDER BY seq DESC LIMIT ?2";
    LINEAGES_BY_TERM = "SELECT lineage_id FROM goal_term WHERE term = ?1 ORDER BY lineage_id DESC LIMIT ?2";
    LAST_EXECUTION_OF_LINEAGE = "SELECT max(seq) FROM execution WHERE lineage_id = ?1";

    EXECUTION = execution!(), "WHERE task_id = ?1";
    EXECUTIONS = execution!(), "WHERE skill_id = ?1 ORDER BY seq";
    FIRST_GOAL = "SELECT goal, parameter_values, typed FROM execution WHERE lineage_id = ?1 ORDER BY seq LIMIT 1";
    NEWEST_GOALS =
        "SELECT goal, parameter_values, typed FROM execution WHERE lineage_id = ?1 ORDER BY seq DESC LIMIT ?2";

    INSERT_LINEAGE = "INSERT INTO lineage (id, name, goal_family, app) VALUES (?1, ?2, ?3, ?4)";
    BIND_LINEAGE_APP =
        "UPDATE lineage SET app = ?2 WHERE id = ?1 AND app IS NULL AND NOT EXISTS \
         (SELECT 1 FROM lineage AS other WHERE other.goal_family = lineage.goal_family \
          AND coalesce(other.app, '') = ?2)";
    BIND_NEWEST_APP =
        "UPDATE skill SET app = ?2 WHERE lineage_id = ?1 AND app IS NULL \
         AND version = (SELECT max(version) FROM skill WHERE lineage_id = ?1)";
    INSERT_SKILL =
        "INSERT INTO skill (id, lineage_id, version, parent_id, description, goal, skeleton, source, subscription, \
         app, created_at_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, \
         (SELECT app FROM lineage WHERE id = ?2), ?10)";
    INSERT_TEMPLATE = "INSERT INTO template (skill_id, steps, parameters, secrets) VALUES (?1, ?2, ?3, ?4)";
    UPDATE_TEMPLATE =
        "UPDATE template SET steps = ?2, parameters = ?3, secrets = ?4, revision = revision + 1 WHERE skill_id = ?1";
    INSERT_EXECUTION =
        "INSERT INTO execution (task_id, skill_id, lineage_id, goal, app, decision, evidence, parameter_values, \
         typed, learned_at_ms) VALUES (?1, ?2, (SELECT lineage_id FROM skill WHERE id = ?2), ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    INSERT_TERM = "INSERT INTO goal_term (term, lineage_id) VALUES (?1, ?2) ON CONFLICT DO NOTHING";

    EMBEDDING = "SELECT model, failure, attempts, retry_at_ms FROM embedding WHERE skill_id = ?1";
    PUT_VECTOR =
        "UPDATE embedding SET seq = (SELECT seq FROM next_change), model = ?2, dimension = ?3, vector = ?4, \
         failure = NULL, attempts = 0, retry_at_ms = 0 WHERE skill_id = ?1";
    /// A failure never takes the place of a vector of the same model.
    PUT_FAILURE =
        "UPDATE embedding SET seq = (SELECT seq FROM next_change), dimension = NULL, vector = NULL, \
         failure = ?3, attempts = CASE WHEN model = ?2 THEN attempts ELSE 0 END + 1, retry_at_ms = ?4, model = ?2 \
         WHERE skill_id = ?1 AND (vector IS NULL OR model <> ?2)";
    /// Never tried and made by another model first, then what failed and is due. Each part is an index range.
    PENDING =
        "SELECT skill_id FROM embedding WHERE model < ?1 \
         UNION ALL SELECT skill_id FROM embedding WHERE model > ?1 \
         UNION ALL SELECT skill_id FROM embedding WHERE model = ?1 AND failure IS NOT NULL AND retry_at_ms <= ?2 \
         LIMIT ?3";
    PENDING_COUNT =
        "SELECT (SELECT count(*) FROM embedding WHERE model < ?1) + (SELECT count(*) FROM embedding WHERE model > ?1) \
         + (SELECT count(*) FROM embedding WHERE model = ?1 AND failure IS NOT NULL)";
    EMBEDDINGS_SINCE =
        "SELECT embedding.seq, skill.id, skill.lineage_id, skill.version, \
         CASE WHEN embedding.model = ?2 THEN embedding.vector END \
         FROM embedding JOIN skill ON skill.id = embedding.skill_id \
         WHERE embedding.seq > ?1 ORDER BY embedding.seq";

    FORGET = "INSERT INTO forgotten (seq, lineage_id) SELECT (SELECT seq FROM next_change), id FROM lineage WHERE id = ?1";
    FORGOTTEN_SINCE = "SELECT seq, lineage_id FROM forgotten WHERE seq > ?1 ORDER BY seq";

    INSERT_RECORDING = "INSERT INTO recording (task_id, task) VALUES (?1, ?2)";
    UPDATE_RECORDING = "UPDATE recording SET task = ?2 WHERE task_id = ?1";
    PUT_RECORDED_CALL =
        "INSERT INTO recorded_call (task_id, position, call) VALUES (?1, ?2, ?3) \
         ON CONFLICT (task_id, position) DO UPDATE SET call = excluded.call";
    RECORDING = "SELECT task FROM recording WHERE task_id = ?1";
    RECORDED_CALLS = "SELECT call FROM recorded_call WHERE task_id = ?1 ORDER BY position";
    RECORDED_CALLS_COUNT =
        "SELECT (SELECT count(*) FROM recorded_call WHERE recorded_call.task_id = recording.task_id) FROM recording \
         WHERE task_id = ?1";
    RECORDINGS = "SELECT task_id FROM recording ORDER BY seq";
    REMOVE_RECORDING = "DELETE FROM recording WHERE task_id = ?1";

    CATALOG_EMBEDDING =
        "SELECT text_hash, model, failure, attempts, retry_at_ms FROM catalog_embedding \
         WHERE skill_id = ?1";
    PUT_CATALOG_VECTOR =
        "INSERT INTO catalog_embedding (skill_id, text_hash, model, dimension, vector) VALUES (?1, ?2, ?3, ?4, ?5) \
         ON CONFLICT (skill_id) DO UPDATE SET text_hash = excluded.text_hash, model = excluded.model, \
         dimension = excluded.dimension, vector = excluded.vector, failure = NULL, attempts = 0, retry_at_ms = 0";
    PUT_CATALOG_FAILURE =
        "INSERT INTO catalog_embedding (skill_id, text_hash, model, failure, attempts, retry_at_ms) \
         VALUES (?1, ?2, ?3, ?4, 1, ?5) \
         ON CONFLICT (skill_id) DO UPDATE SET attempts = 1 + CASE WHEN (text_hash, model) = \
         (excluded.text_hash, excluded.model) THEN attempts ELSE 0 END, \
         text_hash = excluded.text_hash, model = excluded.model, dimension = NULL, vector = NULL, \
         failure = excluded.failure, retry_at_ms = excluded.retry_at_ms \
         WHERE vector IS NULL OR (text_hash, model) <> (excluded.text_hash, excluded.model)";
    REMOVE_CATALOG_EMBEDDING = "DELETE FROM catalog_embedding WHERE skill_id = ?1";
    CATALOG_VECTORS =
        "SELECT skill_id, text_hash, vector FROM catalog_embedding WHERE model = ?1 AND vector IS NOT NULL";
}
