-- The whole current schema. Rules that hold whatever code writes stand here; a change also needs an upgrade
-- in schema.rs. `seq` columns are rowids: they grow with every insert, whatever the clock says.

-- All versions of one skill.
CREATE TABLE lineage (
    seq         INTEGER PRIMARY KEY,
    id          TEXT NOT NULL UNIQUE CHECK (id <> ''),
    name        TEXT NOT NULL UNIQUE CHECK (name <> '' AND name NOT GLOB '*[A-Z -/:-@]*'),
    goal_family TEXT NOT NULL CHECK (goal_family <> ''),
    app         TEXT CHECK (app <> ''),
    first       INTEGER NOT NULL AS (1) STORED,
    -- No lineage without its version 1. Checked at commit, since the version comes after the lineage.
    FOREIGN KEY (id, first) REFERENCES skill (lineage_id, version) DEFERRABLE INITIALLY DEFERRED
) STRICT;

CREATE UNIQUE INDEX lineage_key ON lineage (goal_family, coalesce(app, ''));
CREATE INDEX lineage_family ON lineage (goal_family);

CREATE TRIGGER lineage_fixed BEFORE UPDATE ON lineage
WHEN NOT (
    OLD.app IS NULL AND NEW.app IS NOT NULL
    AND (OLD.seq, OLD.id, OLD.name, OLD.goal_family) IS (NEW.seq, NEW.id, NEW.name, NEW.goal_family)
)
BEGIN
    SELECT RAISE(ABORT, 'a lineage changes only by learning its app, once');
END;

CREATE TRIGGER lineage_kept BEFORE DELETE ON lineage
WHEN NOT EXISTS (SELECT 1 FROM forgotten WHERE lineage_id = OLD.id)
BEGIN
    SELECT RAISE(ABORT, 'a lineage is never deleted, only forgotten');
END;

-- One stored version of a skill: what never changes.
CREATE TABLE skill (
    seq            INTEGER PRIMARY KEY,
    id             TEXT NOT NULL UNIQUE CHECK (id <> ''),
    lineage_id     TEXT NOT NULL REFERENCES lineage (id),
    version        INTEGER NOT NULL CHECK (version BETWEEN 1 AND 4294967295),
    parent_id      TEXT,
    parent_version INTEGER NOT NULL AS (version - 1) STORED,
    description    TEXT NOT NULL,
    goal           TEXT NOT NULL,
    skeleton       TEXT NOT NULL CHECK (
        json_valid(skeleton) AND json_type(skeleton) = 'array' AND json_array_length(skeleton) > 0
    ),
    source         TEXT NOT NULL CHECK (source = 'local-synthesis'),
    subscription   TEXT CHECK (subscription IS NULL),
    app            TEXT,
    created_at_ms  INTEGER NOT NULL,
    UNIQUE (lineage_id, version),
    UNIQUE (lineage_id, version, id),
    CHECK ((version = 1) = (parent_id IS NULL)),
    -- The parent is the previous version of the same lineage, so that versions have no gaps.
    FOREIGN KEY (lineage_id, parent_version, parent_id) REFERENCES skill (lineage_id, version, id),
    -- No version without its template. Checked at commit, since the template comes after the version.
    FOREIGN KEY (id) REFERENCES template (skill_id) DEFERRABLE INITIALLY DEFERRED
) STRICT;

CREATE INDEX skill_skeleton ON skill (skeleton);
CREATE INDEX skill_skeleton_app ON skill (skeleton, app);

CREATE TRIGGER skill_app BEFORE INSERT ON skill
WHEN NEW.app IS NOT (SELECT app FROM lineage WHERE id = NEW.lineage_id)
BEGIN
    SELECT RAISE(ABORT, 'a version has the app of its lineage');
END;

