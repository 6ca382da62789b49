//! The bundled model: all-MiniLM-L6-v2 run by tract. The only place that knows either.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use tract_onnx::prelude::*;

use crate::embedding::region::{FileRegion, OpenRegion};
use crate::embedding::tokenizer::Tokenizer;
use crate::embedding::{Embedding, EmbeddingProvider};
use crate::error::{EmbeddingError, SkillError};

/// Id of the bundled model. A model file carries the same id and is refused when it carries another.
pub const MODEL_ID: &str = "all-minilm-l6-v2/int8-1";
/// Components of its vectors.
pub const DIMENSION: usize = 384;

#[cfg(feature = "bundled-model")]
static BUILTIN: &[u8] = include_bytes!("../../models/all-minilm-l6-v2.onnx");

/// The bundled embedding model. Loaded on the first call, once, and shared by all threads.
///
/// Loaded it takes about 60 MB of memory, and 155 MB for the moment of loading. A load that fails is tried
/// again by the next call.
pub struct BundledModel {
    open: Box<Open>,
    loaded: OnceLock<Loaded>,
    loading: Mutex<()>,
}

type Open = dyn Fn() -> io::Result<Box<dyn Read>> + Send + Sync;

struct Loaded {
    tokenizer: Tokenizer,
    plan: Arc<TypedRunnableModel>,
}

impl BundledModel {
    /// The model inside the library.
    #[cfg(feature = "bundled-model")]
    pub fn builtin() -> Self {
        Self::from_source(|| Ok(BUILTIN))
    }

    /// The model in a file, read when it is needed.
    pub fn from_path(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Self::from_source(move || File::open(&path))
    }

    /// The model in memory. The bytes are kept as long as the model.
    pub fn from_bytes(bytes: Arc<[u8]>) -> Self {
        Self::from_source(move || Ok(Cursor::new(Arc::clone(&bytes))))
    }

    /// The model inside of another file, read when it is needed. Fails with InvalidArgument when the region's
    /// descriptor is not open.
    pub fn from_region(region: &FileRegion) -> Result<Self, SkillError> {
        let region = OpenRegion::new(region)?;
        Ok(Self::from_source(move || Ok(region.reader())))
    }

    /// The model from wherever the host has it, opened when it is needed.
    pub fn from_source<R: Read + 'static>(open: impl Fn() -> io::Result<R> + Send + Sync + 'static) -> Self {
        Self {
            open: Box::new(move || Ok(Box::new(open()?) as Box<dyn Read>)),
            loaded: OnceLock::new(),
            loading: Mutex::new(()),
        }
    }

    fn loaded(&self) -> Result<&Loaded, EmbeddingError> {
        if let Some(loaded) = self.loaded.get() {
            return Ok(loaded);
        }
        // A load that panicked left nothing behind.
        let _alone = self.loading.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(loaded) = self.loaded.get() {
            return Ok(loaded);
        }
        let started = Instant::now();
        let loaded = guarded("cannot load the model", || load((self.open)()?))?;
        log::debug!("embedding model loaded in {} ms", started.elapsed().as_millis());
        Ok(self.loaded.get_or_init(|| loaded))
    }
}

impl EmbeddingProvider for BundledModel {
    fn model_id(&self) -> Result<String, EmbeddingError> {
        Ok(MODEL_ID.into())
    }

    fn dimension(&self) -> Result<u32, EmbeddingError> {
        Ok(DIMENSION as u32)
    }

    fn embed(&self, text: String) -> Result<Embedding, EmbeddingError> {
        let loaded = self.loaded()?;
        let tokens = loaded.tokenizer.encode(&text);
        let vector = guarded("cannot run the model", || run(&loaded.plan, &tokens.ids))?;
        Ok(Embedding {
            vector,
            truncated: tokens.truncated,
        })
    }
}

fn load(mut file: Box<dyn Read>) -> TractResult<Loaded> {
    let model = tract_onnx::onnx()
        .with_ignore_value_info(true)
        .model_for_read(&mut file)?;
    let model_id = property(&model, "model_id")?;
    if model_id != MODEL_ID {
        return Err(TractError::msg(format!(
            "the file holds {model_id}, this library runs {MODEL_ID}"
        )));
    }
    let tokenizer = Tokenizer::new(&property(&model, "vocabulary")?).map_err(TractError::msg)?;
    Ok(Loaded {
        tokenizer,
        plan: model.into_optimized()?.into_runnable()?,
    })
}

/// A text that the model file carries beside its graph.
fn property(model: &InferenceModel, key: &str) -> TractResult<String> {
    let tensor = model
        .properties
        .get(&format!("onnx.metadata_props.{key}"))
        .ok_or_else(|| TractError::msg(format!("the file has no {key}")))?;
    Ok(tensor.try_as_plain_ram()?.to_scalar::<String>()?.clone())
}

fn run(plan: &Arc<TypedRunnableModel>, ids: &[i64]) -> TractResult<Vec<f32>> {
    let input = Tensor::from_shape(&[1, ids.len()], ids)?;
    let output = plan.run(tvec!(input.into_tvalue()))?;
    Ok(output[0].try_as_plain_ram()?.as_slice::<f32>()?.to_vec())
}

/// Runs a step of the model. A damaged file makes tract fail or panic: both are one error here.
fn guarded<T>(what: &str, step: impl FnOnce() -> TractResult<T>) -> Result<T, EmbeddingError> {
    let reason = match catch_unwind(AssertUnwindSafe(step)) {
        Ok(Ok(value)) => return Ok(value),
        Ok(Err(error)) => format!("{error:#}"),
        Err(_) => "its file is damaged".into(),
    };
    Err(EmbeddingError::Connection {
        reason: format!("{what}: {reason}"),
    })
}
