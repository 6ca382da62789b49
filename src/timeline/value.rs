//! One JSON value from text, as strict as a timeline.

use super::scan::{Fault, Place, scan_any, skip_space};
use crate::JsonValue;
use crate::error::{Result, SkillError};

/// Reads one JSON value.
///
/// Fails with InvalidArgument, naming the place, where the text is not one JSON value, repeats a key, nests too deep
/// or holds a number that would not survive.
pub fn parse_value(text: &str) -> Result<JsonValue> {
    let bytes = text.as_bytes();
    let start = skip_space(bytes, Place { offset: 0, line: 1 });
    let scanned = scan_any(bytes, start).map_err(|malformed| refusal(malformed.fault))?;
    if let Some(fault) = scanned.fault {
        return Err(refusal(fault));
    }
    let end = skip_space(bytes, scanned.end);
    if end.offset < bytes.len() {
        return Err(refusal(Fault {
            line: end.line,
            field: ".".into(),
            reason: "the text goes on after its value".into(),
        }));
    }
    // The scan is stricter than the parser.
    serde_json::from_str(text).map_err(|_| {
        refusal(Fault {
            line: start.line,
            field: ".".into(),
            reason: "is not JSON".into(),
        })
    })
}

fn refusal(fault: Fault) -> SkillError {
    SkillError::InvalidArgument {
        argument: "JSON value".into(),
        reason: format!("line {}, field {}: {}", fault.line, fault.field, fault.reason),
    }
}
