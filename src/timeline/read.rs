//! Reading timelines from JSON text: one object, an array of them, or JSON Lines.

use serde::Deserialize;

use crate::error::{Result, SkillError};

use super::check::too_large_reason;
use super::scan::{Fault, Malformed, NOT_A_STATUS, Place, line_of, scan, skip_space};
use super::{MAX_TIMELINE_BYTES, Timeline};

/// Reads every timeline of a text: one JSON object (on one line or many), several of them one after another,
/// an array of objects, or JSON Lines. A byte order mark and blank lines are skipped.
///
/// Each timeline is read or refused on its own. A refusal is `InvalidTimeline` with the line, counted from 1,
/// the path of the field and the reason; it never shows the refused text. With JSON Lines a bad line does not
/// stop the others, and neither does a bad element of an array as long as it is well-formed JSON.
pub fn read_timelines(text: &[u8]) -> TimelineReader<'_> {
    let offset = if text.starts_with(BYTE_ORDER_MARK) {
        BYTE_ORDER_MARK.len()
    } else {
        0
    };
    TimelineReader {
        text,
        at: Place { offset, line: 1 },
        line_end: 0,
        array: None,
        read_any: false,
    }
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads every timeline of a JSON text: one object, an array, or JSON Lines.
///
/// Fails with the first timeline that is refused, as `InvalidTimeline` with its line, field and reason.
#[uniffi::export]
pub fn parse_timelines(text: String) -> Result<Vec<Timeline>> {
    read_timelines(text.as_bytes()).collect()
}

impl Timeline {
    /// Reads the one timeline of a JSON text.
    ///
    /// Fails with `InvalidTimeline` when it is refused, or when the text holds none or more than one.
    pub fn from_json(text: &str) -> Result<Self> {
        let mut reader = read_timelines(text.as_bytes());
        let none = || {
            refusal(Fault {
                line: 1,
                field: ".".into(),
                reason: "the text holds no timeline".into(),
            })
        };
        let timeline = reader.next().ok_or_else(none)??;
        let line = skip_space(reader.text, reader.at).line;
        match reader.next() {
            None => Ok(timeline),
            Some(_) => {
                let reason = "the text holds more than one timeline".to_string();
                Err(refusal(Fault {
                    line,
                    field: ".".into(),
                    reason,
                }))
            }
        }
    }
}

/// The timelines of a text, one after another.
#[derive(Debug, Clone)]
pub struct TimelineReader<'a> {
    text: &'a [u8],
    at: Place,
    /// End of the last line that a record began on. Kept, for a line may hold many records.
    line_end: usize,
    array: Option<OpenArray>,
    /// Whether any timeline was well-formed so far.
    read_any: bool,
}

/// An array that is being read.
#[derive(Debug, Clone, Copy)]
struct OpenArray {
    /// Where its text ends at the latest.
    end: usize,
    /// Whether an element was read, so that a comma is due.
    comma: bool,
}

impl Iterator for TimelineReader<'_> {
    type Item = Result<Timeline>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(array) = self.array {
                if let Some(element) = self.next_element(array) {
                    return Some(element);
                }
                continue;
            }
            self.at = skip_space(self.text, self.at);
            let first = *self.text.get(self.at.offset)?;
            let end = self.record_end();
            if first != b'[' {
                return Some(self.timeline(end));
            }
            self.at.offset += 1;
            self.array = Some(OpenArray { end, comma: false });
        }
    }
}

