//! Running a model with Microsoft's ONNX Runtime, whose library is loaded while the program runs.

// A foreign library can only be called by unsafe code; this module is all of it.
#![allow(unsafe_code)]

use std::ffi::{CStr, OsStr};
use std::path::Path;
use std::sync::OnceLock;

use fastembed::{InitOptionsUserDefined, TextEmbedding, TokenizerFiles, UserDefinedEmbeddingModel};
use judge_uncertainty_familiarity::embedding::{EmbeddingError, Model, Pooling};
use libloading::Library;
use ort::sys;

use crate::tokens::Session;

type GetApiBase = unsafe extern "C" fn() -> *const sys::OrtApiBase;

/// Makes the library at `path` the runtime of this process, the first time it is called, and names it with its version.
pub(crate) fn start(path: &OsStr) -> Result<&'static str, EmbeddingError> {
    static RUNTIME: OnceLock<Result<String, String>> = OnceLock::new();
    match RUNTIME.get_or_init(|| load(path.as_ref())) {
        Ok(name) => Ok(name),
        Err(problem) => Err(EmbeddingError::Runtime { problem: problem.clone() }),
    }
}

/// Takes the table of functions from the library at `path`, which stays loaded until the program ends.
fn load(path: &Path) -> Result<String, String> {
    let place = format!("ORT_DYLIB_PATH, {}", path.display());
    // SAFETY: the user names the library; loading it runs its initialisers, as for any program linked to it.
    let library =
        unsafe { Library::new(path) }.map_err(|e| format!("{place}: {e}; give the path of libonnxruntime"))?;
    // SAFETY: every version of ONNX Runtime exports this symbol with this type.
    let base = unsafe { library.get::<GetApiBase>(b"OrtGetApiBase") }
        .map_err(|_| format!("{place}: not a library of ONNX Runtime"))?;
    // SAFETY: the function has no preconditions; what it returns is null or lives as long as the library.
    let base =
        unsafe { base().as_ref() }.ok_or_else(|| format!("{place}: the library does not offer its functions"))?;
    // SAFETY: the table's own function, returning a text that lives as long as the library.
    let version = unsafe { CStr::from_ptr((base.GetVersionString)()) }.to_string_lossy();
    // SAFETY: as above; a library older than the version asked for returns null.
    let api = unsafe { (base.GetApi)(sys::ORT_API_VERSION).as_ref() }.ok_or_else(|| {
        let needed = sys::ORT_API_VERSION;
        format!("{place}: version {version} is too old; 1.{needed} or newer is needed")
    })?;
    // SAFETY: the table holds function pointers only, of which a copy is as good as the original.
    if !ort::set_api(unsafe { std::ptr::read(api) }) {
        return Err("another part of this program has started a runtime already".into());
    }
    let name = format!("backend=onnxruntime, version={version}");
    std::mem::forget(library);
    Ok(name)
}

/// Runs batches on the thread that calls it, with a copy of the model of its own.
pub(crate) fn session(model: &Model) -> Result<Session, EmbeddingError> {
    let files = model.tokenizer.clone();
    let files = TokenizerFiles {
        tokenizer_file: files.tokenizer,
        config_file: files.config,
        special_tokens_map_file: files.special_tokens_map,
        tokenizer_config_file: files.tokenizer_config,
    };
    let pooling = match model.pooling {
        Pooling::Cls => fastembed::Pooling::Cls,
        Pooling::Mean => fastembed::Pooling::Mean,
    };
    let files = UserDefinedEmbeddingModel::new(model.onnx.clone(), files).with_pooling(pooling);
    let options = InitOptionsUserDefined::new()
        .with_max_length(model.max_tokens)
        // The sessions share the cores among them.
        .with_intra_threads(1);
    let mut session = TextEmbedding::try_new_from_user_defined(files, options).map_err(|e| {
        EmbeddingError::ModelFile { path: model.path.clone(), problem: format!("the model cannot be loaded: {e}") }
    })?;
    Ok(Box::new(move |batch| session.embed(&batch.texts, None).map_err(|e| e.to_string())))
}
