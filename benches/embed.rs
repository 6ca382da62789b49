//! Embedding with the bundled model, on one thread: by length, what the guard adds, and what loading costs.
//!
//! There is no peer in process. The bound for short texts is memory: every embedding reads all 10.6 million
//! encoder weights as f32 once, which `read_weights` measures on the same machine.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use adroit::embedding::bundled::BundledModel;
use adroit::embedding::{Embedding, EmbeddingProvider, GuardedProvider};
use adroit::error::EmbeddingError;
use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};

/// Six layers of 4 · 384² attention and 2 · 384 · 1536 feed-forward weights.
const ENCODER_WEIGHTS: usize = 6 * (4 * 384 * 384 + 2 * 384 * 1536);

fn main() {
    divan::main();
}

/// A text of so many tokens, the start and the end mark included.
fn text(tokens: usize) -> String {
    "alarm ".repeat(tokens - 2)
}

fn loaded() -> BundledModel {
    let model = BundledModel::builtin();
    model.embed(String::new()).expect("the bundled model loads");
    model
}

#[divan::bench(args = [8, 16, 32, 64, 256])]
fn embed(bencher: Bencher, tokens: usize) {
    let model = loaded();
    bencher
        .counter(ItemsCount::new(tokens))
        .with_inputs(|| text(tokens))
        .bench_values(|text| model.embed(text).expect("the bundled model runs"));
}

#[divan::bench]
fn load(bencher: Bencher) {
    bencher.bench(loaded);
}

#[divan::bench]
fn read_weights(bencher: Bencher) {
    let weights = vec![1f32; ENCODER_WEIGHTS];
    bencher.counter(BytesCount::of_slice(&weights)).bench(|| {
        // Eight sums side by side, so that reading and not adding is what takes the time.
        let mut sums = [0f32; 8];
        for eight in black_box(&weights).chunks_exact(8) {
            sums.iter_mut()
                .zip(eight)
                .for_each(|(sum, weight)| *sum += weight);
        }
        sums
    });
}

struct Instantly;

impl EmbeddingProvider for Instantly {
    fn model_id(&self) -> Result<String, EmbeddingError> {
        Ok("instant/1".into())
    }

    fn dimension(&self) -> Result<u32, EmbeddingError> {
        Ok(3)
    }

    fn embed(&self, _: String) -> Result<Embedding, EmbeddingError> {
        Ok(Embedding {
            vector: vec![1.0, 2.0, 3.0],
            truncated: false,
        })
    }
}

/// What the deadline costs: a thread for each call.
#[divan::bench]
fn guard(bencher: Bencher) {
    let provider = GuardedProvider::new(Arc::new(Instantly), Duration::from_secs(10));
    bencher.bench(|| provider.embed(String::new()).expect("the provider answers"));
}

mod tokenise {
    use adroit::embedding::tokenizer::Tokenizer;

    use super::*;

    /// The alphabet and a few words: how much is found does not change what is done.
    fn tokenizer() -> Tokenizer {
        let mut vocabulary = String::from("[PAD]\n[UNK]\n[CLS]\n[SEP]\nalarm\nset\nan\nfor\n##s\n");
        for letter in 'a'..='z' {
            vocabulary.push_str(&format!("{letter}\n##{letter}\n"));
        }
        Tokenizer::new(&vocabulary).expect("the vocabulary has its marks")
    }

    #[divan::bench(args = [8, 64, 256])]
    fn words(bencher: Bencher, tokens: usize) {
        let tokenizer = tokenizer();
        let text = text(tokens);
        bencher
            .counter(BytesCount::of_str(&text))
            .bench(|| tokenizer.encode(black_box(&text)));
    }

    /// Eight megabytes in one text take no longer than what is looked at of them.
    #[divan::bench(args = ["a", " ", "alarm ", "\u{301}"])]
    fn huge(bencher: Bencher, part: &str) {
        let tokenizer = tokenizer();
        let text = part.repeat(8 * 1024 * 1024 / part.len());
        bencher.bench(|| tokenizer.encode(black_box(&text)));
    }
}
