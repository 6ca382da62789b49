//! The embedding model against its published original, the tokenizer against the published one, and the
//! guard against providers that misbehave.

#![cfg(feature = "bundled-model")]
// Helpers of tests are tests too.
#![allow(clippy::unwrap_used)]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use adroit::embedding::bundled::{BundledModel, DIMENSION, MODEL_ID};
use adroit::embedding::region::FileRegion;
use adroit::embedding::tokenizer::{MAX_TEXT_BYTES, MAX_TOKENS, Tokenizer};
use adroit::embedding::{Embedding, EmbeddingProvider, GuardedProvider, MAX_WORKERS};
use adroit::error::{EmbeddingError, SkillError};

const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/models/all-minilm-l6-v2.onnx");
const VOCABULARY_MARK: &[u8] = b"vocabulary";

fn model() -> &'static Arc<BundledModel> {
    static MODEL: std::sync::OnceLock<Arc<BundledModel>> = std::sync::OnceLock::new();
    MODEL.get_or_init(|| Arc::new(BundledModel::builtin()))
}

fn embed(text: &str) -> Embedding {
    model().embed(text.into()).unwrap()
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| f64::from(x * y)).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

fn reference_texts() -> Vec<String> {
    serde_json::from_str(include_str!("../models/reference/texts.json")).unwrap()
}

// --- The bundled model ---

#[test]
fn vectors_are_those_of_the_published_f32_model() {
    let texts = reference_texts();
    let vectors: Vec<f32> = include_bytes!("../models/reference/vectors.i16")
        .chunks_exact(2)
        .map(|bytes| f32::from(i16::from_le_bytes([bytes[0], bytes[1]])))
        .collect();
    assert!(texts.len() >= 200);
    assert_eq!(vectors.len(), texts.len() * DIMENSION);

    let mut cosines = Vec::new();
    for (text, reference) in texts.iter().zip(vectors.chunks_exact(DIMENSION)) {
        let vector = embed(text).vector;
        assert!((cosine(&vector, &vector) - 1.0).abs() < 1e-6);
        cosines.push((cosine(&vector, reference), text));
    }
    cosines.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mean = cosines.iter().map(|(cosine, _)| cosine).sum::<f64>() / cosines.len() as f64;
    println!("cosine to the f32 model: least {:?}, mean {mean}", cosines[0]);
    assert!(cosines[0].0 >= 0.999, "{:?}", &cosines[..5]);
}

#[test]
fn similarities_are_those_of_the_model_card() {
    let weather = embed("The weather is lovely today.").vector;
    let sunny = embed("It's so sunny outside!").vector;
    let stadium = embed("He drove to the stadium.").vector;
    for (a, b, published) in [
        (&weather, &sunny, 0.6660),
        (&weather, &stadium, 0.1046),
        (&sunny, &stadium, 0.1411),
    ] {
        let found = cosine(a, b);
        println!("published {published}, found {found:.4}");
        assert!(
            (found - published).abs() < 0.01,
            "published {published}, found {found}"
        );
    }
}

#[test]
fn every_length_up_to_the_limit_embeds_and_a_longer_text_says_so() {
    for tokens in [2, 3, 63, 64, 65, 255, 256] {
        let embedding = embed(&"word ".repeat(tokens - 2));
        assert!(!embedding.truncated, "{tokens} tokens");
        assert_eq!(embedding.vector.len(), DIMENSION);
    }
    let cut = embed(&"word ".repeat(MAX_TOKENS - 1));
    assert!(cut.truncated);
    assert_eq!(cut.vector, embed(&"word ".repeat(MAX_TOKENS - 2)).vector);
}

