//! Reading a goal: its words, which of them are values, and what it asks for. Pure.

mod contrast;
mod language;
mod tokens;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde_json::Value;

use contrast::GUESSED;
pub use contrast::{contrast, opposed, same_request};
use language::language;
use tokens::{Token, composed, is_unspaced, split, tokens};

use crate::lexicon::{self, Kind, Meaning, Word};

/// Most words of a goal that are read; the rest is cut.
pub const MAX_WORDS: usize = 400;

/// Most bytes of a goal that are read; the rest is cut.
pub const MAX_GOAL_BYTES: usize = 16 * 1024;

/// Most bytes of another text that are split into words. A text with more cannot stand in a goal.
const MAX_TEXT_BYTES: usize = 4 * MAX_GOAL_BYTES;

/// A goal, read.
#[derive(Debug, Clone)]
pub struct Goal {
    /// ISO 639-1 code of its language, as far as the lexicon can tell.
    pub language: &'static str,
    tokens: Vec<Token>,
}

impl Goal {
    /// Reads a goal.
    pub fn read(text: &str) -> Self {
        let text = &composed(cut(text, MAX_GOAL_BYTES));
        let mut tokens = tokens(text);
        tokens.truncate(MAX_WORDS);
        let language = language(&tokens);
        let mut goal = Self { language, tokens };
        goal.mark_values();
        goal.mark_names(text);
        goal
    }

    /// Marks the words that a typed text carries, wherever they stand. Words that say what is asked for stay: an
    /// "on" that was typed does not take the "on" out of "turn it on".
    pub fn mark(&mut self, typed: &str) {
        let found = self.find(&words(typed));
        if found.is_empty() {
            return;
        }
        let meant = self.meant(&[Kind::Action, Kind::Quality]);
        for range in found {
            if !range.clone().all(|at| meant.contains(&at)) {
                self.tokens[range].iter_mut().for_each(|token| token.value = true);
            }
        }
    }

    /// Whether these words stand in the goal, side by side.
    pub fn holds(&self, argument: &str) -> bool {
        !self.find(&words(argument)).is_empty()
    }

    /// Marks the words of a tapped label, wherever they stand, unless one of them says what is asked for.
    pub fn mark_label(&mut self, label: &str) {
        let found = self.find(&words(label));
        if found.is_empty() {
            return;
        }
        let meant = self.meant(&[Kind::Action, Kind::Light, Kind::Quality, Kind::Thing]);
        for range in found {
            if !range.clone().any(|at| meant.contains(&at)) {
                self.tokens[range].iter_mut().for_each(|token| token.value = true);
            }
        }
    }

    /// Marks the words that name the app: its label, or the parts of its package name.
    pub fn mark_app(&mut self, app: &str) {
        let parts: Vec<String> = fold(app)
            .split(|c: char| !c.is_alphanumeric())
            .map(str::to_owned)
            .collect();
        let whole = parts.concat();
        for token in &mut self.tokens {
            let long = token.text.chars().count() >= 4;
            token.app |= parts.contains(&token.text) || (long && whole.contains(&token.text) && token.name);
        }
    }

    /// Marks the words written like names as values.
    pub fn mark_named(&mut self) {
        self.tokens.iter_mut().for_each(|token| token.value |= token.name);
    }

    /// The words that are left when values, fillers and the app are taken out, in order.
    pub fn frame(&self) -> Vec<&str> {
        self.tokens
            .iter()
            .filter(|token| self.says(token))
            .map(|token| token.text.as_str())
            .collect()
    }

    /// Whether a word is neither value nor filler nor the app.
    fn says(&self, token: &Token) -> bool {
        !token.value && !token.app && !lexicon::of(self.language).is_filler(&token.text)
    }

    /// The goal's key: its folded words in order, with `{}` where values stand.
    pub fn family(&self) -> String {
        let mut family: Vec<&str> = Vec::new();
        for token in &self.tokens {
            let word = if token.value { "{}" } else { token.text.as_str() };
            if word != "{}" || family.last() != Some(&"{}") {
                family.push(word);
            }
        }
        family.join(" ")
    }

    /// What the goal asks for, values left out.
    pub fn meanings(&self) -> Vec<Meaning> {
        let words = self.lexicon_words();
        let mut meanings = lexicon::of(self.language).meanings(&words);
        if meanings
            .iter()
            .all(|m| !matches!(m.kind, Kind::Action | Kind::Light))
            && let Some(verb) = self.leading_verb(&words)
        {
            meanings.push(verb);
        }
        if !is_latin(self.language) {
            // Goals in other scripts hold English words too.
            meanings.extend(
                lexicon::of("en")
                    .meanings(&words)
                    .into_iter()
                    .filter(|meaning| meaning.kind != Kind::Filler),
            );
        }
        meanings
    }

