package dev.adroit

/** What these [Skills] changed in their database. */
sealed interface Change {
    /** A task was learned: a new skill, a new version or new parameter values. */
    data class Learned(
        /** What [Skills.learn] or [Recording.finish] answered. */
        val outcome: Outcome,
    ) : Change

    /** A portion of versions got their vectors, so that they can be found by similarity. */
    data class Embedded(
        /** How many of this portion, and how many are still without one. */
        val report: EmbedReport,
    ) : Change

    /** A skill was forgotten, with all its versions. */
    data class Forgotten(
        /** Its lineage. */
        val lineageId: String,
    ) : Change
}
