//! The bindings generator at the version of the library's own `uniffi`.

fn main() {
    uniffi::uniffi_bindgen_main();
}
