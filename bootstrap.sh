#!/usr/bin/env bash
# Sets up, builds, tests and shows memlane on Debian 12, Ubuntu 24.04 and their relatives.
set -euo pipefail

usage() {
  cat <<'END'
usage: ./bootstrap.sh [-y] build | test | demo

  build   install what is missing, configure and build (build/release)
  test    the same, then run every test
  demo    build only memlane, then run the sum of a file of numbers on a Unified Memory Machine

  -y, --yes   do not ask before sudo is used (the same: MEMLANE_YES=1)
  -h, --help  this page

Missing packages are installed with apt-get, through sudo unless you are root.
It is safe to run again, and from any directory.
END
}

say() { printf '==> %s\n' "$*" >&2; }
fail() {
  printf 'bootstrap.sh: error: %s\n' "$*" >&2
  exit "${status:-1}"
}
usage_error() { status=2 fail "$1 (try ./bootstrap.sh --help)"; }
have() { command -v "$1" >/dev/null 2>&1; }

# ---- What the build needs, and the package that brings it ----

# A header is looked for as the compiler would see it; without a compiler, in the usual place.
have_header() {
  if have g++; then
    printf '#include <%s>\n' "$1" | g++ -std=c++20 -E -x c++ - >/dev/null 2>&1
  else
    [[ -e /usr/include/$1 ]]
  fi
}

have_library() {
  local place
  for place in /usr/lib /usr/lib/* /usr/lib64 /usr/local/lib; do
    [[ -e $place/lib$1.so || -e $place/lib$1.a ]] && return 0
  done
  return 1
}

# True if version $1 is at least $2.
at_least() { [[ $(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1) == "$2" ]]; }

have_cmake() {
  have cmake || return 1
  at_least "$(cmake --version | sed -n 's/^cmake version \([0-9.]*\).*/\1/p')" 3.22
}
have_catch2() { have_header catch2/catch.hpp || have_header catch2/catch_all.hpp; }
# Eigen's headers lie in a folder of their own, which CMake knows and the compiler does not.
have_eigen() { have_header eigen3/Eigen/Core || have_header Eigen/Core; }
# The tests' validator of JSON Schema: of the python3 that is found first, or of Debian's own.
have_jsonschema() {
  local python
  for python in python3 /usr/bin/python3; do
    "$python" -c 'import jsonschema; jsonschema.Draft202012Validator' >/dev/null 2>&1 && return 0
  done
  return 1
}

missing_packages() {
  missing=()
  have g++ || missing+=(g++)
  have_cmake || missing+=(cmake)
  have make || have ninja || missing+=(make)
  { have_header fmt/format.h && have_library fmt; } || missing+=(libfmt-dev)
  have_header nlohmann/json.hpp || missing+=(nlohmann-json3-dev)
  { have_header boost/multiprecision/cpp_int.hpp && have_header boost/math/distributions/students_t.hpp; } ||
    missing+=(libboost-dev)
  { have_header boost/program_options.hpp && have_library boost_program_options; } ||
    missing+=(libboost-program-options-dev)
  # The threads of an emitted kernel, where it is run on the CPU.
  { have_header boost/context/fiber.hpp && have_library boost_context; } || missing+=(libboost-context-dev)
  { have_header nlopt.h && have_library nlopt; } || missing+=(libnlopt-dev)
  have_eigen || missing+=(libeigen3-dev)
  have_catch2 || missing+=(catch2)
  { have_header zlib.h && have_library z; } || missing+=(zlib1g-dev)
  { have_header png.h && have_library png; } || missing+=(libpng-dev)
  { have_header jpeglib.h && have_library jpeg; } || missing+=(libjpeg-dev)
  have_jsonschema || missing+=(python3-jsonschema)
}

# ---- Installing ----

