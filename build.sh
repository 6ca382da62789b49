#!/usr/bin/env bash
# The single door to everything that is built, tested or measured here. `./build.sh help` lists the commands.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

RUST_MINIMUM=1.95
CARGO_DENY_VERSION=0.20.2

# One set of packages and features for every command, so that nothing is compiled twice.
WORKSPACE=(--workspace --features cli)
# In CI the lock file is law; on a developer's machine cargo may complete it.
[ -z "${CI:-}" ] || WORKSPACE+=(--locked)

TARGET=${CARGO_TARGET_DIR:-target}
BINDINGS=android/adroit/src/main/kotlin

usage() {
    cat <<TEXT
Usage: ./build.sh COMMAND [ARGUMENTS]

  demo        learn the example recordings and find skills for new goals
  test        build and run every test
  check       formatting, lints, documentation, licences, bindings
  bench       measure speed
  bindings    write the Kotlin bindings

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
Usage: ./build.sh test [ARGUMENTS of cargo test]

Builds and runs every test. ./build.sh test ranking runs those with that name.
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
Usage: ./build.sh bench [NAME...]

Runs the benches of that name, or all. They are built with full optimisation,
which takes about ten minutes the first time. Leave the machine alone meanwhile.
TEXT
        ;;
    bindings) cat <<TEXT
Usage: ./build.sh bindings [--check]

Writes the Kotlin bindings into $BINDINGS.
With --check nothing is written: it fails when they do not match the code.
TEXT
        ;;
    esac
}

# The command, the library and the bindings generator, unstripped. One test goes along: test dependencies switch on
# features of shared packages, and without a test in the build cargo would compile those again for `test`.
build() { cargo build "${WORKSPACE[@]}" --lib --bins --test tidy; }

step() { printf '\n== %s\n' "$*" >&2; }

fail() {
    printf 'build.sh: %s\n' "$*" >&2
    exit 1
}

misused() {
    printf 'build.sh: %s\n\n' "$1" >&2
    "${@:2}" >&2
    exit 2
}

has() { command -v "$1" >/dev/null 2>&1; }

require_tools() {
    has git || fail 'git is missing. Debian, Ubuntu: apt-get install git. macOS: xcode-select --install'
    has "${CC:-cc}" || fail 'a C compiler is missing (SQLite is built from source). Debian, Ubuntu: apt-get install build-essential. macOS: xcode-select --install'
    { has cargo && has rustc; } || fail "Rust is missing. Get $RUST_MINIMUM or newer from https://rustup.rs"
    local found
    found=$(rustc --version | cut -d ' ' -f 2)
    [ "$(printf '%s\n' "$RUST_MINIMUM" "$found" | sort -V | head -n 1)" = "$RUST_MINIMUM" ] ||
        fail "Rust $found is too old, $RUST_MINIMUM or newer is needed: rustup update"
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
    cargo test "${WORKSPACE[@]}" "$@"
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
    local names=()
    local name
    for name in "${@:-*}"; do names+=(--bench "$name"); done
    # A bench that misses a limit must not keep the others from running.
    cargo bench ${CI:+--locked} --no-fail-fast --features cli "${names[@]}"
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

command=${1:-help}
case $command in
demo | test | check | bench | bindings) ;;
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

require_tools
[ "$command" != test ] || command=run_tests
"$command" "$@"