#[test]
fn threads_share_one_load() {
    let opened = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&opened);
    let model = BundledModel::from_source(move || {
        counter.fetch_add(1, Ordering::SeqCst);
        std::fs::File::open(MODEL)
    });
    assert_eq!(
        opened.load(Ordering::SeqCst),
        0,
        "nothing is read before the first call"
    );
    let start = Barrier::new(4);
    let vectors: Vec<_> = thread::scope(|scope| {
        let calls = [0; 4].map(|_| {
            scope.spawn(|| {
                start.wait();
                model.embed("Turn on Bluetooth".into()).unwrap().vector
            })
        });
        calls.map(|call| call.join().unwrap()).into()
    });
    assert_eq!(opened.load(Ordering::SeqCst), 1);
    assert!(vectors.iter().all(|vector| *vector == vectors[0]));
    assert_eq!(vectors[0], embed("Turn on Bluetooth").vector);
}

#[test]
fn a_broken_model_file_is_an_error_with_a_reason() {
    let whole = std::fs::read(MODEL).unwrap();
    let mut renamed = whole.clone();
    let id_at = position(&whole, MODEL_ID.as_bytes());
    renamed[id_at] ^= 1;
    let mut no_vocabulary = whole.clone();
    no_vocabulary[position(&whole, VOCABULARY_MARK)] ^= 1;
    let mut bad_rank = whole.clone();
    let node_at = position(&whole, b"layer0.query.split");
    bad_rank[node_at] ^= 1;

    for (what, bytes) in [
        ("empty", Vec::new()),
        ("not a model", b"SQLite format 3\0".repeat(100)),
        ("a line of text", b"<html>Not found</html>".to_vec()),
        ("first half", whole[..whole.len() / 2].to_vec()),
        ("last byte missing", whole[..whole.len() - 1].to_vec()),
        ("another model", renamed),
        ("no vocabulary", no_vocabulary),
        ("a node that nothing makes", bad_rank),
    ] {
        let model = BundledModel::from_bytes(bytes.into());
        for _ in 0..2 {
            match model.embed("Turn on Bluetooth".into()) {
                Err(EmbeddingError::Connection { reason }) => {
                    println!("{what}: {}", reason.chars().take(160).collect::<String>());
                    assert!(reason.starts_with("cannot load the model: "), "{what}: {reason}");
                }
                other => panic!("{what}: {other:?}"),
            }
        }
    }
}

fn position(bytes: &[u8], part: &[u8]) -> usize {
    bytes
        .windows(part.len())
        .position(|window| window == part)
        .unwrap()
}

#[test]
fn a_load_that_failed_is_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("model.onnx");
    let model = BundledModel::from_path(&file);
    assert!(matches!(
        model.embed("Turn on Bluetooth".into()),
        Err(EmbeddingError::Connection { .. })
    ));
    std::fs::copy(MODEL, &file).unwrap();
    assert_eq!(
        model.embed("Turn on Bluetooth".into()).unwrap(),
        embed("Turn on Bluetooth")
    );
    std::fs::remove_file(&file).unwrap();
    assert_eq!(
        model.embed("Turn on Bluetooth".into()).unwrap(),
        embed("Turn on Bluetooth")
    );
}

// --- The tokenizer ---

mod tokens {
    use super::*;
    use tokenizers::models::wordpiece::WordPiece;
    use tokenizers::normalizers::BertNormalizer;
    use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
    use tokenizers::processors::bert::BertProcessing;