# The command that gives root's rights; nothing for root.  Asks once, and only here.
root=()
gain_root() {
  [[ $(id -u) == 0 ]] && return
  have sudo || fail "these packages are missing and need root to install: ${missing[*]}"
  if [[ $yes == 0 ]]; then
    [[ -t 0 && -t 2 ]] ||
      fail "sudo is needed to install ${missing[*]}, and nobody is there to be asked: add --yes to allow it"
    printf 'Install %s with sudo apt-get? [y/N] ' "${missing[*]}" >&2
    local answer=""
    read -r answer || true
    [[ $answer == [yY]* ]] || fail "not installed, as you wished: ${missing[*]}"
  fi
  root=(sudo)
}

as_root() { "${root[@]+"${root[@]}"}" env DEBIAN_FRONTEND=noninteractive "$@" >>"$log" 2>&1; }

# apt-get installs all or nothing: after a failure, each package alone shows which one cannot be had.
install_missing() {
  gain_root
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  say "installing ${missing[*]}"
  local updated=1
  as_root apt-get update || updated=0
  if ! as_root apt-get install -y --no-install-recommends "${missing[@]}"; then
    local package
    for package in "${missing[@]}"; do
      as_root apt-get install -y --no-install-recommends "$package" || {
        local why
        why=$(grep -E '^(E|Err):?' "$log" | tail -n 1 || true)
        [[ -n $why ]] || why=$(tail -n 1 "$log")
        [[ $updated == 1 ]] || why="apt-get update failed too; ${why}"
        fail "package $package cannot be installed (${why:-apt-get failed})"
      }
    done
  fi
  rm -f "$log"
  trap - EXIT
  hash -r
}

prepare() {
  missing_packages
  if [[ ${#missing[@]} == 0 ]]; then
    say "everything the build needs is here"
    return
  fi
  if have apt-get; then
    install_missing
    missing_packages
    [[ ${#missing[@]} == 0 ]] ||
      fail "apt-get brought packages, but not what is needed of: ${missing[*]} (cmake must be 3.22 or newer)"
    return
  fi
  # Libraries may lie where only CMake finds them; without the tools there is no going on.
  if ! { have_cmake && { have make || have ninja; } && { have g++ || have clang++ || have c++; }; }; then
    fail "no apt-get here: install by hand what these Debian packages hold, and run again: ${missing[*]}"
  fi
  say "no apt-get here, and these were not found (their Debian names): ${missing[*]}; trying all the same"
}

# ---- Building ----

# build [TARGET]: everything, or only the target.
build() {
  prepare
  local jobs
  jobs=$(nproc 2>/dev/null || echo 2)
  have make || export CMAKE_GENERATOR=${CMAKE_GENERATOR:-Ninja}
  say "configuring build/release"
  cmake --preset release >&2
  say "building ${1:-everything} with $jobs jobs"
  cmake --build --preset release --parallel "$jobs" ${1:+--target "$1"} >&2
}

# The last lines and the exit status are CTest's own.
run_tests() {
  build
  say "running the tests"
  exec ctest --preset release --parallel "$(nproc 2>/dev/null || echo 2)"
}

run_demo() {
  build memlane
  local command=(build/release/memlane run programs/sum.lane -m umm-w32
    --input a=programs/data/prime_gaps.txt -D n=4096)
  say "running: ${command[*]}"
  exec "${command[@]}"
}

# ---- The command line ----

yes=${MEMLANE_YES:-0}
[[ $yes == "" ]] && yes=0
word=""
for argument in "$@"; do
  case $argument in
    -y | --yes) yes=1 ;;
    -h | --help)
      usage
      exit 0
      ;;
    build | test | demo)
      [[ -z $word ]] || usage_error "one of build, test, demo, not '$word' and '$argument'"
      word=$argument
      ;;
    *) usage_error "unknown word '$argument'; known are build, test, demo" ;;
  esac
done
[[ -n $word ]] || usage_error "what shall be done? build, test or demo"

cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")"
case $word in
  build) build ;;
  test) run_tests ;;
  demo) run_demo ;;
esac
