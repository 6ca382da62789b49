//! A strict scan of one JSON value, which knows line and path of whatever is wrong.
//!
//! A JSON library keeps the last of two equal keys, rounds numbers and counts depth its own way. The scan
//! refuses all that before anything is read. What is wrong with a well-formed value is remembered and the
//! scan goes on to the value's end, so that the values after it can be read; only malformed text stops it.

use std::borrow::Cow;
use std::collections::HashSet;

use super::MAX_DEPTH;
use super::number::survives;

/// Most characters of a key that a path shows.
const MAX_KEY_SHOWN: usize = 64;

/// What a status must be.
pub(super) const NOT_A_STATUS: &str = "must be succeeded, failed, cancelled or running";

/// What is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub line: u64,
    pub field: String,
    pub reason: String,
}

/// A place in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub offset: usize,
    pub line: u64,
}

/// One well-formed value.
pub(super) struct Scanned {
    /// Just after the value.
    pub end: Place,
    /// The first thing that is wrong with it all the same.
    pub fault: Option<Fault>,
}

/// Text that is not JSON.
pub(super) struct Malformed {
    pub fault: Fault,
    pub at: Place,
    /// The text ended where a value was due, so that a value in the next line would have continued it.
    pub wants_value: bool,
}

/// Scans the timeline that starts at a place.
pub(super) fn scan(bytes: &[u8], start: Place) -> Result<Scanned, Malformed> {
    Scanner::new(bytes, start, None).scanned()
}

/// Scans the value that starts at a place, whatever it is.
pub(super) fn scan_any(bytes: &[u8], start: Place) -> Result<Scanned, Malformed> {
    let scanner = Scanner {
        is_timeline: false,
        ..Scanner::new(bytes, start, None)
    };
    scanner.scanned()
}

/// The line on which the value with this path starts, if the value that starts at a place has one.
pub(super) fn line_of(bytes: &[u8], start: Place, path: &str) -> Option<u64> {
    let mut scanner = Scanner::new(bytes, start, Some(path));
    // Malformed text has a line all the way up to its fault.
    let _ = scanner.value();
    scanner.sought_line
}

/// The first place from here on that is not white space.
pub(super) fn skip_space(bytes: &[u8], mut at: Place) -> Place {
    while let Some(byte) = bytes.get(at.offset) {
        match byte {
            b'\n' => at.line += 1,
            b' ' | b'\t' | b'\r' => {}
            _ => break,
        }
        at.offset += 1;
    }
    at
}

/// An array or object that is open.
enum Frame<'a> {
    Array {
        index: usize,
    },
    Object {
        keys: HashSet<Cow<'a, [u8]>>,
        key: Cow<'a, [u8]>,
    },
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: Place,
    open: Vec<Frame<'a>>,
    fault: Option<Fault>,
    /// Whether arrays and objects must stand where a timeline has them.
    is_timeline: bool,
    sought: Option<&'a str>,
    sought_line: Option<u64>,
}

impl<'a> Scanner<'a> {
    fn new(bytes: &'a [u8], at: Place, sought: Option<&'a str>) -> Self {
        Self {
            bytes,
            at,
            open: Vec::new(),
            fault: None,
            is_timeline: true,
            sought,
            sought_line: None,
        }
    }

    fn scanned(mut self) -> Result<Scanned, Malformed> {
        self.value()?;
        Ok(Scanned {
            end: self.at,
            fault: self.fault,
        })
    }

    /// Scans one value. A loop with its own stack: text may be nested deeper than the thread's stack is.
    fn value(&mut self) -> Result<(), Malformed> {
        loop {
            let mut complete = self.value_or_opening()?;
            while complete {
                let before = self.at;
                self.space();
                let next = self.peek();
                match self.open.last_mut() {
                    None => {
                        self.at = before;
                        return Ok(());
                    }
                    Some(Frame::Array { index }) => match next {
                        Some(b',') => {
                            *index += 1;
                            self.at.offset += 1;
                            complete = false;
                        }
                        Some(b']') => self.close(),
                        _ => {
                            return Err(
                                self.malformed("expected `,` or `]` after an array's element", before)
                            );
                        }
                    },
                    Some(Frame::Object { key, .. }) => match next {
                        Some(b',') => {
                            *key = Cow::Borrowed(b"");
                            self.at.offset += 1;
                            self.key()?;
                            complete = false;
                        }
                        Some(b'}') => self.close(),
                        _ => {
                            return Err(
                                self.malformed("expected `,` or `}` after an object's member", before)
                            );
                        }
                    },
                }
            }
        }
    }

