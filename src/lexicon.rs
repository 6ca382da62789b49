//! The words that tell tasks apart, in twelve languages. The table is `lexicon.txt`, its head explains it. Pure.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

/// The languages the table knows, as ISO 639-1 codes.
pub const LANGUAGES: [&str; 12] = [
    "en", "zh", "es", "de", "fr", "pt", "ja", "ko", "hi", "vi", "ru", "ar",
];

/// What a concept is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// What is done: two goals with different actions are never one skill.
    Action,
    /// An action that alone decides nothing.
    Light,
    /// What narrows an action.
    Quality,
    /// What it is done to.
    Thing,
    /// A word without meaning of its own.
    Filler,
    /// A month or weekday: a value.
    Month,
    /// A number in words: a value.
    Number,
}

/// A word of a text, as the lexicon sees it.
#[derive(Debug, Clone, Copy)]
pub struct Word<'a> {
    /// Folded text.
    pub text: &'a str,
    /// Whether a clause begins here.
    pub begins: bool,
    /// Whether a clause ends here.
    pub ends: bool,
    /// Whether punctuation stands before it.
    pub broken: bool,
    /// Whether it is a value, which means nothing here.
    pub value: bool,
}

/// One or more words that mean something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meaning {
    /// What it is good for.
    pub kind: Kind,
    /// The concepts that may be meant.
    pub concepts: BTreeSet<String>,
    /// Indexes of its words.
    pub words: Vec<usize>,
}

/// The table of one language.
#[derive(Debug, Default)]
pub struct Lexicon {
    by_initial: HashMap<char, Vec<Pattern>>,
    /// For the first word of an `a~b` pattern: all its second words.
    particles: HashMap<&'static str, HashSet<&'static str>>,
    fillers: HashSet<&'static str>,
}

#[derive(Debug)]
struct Pattern {
    kind: Kind,
    concept: &'static str,
    words: Vec<PatternWord>,
    begins: bool,
    ends: bool,
    /// The second word of an `a~b` pattern.
    particle: Option<&'static str>,
}

#[derive(Debug)]
struct PatternWord {
    text: String,
    prefix: bool,
}

/// How many words may stand between the two words of an `a~b` pattern.
const GAP: usize = 8;

/// The table of a language; the English one when it is not known.
pub fn of(language: &str) -> &'static Lexicon {
    static TABLE: LazyLock<HashMap<&'static str, Lexicon>> =
        LazyLock::new(|| parse(include_str!("lexicon.txt")));
    static NONE: LazyLock<Lexicon> = LazyLock::new(Lexicon::default);
    TABLE.get(language).unwrap_or(&NONE)
}

impl Lexicon {
    /// Whether a folded word carries no meaning of its own.
    pub fn is_filler(&self, word: &str) -> bool {
        self.fillers.contains(word)
    }

    /// What a text means, in order. Where several patterns fit, the one with the most words is meant.
    pub fn meanings(&self, words: &[Word<'_>]) -> Vec<Meaning> {
        let mut meanings: Vec<Meaning> = Vec::new();
        let mut taken = vec![false; words.len()];
        for at in 0..words.len() {
            if taken[at] || words[at].value {
                continue;
            }
            let fits: Vec<(&Pattern, Vec<usize>)> = words[at]
                .text
                .chars()
                .next()
                .and_then(|initial| self.by_initial.get(&initial))
                .into_iter()
                .flatten()
                .filter_map(|pattern| Some((pattern, self.fit(pattern, words, at)?)))
                .collect();
            let Some(longest) = fits.iter().map(|(_, words)| words.len()).max() else {
                continue;
            };
            for (pattern, covered) in fits.into_iter().filter(|(_, words)| words.len() == longest) {
                covered.iter().for_each(|i| taken[*i] = true);
                match meanings
                    .iter_mut()
                    .find(|m| m.kind == pattern.kind && m.words == covered)
                {
                    Some(meaning) => {
                        meaning.concepts.insert(pattern.concept.to_owned());
                    }
                    None => meanings.push(Meaning {
                        kind: pattern.kind,
                        concepts: BTreeSet::from([pattern.concept.to_owned()]),
                        words: covered,
                    }),
                }
            }
        }
        meanings
    }

    fn fit(&self, pattern: &Pattern, words: &[Word<'_>], at: usize) -> Option<Vec<usize>> {
        let run = words.get(at..at + pattern.words.len())?;
        let same = pattern.words.iter().zip(run).all(|(pattern, word)| {
            !word.value
                && if pattern.prefix {
                    word.text.starts_with(&pattern.text)
                } else {
                    word.text == pattern.text
                }
        });
        let last = at + run.len() - 1;
        if !same || (pattern.begins && !words[at].begins) || run[1..].iter().any(|word| word.broken) {
            return None;
        }
        let mut covered: Vec<usize> = (at..=last).collect();
        let mut end = last;
        if let Some(particle) = pattern.particle {
            let particles = self.particles.get(pattern.words[0].text.as_str())?;
            end = (last + 1..words.len().min(last + 2 + GAP))
                .take_while(|i| !words[*i].broken)
                .find(|i| !words[*i].value && particles.contains(words[*i].text))?;
            if words[end].text != particle {
                return None;
            }
            covered.push(end);
        }
        (!pattern.ends || words[end].ends).then_some(covered)
    }
}

fn parse(table: &'static str) -> HashMap<&'static str, Lexicon> {
    let mut lexicons: HashMap<&'static str, Lexicon> = HashMap::new();
    let (mut kind, mut concept) = (Kind::Filler, "");
    for line in table
        .lines()
        .filter(|line| !line.starts_with('#') && !line.trim().is_empty())
    {
        if let Some((language, patterns)) = line.strip_prefix("  ").and_then(|line| line.split_once(": ")) {
            let lexicon = lexicons.entry(language).or_default();
            for text in patterns.split(", ") {
                lexicon.add(kind, concept, text.trim());
            }
        } else if let Some((name, rest)) = line.split_once(' ') {
            concept = rest;
            kind = match name {
                "action" => Kind::Action,
                "light" => Kind::Light,
                "quality" => Kind::Quality,
                "thing" => Kind::Thing,
                "month" => Kind::Month,
                "number" => Kind::Number,
                _ => Kind::Filler,
            };
        }
    }
    lexicons
}

impl Lexicon {
    fn add(&mut self, kind: Kind, concept: &'static str, text: &'static str) {
        if kind == Kind::Filler {
            self.fillers.insert(text);
        }
        let (body, begins) = match text.strip_prefix('^') {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        let (body, ends) = match body.strip_suffix('$') {
            Some(rest) => (rest, true),
            None => (body, false),
        };
        let (body, particle) = match body.split_once('~') {
            Some((verb, particle)) => (verb, Some(particle)),
            None => (body, None),
        };
        let words: Vec<PatternWord> = body
            .split(' ')
            .flat_map(|word| {
                let prefix = word.ends_with('*');
                let mut words: Vec<PatternWord> = crate::goal::words(word.trim_end_matches('*'))
                    .into_iter()
                    .map(|text| PatternWord { text, prefix: false })
                    .collect();
                if let Some(last) = words.last_mut() {
                    last.prefix = prefix;
                }
                words
            })
            .collect();
        let Some(initial) = words.first().and_then(|word| word.text.chars().next()) else {
            return;
        };
        if let Some(particle) = particle {
            let verb: &'static str = body.trim_end_matches('*');
            self.particles.entry(verb).or_default().insert(particle);
        }
        self.by_initial.entry(initial).or_default().push(Pattern {
            kind,
            concept,
            words,
            begins,
            ends,
            particle,
        });
    }
}