    /// The vocabulary out of the model file, so that what is tested is what ships.
    fn vocabulary() -> &'static str {
        static VOCABULARY: std::sync::OnceLock<String> = std::sync::OnceLock::new();
        VOCABULARY.get_or_init(|| {
            let file = std::fs::read(MODEL).unwrap();
            let begin = position(&file, b"[PAD]\n[unused0]\n");
            let last = "\n##\u{ff5e}\n".as_bytes();
            let end = begin + position(&file[begin..], last) + last.len();
            String::from_utf8(file[begin..end].to_vec()).unwrap()
        })
    }

    fn ours() -> &'static Tokenizer {
        static OURS: std::sync::OnceLock<Tokenizer> = std::sync::OnceLock::new();
        OURS.get_or_init(|| Tokenizer::new(vocabulary()).unwrap())
    }

    fn published() -> &'static tokenizers::Tokenizer {
        static PUBLISHED: std::sync::OnceLock<tokenizers::Tokenizer> = std::sync::OnceLock::new();
        PUBLISHED.get_or_init(|| {
            let vocabulary = WordPiece::read_bytes(vocabulary().as_bytes()).unwrap();
            let model = WordPiece::builder().vocab(vocabulary).build().unwrap();
            let mut tokenizer = tokenizers::Tokenizer::new(model);
            tokenizer
                .with_normalizer(Some(BertNormalizer::default()))
                .unwrap();
            tokenizer.with_pre_tokenizer(Some(BertPreTokenizer));
            let marks = BertProcessing::new(("[SEP]".into(), 102), ("[CLS]".into(), 101));
            tokenizer.with_post_processor(Some(marks));
            tokenizer
        })
    }

    /// All ids of the published tokenizer, uncut.
    fn published_ids(text: &str) -> Vec<i64> {
        published()
            .encode_fast(text, true)
            .unwrap()
            .get_ids()
            .iter()
            .map(|&id| i64::from(id))
            .collect()
    }

    fn agrees(text: &str) -> bool {
        let mut expected = published_ids(text);
        let truncated = expected.len() > MAX_TOKENS;
        if truncated {
            expected.truncate(MAX_TOKENS - 1);
            expected.push(102);
        }
        let found = ours().encode(text);
        found.ids == expected && found.truncated == truncated
    }

    #[test]
    fn the_reference_texts_agree() {
        for text in reference_texts() {
            assert!(
                agrees(&text),
                "{text:?}: {:?} {:?}",
                ours().encode(&text),
                published_ids(&text)
            );
        }
    }

    /// Characters that the published tokenizer takes as Unicode 8 did, and this one as Unicode does now: marks,
    /// punctuation and format characters assigned since, and seven whose category was changed. All of them are
    /// rare, none is in the vocabulary, and the model has seen neither reading.
    const NEWER: &str = include_str!("../models/reference/newer_characters.txt");

    fn newer() -> &'static [char] {
        static NEWER_CHARACTERS: std::sync::OnceLock<Vec<char>> = std::sync::OnceLock::new();
        NEWER_CHARACTERS.get_or_init(|| {
            let point = |hex: &str| u32::from_str_radix(hex, 16).unwrap();
            let range = |part: &str| match part.split_once('-') {
                Some((first, last)) => point(first)..=point(last),
                None => point(part)..=point(part),
            };
            NEWER
                .split_whitespace()
                .flat_map(range)
                .map(|point| char::from_u32(point).unwrap())
                .collect()
        })
    }

    #[test]
    fn every_character_agrees_in_every_place_but_for_those_that_unicode_changed() {
        // Alone a character may be unknown either way; inside a word it shows whether it splits, goes or stays.
        let probe =
            |character: &char| format!("{character} a{character}b {character}{character}e{character} ");
        let characters: Vec<char> = (0..=0x10FFFF).filter_map(char::from_u32).collect();
        let differing: Vec<char> = characters
            .chunks(16)
            .filter(|characters| !agrees(&characters.iter().map(probe).collect::<String>()))
            .flatten()
            .copied()
            .filter(|character| !agrees(&probe(character)))
            .collect();
        println!("{} differ: {}", differing.len(), ranges(&differing));
        assert_eq!(differing, newer());
    }

    #[test]
    fn generated_strings_agree() {
        // Where rules meet: ASCII, Latin with accents, combining marks, other scripts and directions, Indic
        // vowels, Hangul syllables and letters, spaces and controls, punctuation, compatibility forms, Han in
        // all its extensions, symbols, emoji, mathematical letters, tags.
        const BLOCKS: [(u32, u32); 26] = [
            (0x00, 0x7F),
            (0x20, 0x7E),
            (0x61, 0x7A),
            (0x80, 0x24F),
            (0x300, 0x36F),
            (0x370, 0x52F),
            (0x590, 0x6FF),
            (0x900, 0xDFF),
            (0xE00, 0xFFF),
            (0x1100, 0x11FF),
            (0x1E00, 0x1FFF),
            (0x2000, 0x206F),
            (0x20A0, 0x214F),
            (0x2E00, 0x2E7F),
            (0x3000, 0x30FF),
            (0x3400, 0x3500),
            (0x4E00, 0x9FFF),
            (0xAC00, 0xD7A3),
            (0xF900, 0xFAFF),
            (0xFB00, 0xFDFF),
            (0xFE00, 0xFFFF),
            (0x1D400, 0x1D7FF),
            (0x1F300, 0x1FAFF),
            (0x2A6D0, 0x2B9FF),
            (0x2CE00, 0x2FA1F),
            (0xE0000, 0xE01EF),
        ];
        let words: Vec<&str> = vocabulary().lines().collect();
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut below = |limit: u64| {
            // Xorshift (Marsaglia, 2003).
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % limit
        };
        let mut cut = 0;
        for _ in 0..20_000 {
            let mut text = String::new();
            // Now and then more than the model takes.
            let parts = if below(20) == 0 { 400 } else { below(40) };
            for _ in 0..parts {
                if below(4) == 0 {
                    text.push_str(words[below(words.len() as u64) as usize]);
                    continue;
                }
                let (first, last) = BLOCKS[below(BLOCKS.len() as u64) as usize];
                for _ in 0..=below(4) {
                    let point = first + below(u64::from(last - first + 1)) as u32;
                    text.extend(char::from_u32(point).filter(|c| newer().binary_search(c).is_err()));
                }
            }
            cut += usize::from(ours().encode(&text).truncated);
            assert!(
                agrees(&text),
                "{text:?}: {:?} {:?}",
                ours().encode(&text),
                published_ids(&text)
            );
        }
        assert!(cut > 500, "{cut} texts were cut");
    }

    #[test]
    fn a_word_of_a_hundred_characters_is_cut_into_pieces_and_a_longer_one_is_unknown() {
        for length in [99, 100, 101, 102, 5000] {
            for part in ["a", "é", "e\u{301}", "я"] {
                assert!(agrees(&part.repeat(length)), "{length} {part}");
            }
        }
        assert_eq!(ours().encode(&"a".repeat(101)).ids, [101, 100, 102]);
    }

    #[test]
    fn an_empty_text_is_the_two_marks_and_a_mark_in_the_text_is_text() {
        for text in ["", " \t\n", "\0", "\u{200b}\u{fffd}", "\u{301}"] {
            assert_eq!(ours().encode(text).ids, [101, 102]);
        }
        let ids = ours().encode("[SEP] [CLS] [UNK]").ids;
        assert!(
            ids[1..ids.len() - 1]
                .iter()
                .all(|id| ![100, 101, 102].contains(id))
        );
    }

    #[test]
    fn a_huge_text_takes_no_longer_than_what_is_looked_at_of_it() {
        let least_time = |text: &str| {
            let time = || {
                let begun = Instant::now();
                assert!(ours().encode(text).ids.len() <= MAX_TOKENS);
                begun.elapsed()
            };
            [time(), time(), time()].into_iter().min().unwrap()
        };
        for part in ["a", " ", "word ", "e\u{301}", "\u{301}", "漢"] {
            let head = part.repeat(MAX_TEXT_BYTES / part.len());
            // 128 times as long.
            let huge = part.repeat(8 * 1024 * 1024 / part.len());
            assert_eq!(ours().encode(&huge).ids, ours().encode(&head).ids, "{part:?}");
            assert!(ours().encode(&huge).truncated, "{part:?}");
            let (huge, head) = (least_time(&huge), least_time(&head));
            assert!(
                huge < 16 * head + Duration::from_millis(10),
                "{part:?}: {huge:?} against {head:?}"
            );
        }
        // The limit falls on a character's boundary, whatever stands there.
        for shift in 0..4 {
            let text = " ".repeat(MAX_TEXT_BYTES - shift) + "😀";
            assert!(ours().encode(&text).truncated);
        }
    }

    #[test]
    fn a_vocabulary_without_its_marks_is_refused() {
        assert_eq!(
            Tokenizer::new("[PAD]\n[UNK]\n[CLS]\nword").err(),
            Some("the vocabulary lacks [SEP]".into())
        );
        assert!(Tokenizer::new("").is_err());
    }

    fn ranges(characters: &[char]) -> String {
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for point in characters.iter().map(|&character| u32::from(character)) {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == point => *last = point,
                _ => ranges.push((point, point)),
            }
        }
        let range = |(first, last)| {
            if first == last {
                format!("{first:X}")
            } else {
                format!("{first:X}-{last:X}")
            }
        };
        ranges.into_iter().map(range).collect::<Vec<_>>().join(" ")
    }
}