impl TimelineReader<'_> {
    /// How many bytes of the text have been read.
    pub fn offset(&self) -> usize {
        self.at.offset
    }

    /// The next element of an array, or none at its end.
    fn next_element(&mut self, array: OpenArray) -> Option<Result<Timeline>> {
        let text = &self.text[..array.end];
        self.at = skip_space(text, self.at);
        match (text.get(self.at.offset), array.comma) {
            (Some(b']'), _) => {
                self.at.offset += 1;
                self.array = None;
                return None;
            }
            (Some(b','), true) => self.at.offset += 1,
            (Some(_), false) => {}
            (found, _) => {
                let reason = match found {
                    Some(_) => "not JSON: expected `,` or `]` after a timeline",
                    None => "not JSON: the text ends in the middle of the array",
                };
                let fault = Fault {
                    line: self.at.line,
                    field: ".".into(),
                    reason: reason.into(),
                };
                self.leave_array(array);
                return Some(Err(refusal(fault)));
            }
        }
        self.array = Some(OpenArray { comma: true, ..array });
        self.at = skip_space(text, self.at);
        Some(self.timeline(array.end))
    }

    /// Nothing after a syntax error in an array can be trusted.
    fn leave_array(&mut self, array: OpenArray) {
        self.array = None;
        self.at = self.forward(array.end);
    }

    /// Reads the timeline that starts here and ends before an offset.
    fn timeline(&mut self, end: usize) -> Result<Timeline> {
        let start = self.at;
        match scan(&self.text[..end], start) {
            Ok(scanned) => {
                self.at = scanned.end;
                self.read_any = true;
                let value = &self.text[start.offset..scanned.end.offset];
                match scanned.fault {
                    Some(fault) => Err(refusal(fault)),
                    None => typed(value, start.line),
                }
            }
            Err(malformed) => {
                let fault = malformed.fault.clone();
                match self.array {
                    Some(array) => self.leave_array(array),
                    None => self.at = self.resume(&malformed, end),
                }
                Err(refusal(fault))
            }
        }
    }

    /// Where the text of the record that starts here ends at the latest: its line, when the record is
    /// complete in it or when the next line starts another record; otherwise the end of the text.
    fn record_end(&mut self) -> usize {
        if self.line_end <= self.at.offset {
            self.line_end = self.line_end(self.at.offset);
        }
        let line_end = self.line_end;
        match scan(&self.text[..line_end], self.at) {
            Ok(_) => line_end,
            Err(broken)
                if self.text[self.at.offset] == b'{' && self.starts_record(line_end, broken.wants_value) =>
            {
                line_end
            }
            Err(_) => self.text.len(),
        }
    }

    /// Whether the line after a broken one starts a record of its own. Where the broken line ended in want of
    /// a value, it may as well continue that line: then it is a record only if it is complete and nothing
    /// after it closes the broken one.
    fn starts_record(&self, line_end: usize, wants_value: bool) -> bool {
        let Some(next) = self.next_line(line_end).filter(|next| self.text[*next] == b'{') else {
            return false;
        };
        if !wants_value {
            return true;
        }
        let next_end = self.line_end(next);
        let line = &self.text[..next_end];
        let complete = scan(
            line,
            Place {
                offset: next,
                line: 0,
            },
        )
        .is_ok_and(|scanned| skip_space(line, scanned.end).offset == next_end);
        let closes = |after: usize| {
            matches!(
                self.text[after..].trim_ascii_start().first(),
                Some(b',' | b']' | b'}')
            )
        };
        complete && !self.next_line(next_end).is_some_and(closes)
    }

    /// Where to go on after malformed text: the next line, when the record was a line of its own; otherwise
    /// the next line that looks like the start of a record. As long as nothing was read, only a brace does: a
    /// file of another kind is refused once, not at every line.
    fn resume(&self, malformed: &Malformed, end: usize) -> Place {
        if end < self.text.len() {
            return self.forward(end);
        }
        let mut offset = malformed.at.offset;
        // The brace that the scan stumbled over may be the next record's.
        let stumbled = self.text.get(offset) == Some(&b'{') && offset > 0 && self.text[offset - 1] == b'\n';
        if !stumbled || offset == self.at.offset {
            loop {
                let Some(next) = self.next_line(self.line_end(offset)) else {
                    return self.forward(self.text.len());
                };
                offset = next;
                match self.text[offset] {
                    b'{' => break,
                    b' ' | b'\t' | b'"' | b',' | b']' | b'}' => {}
                    _ if self.read_any => break,
                    _ => {}
                }
            }
        }
        self.forward(offset)
    }

    /// Offset of the line break that ends the line, or of the end of the text.
    fn line_end(&self, offset: usize) -> usize {
        let rest = &self.text[offset..];
        rest.iter()
            .position(|byte| *byte == b'\n')
            .map_or(self.text.len(), |length| offset + length)
    }

    /// Offset of the next line that is not blank.
    fn next_line(&self, mut line_end: usize) -> Option<usize> {
        while line_end < self.text.len() {
            let start = line_end + 1;
            line_end = self.line_end(start);
            if !self.text[start..line_end].trim_ascii().is_empty() {
                return Some(start);
            }
        }
        None
    }

    /// The place at an offset ahead.
    fn forward(&self, offset: usize) -> Place {
        let breaks = self.text[self.at.offset..offset]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count();
        Place {
            offset,
            line: self.at.line + breaks as u64,
        }
    }
}

