//! What SQLite reports, in words a caller can act on.

use rusqlite::{Error, ErrorCode};

use crate::error::SkillError;

impl From<Error> for SkillError {
    /// SQLite's own messages name tables, columns and rules, never what a row holds.
    fn from(error: Error) -> Self {
        match error {
            Error::SqliteFailure(failure, message) => {
                let reason = message.unwrap_or_else(|| failure.to_string());
                match failure.code {
                    ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Self::Busy,
                    ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Self::CorruptStore { reason },
                    _ => Self::Storage { reason },
                }
            }
            Error::SqlInputError { msg, .. } => Self::Storage { reason: msg },
            // STRICT tables hold the declared types, so another type in a column is damage.
            Error::FromSqlConversionFailure(column, ..)
            | Error::InvalidColumnType(column, ..)
            | Error::IntegralValueOutOfRange(column, ..) => Self::CorruptStore {
                reason: format!("column {column} of a row cannot be read"),
            },
            other => Self::Storage {
                reason: other.to_string(),
            },
        }
    }
}