// --- The guard ---

/// A provider whose `embed` is a closure.
struct Fake<F>(F);

impl<F: Fn(String) -> Result<Embedding, EmbeddingError> + Send + Sync> EmbeddingProvider for Fake<F> {
    fn model_id(&self) -> Result<String, EmbeddingError> {
        Ok("fake/1".into())
    }

    fn dimension(&self) -> Result<u32, EmbeddingError> {
        Ok(3)
    }

    fn embed(&self, text: String) -> Result<Embedding, EmbeddingError> {
        (self.0)(text)
    }
}

fn guarded(
    deadline: Duration,
    embed: impl Fn(String) -> Result<Embedding, EmbeddingError> + Send + Sync + 'static,
) -> GuardedProvider {
    GuardedProvider::new(Arc::new(Fake(embed)), deadline)
}

fn answers(vector: Vec<f32>) -> Result<Embedding, EmbeddingError> {
    Ok(Embedding {
        vector,
        truncated: false,
    })
}

const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(100);

#[test]
fn a_sound_vector_comes_out_with_length_one_and_its_model() {
    let embedding = guarded(LONG, |_| {
        Ok(Embedding {
            vector: vec![3.0, 0.0, -4.0],
            truncated: true,
        })
    })
    .embed("Turn on Bluetooth".into())
    .unwrap();
    assert_eq!(embedding.vector, [0.6, 0.0, -0.8]);
    assert_eq!(embedding.model_id, "fake/1");
    assert!(embedding.truncated);
    for extreme in [f32::MAX, f32::MIN_POSITIVE / 4.0] {
        let vector = guarded(LONG, move |_| answers(vec![extreme; 3]))
            .embed(String::new())
            .unwrap()
            .vector;
        assert!((cosine(&vector, &[1.0; 3]) - 1.0).abs() < 1e-6, "{vector:?}");
    }
}

