#!/usr/bin/env bash
# The single door to everything that is built, tested or measured here. `./build.sh help` lists the commands.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

RUST_MINIMUM=1.95
CARGO_DENY_VERSION=0.20.2
CARGO_NDK_MAJOR=4
NDK_MINIMUM=28

# One set of packages and features for every command, so that nothing is compiled twice.
WORKSPACE=(--workspace --features cli)
# In CI the lock file is law; on a developer's machine cargo may complete it.
[ -z "${CI:-}" ] || WORKSPACE+=(--locked)

TARGET=${CARGO_TARGET_DIR:-target}
BINDINGS=android/adroit/src/main/kotlin
JNI_LIBS=android/adroit/src/main/jniLibs

ABIS=(arm64-v8a armeabi-v7a x86_64)
ANDROID_TARGETS=(aarch64-linux-android armv7-linux-androideabi x86_64-linux-android)

usage() {
    cat <<TEXT
Usage: ./build.sh COMMAND [ARGUMENTS]

  demo        learn the example recordings and find skills for new goals
  test        build and run every test
  check       formatting, lints, documentation, licences, bindings
  bench       measure speed
  bindings    write the Kotlin bindings
  android     build the native libraries for Android, and the AAR
  aar         pack the AAR without Gradle

./build.sh COMMAND --help says more about one command.
TEXT
}

explain() {
    case $1 in
    demo) cat <<TEXT
Usage: ./build.sh demo

Builds the adroit command, learns examples/recordings into a fresh temporary
database, shows what was learned, and ranks the skills for three new goals.
Nothing is left behind. The first build takes some minutes.
TEXT
        ;;
    test) cat <<TEXT
Usage: ./build.sh test [rust [ARGUMENTS of cargo test] | kotlin]

Builds and runs every test: those of the library in Rust, those of its Kotlin
face on a JVM, and those that need Android's framework under Robolectric.
./build.sh test rust ranking runs the Rust tests with that name. The Kotlin ones
need a JDK and Maven.
TEXT
        ;;
    check) cat <<TEXT
Usage: ./build.sh check

Everything that must hold besides the tests: formatting, lints, documentation,
a build without default features, bindings that match the code, and the
licences and sources of all dependencies. The last needs cargo-deny, which is
installed when it is missing (about a minute).
TEXT
        ;;
    bench) cat <<TEXT
Usage: ./build.sh bench [embed | learn | rank | kotlin]...

Runs the benches of that name, or all; kotlin needs a JDK and Maven. They are
built with full optimisation, which takes about ten minutes the first time.
Leave the machine alone meanwhile.
TEXT
        ;;
    bindings) cat <<TEXT
Usage: ./build.sh bindings [--check]

Writes the Kotlin bindings into $BINDINGS.
With --check nothing is written: it fails when they do not match the code.
TEXT
        ;;
    android) cat <<TEXT
Usage: ./build.sh android

Builds libadroit.so for ${ABIS[*]} and checks that
phones would load it. Then Gradle, if there is one, builds the AAR. Leaves

  $JNI_LIBS
      the libraries
  $TARGET/android/symbols.zip
      their symbols, as Google Play takes them
  android/adroit/build/outputs/aar
      the AAR, with Gradle

Needs Rust with three targets for Android, cargo-ndk $CARGO_NDK_MAJOR, Android's NDK r$NDK_MINIMUM or
newer in ANDROID_NDK_HOME, and Python 3. What is missing is said first.
TEXT
        ;;
    aar) cat <<TEXT
Usage: ./build.sh aar [--jni-libs DIR] [--out FILE]

Packs the AAR with Maven's Kotlin compiler in place of Gradle. The same inputs
give the same bytes. An app that takes the file, and not what Gradle publishes,
itself adds the dependencies that android/adroit/build.gradle.kts names.

  --jni-libs DIR  the libraries DIR/ABI/libadroit.so, for one or more of
                  ${ABIS[*]}; without it all three, as
                  ./build.sh android leaves them
  --out FILE      the AAR, else $TARGET/android/adroit.aar

Needs a JDK, Maven and Python 3, but no Rust.
TEXT
        ;;
    esac
}

# The command, the library and the bindings generator, unstripped. One test goes along: test dependencies switch on
# features of shared packages, and without a test in the build cargo would compile those again for `test`.
build() { cargo build "${WORKSPACE[@]}" --lib --bins --test tidy; }

step() { printf '\n== %s\n' "$*" >&2; }