CREATE TRIGGER skill_fixed BEFORE UPDATE ON skill
WHEN NOT (
    OLD.app IS NULL AND NEW.app IS NOT NULL
    AND NEW.app IS (SELECT app FROM lineage WHERE id = OLD.lineage_id)
    AND (OLD.seq, OLD.id, OLD.lineage_id, OLD.version, OLD.parent_id, OLD.description, OLD.goal, OLD.skeleton,
         OLD.source, OLD.subscription, OLD.created_at_ms)
     IS (NEW.seq, NEW.id, NEW.lineage_id, NEW.version, NEW.parent_id, NEW.description, NEW.goal, NEW.skeleton,
         NEW.source, NEW.subscription, NEW.created_at_ms)
    AND NOT EXISTS (SELECT 1 FROM skill WHERE lineage_id = OLD.lineage_id AND version > OLD.version)
)
BEGIN
    SELECT RAISE(ABORT, 'a version changes only by learning its app, once, while it is the newest');
END;

CREATE TRIGGER skill_kept BEFORE DELETE ON skill
WHEN NOT EXISTS (SELECT 1 FROM forgotten WHERE lineage_id = OLD.lineage_id)
BEGIN
    SELECT RAISE(ABORT, 'a version is never deleted, only forgotten with its lineage');
END;

-- What a version learns while it is the newest.
CREATE TABLE template (
    skill_id   TEXT NOT NULL PRIMARY KEY REFERENCES skill (id),
    steps      TEXT NOT NULL CHECK (json_valid(steps) AND json_type(steps) = 'array'),
    parameters TEXT NOT NULL CHECK (json_valid(parameters) AND json_type(parameters) = 'array'),
    secrets    TEXT NOT NULL CHECK (json_valid(secrets) AND json_type(secrets) = 'array'),
    revision   INTEGER NOT NULL DEFAULT 1 CHECK (revision >= 1)
) STRICT;

CREATE TRIGGER template_skeleton_new BEFORE INSERT ON template
WHEN (SELECT json_group_array(tool) FROM (SELECT value ->> '$.tool' AS tool FROM json_each(NEW.steps) ORDER BY key))
    IS NOT (SELECT json_group_array(tool) FROM (
        SELECT name.value AS tool FROM skill, json_each(skill.skeleton) AS name WHERE skill.id = NEW.skill_id
        ORDER BY name.key))
BEGIN
    SELECT RAISE(ABORT, 'the tools of the steps are the skeleton');
END;

CREATE TRIGGER template_skeleton_changed BEFORE UPDATE ON template
WHEN (SELECT json_group_array(tool) FROM (SELECT value ->> '$.tool' AS tool FROM json_each(NEW.steps) ORDER BY key))
    IS NOT (SELECT json_group_array(tool) FROM (
        SELECT name.value AS tool FROM skill, json_each(skill.skeleton) AS name WHERE skill.id = NEW.skill_id
        ORDER BY name.key))
BEGIN
    SELECT RAISE(ABORT, 'the tools of the steps are the skeleton');
END;

CREATE TRIGGER template_newest BEFORE UPDATE ON template
WHEN OLD.skill_id <> NEW.skill_id
    OR NEW.revision <> OLD.revision + 1
    OR EXISTS (SELECT 1 FROM skill AS old JOIN skill AS later USING (lineage_id)
               WHERE old.id = OLD.skill_id AND later.version > old.version)
BEGIN
    SELECT RAISE(ABORT, 'a template changes only while its version is the newest, one revision at a time');
END;

CREATE TRIGGER template_kept BEFORE DELETE ON template
WHEN NOT EXISTS (SELECT 1 FROM skill JOIN forgotten USING (lineage_id) WHERE skill.id = OLD.skill_id)
BEGIN
    SELECT RAISE(ABORT, 'a template is never deleted, only forgotten with its lineage');
END;