    /// What the goal is about, for similarity: concepts where the lexicon knows the words, else the words, and
    /// pairs of neighbours in scripts without spaces.
    pub fn features(&self) -> BTreeMap<String, u32> {
        let mut features = BTreeMap::new();
        let mut covered = BTreeSet::new();
        for meaning in self.meanings() {
            covered.extend(meaning.words.iter().copied());
            if matches!(meaning.kind, Kind::Action | Kind::Quality | Kind::Thing) {
                let name: Vec<&str> = meaning.concepts.iter().map(String::as_str).collect();
                *features.entry(format!("={}", name.join("|"))).or_default() += 1;
            }
        }
        let mut previous: Option<(usize, &str)> = None;
        for (at, token) in self.tokens.iter().enumerate() {
            if !self.says(token) || covered.contains(&at) {
                continue;
            }
            if token.text.chars().all(is_unspaced) {
                if let Some((before, text)) = previous
                    && before + 1 == at
                {
                    *features.entry(format!("{text}{}", token.text)).or_default() += 1;
                }
                previous = Some((at, &token.text));
            } else {
                *features.entry(stem(&token.text)).or_default() += 1;
            }
        }
        features
    }

    /// The words a store is searched by: what is left of the goal when values and fillers are taken out, each
    /// once, pairs of neighbours in scripts without spaces.
    pub fn terms(&self) -> Vec<String> {
        self.features().into_keys().collect()
    }

    /// Whether this goal says all that the other says, in the same words and order, and then asks for more.
    pub fn goes_beyond(&self, other: &Self) -> bool {
        const SPOKEN: usize = 3;
        const MORE: usize = 2;
        let opening: BTreeSet<usize> = self
            .meanings()
            .into_iter()
            .filter(|m| m.concepts.contains("open"))
            .flat_map(|m| m.words)
            .collect();
        let shorter = other.frame();
        let mut rest = shorter.iter().peekable();
        let mut more: usize = 0;
        for (at, token) in self
            .tokens
            .iter()
            .enumerate()
            .filter(|(_, token)| self.says(token))
        {
            if rest.peek().is_some_and(|word| **word == token.text) {
                rest.next();
            } else if !opening.contains(&at) {
                more += 1;
            }
        }
        // Scripts without spaces count characters: some make a word, and "more" should be a clause.
        let weight = if matches!(self.language, "zh" | "ja") {
            4
        } else {
            1
        };
        rest.peek().is_none() && shorter.len() >= SPOKEN && more >= MORE * weight
    }

    /// How many values stand in the goal, neighbours counted once.
    pub fn slots(&self) -> usize {
        self.family().split(' ').filter(|word| *word == "{}").count()
    }

    /// The words a name is made of: without values and fillers, but with the fillers that belong to an action ("turn
    /// on"). Scripts without spaces give a word a run; fillers are only taken from its ends.
    pub fn name_words(&self) -> Vec<String> {
        let lexicon = lexicon::of(self.language);
        let filler = |token: &Token| lexicon.is_filler(&token.text);
        let meant = self.meant(&[Kind::Action, Kind::Light]);
        let mut words: Vec<String> = Vec::new();
        let mut at = 0;
        while let Some(token) = self.tokens.get(at) {
            let mut run = at + 1;
            if token.text.chars().all(is_unspaced) && !token.value {
                let joined = |next: &Token| !next.broken && !next.value && next.text.chars().all(is_unspaced);
                while self.tokens.get(run).is_some_and(joined) {
                    run += 1;
                }
                let mut run = &self.tokens[at..run];
                while let [first, .., last] = run
                    && run.len() > 2
                    && (filler(first) || filler(last))
                {
                    run = if filler(first) {
                        &run[1..]
                    } else {
                        &run[..run.len() - 1]
                    };
                }
                if !run.iter().all(filler) {
                    words.push(run.iter().map(|token| token.text.as_str()).collect());
                }
            } else if !token.value && (!filler(token) || meant.contains(&at)) {
                words.push(token.text.clone());
            }
            at = run;
        }
        words
    }

    fn find(&self, words: &[String]) -> Vec<Range<usize>> {
        if words.is_empty() {
            return Vec::new();
        }
        (0..(self.tokens.len() + 1).saturating_sub(words.len()))
            .map(|at| at..at + words.len())
            .filter(|range| {
                self.tokens[range.clone()]
                    .iter()
                    .zip(words)
                    .all(|(token, word)| token.text == *word)
            })
            .collect()
    }

    /// Indexes of the words that say what is asked for.
    fn meant(&self, kinds: &[Kind]) -> BTreeSet<usize> {
        self.meanings()
            .into_iter()
            .filter(|m| kinds.contains(&m.kind))
            .flat_map(|m| m.words)
            .collect()
    }