fail() {
    printf 'build.sh: %s\n' "$@" >&2
    exit 1
}

misused() {
    printf 'build.sh: %s\n\n' "$1" >&2
    "${@:2}" >&2
    exit 2
}

has() { command -v "$1" >/dev/null 2>&1; }

# A path as the caller meant it: this script has changed the folder.
from_caller() { [[ $1 = /* ]] && echo "$1" || echo "$OLDPWD/$1"; }

MISSING=()
lacks() { MISSING+=("$1"); }

look_for_rust() {
    has git || lacks 'git is missing. Debian, Ubuntu: apt-get install git. macOS: xcode-select --install'
    has "${CC:-cc}" || lacks 'a C compiler is missing (SQLite is built from source). Debian, Ubuntu: apt-get install build-essential. macOS: xcode-select --install'
    { has cargo && has rustc; } || { lacks "Rust is missing. Get $RUST_MINIMUM or newer from https://rustup.rs" && return; }
    local found
    found=$(rustc --version | cut -d ' ' -f 2)
    [ "$(printf '%s\n' "$RUST_MINIMUM" "$found" | sort -V | head -n 1)" = "$RUST_MINIMUM" ] ||
        lacks "Rust $found is too old, $RUST_MINIMUM or newer is needed: rustup update"
}

look_for_ndk() {
    local target absent='' found
    for target in "${ANDROID_TARGETS[@]}"; do
        [ -d "$(rustc --print sysroot 2>/dev/null)/lib/rustlib/$target" ] || absent+=" $target"
    done
    [ -z "$absent" ] || lacks "Rust has no$absent yet: rustup target add$absent"
    found=$(cargo ndk --version 2>/dev/null) || found=
    [[ $found =~ [^0-9]$CARGO_NDK_MAJOR\.[0-9] ]] ||
        lacks "cargo-ndk $CARGO_NDK_MAJOR is missing${found:+ (there is $found)}: cargo install cargo-ndk --locked --version '^$CARGO_NDK_MAJOR'"
    found=$(sed -n 's/^Pkg\.Revision *= *//p' "${ANDROID_NDK_HOME:-}/source.properties" 2>/dev/null) || found=
    [ "${found%%.*}" -ge "$NDK_MINIMUM" ] 2>/dev/null ||
        lacks "Android's NDK r$NDK_MINIMUM or newer is missing: ANDROID_NDK_HOME is ${ANDROID_NDK_HOME:-not set}${found:+, version $found}. Get it with sdkmanager 'ndk;28.2.13676358' or from https://developer.android.com/ndk/downloads"
}

look_for_java() {
    has javac || lacks 'a JDK is missing. Debian, Ubuntu: apt-get install default-jdk-headless. Others: https://adoptium.net'
    has mvn || lacks 'Maven is missing. Debian, Ubuntu: apt-get install maven. macOS: brew install maven'
}

look_for_python() {
    has python3 || lacks 'Python 3 is missing. Debian, Ubuntu: apt-get install python3. Others: https://www.python.org/downloads'
}

# All that is missing is said at once, before anything starts.
require_tools() {
    case $1 in
    aar) look_for_java; look_for_python ;;
    android) look_for_rust; look_for_ndk; look_for_python ;;
    test | bench)
        look_for_rust
        [[ ${2:-kotlin} != kotlin ]] || look_for_java
        ;;
    *) look_for_rust ;;
    esac
    [ ${#MISSING[@]} -eq 0 ] || fail "${MISSING[@]}"
}

require_component() {
    has "cargo-$1" && cargo "$1" --version >/dev/null 2>&1 || fail "cargo $1 is missing: rustup component add $2"
}

require_cargo_deny() {
    cargo deny --version >/dev/null 2>&1 && return
    step "Installing cargo-deny $CARGO_DENY_VERSION"
    # Unoptimised: it compiles in a fifth of the time and still answers within seconds.
    CARGO_PROFILE_DEV_DEBUG=false cargo install cargo-deny --locked --debug --version "$CARGO_DENY_VERSION" ||
        fail "cargo-deny could not be installed: cargo install cargo-deny --locked --version $CARGO_DENY_VERSION"
}

demo() {
    [ $# -eq 0 ] || misused "demo takes no arguments: $*" explain demo
    step 'Building the adroit command'
    build
    local folder goal
    folder=$(mktemp -d)
    # shellcheck disable=SC2064 # the folder's name is known now and local
    trap "rm -rf '$folder'" EXIT
    adroit() { "$TARGET/debug/adroit" "$1" --db "$folder/skills.db" "${@:2}"; }
    shopt -s nullglob
    local recordings=(examples/recordings/*.json examples/recordings/*.jsonl)
    local goals=(
        'Wake me up at half past six tomorrow'
        'Write down a note that the boiler is due for its yearly service'
        'Text Priya that I am running ten minutes late'
    )

    step "Learning ${#recordings[@]} files of recordings"
    adroit learn "${recordings[@]}"
    step 'What was learned'
    adroit list
    for goal in "${goals[@]}"; do
        local found
        found=$(adroit rank -k 1 --json "$goal")
        # The first name in the line is that of the best result.
        [[ $found =~ \"name\":\"([^\"]+)\" ]] || fail "nothing was found for: $goal"
        step "adroit show ${BASH_REMATCH[1]}"
        adroit show "${BASH_REMATCH[1]}"
    done
    for goal in "${goals[@]}"; do
        step "adroit rank -k 3 \"$goal\""
        adroit rank -k 3 "$goal"
    done
}

run_tests() {
    local what=${1:-all}
    [ $# -eq 0 ] || shift
    case $what in
    rust) cargo test "${WORKSPACE[@]}" "$@" ;;
    kotlin) kotlin_tests "$@" ;;
    all)
        cargo test "${WORKSPACE[@]}"
        kotlin_tests
        ;;
    *) misused "test takes rust or kotlin: $what" explain test ;;
    esac
}

kotlin_tests() {
    [ $# -eq 0 ] || misused "test kotlin takes no arguments: $*" explain test
    build
    local library project
    library=$(cd "$TARGET/debug" && pwd)
    for project in jvm robolectric; do
        step "Kotlin tests: android/$project"
        mvn -B -ntp -f "android/$project/pom.xml" test "-Dadroit.lib.dir=$library"
    done
}

check() {
    [ $# -eq 0 ] || misused "check takes no arguments: $*" explain check
    require_component fmt rustfmt
    require_component clippy clippy
    step 'Formatting'
    cargo fmt --all --check || fail 'run cargo fmt --all'
    step 'Lints'
    cargo clippy "${WORKSPACE[@]}" --all-targets -- -D warnings
    step 'Without default features'
    cargo check ${CI:+--locked} --no-default-features
    step 'Documentation'
    RUSTDOCFLAGS='-D warnings' cargo doc "${WORKSPACE[@]}" --no-deps
    bindings --check
    require_cargo_deny
    step 'Licences and sources of the dependencies'
    cargo deny --workspace --all-features --locked check bans licenses sources
}

bench() {
    local name names=()
    for name in "${@:-*}"; do
        [ "$name" = kotlin ] || names+=(--bench "$name")
    done
    # A bench that misses a limit must not keep the others from running.
    [ ${#names[@]} -eq 0 ] || cargo bench ${CI:+--locked} --no-fail-fast --features cli "${names[@]}"
    for name in "${@:-kotlin}"; do
        [ "$name" != kotlin ] || bench_kotlin
    done
}

bench_kotlin() {
    # With a bench along, as the other benches build it.
    cargo build ${CI:+--locked} --release --features cli --lib --bench rank
    local library
    library=$(cd "$TARGET/release" && pwd)
    mvn -B -q -ntp -f android/jvm/pom.xml -P bench test-compile exec:exec "-Dadroit.lib.dir=$library"
}

bindings() {
    local out=$BINDINGS
    case "$*" in
    '') ;;
    --check)
        out=$(mktemp -d)
        # shellcheck disable=SC2064 # the folder's name is known now and local
        trap "rm -rf '$out'" EXIT
        ;;
    *) misused "bindings takes only --check: $*" explain bindings ;;
    esac

    step 'Kotlin bindings'
    build
    local library=$TARGET/debug/libadroit.so
    [ "$(uname)" != Darwin ] || library=$TARGET/debug/libadroit.dylib
    "$TARGET/debug/adroit-bindgen" generate --library "$library" --language kotlin \
        --config uniffi/uniffi.toml --no-format --out-dir "$out"
    # A stripped library is refused by the generator; one that exports nothing of ours still gives a file.
    grep -qs 'class SkillException' "$out/dev/adroit/internal/adroit.kt" ||
        fail "the bindings hold none of our types: does $library export them?"

    if [ "$out" != "$BINDINGS" ]; then
        diff -r -u "$BINDINGS/dev/adroit/internal" "$out/dev/adroit/internal" >&2 ||
            fail 'the Kotlin bindings do not match the code: ./build.sh bindings'
    fi
}

android() {
    [ $# -eq 0 ] || misused "android takes no arguments: $*" explain android
    local out=$TARGET/android toolchain sysroot abi libraries=()
    toolchain=$(echo "$ANDROID_NDK_HOME"/toolchains/llvm/prebuilt/*/bin)
    sysroot=$(rustc --print sysroot)
    local flags=(
        '-Clink-arg=-Wl,-soname=libadroit.so'
        '-Clink-arg=-Wl,--build-id=sha1'
        # Newer phones load memory in pages of 16 KB.
        '-Clink-arg=-Wl,-z,max-page-size=16384'
        # Where things lie on this machine is nobody's business, and would make each machine's build another.
        "--remap-path-prefix=$PWD=adroit"
        "--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo"
        "--remap-path-prefix=$sysroot=rust"
    )

    step "libadroit.so for ${ABIS[*]}"
    rm -rf "$out/symbols" "$out/symbols.zip"
    mkdir -p "$out/symbols"
    # The flags are separated by a character that no path holds.
    CARGO_ENCODED_RUSTFLAGS=$(IFS=$'\x1f' && echo "${flags[*]}") \
        CARGO_PROFILE_RELEASE_STRIP=none CARGO_PROFILE_RELEASE_DEBUG=line-tables-only \
        cargo ndk --platform 24 "${ABIS[@]/#/--target=}" --output-dir "$out/symbols" \
        build ${CI:+--locked} --release --lib --no-default-features
    rm -rf "$JNI_LIBS"
    for abi in "${ABIS[@]}"; do
        mkdir -p "$JNI_LIBS/$abi"
        "$toolchain/llvm-strip" --strip-unneeded -o "$JNI_LIBS/$abi/libadroit.so" "$out/symbols/$abi/libadroit.so"
        libraries+=("$JNI_LIBS/$abi/libadroit.so")
    done
    (cd "$out/symbols" && python3 -m zipfile -c ../symbols.zip "${ABIS[@]}")
    step 'Checks of the libraries'
    python3 android/check-elf.py "${libraries[@]}"

    local gradle=gradle
    [ ! -x android/gradlew ] || gradle=android/gradlew
    if has "$gradle"; then
        step 'AAR'
        "$gradle" -p android :adroit:assembleRelease
    else
        step 'No AAR, since there is no Gradle: ./build.sh aar packs it without. Gradle is at https://gradle.org/install'
    fi
}

aar() {
    local folder=$JNI_LIBS out=$TARGET/android/adroit.aar abi libraries=() absent=()
    while [ $# -gt 0 ]; do
        [ $# -gt 1 ] || misused "aar takes --jni-libs DIR and --out FILE: $*" explain aar
        case $1 in
        --jni-libs) folder=$(from_caller "$2") ;;
        --out) out=$(from_caller "$2") ;;
        *) misused "aar takes --jni-libs DIR and --out FILE: $*" explain aar ;;
        esac
        shift 2
    done
    for abi in "${ABIS[@]}"; do
        if [ -f "$folder/$abi/libadroit.so" ]; then
            libraries+=("$folder/$abi/libadroit.so")
        else
            absent+=("$abi")
        fi
    done
    if [ ${#absent[@]} -gt 0 ]; then
        [ "$folder" != "$JNI_LIBS" ] ||
            fail "$JNI_LIBS has no library for ${absent[*]}: ./build.sh android builds them, or --jni-libs DIR names others"
        [ ${#libraries[@]} -gt 0 ] || fail "$folder holds no ABI/libadroit.so for any of ${absent[*]}"
        step "Without ${absent[*]}: such phones cannot load this AAR's library"
    fi

    step 'Checks of the libraries'
    python3 android/check-elf.py "${libraries[@]}"
    step 'Kotlin'
    # Classes whose source is gone would stay.
    rm -rf android/robolectric/target/classes
    mvn -q -f android/robolectric/pom.xml compile
    step "Packing $out"
    python3 android/package-aar.py --classes android/robolectric/target/classes --out "$out" "${libraries[@]}"
}

command=${1:-help}
case $command in
demo | test | check | bench | bindings | android | aar) ;;
help | --help | -h)
    usage
    exit
    ;;
*) misused "there is no command $command" usage ;;
esac
shift
case ${1:-} in
--help | -h)
    explain "$command"
    exit
    ;;
esac

require_tools "$command" "$@"
[ "$command" != test ] || command=run_tests
"$command" "$@"
