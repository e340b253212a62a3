//! Which ONNX runtime embeds.
//!
//! The default is tract, a runtime written in Rust, through `ort`'s interface for other backends. A program built with
//! the feature `onnxruntime` uses Microsoft's ONNX Runtime when the environment variable `ORT_DYLIB_PATH` names its
//! library (version 1.24 or newer; for instance `onnxruntime/capi/libonnxruntime.so.1.31.1` inside the PyPI package
//! `onnxruntime`), and tract when the variable is not set.

use std::ffi::c_char;
use std::sync::OnceLock;

use judge_uncertainty_familiarity::embedding::EmbeddingError;
use ort::sys;

/// Sets the runtime of this process, the first time it is called, and names it with its version.
///
/// # Errors
/// When the library that `ORT_DYLIB_PATH` names cannot be used.
pub(super) fn start() -> Result<&'static str, EmbeddingError> {
    static RUNTIME: OnceLock<Result<String, String>> = OnceLock::new();
    match RUNTIME.get_or_init(choose) {
        Ok(name) => Ok(name),
        Err(problem) => Err(EmbeddingError::Runtime { problem: problem.clone() }),
    }
}

fn choose() -> Result<String, String> {
    #[cfg(feature = "onnxruntime")]
    if let Some(path) = std::env::var_os("ORT_DYLIB_PATH").filter(|path| !path.is_empty()) {
        return library::load(path.as_ref());
    }
    let mut api = ort_tract::api();
    api.SetSymbolicDimensions = ignore_symbolic_dimensions;
    set(api)?;
    // "ORT Build Info: backend=ort-tract, version=..."
    Ok(ort::info().trim_start_matches("ORT Build Info: ").to_owned())
}

fn set(api: sys::OrtApi) -> Result<(), String> {
    if ort::set_api(api) { Ok(()) } else { Err("another part of this program has started a runtime already".into()) }
}

/// Stands in for the one function that `ort` calls on the way to an inference and `ort-tract` 0.4.1 lacks. It would
/// name the dimensions of an input tensor, which tract does not ask for: its input tensors have numbers as dimensions.
extern "system" fn ignore_symbolic_dimensions(
    _info: *mut sys::OrtTensorTypeAndShapeInfo,
    _names: *mut *const c_char,
    _count: usize,
) -> sys::OrtStatusPtr {
    sys::OrtStatusPtr::default()
}

/// Microsoft's library, loaded while the program runs.
#[cfg(feature = "onnxruntime")]
mod library {
    // A foreign library can only be called by unsafe code; this module is all of it.
    #![allow(unsafe_code)]

    use std::ffi::CStr;
    use std::path::Path;

    use libloading::Library;
    use ort::sys;

    type GetApiBase = unsafe extern "C" fn() -> *const sys::OrtApiBase;

    /// Takes the table of functions from the library at `path`, which stays loaded until the program ends.
    pub(super) fn load(path: &Path) -> Result<String, String> {
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
        super::set(unsafe { std::ptr::read(api) })?;
        let name = format!("backend=onnxruntime, version={version}");
        std::mem::forget(library);
        Ok(name)
    }
}