#[test]
fn what_is_no_embedding_is_refused_with_a_reason() {
    for (vector, reason) in [
        (vec![], "a vector of 0 components, dimension is 3"),
        (vec![1.0; 2], "a vector of 2 components, dimension is 3"),
        (vec![1.0; 4], "a vector of 4 components, dimension is 3"),
        (vec![0.0, -0.0, 0.0], "every component of the vector is zero"),
        (
            vec![1.0, f32::NAN, 0.0],
            "component 1 of the vector is not a finite number",
        ),
        (
            vec![1.0, 0.0, f32::NEG_INFINITY],
            "component 2 of the vector is not a finite number",
        ),
    ] {
        let answer = guarded(LONG, move |_| answers(vector.clone())).embed("Turn on Bluetooth".into());
        assert_eq!(
            answer,
            Err(EmbeddingError::Connection {
                reason: reason.into()
            })
        );
    }
}

#[test]
fn the_providers_own_errors_come_through() {
    for error in [
        EmbeddingError::RateLimited { retry_after_ms: 1500 },
        EmbeddingError::Disabled,
        EmbeddingError::Timeout { after_ms: 7 },
        EmbeddingError::Connection {
            reason: "offline".into(),
        },
    ] {
        let answer = error.clone();
        assert_eq!(
            guarded(LONG, move |_| Err(answer.clone())).embed(String::new()),
            Err(error)
        );
    }
}

