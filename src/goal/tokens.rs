//! From text to words: where they stand, and which are values by how they are written.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

/// One word of a goal.
#[derive(Debug, Clone)]
pub(super) struct Token {
    /// Folded text.
    pub(super) text: String,
    /// Where it stands in the goal, in bytes.
    pub(super) range: Range<usize>,
    /// Punctuation stands before it.
    pub(super) broken: bool,
    /// A number, date, quoted text, address or file name, or the value of an argument.
    pub(super) value: bool,
    /// Written like a name: a capital letter where none is due.
    pub(super) name: bool,
    /// Names the app the task is about.
    pub(super) app: bool,
}

/// A text with its accents composed (NFC), so that a letter is one character.
pub(super) fn composed(text: &str) -> String {
    text.nfc().collect()
}

/// The words of a text, quoted and bracketed ones already known as values.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = split(text);
    let (quoted, asides) = (quotes(text), asides(text));
    let mut end = 0;
    for token in &mut tokens {
        token.broken = text[end..token.range.start].chars().any(is_break)
            || text[end..token.range.start].contains(" - ");
        token.value |= asides.iter().any(|aside| aside.contains(&token.range.start));
        token.value |= quoted
            .iter()
            .any(|q| q.start <= token.range.start && token.range.end <= q.end);
        end = token.range.end;
    }
    tokens
}

/// The words of a text as they stand.
pub(super) fn split(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let piece_end = text[at..]
            .find(char::is_whitespace)
            .map_or(text.len(), |n| at + n);
        words_of(text, at..piece_end, &mut tokens);
        at = piece_end + text[piece_end..].chars().next().map_or(0, char::len_utf8);
    }
    tokens
}

fn is_break(c: char) -> bool {
    matches!(
        c,
        '.' | ','
            | ';'
            | ':'
            | '!'
            | '?'
            | '\n'
            | '('
            | ')'
            | '—'
            | '–'
            | '。'
            | '，'
            | '、'
            | '；'
            | '：'
            | '！'
            | '？'
            | '（'
            | '）'
            | '।'
            | '،'
            | '؛'
            | '؟'
            | '…'
            | '¿'
            | '¡'
            | '"'
            | '“'
            | '”'
            | '«'
            | '»'
            | '„'
    )
}

/// Splits one piece without white space into words; addresses, handles and file names stay whole.
fn words_of(text: &str, piece: Range<usize>, tokens: &mut Vec<Token>) {
    let mut at = piece.start;
    while at < piece.end {
        let rest = &text[at..piece.end];
        // A curly apostrophe is as good as a straight one.
        let run = rest
            .find(|c: char| !c.is_ascii() && c != '’')
            .unwrap_or(rest.len());
        if run > 0 {
            let ascii = &rest[..run];
            let lead = ascii.len()
                - ascii
                    .trim_start_matches(|c: char| !c.is_ascii_alphanumeric() && !"@#+$/".contains(c))
                    .len();
            let body =
                ascii[lead..].trim_end_matches(|c: char| !c.is_ascii_alphanumeric() && c != '/' && c != '%');
            if is_address(body) {
                let start = at + lead;
                push(text, start..start + body.len(), true, tokens);
            } else {
                plain_words(text, at..at + run, tokens);
            }
            at += run;
        } else {
            let run = rest.find(|c: char| c.is_ascii()).unwrap_or(rest.len());
            // Letters beyond ASCII belong to one word with the ASCII letters around them.
            plain_words(text, at..at + run, tokens);
            at += run;
        }
    }
}

fn plain_words(text: &str, range: Range<usize>, tokens: &mut Vec<Token>) {
    for (offset, word) in text[range.clone()].unicode_word_indices() {
        let start = range.start + offset;
        let joined = tokens.last().is_some_and(|last| {
            last.range.end == start
                && !last.text.chars().any(is_unspaced)
                && !word.chars().any(is_unspaced)
                && text[..start].chars().next_back().is_some_and(char::is_alphabetic)
                && word.chars().next().is_some_and(char::is_alphabetic)
        });
        if joined && let Some(last) = tokens.last_mut() {
            last.range.end = start + word.len();
            last.text = fold_word(&text[last.range.clone()]);
        } else if word.chars().any(is_unspaced) {
            let mut from = start;
            for c in word.chars() {
                push(text, from..from + c.len_utf8(), false, tokens);
                from += c.len_utf8();
            }
        } else {
            push(text, start..start + word.len(), false, tokens);
        }
    }
}

