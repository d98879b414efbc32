#!/usr/bin/env bash
# Installs the dependencies of memlane, builds, tests and demonstrates it on Debian 12, Ubuntu 24.04 and relatives.
set -euo pipefail

usage() {
  cat <<'END'
usage: ./bootstrap.sh [-y] build | test | demo | playground | packages

  build   install missing packages, configure and build memlane (build/release)
  test    build the tests, too, then run all of them
  demo    build memlane, then sum the numbers of a file on a Unified Memory Machine
  playground
          build a page that runs programs in a browser (build/playground/playground.html)
  packages
          build memlane with its libraries linked in, as a package for Debian and as an
          archive that runs from any folder (build/portable/packages)

  -y, --yes   use sudo without asking (or set MEMLANE_YES=1)
  -h, --help  show this page

Missing packages are installed with apt-get, through sudo unless you are root.
The script can run again, and from any directory.
END
}

say() { printf '==> %s\n' "$*" >&2; }
fail() {
  printf 'bootstrap.sh: error: %s\n' "$*" >&2
  exit "${status:-1}"
}
usage_error() { status=2 fail "$1 (try ./bootstrap.sh --help)"; }
have() { command -v "$1" >/dev/null 2>&1; }

# ---- Dependencies and their packages ----

# Asks the compiler for the header; without a compiler, looks in /usr/include.
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
# The tests validate JSON Schemas with this package, of the first python3 on the path or Debian's.
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
  have_header boost/multiprecision/cpp_int.hpp || missing+=(libboost-dev)
  { have_header boost/program_options.hpp && have_library boost_program_options; } ||
    missing+=(libboost-program-options-dev)
  # For emitted kernels on the CPU, whose threads are fibres.
  { have_header boost/context/fiber.hpp && have_library boost_context; } || missing+=(libboost-context-dev)
  have_catch2 || missing+=(catch2)
  { have_header zlib.h && have_library z; } || missing+=(zlib1g-dev)
  { have_header SQLiteCpp/SQLiteCpp.h && have_library SQLiteCpp; } || missing+=(libsqlitecpp-dev)
  { have_header png.h && have_library png; } || missing+=(libpng-dev)
  { have_header jpeglib.h && have_library jpeg; } || missing+=(libjpeg-dev)
  # nvcc packs the PTX in executables with them.
  { have_header zstd.h && have_library zstd; } || missing+=(libzstd-dev)
  { have_header lz4.h && have_library lz4; } || missing+=(liblz4-dev)
  have_jsonschema || missing+=(python3-jsonschema)
  # The tests compare the programs for polynomials with FLINT.
  { have_header flint/nmod_poly.h && have_library flint; } || missing+=(libflint-dev)
}

# The playground is compiled with Emscripten; npm installs its other packages, pinned, into the build folder.
have_node() {
  local version
  version=$(node --version)
  at_least "${version#v}" 18.17
}
missing_for_playground() {
  missing=()
  have_cmake || missing+=(cmake)
  have make || missing+=(make)
  have_header fmt/format.h || missing+=(libfmt-dev)
  have_header nlohmann/json.hpp || missing+=(nlohmann-json3-dev)
  have_header boost/multiprecision/cpp_int.hpp || missing+=(libboost-dev)
  have_header zlib.h || missing+=(zlib1g-dev)
  have em++ || missing+=(emscripten)
  have node || missing+=(nodejs)
  have npm || missing+=(npm)
}

# ---- Installing ----

# The command for root privileges; empty for root. Asks for permission once.
root=()
gain_root() {
  [[ $(id -u) == 0 ]] && return
  have sudo || fail "these packages are missing and need root to install: ${missing[*]}"
  if [[ $yes == 0 ]]; then
    [[ -t 0 && -t 2 ]] ||
      fail "installing ${missing[*]} needs sudo, and there is no terminal to ask: allow it with --yes"
    printf 'Install %s with sudo apt-get? [y/N] ' "${missing[*]}" >&2
    local answer=""
    read -r answer || true
    [[ $answer == [yY]* ]] || fail "not installed: ${missing[*]}"
  fi
  root=(sudo)
}

