// Every failure, under the names apps catch.

package dev.adroit

/**
 * Every failure of [Skills].
 *
 * Its properties say what was wrong, where, and what to do; `toString()` is that in a sentence, and `message` only lists the
 * properties. None holds a goal, a typed text or a secret, so all may be logged.
 */
typealias SkillException = dev.adroit.internal.SkillException

/** A timeline cannot be taken as it is; `line`, `field` and `reason` say what and where. Nothing of it was kept. */
typealias InvalidTimelineException = dev.adroit.internal.SkillException.InvalidTimeline

/** No skill has this id. */
typealias UnknownSkillException = dev.adroit.internal.SkillException.UnknownSkill

/** A required parameter got no value. */
typealias MissingParameterException = dev.adroit.internal.SkillException.MissingParameter

/** A value was given for a parameter that the skill does not have; `known` lists those it has. */
typealias UnknownParameterException = dev.adroit.internal.SkillException.UnknownParameter

/** A value has another JSON type than its parameter. */
typealias WrongTypeException = dev.adroit.internal.SkillException.WrongType

/** A step needs a secret, which is never stored: give its value under this name. */
typealias NeedsSecretException = dev.adroit.internal.SkillException.NeedsSecret

/** An argument of a call or of the configuration is out of range or badly formed. */
typealias InvalidArgumentException = dev.adroit.internal.SkillException.InvalidArgument

/** The database was written by a newer Adroit and was left as it is: update the app. */
typealias NewerSchemaException = dev.adroit.internal.SkillException.NewerSchema

/** The database file is damaged. Its bytes are kept; [Skills.resetCorruptStore] starts a fresh one. */
typealias CorruptStoreException = dev.adroit.internal.SkillException.CorruptStore

/** The database is locked by another process: try again. */
typealias StoreBusyException = dev.adroit.internal.SkillException.Busy

/** The device has no room left, or the file cannot be written. */
typealias StorageException = dev.adroit.internal.SkillException.Storage

/** The synced catalog cannot be read. */
typealias CatalogException = dev.adroit.internal.SkillException.Catalog

/** The goal could not be embedded, so nothing can be ranked; `source` says why. */
typealias EmbeddingFailedException = dev.adroit.internal.SkillException.Embedding

/** The [Skills] were closed: open them again. */
typealias SkillsClosedException = dev.adroit.internal.SkillException.Closed

/** Why an embedding provider gave no vector. A failed embedding never keeps a skill from being stored. */
typealias EmbeddingException = dev.adroit.internal.EmbeddingException

/** No answer within the deadline. */
typealias EmbeddingTimeoutException = dev.adroit.internal.EmbeddingException.Timeout

/** The provider asks to be called less often. */
typealias RateLimitedException = dev.adroit.internal.EmbeddingException.RateLimited

/** Embedding is switched off, or there is no model. */
typealias EmbeddingDisabledException = dev.adroit.internal.EmbeddingException.Disabled

/** The provider could not be reached, broke, or gave something that is not an embedding. */
typealias EmbeddingConnectionException = dev.adroit.internal.EmbeddingException.Connection

/** A fault inside the library, never the caller's: please report it. */
typealias InternalException = dev.adroit.internal.InternalException

/** The native library is not there for this device's processor, or does not match these classes. */
class NativeLibraryException internal constructor(message: String, cause: Throwable) : RuntimeException(message, cause)