    /// Scans a scalar or an empty container, or what opens a container up to where its first value is due.
    /// True when that was a whole value.
    fn value_or_opening(&mut self) -> Result<bool, Malformed> {
        let before = self.at;
        self.space();
        let first = self.peek();
        if self.sought.is_some_and(|sought| sought == self.path()) && self.sought_line.is_none() {
            self.sought_line = Some(self.at.line);
        }
        match first {
            Some(b'{') => self.object(),
            Some(b'[') => self.array(),
            Some(b'"') => self.string().map(|_| true),
            Some(b'-' | b'0'..=b'9') => self.number().map(|()| true),
            Some(b't') => self.literal("true"),
            Some(b'f') => self.literal("false"),
            Some(b'n') => self.literal("null"),
            Some(_) => Err(self.malformed("expected a JSON value", before)),
            None => Err(Malformed {
                wants_value: true,
                ..self.malformed("", before)
            }),
        }
    }

    fn object(&mut self) -> Result<bool, Malformed> {
        self.enter(Frame::Object {
            keys: HashSet::new(),
            key: Cow::Borrowed(b""),
        });
        self.space();
        if self.peek() == Some(b'}') {
            self.close();
            return Ok(true);
        }
        self.key()?;
        Ok(false)
    }

    fn array(&mut self) -> Result<bool, Malformed> {
        self.enter(Frame::Array { index: 0 });
        self.space();
        if self.peek() == Some(b']') {
            self.close();
            return Ok(true);
        }
        Ok(false)
    }

    fn enter(&mut self, frame: Frame<'a>) {
        if let Some(reason) = self.misplaced(self.bytes[self.at.offset]) {
            self.note(reason);
        }
        if self.open.len() == MAX_DEPTH {
            self.note(&format!("nested deeper than {MAX_DEPTH} levels"));
        }
        self.open.push(frame);
        self.at.offset += 1;
    }

    fn close(&mut self) {
        self.open.pop();
        self.at.offset += 1;
    }

    /// Scans a key and its colon.
    fn key(&mut self) -> Result<(), Malformed> {
        let before = self.at;
        self.space();
        if self.peek() != Some(b'"') {
            return Err(self.malformed("expected a key in double quotes", before));
        }
        let raw = self.string()?;
        // Two keys are equal when they mean the same text, however they are escaped.
        let name = match serde_json::from_slice::<String>(raw) {
            Ok(text) if raw.contains(&b'\\') => Cow::Owned(text.into_bytes()),
            _ => Cow::Borrowed(&raw[1..raw.len() - 1]),
        };
        if let Some(Frame::Object { keys, key }) = self.open.last_mut() {
            *key = name.clone();
            if !keys.insert(name) {
                self.note("the key stands twice in its object");
            }
        }
        let before = self.at;
        self.space();
        if self.peek() != Some(b':') {
            return Err(self.malformed("expected `:` after a key", before));
        }
        self.at.offset += 1;
        Ok(())
    }

