//! Text to vectors: the provider a host may bring, the guard around it, and the bundled model.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::EmbeddingError;

pub mod bundled;
pub mod region;
pub mod tokenizer;

/// Turns text into a vector. The library brings one; a host may bring its own, such as a remote service.
///
/// Calls come from several threads at once and never while the database is locked. A call that takes too
/// long is given up on, so a provider needs no timeout of its own.
#[uniffi::export(with_foreign)]
pub trait EmbeddingProvider: Send + Sync {
    /// Names the model and its version. Vectors of two models are never compared, so whatever changes the
    /// vectors must change this. Not empty.
    fn model_id(&self) -> Result<String, EmbeddingError>;

    /// How many components every vector has. At least 1.
    fn dimension(&self) -> Result<u32, EmbeddingError>;

    /// The vector of a text, which may be empty and is in any language. Need not have length 1.
    fn embed(&self, text: String) -> Result<Embedding, EmbeddingError>;
}

/// What an embedding provider answers.
#[derive(Debug, Clone, PartialEq, uniffi::Record)]
pub struct Embedding {
    /// The components: finite, not all zero, as many as the provider's dimension.
    pub vector: Vec<f32>,
    /// Whether the text was too long, so that the vector stands for its beginning only.
    #[uniffi(default = false)]
    pub truncated: bool,
}

/// An embedding that passed the guard.
#[derive(Debug, Clone, PartialEq)]
pub struct GuardedEmbedding {
    /// The model the vector is from.
    pub model_id: String,
    /// The components, scaled to Euclidean length 1.
    pub vector: Vec<f32>,
    /// Whether the vector stands for the beginning of the text only.
    pub truncated: bool,
}

/// How long a provider may take when the configuration does not say.
pub const DEFAULT_DEADLINE: Duration = Duration::from_secs(10);
/// Longest deadline; a longer one is shortened to it.
pub const MAX_DEADLINE: Duration = Duration::from_secs(24 * 60 * 60);
/// Most calls that run at once in one guarded provider, those given up on included.
pub const MAX_WORKERS: usize = 4;

/// A provider that can be trusted: it answers within a deadline, never panics, and its vectors are sound.
///
/// Each call runs on a thread of its own. One that misses its deadline keeps that thread until it returns;
/// once all `MAX_WORKERS` threads are kept so, further calls fail at once, and the first that returns heals it.
pub struct GuardedProvider {
    provider: Arc<dyn EmbeddingProvider>,
    /// Whether its calls may lead into the host's own language.
    of_host: bool,
    deadline: Duration,
    workers: Arc<Workers>,
}

impl GuardedProvider {
    /// Guards a provider. The deadline counts from the call, waiting for a free worker included.
    pub fn new(provider: Arc<dyn EmbeddingProvider>, deadline: Duration) -> Self {
        Self {
            provider,
            of_host: false,
            deadline: deadline.min(MAX_DEADLINE),
            workers: Arc::default(),
        }
    }

    /// Guards a provider that the host implements, maybe in Kotlin: its threads are known to the host's runtime
    /// for as long as they run, instead of for each step of a call anew.
    pub fn of_host(provider: Arc<dyn EmbeddingProvider>, deadline: Duration) -> Self {
        Self {
            of_host: true,
            ..Self::new(provider, deadline)
        }
    }

    /// The provider's model id.
    ///
    /// Fails as the provider does, with Timeout when there is no answer within the deadline, and with Connection
    /// when the provider panics or the id is empty.
    pub fn model_id(&self) -> Result<String, EmbeddingError> {
        self.call(named_model)
    }

    /// The provider's dimension. Fails as `model_id` does.
    pub fn dimension(&self) -> Result<u32, EmbeddingError> {
        self.call(|provider| provider.dimension())
    }

    /// The vector of a text, scaled to length 1.
    ///
    /// Fails as the provider does, with Timeout when there is no answer within the deadline, and with
    /// Connection when the provider panics or its answer is not an embedding.
    pub fn embed(&self, text: String) -> Result<GuardedEmbedding, EmbeddingError> {
        self.call(move |provider| {
            // Asked in the same breath as the vector: a host may change its model at any time.
            let model_id = named_model(provider)?;
            let dimension = provider.dimension()?;
            let Embedding { vector, truncated } = provider.embed(text)?;
            Ok(GuardedEmbedding {
                model_id,
                vector: unit_vector(vector, dimension)?,
                truncated,
            })
        })
    }