#[test]
fn a_panicking_provider_is_an_error_that_does_not_quote_the_text() {
    let provider = guarded(LONG, |text| panic!("cannot embed {text}"));
    // More often than there are workers: a panic gives its worker back.
    for _ in 0..2 * MAX_WORKERS {
        let error = provider.embed("my secret".into()).unwrap_err();
        assert_eq!(
            error,
            EmbeddingError::Connection {
                reason: "the provider panicked".into()
            }
        );
    }
}

#[test]
fn a_provider_without_a_name_is_refused() {
    struct Nameless;
    impl EmbeddingProvider for Nameless {
        fn model_id(&self) -> Result<String, EmbeddingError> {
            Ok(String::new())
        }
        fn dimension(&self) -> Result<u32, EmbeddingError> {
            Ok(1)
        }
        fn embed(&self, _: String) -> Result<Embedding, EmbeddingError> {
            answers(vec![1.0])
        }
    }
    let provider = GuardedProvider::new(Arc::new(Nameless), LONG);
    let refused = EmbeddingError::Connection {
        reason: "the provider's model id is empty".into(),
    };
    assert_eq!(provider.model_id(), Err(refused.clone()));
    assert_eq!(provider.embed(String::new()), Err(refused));
}

/// A door that calls wait behind until it is opened.
#[derive(Default)]
struct Door {
    open: Mutex<bool>,
    opened: Condvar,
    waiting: AtomicUsize,
}

impl Door {
    fn pass(&self) {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        drop(
            self.opened
                .wait_while(self.open.lock().unwrap(), |open| !*open)
                .unwrap(),
        );
        self.waiting.fetch_sub(1, Ordering::SeqCst);
    }

    fn open(&self) {
        *self.open.lock().unwrap() = true;
        self.opened.notify_all();
    }
}

