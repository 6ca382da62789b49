//! Reading a goal: its words, which of them are values, and what it asks for. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde_json::Value;
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

use crate::lexicon::{self, Kind, Lexicon, Meaning, Word};

/// Most words of a goal that are compared; the rest is cut.
pub const MAX_WORDS: usize = 400;

/// A goal, read.
#[derive(Debug, Clone)]
pub struct Goal {
    /// ISO 639-1 code of its language, as far as the lexicon can tell.
    pub language: &'static str,
    tokens: Vec<Token>,
}

#[derive(Debug, Clone)]
struct Token {
    /// Folded text.
    text: String,
    /// Where it stands in the goal, in bytes.
    range: Range<usize>,
    /// Punctuation stands before it.
    broken: bool,
    /// A number, date, quoted text, address or file name, or the value of an argument.
    value: bool,
    /// Written like a name: a capital letter where none is due.
    name: bool,
    /// Names the app the task is about.
    app: bool,
}

impl Goal {
    /// Reads a goal.
    pub fn read(text: &str) -> Self {
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
        let meant = self.meant(&[Kind::Action, Kind::Quality]);
        for range in self.find(&words(typed)) {
            if !range.clone().all(|at| meant.contains(&at)) {
                self.tokens[range].iter_mut().for_each(|token| token.value = true);
            }
        }
    }

    /// Whether these words stand in the goal, side by side.
    pub fn holds(&self, argument: &str) -> bool {
        !self.find(&words(argument)).is_empty()
    }