-- The evidence: which run was learned into which version, with which values.
CREATE TABLE execution (
    seq              INTEGER PRIMARY KEY,
    task_id          TEXT NOT NULL UNIQUE CHECK (task_id <> ''),
    skill_id         TEXT NOT NULL REFERENCES skill (id),
    lineage_id       TEXT NOT NULL REFERENCES lineage (id),
    goal             TEXT NOT NULL,
    app              TEXT,
    decision         TEXT NOT NULL CHECK (json_valid(decision)),
    evidence         TEXT NOT NULL CHECK (json_valid(evidence)),
    parameter_values TEXT NOT NULL CHECK (json_valid(parameter_values) AND json_type(parameter_values) = 'object'),
    typed            TEXT NOT NULL CHECK (json_valid(typed) AND json_type(typed) = 'array'),
    learned_at_ms    INTEGER NOT NULL
) STRICT;

CREATE INDEX execution_skill ON execution (skill_id);
CREATE INDEX execution_lineage ON execution (lineage_id);

CREATE TRIGGER execution_lineage BEFORE INSERT ON execution
WHEN NEW.lineage_id IS NOT (SELECT lineage_id FROM skill WHERE id = NEW.skill_id)
BEGIN
    SELECT RAISE(ABORT, 'an execution has the lineage of its version');
END;

CREATE TRIGGER execution_fixed BEFORE UPDATE ON execution
BEGIN
    SELECT RAISE(ABORT, 'an execution never changes');
END;

CREATE TRIGGER execution_kept BEFORE DELETE ON execution
WHEN NOT EXISTS (SELECT 1 FROM forgotten WHERE lineage_id = OLD.lineage_id)
BEGIN
    SELECT RAISE(ABORT, 'an execution is never deleted, only forgotten with its lineage');
END;