    fn call<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn EmbeddingProvider) -> Result<T, EmbeddingError> + Send + 'static,
    ) -> Result<T, EmbeddingError> {
        let called = Instant::now();
        let timeout = || {
            let after_ms = u64::try_from(called.elapsed().as_millis()).unwrap_or(u64::MAX);
            log::warn!("embedding provider: no answer within {after_ms} ms");
            EmbeddingError::Timeout { after_ms }
        };
        let due = called + self.deadline;
        let worker = Workers::enter(&self.workers, due).ok_or_else(timeout)?;
        let provider = Arc::clone(&self.provider);
        let of_host = self.of_host;
        let (answer, answered) = mpsc::sync_channel(1);
        thread::Builder::new()
            .name("adroit-embed".into())
            .spawn(move || {
                if of_host {
                    attach_to_host();
                }
                let result = catch_unwind(AssertUnwindSafe(|| work(&*provider)));
                // Free before the answer is out: a caller that has its answer may count on the worker.
                drop(worker);
                // Nobody listens any more when the deadline has passed.
                let _ = answer.send(result.unwrap_or_else(|panic| Err(panicked(panic))));
            })
            .map_err(|error| broken(format!("no thread to call the provider on: {error}")))?;
        match answered.recv_timeout(due.saturating_duration_since(Instant::now())) {
            Ok(result) => result,
            Err(mpsc::RecvTimeoutError::Timeout) => Err(timeout()),
            Err(mpsc::RecvTimeoutError::Disconnected) => Err(broken("the provider's thread ended".into())),
        }
    }
}

#[cfg(target_os = "android")]
use crate::android::attach_thread as attach_to_host;

/// Only Android's runtime wants to know.
#[cfg(not(target_os = "android"))]
fn attach_to_host() {}

fn named_model(provider: &dyn EmbeddingProvider) -> Result<String, EmbeddingError> {
    let model_id = provider.model_id()?;
    if model_id.is_empty() {
        Err(broken("the provider's model id is empty".into()))
    } else {
        Ok(model_id)
    }
}

/// The vector scaled to length 1, or why it has no direction.
fn unit_vector(mut vector: Vec<f32>, dimension: u32) -> Result<Vec<f32>, EmbeddingError> {
    if vector.is_empty() || vector.len() as u64 != u64::from(dimension) {
        return Err(broken(format!(
            "a vector of {} components, dimension is {dimension}",
            vector.len()
        )));
    }
    if let Some(index) = vector.iter().position(|component| !component.is_finite()) {
        return Err(broken(format!(
            "component {index} of the vector is not a finite number"
        )));
    }
    // In f64 neither the largest nor the smallest f32 leaves the range when squared.
    let length = vector
        .iter()
        .map(|&component| f64::from(component).powi(2))
        .sum::<f64>()
        .sqrt();
    if length == 0.0 {
        return Err(broken("every component of the vector is zero".into()));
    }
    for component in &mut vector {
        *component = (f64::from(*component) / length) as f32;
    }
    Ok(vector)
}

fn broken(reason: String) -> EmbeddingError {
    EmbeddingError::Connection { reason }
}

/// The panic's message stays out: it may quote the text.
fn panicked(panic: Box<dyn Any + Send>) -> EmbeddingError {
    // Dropping a payload runs the provider's code again, and that may panic again.
    std::mem::forget(panic);
    broken("the provider panicked".into())
}

/// The calls that run now, by the time each is due.
#[derive(Default)]
struct Workers {
    running: Mutex<Vec<Instant>>,
    freed: Condvar,
}

impl Workers {
    /// A worker for a call due at that time; none when it is due before one is free, or all are overdue.
    fn enter(workers: &Arc<Self>, due: Instant) -> Option<Worker> {
        let mut running = workers.lock();
        while running.len() >= MAX_WORKERS {
            // After this moment either the call itself or every worker is overdue.
            let last = running
                .iter()
                .copied()
                .fold(Instant::now(), Instant::max)
                .min(due);
            let wait = last
                .checked_duration_since(Instant::now())
                .filter(|wait| !wait.is_zero())?;
            running = workers
                .freed
                .wait_timeout(running, wait)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        running.push(due);
        drop(running);
        Some(Worker {
            workers: Arc::clone(workers),
            due,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Instant>> {
        // The list is whole between any two statements, whoever panicked.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Permission to run one call; given back when dropped.
struct Worker {
    workers: Arc<Workers>,
    due: Instant,
}

impl Drop for Worker {
    fn drop(&mut self) {
        let mut running = self.workers.lock();
        if let Some(index) = running.iter().position(|due| *due == self.due) {
            running.swap_remove(index);
        }
        drop(running);
        self.workers.freed.notify_one();
    }
}