    /// Marks the words of a tapped label, but only those written like a name, and none that says what is asked for.
    pub fn mark_label(&mut self, label: &str) {
        let words = words(label);
        let meant = self.meant(&[Kind::Action, Kind::Light, Kind::Quality, Kind::Thing]);
        for range in self.find(&words) {
            let told = range.clone().any(|i| meant.contains(&i));
            if !told {
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
        self.tokens.iter().filter(|token| self.says(token)).map(|token| token.text.as_str()).collect()
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
        if meanings.iter().all(|m| !matches!(m.kind, Kind::Action | Kind::Light))
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
        let lexicon = lexicon::of(self.language);
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
            let plain =
                !token.value && !token.app && !covered.contains(&at) && !lexicon.is_filler(&token.text);
            if !plain {
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
        for (at, token) in self.tokens.iter().enumerate().filter(|(_, token)| self.says(token)) {
            if rest.peek().is_some_and(|word| **word == token.text) {
                rest.next();
            } else if !opening.contains(&at) {
                more += 1;
            }
        }
        // Scripts without spaces count characters: some make a word, and "more" should be a clause.
        let weight = if matches!(self.language, "zh" | "ja") { 4 } else { 1 };
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
                let joined = |next: &Token| {
                    !next.broken && !next.value && next.text.chars().all(is_unspaced)
                };
                while self.tokens.get(run).is_some_and(joined) {
                    run += 1;
                }
                let mut run = &self.tokens[at..run];
                while let [first, .., last] = run
                    && run.len() > 2
                    && (filler(first) || filler(last))
                {
                    run = if filler(first) { &run[1..] } else { &run[..run.len() - 1] };
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
            concepts: BTreeSet::from([format!("word {}", stem(word.text))]),
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
    tokens(text).into_iter().map(|token| token.text).collect()
}

/// Whether a value's words stand in a goal, side by side.
pub fn mentions(goal: &str, value: &Value) -> bool {
    match value {
        Value::String(text) => Goal::read(goal).holds(text),
        Value::Number(number) => Goal::read(goal).holds(&number.to_string()),
        _ => false,
    }
}

/// Whether two goals ask for different actions, narrow them differently or name different things.
pub fn contrast(a: &[Meaning], b: &[Meaning]) -> bool {
    let differ = |kind: Kind| lacks(&of(a, kind), &of(b, kind)) || lacks(&of(b, kind), &of(a, kind));
    let (actions_a, actions_b) = (actions(a), actions(b));
    let other_action = if actions_a.is_empty() && actions_b.is_empty() {
        let (a, b) = (preludes(a), preludes(b));
        lacks(&a, &b) || lacks(&b, &a)
    } else {
        // "Save it as a contact" may stand for adding one, but does not have to.
        let (all_a, all_b) = (of(a, Kind::Action), of(b, Kind::Action));
        asks(a) && asks(b) && (lacks(&actions_a, &all_b) || lacks(&actions_b, &all_a))
    };
    let (things_a, things_b) = (of(a, Kind::Thing), of(b, Kind::Thing));
    other_action || differ(Kind::Quality) || (lacks(&things_a, &things_b) && lacks(&things_b, &things_a))
}

fn of(meanings: &[Meaning], kind: Kind) -> Vec<BTreeSet<String>> {
    meanings.iter().filter(|m| m.kind == kind).map(|m| m.concepts.clone()).collect()
}

/// Whether there is something in `a` that nothing in `b` can mean.
fn lacks(a: &[BTreeSet<String>], b: &[BTreeSet<String>]) -> bool {
    a.iter().any(|a| b.iter().all(|b| a.is_disjoint(b)))
}

/// Whether two goals ask for the same actions on the same things, as far as the lexicon knows them; not when it
/// knows no action or no thing of theirs.
pub fn same_request(a: &[Meaning], b: &[Meaning]) -> bool {
    let same = |a: &[BTreeSet<String>], b: &[BTreeSet<String>]| {
        !a.is_empty() && !b.is_empty() && !lacks(a, b) && !lacks(b, a)
    };
    same(&actions(a), &actions(b)) && same(&of(a, Kind::Thing), &of(b, Kind::Thing))
}

/// Whether a goal says at all what is to be done; "alarm 7 am" does not.
fn asks(meanings: &[Meaning]) -> bool {
    meanings.iter().any(|m| matches!(m.kind, Kind::Action | Kind::Light))
}

/// The actions that decide: none whose words may also just mean to open or to see something.
fn actions(meanings: &[Meaning]) -> Vec<BTreeSet<String>> {
    let light = |action: &Meaning| meanings.iter().any(|m| m.kind == Kind::Light && m.words == action.words);
    meanings.iter().filter(|m| m.kind == Kind::Action && !light(m)).map(|m| m.concepts.clone()).collect()
}

/// The light actions that tell two goals apart when there is nothing else: signing in is not looking something up.
fn preludes(meanings: &[Meaning]) -> Vec<BTreeSet<String>> {
    let telling = |m: &&Meaning| m.kind == Kind::Light && m.concepts.contains("sign_in");
    meanings.iter().filter(telling).map(|m| m.concepts.clone()).collect()
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

/// Characters of scripts that are written without spaces: each is a word of its own here.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{0E00}'..='\u{0E7F}' | '\u{20000}'..='\u{3FFFF}')
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

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let quoted = quotes(text);
    let mut at = 0;
    while at < text.len() {
        let piece_end = text[at..]
            .find(char::is_whitespace)
            .map_or(text.len(), |n| at + n);
        words_of(text, at..piece_end, &mut tokens);
        at = piece_end + text[piece_end..].chars().next().map_or(0, char::len_utf8);
    }
    let asides = asides(text);
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
        let run = rest.find(|c: char| !c.is_ascii()).unwrap_or(rest.len());
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

fn language(tokens: &[Token]) -> &'static str {
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
        tokens
            .iter()
            .filter(|token| lexicon.is_filler(&token.text))
            .count()
    };
    let known = |language: &&str| known_words(tokens, lexicon::of(language));
    match LATIN.into_iter().map(|language| fillers(&language)).max() {
        Some(0) | None => LATIN.into_iter().max_by_key(known),
        Some(_) => LATIN.into_iter().max_by_key(fillers),
    }
    .unwrap_or("en")
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