-- The words of a lineage's goals.
CREATE TABLE goal_term (
    term       TEXT NOT NULL CHECK (term <> ''),
    lineage_id TEXT NOT NULL REFERENCES lineage (id),
    PRIMARY KEY (term, lineage_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX goal_term_lineage ON goal_term (lineage_id);

-- Each version's vector, or why there is none. A version starts with the failure `pending` of no model.
-- Every change takes the next `seq`, so that a reader can fetch what changed since it last looked.
CREATE TABLE embedding (
    seq         INTEGER PRIMARY KEY,
    skill_id    TEXT NOT NULL UNIQUE REFERENCES skill (id),
    model       TEXT NOT NULL,
    dimension   INTEGER CHECK (dimension > 0),
    vector      BLOB CHECK (length(vector) = 4 * dimension),
    failure     TEXT CHECK (failure <> ''),
    attempts    INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    retry_at_ms INTEGER NOT NULL DEFAULT 0,
    CHECK ((vector IS NULL) <> (failure IS NULL)),
    CHECK ((vector IS NULL) = (dimension IS NULL)),
    CHECK (model <> '' OR failure IS 'pending')
) STRICT;

CREATE INDEX embedding_model ON embedding (model);
CREATE INDEX embedding_due ON embedding (model, retry_at_ms) WHERE failure IS NOT NULL;

CREATE TRIGGER embedding_pending AFTER INSERT ON skill
BEGIN
    INSERT INTO embedding (seq, skill_id, model, failure)
    VALUES ((SELECT seq FROM next_change), NEW.id, '', 'pending');
END;

CREATE TRIGGER embedding_changed BEFORE UPDATE ON embedding
WHEN OLD.skill_id <> NEW.skill_id OR NEW.seq < (SELECT seq FROM next_change)
BEGIN
    SELECT RAISE(ABORT, 'a changed embedding takes the next seq');
END;

CREATE TRIGGER embedding_kept BEFORE DELETE ON embedding
WHEN NOT EXISTS (SELECT 1 FROM skill JOIN forgotten USING (lineage_id) WHERE skill.id = OLD.skill_id)
BEGIN
    SELECT RAISE(ABORT, 'an embedding is never deleted, only forgotten with its lineage');
END;

-- Lineages that the user had forgotten. A row here deletes all that was known of its lineage, whole, and is the only
-- way to; the id alone stays, so that a reader with vectors in memory drops those of the lineage.
CREATE TABLE forgotten (
    seq        INTEGER PRIMARY KEY,
    lineage_id TEXT NOT NULL UNIQUE
) STRICT;

CREATE VIEW next_change AS
SELECT 1 + max((SELECT coalesce(max(seq), 0) FROM embedding), (SELECT coalesce(max(seq), 0) FROM forgotten)) AS seq;

CREATE TRIGGER forgotten_new BEFORE INSERT ON forgotten
WHEN NOT EXISTS (SELECT 1 FROM lineage WHERE id = NEW.lineage_id)
BEGIN
    SELECT RAISE(ABORT, 'only a stored lineage can be forgotten');
END;

CREATE TRIGGER forgotten_whole AFTER INSERT ON forgotten
BEGIN
    DELETE FROM goal_term WHERE lineage_id = NEW.lineage_id;
    DELETE FROM execution WHERE lineage_id = NEW.lineage_id;
    DELETE FROM embedding WHERE skill_id IN (SELECT id FROM skill WHERE lineage_id = NEW.lineage_id);
    DELETE FROM template WHERE skill_id IN (SELECT id FROM skill WHERE lineage_id = NEW.lineage_id);
    DELETE FROM skill WHERE lineage_id = NEW.lineage_id;
    DELETE FROM lineage WHERE id = NEW.lineage_id;
END;

CREATE TRIGGER forgotten_fixed BEFORE UPDATE ON forgotten
BEGIN
    SELECT RAISE(ABORT, 'what is forgotten stays forgotten');
END;

CREATE TRIGGER forgotten_kept BEFORE DELETE ON forgotten
BEGIN
    SELECT RAISE(ABORT, 'what is forgotten stays forgotten');
END;

-- Tasks that run now, or ran when the process died, with secrets already hidden. A task ends by leaving.
CREATE TABLE recording (
    seq     INTEGER PRIMARY KEY,
    task_id TEXT NOT NULL UNIQUE CHECK (task_id <> ''),
    task    TEXT NOT NULL CHECK (json_valid(task) AND json_type(task) = 'object')
) STRICT;

CREATE TABLE recorded_call (
    task_id  TEXT NOT NULL REFERENCES recording (task_id) ON DELETE CASCADE,
    position INTEGER NOT NULL CHECK (position >= 0),
    call     TEXT NOT NULL CHECK (json_valid(call) AND json_type(call) = 'object'),
    PRIMARY KEY (task_id, position)
) STRICT, WITHOUT ROWID;

-- Vectors of skills that the synced catalog holds, under the hash of the text that was embedded. The catalog
-- is not ours: its skills come and go, and so may these rows.
CREATE TABLE catalog_embedding (
    skill_id    TEXT NOT NULL PRIMARY KEY CHECK (skill_id <> ''),
    text_hash   INTEGER NOT NULL,
    model       TEXT NOT NULL CHECK (model <> ''),
    dimension   INTEGER CHECK (dimension > 0),
    vector      BLOB CHECK (length(vector) = 4 * dimension),
    failure     TEXT CHECK (failure <> ''),
    attempts    INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    retry_at_ms INTEGER NOT NULL DEFAULT 0,
    CHECK ((vector IS NULL) <> (failure IS NULL)),
    CHECK ((vector IS NULL) = (dimension IS NULL))
) STRICT;

CREATE INDEX catalog_embedding_model ON catalog_embedding (model);

-- Every version, as the library hands it out.
CREATE VIEW stored_skill AS
SELECT skill.id AS skill_id, skill.lineage_id, lineage.name, skill.version, skill.parent_id, skill.description,
       skill.goal, lineage.goal_family, skill.app, skill.skeleton, skill.source, skill.subscription,
       template.steps, template.parameters, template.secrets, skill.created_at_ms
FROM lineage
JOIN skill ON skill.lineage_id = lineage.id
JOIN template ON template.skill_id = skill.id;

-- The newest version of every lineage.
CREATE VIEW latest_skill AS
SELECT * FROM stored_skill
WHERE version = (SELECT max(newest.version) FROM skill AS newest WHERE newest.lineage_id = stored_skill.lineage_id);
