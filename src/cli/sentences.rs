//! The sentence model of this program: the one place that knows whether it was built with a runtime.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::cli::Error;
use crate::familiarity::embedding::{Embedder, EmbedderOptions, EmbeddingError, Model};
use crate::system::limits;

/// Load a sentence model and embed a few words with it, which says whether it can be used. Run by this program itself,
/// in a process of its own: a damaged model may end the process that loads it.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The model's folder.
    model: PathBuf,
    /// Bytes of memory that the model may use.
    #[arg(default_value_t = u64::MAX)]
    memory: u64,
}

/// Runs the command.
///
/// # Errors
/// A model that can't be used.
pub(super) fn run(args: &Args) -> Result<ExitCode, Error> {
    limits::hold_memory(args.memory);
    let mut embedder = start_here(Model::find(&args.model.display().to_string())?, EmbedderOptions::default())?;
    let long = "a word of many ".repeat(1000);
    embedder.embed(&["word", &long], &mut |_| Ok(()))?;
    Ok(ExitCode::SUCCESS)
}

/// Starts a model with the default options; commands hand this to studies.
///
/// # Errors
/// As [`start_with`].
pub(super) fn start(model: Model) -> Result<Box<dyn Embedder>, EmbeddingError> {
    start_with(model, EmbedderOptions::default())
}

/// [`Model::hash`] of the model that comes with the program, which needs no trial.
#[cfg(feature = "onnx")]
const OWN_MODEL: &str = "37bcecd8eba8adc6c7adb6b3bfc86a1cf913b102d0f4c89d66ed9005f5a3d203";

/// Starts a model, once a process of its own has shown that it does not end the process that loads it; the program's
/// own is known not to.
///
/// # Errors
/// A model that the runtime can't load or run.
pub(super) fn start_with(model: Model, options: EmbedderOptions) -> Result<Box<dyn Embedder>, EmbeddingError> {
    #[cfg(feature = "onnx")]
    if model.hash != OWN_MODEL {
        try_in_a_child(&model)?;
    }
    start_here(model, options)
}

#[cfg(feature = "onnx")]
fn start_here(model: Model, options: EmbedderOptions) -> Result<Box<dyn Embedder>, EmbeddingError> {
    Ok(Box::new(crate::familiarity::embedding::OnnxEmbedder::new(model, options)?))
}

/// Reports that the program was built without the ONNX runtime.
#[cfg(not(feature = "onnx"))]
fn start_here(_: Model, _: EmbedderOptions) -> Result<Box<dyn Embedder>, EmbeddingError> {
    Err(EmbeddingError::NoRuntime)
}

/// Most time for a model to embed a few words.
#[cfg(feature = "onnx")]
const LONGEST: std::time::Duration = std::time::Duration::from_secs(60);

/// Lets another process load and run the model. A model that this process refuses is refused here, too, with its
/// reason; a crash, a panic or endless work is reported as a fault of the file.
#[cfg(feature = "onnx")]
fn try_in_a_child(model: &Model) -> Result<(), EmbeddingError> {
    use std::process::{Command, Stdio};
    use std::thread::sleep;
    use std::time::{Duration, Instant};
    let files = &model.tokenizer;
    let tables = [&files.tokenizer, &files.config, &files.special_tokens_map, &files.tokenizer_config];
    let size = model.onnx.len() + tables.map(Vec::len).iter().sum::<usize>();
    let most = limits::MODEL.for_file(size as u64).now();
    let crashed = |how: String| EmbeddingError::Inference {
        model: model.path.clone(),
        texts: 2,
        length: model.max_tokens,
        problem: format!(
            "the process that tried it {how}; the model or its tokenizer.json is damaged, or needs more than {most} \
             bytes of memory. If it is sound and that large, set {}=2 in the environment, or more, by which every \
             limit is multiplied",
            limits::VARIABLE
        ),
    };
    // Where the program can't be started a second time, the model is loaded as it is.
    let Ok(program) = std::env::current_exe() else { return Ok(()) };
    let mut command = Command::new(program);
    command
        .arg("try-model")
        .arg(&model.folder)
        .arg(most.to_string())
        .env("RAYON_NUM_THREADS", "1")
        .env("RUST_BACKTRACE", "0");
    command.env_remove("JUDGE_UNCERTAINTY_FAULT").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return Ok(()) };
    let start = Instant::now();
    loop {
        match child.try_wait() {
            // What it refused, with status 1 or 2, is found and said again here.
            Ok(Some(status)) if matches!(status.code(), Some(0..=2)) => return Ok(()),
            Ok(Some(status)) => return Err(crashed(format!("ended with {status}"))),
            Ok(None) if start.elapsed() > LONGEST => {
                let _ = child.kill().and_then(|()| child.wait());
                return Err(crashed(format!("was not done after {} s", LONGEST.as_secs())));
            }
            Ok(None) => sleep(Duration::from_millis(5)),
            Err(_) => return Ok(()),
        }
    }
}

#[cfg(all(test, feature = "onnx"))]
mod tests {
    use super::*;
    use crate::familiarity::embedding::DEFAULT_MODEL;

    #[test]
    fn the_own_model_is_the_one_in_the_data_folder() {
        assert_eq!(Model::find(DEFAULT_MODEL).unwrap().hash, OWN_MODEL);
    }
}
