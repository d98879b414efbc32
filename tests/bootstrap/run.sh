#!/usr/bin/env bash
# What bootstrap.sh says and returns when something is wrong, on a made-up machine without a compiler:
# a PATH that holds only the tools named here, and an apt-get, id and sudo that this script plays itself.
set -euo pipefail
bootstrap=$(readlink -f "$1")
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
for tool in bash cat cmake dirname env grep head id make mktemp nproc readlink rm sed sort tail; do
  ln -s "$(command -v "$tool")" "$here/$tool" 2>/dev/null || ln -s "/usr/bin/$tool" "$here/$tool"
done

play() { # play TOOL BODY
  rm -f "$here/$1"
  printf '#!%s\n%s\n' "$(command -v bash)" "$2" >"$here/$1"
  chmod +x "$here/$1"
}

play python3 'exit 0' # whether this machine has a validator of JSON Schema does not matter

failures=0
expect() { # expect STATUS TEXT ARGUMENT...: exactly this on standard error, and nothing on standard output
  local status=$1 text=$2 got out=0
  shift 2
  got=$(PATH=$here MEMLANE_YES=0 "$bootstrap" "$@" 2>&1 </dev/null) || out=$?
  if [[ $out != "$status" || $got != "$text" ]]; then
    printf 'bootstrap.sh %s: status %s, wanted %s\n--- wanted\n%s\n--- got\n%s\n' "$*" "$out" "$status" "$text" "$got"
    failures=$((failures + 1))
  fi
}

error="bootstrap.sh: error:"
expect 2 "$error unknown word 'tset'; known are build, test, demo (try ./bootstrap.sh --help)" tset
expect 2 "$error what shall be done? build, test or demo (try ./bootstrap.sh --help)"
expect 2 "$error one of build, test, demo, not 'test' and 'demo' (try ./bootstrap.sh --help)" test demo

expect 1 "$error no apt-get here: install by hand what these Debian packages hold, and run again: g++" build

# shellcheck disable=SC2016
play apt-get 'echo "$*" >&2; [[ $1 == update ]] || { echo "E: Unable to locate package g++"; exit 100; }'
play id 'echo 0'
expect 1 "==> installing g++
$error package g++ cannot be installed (E: Unable to locate package g++)" build

# A compiler that finds no header: every library is missing, and the first cannot be had.
play g++ 'exit 1'
# shellcheck disable=SC2016
play apt-get '[[ $1 == update ]] || { echo "E: Unable to locate package ${!#}"; exit 100; }'
expect 1 "==> installing libfmt-dev nlohmann-json3-dev libboost-dev libboost-program-options-dev libboost-context-dev libnlopt-dev \
libeigen3-dev catch2 zlib1g-dev libpng-dev libjpeg-dev
$error package libfmt-dev cannot be installed (E: Unable to locate package libfmt-dev)" build
rm "$here/g++"

play apt-get 'exit 0'
expect 1 "==> installing g++
$error apt-get brought packages, but not what is needed of: g++ (cmake must be 3.22 or newer)" build

play id 'echo 1000'
expect 1 "$error these packages are missing and need root to install: g++" build

play sudo 'echo "sudo: a password is required" >&2; exit 1'
expect 1 "$error sudo is needed to install g++, and nobody is there to be asked: add --yes to allow it" build
expect 1 "==> installing g++
$error package g++ cannot be installed (apt-get update failed too; sudo: a password is required)" --yes build

# The demo builds memlane only, a build everything: the last thing that a cmake which cannot build is asked.
rm "$here/apt-get"
play g++ 'exit 0'
play nproc 'echo 2'
# shellcheck disable=SC2016
play cmake 'case $1 in --version) echo "cmake version 3.25.1" ;; --build) echo "$*"; exit 1 ;; esac'
last_request() { # last_request WORD TEXT
  local got
  got=$(PATH=$here "$bootstrap" "$1" 2>&1 </dev/null) && got="status 0"
  if [[ ${got##*$'\n'} != "$2" ]]; then
    printf 'bootstrap.sh %s\n--- wanted\n%s\n--- got\n%s\n' "$1" "$2" "$got"
    failures=$((failures + 1))
  fi
}
last_request demo "--build --preset release --parallel 2 --target memlane"
last_request build "--build --preset release --parallel 2"

exit $((failures > 0))