/// Reads one well-formed value as a timeline. `line` is the line it starts on.
fn typed(value: &[u8], line: u64) -> Result<Timeline> {
    if value.len() > MAX_TIMELINE_BYTES {
        return Err(refusal(Fault {
            line,
            field: ".".into(),
            reason: too_large_reason(value.len()),
        }));
    }
    let start = Place { offset: 0, line };
    let located = |at: &str, field: String, reason: String| {
        refusal(Fault {
            line: line_of(value, start, at).unwrap_or(line),
            field,
            reason,
        })
    };
    let mut deserializer = serde_json::Deserializer::from_slice(value);
    let mut track = serde_path_to_error::Track::new();
    let tracked = serde_path_to_error::Deserializer::new(&mut deserializer, &mut track);
    let timeline = Timeline::deserialize(tracked).map_err(|error| {
        let at = track.path().to_string();
        let (member, reason) = if at == "status" {
            (None, NOT_A_STATUS.into())
        } else {
            explain(&error)
        };
        let field = match member {
            None => at.clone(),
            Some(member) if at == "." => member,
            Some(member) => format!("{at}.{member}"),
        };
        located(&at, field, reason)
    })?;
    match timeline.broken_limit() {
        None => Ok(timeline),
        Some((field, reason)) => Err(located(&field.clone(), field, reason)),
    }
}

/// What the JSON library found, in our words and without the value, which may be anything the user typed. The
/// first part is the member of the object at hand that it is about.
fn explain(error: &serde_json::Error) -> (Option<String>, String) {
    let message = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = message.strip_suffix(&place).unwrap_or(&message);
    let quoted = || message.split('`').nth(1).map(str::to_string);
    if message.starts_with("missing field") {
        return (quoted(), "is missing".into());
    }
    if message.starts_with("duplicate field") {
        return (
            quoted(),
            "is given twice: `args` is another name for `arguments`".into(),
        );
    }
    let (found, expected) = message
        .rsplit_once(", expected ")
        .unwrap_or((message, "another value"));
    let expected = match expected {
        "u32" => "a whole number from 0 to 4294967295",
        "i64" => "a whole number of 64 bits",
        "a sequence" => "an array",
        other if other.starts_with("struct ") => "an object",
        other => other,
    };
    let whole = expected.starts_with("a whole number");
    let found = found.split_once(": ").map_or(found, |(_, found)| found);
    let found = match found.split([' ', '`']).next().unwrap_or("") {
        "string" => "text",
        "integer" if whole => "one out of range",
        "floating" if whole => "a fraction",
        "integer" | "floating" => "a number",
        "boolean" => "a boolean",
        "null" => "null",
        "sequence" => "an array",
        "map" => "an object",
        _ => "something else",
    };
    (None, format!("expected {expected}, found {found}"))
}

fn refusal(fault: Fault) -> SkillError {
    SkillError::InvalidTimeline {
        line: fault.line,
        field: fault.field,
        reason: fault.reason,
    }
}