fn push(text: &str, range: Range<usize>, value: bool, tokens: &mut Vec<Token>) {
    let folded = fold_word(&text[range.clone()]);
    if !folded.is_empty() {
        tokens.push(Token {
            text: folded,
            range,
            broken: false,
            value,
            name: false,
            app: false,
        });
    }
}

/// NFKC and lower case; apostrophes alike; Arabic without vowel signs, article and alef forms; Russian ё as е.
fn fold_word(word: &str) -> String {
    let folded: String = word
        .nfkc()
        .flat_map(char::to_lowercase)
        .filter(|c| !matches!(c, '\u{064B}'..='\u{0652}' | '\u{0640}' | '\u{200B}'..='\u{200F}' | '\u{FEFF}'))
        .map(|c| match c {
            '’' | 'ʼ' => '\'',
            'ё' => 'е',
            'أ' | 'إ' | 'آ' => 'ا',
            'ى' => 'ي',
            other => other,
        })
        .collect();
    match folded.strip_prefix("ال") {
        Some(rest) if rest.chars().count() >= 2 => rest.to_owned(),
        _ => folded,
    }
}

/// Web and mail addresses, handles, file names and codes: one value, never words.
fn is_address(text: &str) -> bool {
    let inner = |separator: char| {
        text.match_indices(separator).any(|(at, _)| {
            let before = text[..at]
                .chars()
                .next_back()
                .is_some_and(|c| c.is_ascii_alphanumeric());
            let after = text[at + 1..]
                .chars()
                .next()
                .is_some_and(|c| c.is_ascii_alphanumeric());
            before && after
        })
    };
    let handle = (text.starts_with('@') || text.starts_with('#')) && text.len() > 1;
    handle || text.contains("://") || inner('@') || inner('_') || (inner('.') && text.len() > 3)
}

/// The quoted stretches of a text, without the marks.
fn quotes(text: &str) -> Vec<Range<usize>> {
    const PAIRS: [(char, char); 10] = [
        ('"', '"'),
        ('“', '”'),
        ('„', '“'),
        ('«', '»'),
        ('「', '」'),
        ('『', '』'),
        ('《', '》'),
        ('‘', '’'),
        ('\'', '\''),
        ('`', '`'),
    ];
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let start = at + c.len_utf8();
        let before = text[..at].chars().next_back();
        let apostrophe = matches!(c, '\'' | '’');
        let opens = !apostrophe || before.is_none_or(|b| !b.is_alphanumeric());
        let close = PAIRS
            .iter()
            .filter(|(open, _)| *open == c && opens)
            .find_map(|(_, close)| {
                text[start..].char_indices().find_map(|(offset, c)| {
                    let after = text[start + offset + c.len_utf8()..].chars().next();
                    let ends = !matches!(c, '\'' | '’') || after.is_none_or(|a| !a.is_alphanumeric());
                    (c == *close && ends && offset > 0).then_some(start + offset)
                })
            });
        match close {
            Some(end) => {
                found.push(start..end);
                at = end + text[end..].chars().next().map_or(0, char::len_utf8);
            }
            None => at = start,
        }
    }
    found
}

/// What stands in parentheses: an explanation, not what is asked for.
fn asides(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut opened = None;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '（' => opened = opened.or(Some(at)),
            ')' | '）' => found.extend(opened.take().map(|from| from..at)),
            _ => {}
        }
    }
    found
}

/// Characters of scripts that are written without spaces: each is a word of its own here.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{0E00}'..='\u{0E7F}' | '\u{20000}'..='\u{3FFFF}')
}
