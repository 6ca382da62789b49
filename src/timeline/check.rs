//! The limits of a timeline that came as a value.

use crate::JsonValue;
use crate::error::{Result, SkillError};

use super::{MAX_CALLS, MAX_DEPTH, MAX_TIMELINE_BYTES, Timeline};

/// Levels around a call's arguments: the timeline, its calls, the call.
const LEVELS_AROUND_ARGUMENTS: usize = 3;
/// Levels around a target's bounds: the timeline, its calls, the call, the target.
const LEVELS_AROUND_BOUNDS: usize = 4;

impl Timeline {
    /// Holds a timeline that did not come from text to the same limits.
    ///
    /// Fails with `InvalidTimeline`, at line 0, when the task id, the goal or the goal family is blank, an id
    /// holds a NUL, there are more than `MAX_CALLS` calls, something is nested deeper than `MAX_DEPTH`, or
    /// its JSON would be larger than `MAX_TIMELINE_BYTES`.
    pub fn check(&self) -> Result<()> {
        match self.broken_limit().or_else(|| self.too_large()) {
            None => Ok(()),
            Some((field, reason)) => Err(SkillError::InvalidTimeline {
                line: 0,
                field,
                reason,
            }),
        }
    }

    /// Field and reason of the first limit that does not hold, the size aside.
    pub(super) fn broken_limit(&self) -> Option<(String, String)> {
        let texts = [
            ("task_id", Some(&self.task_id), true, true),
            ("goal", Some(&self.goal), true, false),
            ("goal_family", self.goal_family.as_ref(), true, true),
            ("skill_id", self.skill_id.as_ref(), false, true),
        ];
        for (field, text, not_blank, is_id) in texts {
            let Some(text) = text else { continue };
            if not_blank && text.trim().is_empty() {
                return Some((field.into(), "must not be blank".into()));
            }
            if is_id && text.contains('\0') {
                return Some((field.into(), "must not hold a NUL character".into()));
            }
        }
        if self.calls.len() > MAX_CALLS {
            let reason = format!(
                "holds {} calls, at most {MAX_CALLS} are allowed",
                self.calls.len()
            );
            return Some(("calls".into(), reason));
        }
        let too_deep = || format!("nested deeper than {MAX_DEPTH} levels");
        for (i, call) in self.calls.iter().enumerate() {
            if is_deeper(&call.arguments, MAX_DEPTH - LEVELS_AROUND_ARGUMENTS) {
                return Some((format!("calls[{i}].arguments"), too_deep()));
            }
            let bounds = call.target.as_ref().and_then(|target| target.bounds.as_ref());
            if bounds.is_some_and(|bounds| is_deeper(bounds, MAX_DEPTH - LEVELS_AROUND_BOUNDS)) {
                return Some((format!("calls[{i}].target.bounds"), too_deep()));
            }
        }
        None
    }

    fn too_large(&self) -> Option<(String, String)> {
        let mut size = ByteCount(0);
        // Neither counting nor a timeline's fields can fail to serialise.
        let _ = serde_json::to_writer(&mut size, self);
        (size.0 > MAX_TIMELINE_BYTES).then(|| (".".into(), too_large_reason(size.0)))
    }
}

pub(super) fn too_large_reason(bytes: usize) -> String {
    format!("{bytes} bytes of JSON, at most {MAX_TIMELINE_BYTES} are allowed")
}

/// Whether arrays and objects are nested deeper than so many levels. Looks no further than that.
fn is_deeper(value: &JsonValue, levels: usize) -> bool {
    match value {
        JsonValue::Array(items) => levels == 0 || items.iter().any(|item| is_deeper(item, levels - 1)),
        JsonValue::Object(map) => levels == 0 || map.values().any(|item| is_deeper(item, levels - 1)),
        _ => false,
    }
}

struct ByteCount(usize);

impl std::io::Write for ByteCount {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