#[test]
fn a_stuck_provider_is_cut_at_the_deadline_takes_few_threads_and_heals() {
    let door = Arc::new(Door::default());
    let behind = Arc::clone(&door);
    let provider = guarded(SHORT, move |_| {
        behind.pass();
        answers(vec![1.0, 0.0, 0.0])
    });

    for _ in 0..MAX_WORKERS {
        let called = Instant::now();
        let Err(EmbeddingError::Timeout { after_ms }) = provider.embed(String::new()) else {
            panic!()
        };
        assert!(after_ms >= 100 && called.elapsed() >= SHORT);
        assert!(
            called.elapsed() < LONG,
            "cut at the deadline, not when the provider likes"
        );
    }
    // All workers are stuck: a hundred more calls start none, and do not wait out a hundred deadlines.
    let called = Instant::now();
    for _ in 0..100 {
        assert!(matches!(
            provider.embed(String::new()),
            Err(EmbeddingError::Timeout { .. })
        ));
    }
    assert!(called.elapsed() < 50 * SHORT, "{:?}", called.elapsed());
    assert_eq!(door.waiting.load(Ordering::SeqCst), MAX_WORKERS);

    door.open();
    let healed = Instant::now();
    while provider.embed(String::new()).is_err() {
        assert!(healed.elapsed() < LONG, "must heal once the stuck calls return");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn one_stuck_call_keeps_nobody_else_waiting() {
    let door = Arc::new(Door::default());
    let behind = Arc::clone(&door);
    let provider = Arc::new(guarded(LONG, move |text| {
        if text == "stuck" {
            behind.pass();
        }
        answers(vec![1.0, 0.0, 0.0])
    }));
    let stuck = thread::spawn({
        let provider = Arc::clone(&provider);
        move || provider.embed("stuck".into())
    });
    while door.waiting.load(Ordering::SeqCst) == 0 {
        thread::yield_now();
    }
    for _ in 0..3 * MAX_WORKERS {
        provider.embed("quick".into()).unwrap();
    }
    assert!(!stuck.is_finished());
    door.open();
    stuck.join().unwrap().unwrap();
}

#[test]
fn more_callers_than_workers_take_turns() {
    let running = Arc::new(AtomicUsize::new(0));
    let crowded = Arc::new(AtomicBool::new(false));
    let (now, too_many) = (Arc::clone(&running), Arc::clone(&crowded));
    let provider = guarded(LONG, move |_| {
        if now.fetch_add(1, Ordering::SeqCst) >= MAX_WORKERS {
            too_many.store(true, Ordering::SeqCst);
        }
        thread::sleep(Duration::from_millis(5));
        now.fetch_sub(1, Ordering::SeqCst);
        answers(vec![1.0, 0.0, 0.0])
    });
    thread::scope(|scope| {
        for _ in 0..4 * MAX_WORKERS {
            scope.spawn(|| provider.embed(String::new()).unwrap());
        }
    });
    assert!(!crowded.load(Ordering::SeqCst));
}

#[test]
fn the_bundled_model_passes_the_guard_unchanged() {
    let provider: Arc<dyn EmbeddingProvider> = Arc::clone(model()) as _;
    let guarded = GuardedProvider::new(provider, LONG);
    assert_eq!(guarded.model_id().unwrap(), MODEL_ID);
    for text in ["", "Turn on Bluetooth", &"a word and ".repeat(MAX_TOKENS)] {
        let embedding = guarded.embed(text.into()).unwrap();
        let own = embed(text);
        assert!((cosine(&embedding.vector, &own.vector) - 1.0).abs() < 1e-6);
        assert_eq!(embedding.truncated, own.truncated);
    }
}

#[cfg(unix)]
#[test]
fn a_model_inside_of_another_file_is_read_through_its_descriptor() {
    use std::io::{Seek, Write};
    use std::os::fd::AsRawFd;

    let model = std::fs::read("models/all-minilm-l6-v2.onnx").unwrap();
    let mut archive = tempfile::tempfile().unwrap();
    archive.write_all(&[0xAD; 4099]).unwrap();
    archive.write_all(&model).unwrap();
    archive.write_all(&[0xAD; 77]).unwrap();
    archive.seek(std::io::SeekFrom::Start(5)).unwrap();
    let region = FileRegion {
        descriptor: archive.as_raw_fd(),
        offset: 4099,
        length: model.len() as u64,
    };

    let provider = BundledModel::from_region(&region).unwrap();
    let mut kept = archive.try_clone().unwrap();
    drop(archive);
    let text = "set an alarm".to_owned();
    let expected = BundledModel::from_path("models/all-minilm-l6-v2.onnx")
        .embed(text.clone())
        .unwrap();
    assert_eq!(provider.embed(text.clone()).unwrap(), expected);
    assert_eq!(
        kept.stream_position().unwrap(),
        5,
        "the file's position is the caller's"
    );

    let too_long = FileRegion {
        descriptor: kept.as_raw_fd(),
        length: region.length + 1_000,
        ..region
    };
    let error = BundledModel::from_region(&too_long)
        .unwrap()
        .embed(text)
        .unwrap_err();
    assert!(matches!(error, EmbeddingError::Connection { .. }), "{error}");
    for descriptor in [-1, i32::MAX] {
        let refused = BundledModel::from_region(&FileRegion { descriptor, ..region }).err();
        assert!(
            matches!(refused, Some(SkillError::InvalidArgument { .. })),
            "{refused:?}"
        );
    }
}

#[test]
fn an_unexpected_exception_of_a_host_is_a_failed_connection_that_quotes_nothing() {
    for thrown in [
        "java.lang.IllegalStateException: my secret\n\tat App.embed(App.kt:7)",
        "java.lang.IllegalStateException\n\tat App.embed(App.kt:7)",
        "java.lang.IllegalStateException",
    ] {
        let unexpected = uniffi::UnexpectedUniFFICallbackError::new(thrown);
        let reason = "the provider threw java.lang.IllegalStateException".to_owned();
        assert_eq!(
            EmbeddingError::from(unexpected),
            EmbeddingError::Connection { reason }
        );
    }
}
