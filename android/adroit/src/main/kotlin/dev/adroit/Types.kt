// The value types of the library under the names apps use. They are generated from the Rust core; their fields,
// units and ranges are documented there.

package dev.adroit

/** One task as it was recorded: its goal, its tool calls in order, and how it ended. */
typealias Timeline = dev.adroit.internal.Timeline

/** How a task ended. Only `SUCCEEDED` is learned from. */
typealias Status = dev.adroit.internal.Status

/** Screen size of a recording, in pixels. */
typealias Screen = dev.adroit.internal.Screen

/** One recorded tool call; `arguments` is JSON text. */
typealias ToolCall = dev.adroit.internal.ToolCall

/** The element of the screen that a call acted on. */
typealias Target = dev.adroit.internal.Target

/** One version of a skill: its steps in order, with named parameters. */
typealias Skill = dev.adroit.internal.Skill

/** One mutating call of a skill; `{name}` in its JSON `arguments` stands for a parameter. */
typealias Step = dev.adroit.internal.Step

/** A named value that differed between executions. */
typealias Parameter = dev.adroit.internal.Parameter

/** JSON type of a parameter. */
typealias ValueType = dev.adroit.internal.ValueType

/** Whether a parameter carries what the user asked for, or only where on the screen. */
typealias Role = dev.adroit.internal.Role

/** A concrete call, ready to be executed; `arguments` is JSON text. */
typealias Call = dev.adroit.internal.Call

/** Which version of which skill. */
typealias SkillRef = dev.adroit.internal.SkillRef

/** One execution behind a version: the evidence for it. */
typealias Execution = dev.adroit.internal.Execution

/** What [Skills.learn] answers: what was decided, into which version, and why. */
typealias Outcome = dev.adroit.internal.Outcome

/**
 * What was done with a task: [Skipped], [Created], [Unchanged], [ParametersUpdated] or [VersionAdded].
 *
 * A `when` over these five is exhaustive.
 */
typealias Decision = dev.adroit.internal.Decision

/** Nothing was stored; `reason` says why. */
typealias Skipped = dev.adroit.internal.Decision.Skipped

/** A new skill, version 1, without parameters. */
typealias Created = dev.adroit.internal.Decision.Created

/** The newest version already said all of it. */
typealias Unchanged = dev.adroit.internal.Decision.Unchanged

/** The newest version's parameters took in new values. */
typealias ParametersUpdated = dev.adroit.internal.Decision.ParametersUpdated

/** The steps differ, so a new version was added. */
typealias VersionAdded = dev.adroit.internal.Decision.VersionAdded

/** Why nothing was stored: [AuthoringDisabled], [NotSucceeded], [NoSteps] or [AlreadyLearned]. */
typealias SkipReason = dev.adroit.internal.SkipReason

/** Authoring is off, which is the default. */
typealias AuthoringDisabled = dev.adroit.internal.SkipReason.Disabled

/** The task did not succeed. */
typealias NotSucceeded = dev.adroit.internal.SkipReason.NotSucceeded

/** No call of the task changed anything. */
typealias NoSteps = dev.adroit.internal.SkipReason.NoSteps

/** This task id was learned before; `first` is what was decided then. */
typealias AlreadyLearned = dev.adroit.internal.SkipReason.AlreadyLearned

/** One difference between a version's steps and its parent's. */
typealias StepChange = dev.adroit.internal.StepChange

/** What happened to a step between two versions. */
typealias ChangeKind = dev.adroit.internal.ChangeKind

/** What a task was compared with, and what decided. */
typealias Evidence = dev.adroit.internal.Evidence

/** What made a task belong to a stored skill. */
typealias MatchedBy = dev.adroit.internal.MatchedBy

/** Why the nearest stored skill was not the one. */
typealias Refusal = dev.adroit.internal.Refusal

/** Whether a version can be found by similarity. */
typealias EmbeddingState = dev.adroit.internal.EmbeddingState

/** What [Skills.embedPending] did. */
typealias EmbedReport = dev.adroit.internal.EmbedReport

/** Ranked skills, best first. */
typealias Ranking = dev.adroit.internal.Ranking

/** One ranked skill; `score` is a cosine similarity, -1 to 1. */
typealias RankedSkill = dev.adroit.internal.RankedSkill

/** Whether a ranked skill was learned here or comes from the synced catalog. */
typealias Origin = dev.adroit.internal.Origin

/** A vector with the mark whether its text was too long. */
typealias Embedding = dev.adroit.internal.Embedding