    /// Where no known action is asked for, the word that begins the goal is one of its own: "resize the photo".
    /// Only in languages that put the verb first.
    fn leading_verb(&self, words: &[Word<'_>]) -> Option<Meaning> {
        let lexicon = lexicon::of(self.language);
        let verb_first = is_latin(self.language) || matches!(self.language, "ru" | "ar");
        let at = words.iter().position(|word| !lexicon.is_filler(word.text))?;
        let word = words[at];
        (verb_first && word.begins && !word.value).then(|| Meaning {
            kind: Kind::Action,
            concepts: BTreeSet::from([format!("{GUESSED}{}", stem(word.text))]),
            words: vec![at],
        })
    }

    fn mark_values(&mut self) {
        let words = self.lexicon_words();
        let spelled: BTreeSet<usize> = lexicon::of(self.language)
            .meanings(&words)
            .into_iter()
            .filter(|m| matches!(m.kind, Kind::Month | Kind::Number))
            .flat_map(|m| m.words)
            .collect();
        for (at, token) in self.tokens.iter_mut().enumerate() {
            token.value |= spelled.contains(&at) || token.text.chars().any(char::is_numeric);
        }
    }

    /// A capital letter in the middle of a sentence, unless the language or the writer puts one everywhere.
    fn mark_names(&mut self, text: &str) {
        let capital = |token: &Token| {
            text[token.range.clone()]
                .chars()
                .next()
                .is_some_and(char::is_uppercase)
        };
        let begins = |at: usize, tokens: &[Token]| {
            at == 0 || {
                let between = &text[tokens[at - 1].range.end..tokens[at].range.start];
                between.contains(['.', '!', '?', '\n', ';', '"', '“'])
            }
        };
        let inner: Vec<usize> = (0..self.tokens.len())
            .filter(|at| !begins(*at, &self.tokens) && self.tokens[*at].text.chars().any(char::is_alphabetic))
            .collect();
        let capitals = inner.iter().filter(|at| capital(&self.tokens[**at])).count();
        if self.language == "de" || (inner.len() >= 3 && capitals * 10 > inner.len() * 7) {
            return;
        }
        let lexicon = lexicon::of(self.language);
        for at in inner {
            let token = &self.tokens[at];
            let name = capital(token) && !lexicon.is_filler(&token.text);
            self.tokens[at].name = name;
        }
    }

    fn lexicon_words(&self) -> Vec<Word<'_>> {
        const LINKS: [&str; 17] = [
            "and",
            "then",
            "y",
            "e",
            "luego",
            "und",
            "dann",
            "et",
            "puis",
            "и",
            "затем",
            "потом",
            "và",
            "rồi",
            "و",
            "ثم",
            "also",
        ];
        let lexicon = lexicon::of(self.language);
        let mut open = true;
        let mut words: Vec<Word<'_>> = Vec::with_capacity(self.tokens.len());
        for (at, token) in self.tokens.iter().enumerate() {
            let linked = at > 0 && LINKS.contains(&self.tokens[at - 1].text.as_str());
            open |= token.broken || linked || at == 0;
            let ends = self
                .tokens
                .get(at + 1)
                .is_none_or(|next| next.broken || LINKS.contains(&next.text.as_str()));
            words.push(Word {
                text: &token.text,
                begins: open,
                ends,
                broken: token.broken,
                value: token.value,
            });
            // A clause is still beginning after politeness, a date or the app's name.
            open &= token.value || token.app || token.name || lexicon.is_filler(&token.text);
        }
        words
    }
}

/// A text folded for comparison: NFKC, lower case, punctuation and spaces as one space.
pub fn fold(text: &str) -> String {
    words(text).join(" ")
}

/// The folded words of a text; in scripts without spaces every character is one.
pub fn words(text: &str) -> Vec<String> {
    split(&composed(cut(text, MAX_TEXT_BYTES)))
        .into_iter()
        .map(|token| token.text)
        .collect()
}

/// Whether a value's words stand in a goal, side by side.
pub fn mentions(goal: &str, value: &Value) -> bool {
    text_of(value).is_some_and(|text| Goal::read(goal).holds(&text))
}

/// A text or number as a person writes it; none for other values.
pub fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => {
            let written = number.to_string();
            Some(written.strip_suffix(".0").map_or(written.clone(), str::to_owned))
        }
        _ => None,
    }
}

/// Whether two goals are the same but for case, spaces and punctuation. Goals of nothing but signs, and endless ones,
/// are compared as they are.
pub fn same(a: &str, b: &str) -> bool {
    let (folded_a, folded_b) = (fold(a), fold(b));
    let endless = a.len().max(b.len()) > MAX_TEXT_BYTES;
    if endless || (folded_a.is_empty() && folded_b.is_empty()) {
        a.trim() == b.trim()
    } else {
        folded_a == folded_b
    }
}

/// How alike two goals are: twice what they share over what both have (Dice), 0 to 1.
pub fn similarity(a: &BTreeMap<String, u32>, b: &BTreeMap<String, u32>) -> f64 {
    let shared: u32 = a
        .iter()
        .filter_map(|(feature, n)| Some(*n.min(b.get(feature)?)))
        .sum();
    let all: u32 = a.values().chain(b.values()).sum();
    if all == 0 {
        0.0
    } else {
        2.0 * f64::from(shared) / f64::from(all)
    }
}

/// The beginning of a text, at most so many bytes, whole characters.
fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

fn is_latin(language: &str) -> bool {
    matches!(language, "en" | "es" | "de" | "fr" | "pt" | "vi")
}

/// English plurals and the like: enough to make "events" and "event" one word.
fn stem(word: &str) -> String {
    let long = word.chars().count() > 3 && word.is_ascii();
    match word.strip_suffix('s') {
        Some(stem) if long && !stem.ends_with('s') => stem.to_owned(),
        _ => word.to_owned(),
    }
}
