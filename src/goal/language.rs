//! Which of the twelve languages a goal is written in: by script, and by function words in Latin script.

use super::tokens::Token;
use crate::lexicon::{self, Lexicon, Word};

/// ISO 639-1 code of the language, English when nothing tells.
pub(super) fn language(tokens: &[Token]) -> &'static str {
    let count = |test: &dyn Fn(char) -> bool| tokens.iter().filter(|t| t.text.chars().any(test)).count();
    let scripts: [(&'static str, usize); 6] = [
        ("ko", count(&|c| matches!(c, '\u{AC00}'..='\u{D7A3}'))),
        ("ja", count(&|c| matches!(c, '\u{3040}'..='\u{30FF}')) * 4),
        ("zh", count(&|c| matches!(c, '\u{4E00}'..='\u{9FFF}')) / 2),
        ("ar", count(&|c| matches!(c, '\u{0600}'..='\u{06FF}'))),
        ("hi", count(&|c| matches!(c, '\u{0900}'..='\u{097F}'))),
        ("ru", count(&|c| matches!(c, '\u{0400}'..='\u{04FF}'))),
    ];
    let latin =
        count(&|c| c.is_ascii_alphabetic() || matches!(c, '\u{00C0}'..='\u{024F}' | '\u{1E00}'..='\u{1EFF}'));
    if let Some((language, n)) = scripts.into_iter().max_by_key(|(_, n)| *n)
        && n * 2 >= latin.max(1)
    {
        return language;
    }
    const LATIN: [&str; 6] = ["vi", "pt", "fr", "de", "es", "en"];
    let fillers = |language: &&str| {
        let lexicon = lexicon::of(language);
        let own = |text: &str| *language == "vi" && text.chars().any(is_vietnamese);
        tokens
            .iter()
            .filter(|token| lexicon.is_filler(&token.text) || own(&token.text))
            .count()
    };
    let known = |language: &&str| known_words(tokens, lexicon::of(language));
    // Function words first; where they tie ("le", "la"), what the words mean.
    LATIN
        .into_iter()
        .max_by_key(|language| (fillers(language), known(language)))
        .unwrap_or("en")
}

/// Letters that among the Latin languages here only Vietnamese has.
fn is_vietnamese(c: char) -> bool {
    matches!(c, '\u{1EA0}'..='\u{1EF9}' | 'ơ' | 'ư' | 'đ' | 'ă')
}

/// How many words mean something in a language.
fn known_words(tokens: &[Token], lexicon: &Lexicon) -> usize {
    let words: Vec<Word<'_>> = tokens
        .iter()
        .enumerate()
        .map(|(at, t)| Word {
            text: &t.text,
            begins: at == 0,
            ends: false,
            broken: t.broken,
            value: false,
        })
        .collect();
    lexicon.meanings(&words).len()
}