as_root() { "${root[@]+"${root[@]}"}" env DEBIAN_FRONTEND=noninteractive "$@" >>"$log" 2>&1; }

# apt-get installs all packages or none: after a failure, tries each one to find the unavailable package.
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

# A compiler that is too old would fail only after minutes.
check_compiler() {
  have g++ || return 0
  local version
  version=$(g++ -dumpfullversion 2>/dev/null || true)
  [[ -z $version ]] || at_least "$version" 12 ||
    fail "g++ $version is too old: memlane needs version 12 or newer, as Debian 12 and Ubuntu 24.04 have it"
}

# prepare [LISTER]: installs what the function finds missing.
prepare() {
  local list=${1:-missing_packages}
  [[ $list != missing_packages ]] || check_compiler
  "$list"
  if [[ ${#missing[@]} == 0 ]]; then
    say "all dependencies are installed"
    return
  fi
  if have apt-get; then
    install_missing
    "$list"
    [[ ${#missing[@]} == 0 ]] ||
      fail "the installed packages do not suffice: ${missing[*]} (cmake must be 3.22 or newer)"
    return
  fi
  # CMake may find libraries that the checks above do not; the tools are required.
  if ! { have_cmake && { have make || have ninja; } && { have g++ || have clang++ || have c++; }; }; then
    fail "apt-get not found: install the equivalents of these Debian packages and run again: ${missing[*]}"
  fi
  say "apt-get not found, and these Debian packages may be missing: ${missing[*]}; trying to build"
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

# CTest prints the last lines and gives the exit status.
run_tests() {
  build
  say "running the tests"
  # Many tests wait for a clock or for each other's processes: one more than there are cores.
  exec ctest --preset release --parallel "$(($(nproc 2>/dev/null || echo 2) + 1))"
}

run_demo() {
  build memlane
  local command=(build/release/memlane run programs/reduction/sum.lane -m umm-w32
    --input a=programs/data/prime_gaps.txt -D n=4096)
  say "running: ${command[*]}"
  exec "${command[@]}"
}

# The archive, and where dpkg is the package, too; prints their names.
make_packages() {
  prepare
  if have apt-get && ! have dpkg-shlibdeps; then
    missing=(dpkg-dev)
    install_missing
  fi
  local kinds=TGZ
  have dpkg-shlibdeps && kinds="DEB;TGZ"
  have make || export CMAKE_GENERATOR=${CMAKE_GENERATOR:-Ninja}
  say "building memlane, its libraries linked in"
  cmake --preset portable >&2
  cmake --build --preset portable --parallel "$(nproc 2>/dev/null || echo 2)" >&2
  (cd build/portable && cpack -G "$kinds") >&2
  say "they need glibc $(glibc_of build/portable/memlane) or newer"
  ls build/portable/packages/memlane*.*
}

# The newest version of glibc whose symbols a program uses.
glibc_of() { objdump -T "$1" | grep -o 'GLIBC_[0-9.]*' | cut -d _ -f 2 | sort -V | tail -n 1; }

build_playground() {
  prepare missing_for_playground
  have_node || fail "node $(node --version) is too old: the playground needs version 18.17 or newer"
  local jobs
  jobs=$(nproc 2>/dev/null || echo 2)
  say "configuring build/playground"
  emcmake cmake -S . -B build/playground -DCMAKE_BUILD_TYPE=Release >&2
  say "building the playground with $jobs jobs"
  cmake --build build/playground --parallel "$jobs" >&2
  say "open build/playground/playground.html in a browser, or run: memlane playground"
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
    build | test | demo | playground | packages)
      [[ -z $word ]] || usage_error "give one of build, test, demo, playground, packages, not '$word' and '$argument'"
      word=$argument
      ;;
    *) usage_error "unknown argument '$argument'; accepted: build, test, demo, playground, packages" ;;
  esac
done
[[ -n $word ]] || usage_error "give one of build, test, demo, playground, packages"

cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")"
case $word in
  build) build memlane ;;
  test) run_tests ;;
  demo) run_demo ;;
  playground) build_playground ;;
  packages) make_packages ;;
esac
