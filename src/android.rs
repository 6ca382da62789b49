//! What only Android has: the hook that the runtime calls when it loads the library, and its view of our threads.

use std::ffi::c_void;

use jni::JavaVM;
use jni::sys::{self, JNI_VERSION_1_6, jint};
use log::LevelFilter;

/// Keeps the runtime for `attach_thread`, and sends the library's log to logcat under the tag `adroit`, from level
/// info on. Called by `System.loadLibrary`.
// Unsafe because the name is global: the JNI specification reserves it for exactly this function.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "system" fn JNI_OnLoad(vm: *mut sys::JavaVM, _reserved: *mut c_void) -> jint {
    if !vm.is_null() {
        // Safety: the runtime hands over its own pointer, which stays valid as long as the process.
        // The value is kept in JavaVM::singleton.
        let _ = unsafe { JavaVM::from_raw(vm) };
    }
    android_logger::init_once(
        android_logger::Config::default()
            .with_max_level(LevelFilter::Info)
            .with_tag("adroit"),
    );
    JNI_VERSION_1_6
}

/// Makes this thread known to the runtime until it ends. Otherwise each call from it into Kotlin would do so anew, and
/// undo it again.
pub(crate) fn attach_thread() {
    // Without the hook there is no runtime to attach to; and a thread that cannot be attached here will be when it
    // calls Kotlin, or fail there as a provider that cannot be reached.
    let attached = JavaVM::singleton().and_then(|vm| vm.attach_current_thread(|_| Ok(())));
    if let Err(error) = attached {
        log::debug!("a thread stays unattached: {error}");
    }
}