    /// Scans a string and returns it with its quotes.
    fn string(&mut self) -> Result<&'a [u8], Malformed> {
        let start = self.at.offset;
        let mut offset = start + 1;
        loop {
            match self.bytes.get(offset) {
                Some(b'"') => break,
                Some(b'\\') => {
                    offset += match self.escape(offset) {
                        Some(length) => length,
                        None => {
                            self.at.offset = offset;
                            return Err(self.malformed("this is not an escape that JSON knows", self.at));
                        }
                    };
                }
                Some(0..=0x1f) => {
                    self.at.offset = offset;
                    return Err(self.malformed(
                        "a string is not closed, or holds a control character that is not escaped",
                        self.at,
                    ));
                }
                Some(_) => offset += 1,
                None => {
                    self.at.offset = offset;
                    return Err(self.malformed("", self.at));
                }
            }
        }
        let raw = &self.bytes[start..=offset];
        if std::str::from_utf8(raw).is_err() {
            self.note("the text is not UTF-8");
        }
        self.at.offset = offset + 1;
        Ok(raw)
    }

    /// Length of the escape at an offset; a surrogate pair is one escape. None when JSON does not know it.
    fn escape(&mut self, offset: usize) -> Option<usize> {
        match self.bytes.get(offset + 1)? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(2),
            b'u' => {
                let first = self.code_unit(offset)?;
                let second = self.code_unit(offset + 6);
                match (first, second) {
                    (0xd800..=0xdbff, Some(0xdc00..=0xdfff)) => Some(12),
                    (0xd800..=0xdfff, _) => {
                        self.note(
                            "a lone surrogate is not text: \\ud83d must be followed by \\ude00 or the like",
                        );
                        Some(6)
                    }
                    _ => Some(6),
                }
            }
            _ => None,
        }
    }

    /// The UTF-16 code unit that `\uXXXX` at an offset stands for.
    fn code_unit(&self, offset: usize) -> Option<u16> {
        let digits = self.bytes.get(offset..offset + 6)?.strip_prefix(b"\\u")?;
        let digits = std::str::from_utf8(digits)
            .ok()
            .filter(|text| text.bytes().all(|b| b.is_ascii_hexdigit()))?;
        u16::from_str_radix(digits, 16).ok()
    }

    fn number(&mut self) -> Result<(), Malformed> {
        let start = self.at.offset;
        let mut offset = start + usize::from(self.bytes[start] == b'-');
        let digits = |from: usize| {
            self.bytes[from..]
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count()
        };
        let whole = digits(offset);
        let mut grammatical = whole == 1 || (whole > 1 && self.bytes[offset] != b'0');
        offset += whole;
        if self.bytes.get(offset) == Some(&b'.') {
            let fraction = digits(offset + 1);
            grammatical &= fraction > 0;
            offset += 1 + fraction;
        }
        if matches!(self.bytes.get(offset), Some(b'e' | b'E')) {
            offset += 1 + usize::from(matches!(self.bytes.get(offset + 1), Some(b'+' | b'-')));
            let exponent = digits(offset);
            grammatical &= exponent > 0;
            offset += exponent;
        }
        if !grammatical {
            return Err(self.malformed("this is not a number that JSON knows", self.at));
        }
        if !std::str::from_utf8(&self.bytes[start..offset]).is_ok_and(survives) {
            self.note(
                "the number cannot be kept exactly: it has too many digits or is too large or too small",
            );
        }
        self.at.offset = offset;
        Ok(())
    }

    fn literal(&mut self, word: &str) -> Result<bool, Malformed> {
        if !self.bytes[self.at.offset..].starts_with(word.as_bytes()) {
            return Err(self.malformed("expected a JSON value", self.at));
        }
        self.at.offset += word.len();
        Ok(true)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at.offset).copied()
    }

    fn space(&mut self) {
        self.at = skip_space(self.bytes, self.at);
    }

    /// Why a timeline cannot have an array or an object here. The typed reader would take an array for an
    /// object with its fields in order, and an object for a status.
    fn misplaced(&self, opening: u8) -> Option<&'static str> {
        let key_is = |frame: &Frame, name: &str| match frame {
            Frame::Object { key, .. } => key.as_ref() == name.as_bytes(),
            Frame::Array { .. } => false,
        };
        let object_due = match self.open.as_slice() {
            _ if !self.is_timeline => false,
            [] => true,
            [root] if key_is(root, "status") => return Some(NOT_A_STATUS),
            [root] => key_is(root, "screen"),
            [root, Frame::Array { .. }] => key_is(root, "calls"),
            [root, Frame::Array { .. }, call] => key_is(root, "calls") && key_is(call, "target"),
            _ => false,
        };
        (object_due && opening == b'[').then_some("expected an object, found an array")
    }

    /// Remembers what is wrong with a well-formed value. The first one counts.
    fn note(&mut self, reason: &str) {
        if self.fault.is_none() {
            self.fault = Some(Fault {
                line: self.at.line,
                field: self.path(),
                reason: reason.to_string(),
            });
        }
    }

    /// Where the text ends, the fault stands behind the last thing that was there.
    fn malformed(&self, reason: &str, before: Place) -> Malformed {
        let ended = self.at.offset >= self.bytes.len();
        let reason = if ended {
            "the text ends in the middle of it"
        } else {
            reason
        };
        let line = if ended { before.line } else { self.at.line };
        Malformed {
            fault: Fault {
                line,
                field: self.path(),
                reason: format!("not JSON: {reason}"),
            },
            at: self.at,
            wants_value: false,
        }
    }

    /// The path to the value at hand, such as `calls[3].tool`; `.` for the whole.
    fn path(&self) -> String {
        let mut path = String::new();
        for frame in &self.open {
            match frame {
                Frame::Array { index } => path.push_str(&format!("[{index}]")),
                Frame::Object { key, .. } => {
                    if key.is_empty() {
                        continue;
                    }
                    if !path.is_empty() {
                        path.push('.');
                    }
                    let name = String::from_utf8_lossy(key);
                    path.extend(
                        name.chars()
                            .take(MAX_KEY_SHOWN)
                            .map(|c| if c.is_control() { '\u{fffd}' } else { c }),
                    );
                }
            }
        }
        if path.is_empty() { ".".to_string() } else { path }
    }
}
