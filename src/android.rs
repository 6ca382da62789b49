//! What only Android has: the hook that the runtime calls when it loads the library.

use std::ffi::c_void;

use jni::sys::{JNI_VERSION_1_6, JavaVM, jint};
use log::LevelFilter;

/// Sends the library's log to logcat under the tag `adroit`, from level info on. Called by `System.loadLibrary`.
// Unsafe because the name is global: the JNI specification reserves it for exactly this function.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "system" fn JNI_OnLoad(_vm: *mut JavaVM, _reserved: *mut c_void) -> jint {
    android_logger::init_once(
        android_logger::Config::default()
            .with_max_level(LevelFilter::Info)
            .with_tag("adroit"),
    );
    JNI_VERSION_1_6
}
