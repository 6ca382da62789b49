//! WordPiece as the uncased BERT models use it: text to token ids. Pure.
//!
//! Steps and constants: Devlin et al., "BERT" (2018), and Wu et al., "Google's Neural Machine Translation
//! System" (2016), section 4.1.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Most tokens of one text, the start and end marks included: what the model was trained with.
pub const MAX_TOKENS: usize = 256;
/// Longest word, in characters after normalisation, that is cut into pieces; a longer one is unknown.
pub const MAX_WORD_CHARS: usize = 100;
/// Most bytes of a text that are looked at. `MAX_TOKENS` tokens of prose take a fiftieth of it; the limit
/// keeps text without words, such as megabytes of spaces, from taking time.
pub const MAX_TEXT_BYTES: usize = 64 * 1024;

/// Cuts text into the pieces of one vocabulary.
pub struct Tokenizer {
    /// Pieces that begin a word.
    beginnings: HashMap<Box<str>, i64>,
    /// Pieces that go on with one, without the `##` that marks them.
    continuations: HashMap<Box<str>, i64>,
    /// Bytes of the longest piece.
    longest: usize,
    unknown: i64,
    start: i64,
    end: i64,
}

/// A text as the model takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tokens {
    /// Ids between the start and the end mark, both included. At most `MAX_TOKENS`.
    pub ids: Vec<i64>,
    /// Whether the text went on after what the ids stand for.
    pub truncated: bool,
}

impl Tokenizer {
    /// Takes a vocabulary of one piece a line, the line number being the id.
    ///
    /// Fails when one of the marks the model needs is missing, naming it.
    pub fn new(vocabulary: &str) -> Result<Self, String> {
        let mut beginnings = HashMap::new();
        let mut continuations = HashMap::new();
        let mut longest = 0;
        for (id, piece) in (0..).zip(vocabulary.lines()) {
            longest = longest.max(piece.len());
            match piece.strip_prefix("##") {
                Some(continuation) if !continuation.is_empty() => {
                    continuations.insert(continuation.into(), id)
                }
                _ => beginnings.insert(piece.into(), id),
            };
        }
        let mark = |mark: &str| {
            beginnings
                .get(mark)
                .copied()
                .ok_or(format!("the vocabulary lacks {mark}"))
        };
        let (unknown, start, end) = (mark("[UNK]")?, mark("[CLS]")?, mark("[SEP]")?);
        Ok(Self {
            beginnings,
            continuations,
            longest,
            unknown,
            start,
            end,
        })
    }

    /// The token ids of a text. An empty text is the start and the end mark alone.
    ///
    /// A mark written out in the text, such as `[SEP]`, is ordinary text.
    pub fn encode(&self, text: &str) -> Tokens {
        let head = &text[..text.floor_char_boundary(MAX_TEXT_BYTES)];
        let mut ids = vec![self.start];
        let mut word = Word::default();
        // The end mark needs a place too.
        let full = |ids: &Vec<i64>| ids.len() > MAX_TOKENS - 1;
        for character in normalised(head) {
            if character.is_whitespace() {
                self.push_word(&mut word, &mut ids);
            } else if is_punctuation(character) {
                self.push_word(&mut word, &mut ids);
                word.push(character);
                self.push_word(&mut word, &mut ids);
            } else {
                word.push(character);
            }
            if full(&ids) {
                break;
            }
        }
        self.push_word(&mut word, &mut ids);
        let truncated = full(&ids) || head.len() < text.len();
        ids.truncate(MAX_TOKENS - 1);
        ids.push(self.end);
        Tokens { ids, truncated }
    }

    /// Adds a word's pieces, the longest possible first, or the unknown mark when they do not make up all of it.
    fn push_word(&self, word: &mut Word, ids: &mut Vec<i64>) {
        let begun = ids.len();
        let mut pieces = &self.beginnings;
        let mut rest = word.text.as_str();
        let mut known = word.chars <= MAX_WORD_CHARS;
        while known && !rest.is_empty() {
            match self.longest_piece(pieces, rest) {
                Some((id, length)) => {
                    ids.push(id);
                    rest = &rest[length..];
                    pieces = &self.continuations;
                }
                None => known = false,
            }
        }
        if !known {
            ids.truncate(begun);
            ids.push(self.unknown);
        }
        word.clear();
    }

    /// Id and byte length of the longest piece that `rest` begins with.
    fn longest_piece(&self, pieces: &HashMap<Box<str>, i64>, rest: &str) -> Option<(i64, usize)> {
        let mut end = rest.floor_char_boundary(self.longest);
        while end > 0 {
            if let Some(&id) = pieces.get(&rest[..end]) {
                return Some((id, end));
            }
            end = rest.floor_char_boundary(end - 1);
        }
        None
    }
}

/// A word as it grows. What is past the limit is counted, not kept.
#[derive(Default)]
struct Word {
    text: String,
    chars: usize,
}

impl Word {
    fn push(&mut self, character: char) {
        if self.chars < MAX_WORD_CHARS {
            self.text.push(character);
        }
        self.chars += 1;
    }

    fn clear(&mut self) {
        self.text.clear();
        self.chars = 0;
    }
}

/// Lower case without accents, control characters gone, every ideograph a word of its own.
fn normalised(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars()
        .filter(|&character| !is_dropped(character))
        .flat_map(|character| {
            let around = is_ideograph(character).then_some(' ');
            around.into_iter().chain([character]).chain(around)
        })
        .nfd()
        .filter(|&character| !is_accent(character))
        .flat_map(char::to_lowercase)
}

fn is_dropped(character: char) -> bool {
    match character {
        '\t' | '\n' | '\r' => false,
        char::REPLACEMENT_CHARACTER => true,
        // What ASCII answers needs no search in the table of categories.
        _ if character.is_ascii() => character.is_ascii_control(),
        _ => matches!(
            character.general_category(),
            GeneralCategory::Control | GeneralCategory::Format | GeneralCategory::PrivateUse
        ),
    }
}

fn is_accent(character: char) -> bool {
    !character.is_ascii() && character.general_category() == GeneralCategory::NonspacingMark
}

/// The ideograph blocks of BERT: Han, and neither kana nor hangul, which are written in words of several.
///
/// Extension E begins at U+2B820; the published tokenizer begins it at U+2B920, and its ids are the model's.
fn is_ideograph(character: char) -> bool {
    matches!(
        u32::from(character),
        0x3400..=0x4DBF
            | 0x4E00..=0x9FFF
            | 0xF900..=0xFAFF
            | 0x20000..=0x2A6DF
            | 0x2A700..=0x2B73F
            | 0x2B740..=0x2B81F
            | 0x2B920..=0x2CEAF
            | 0x2F800..=0x2FA1F
    )
}

/// Every ASCII sign counts, also those such as `$` and `+` that Unicode calls symbols.
fn is_punctuation(character: char) -> bool {
    if character.is_ascii() {
        character.is_ascii_punctuation()
    } else {
        character.general_category_group() == GeneralCategoryGroup::Punctuation
    }
}
