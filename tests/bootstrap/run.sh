#!/usr/bin/env bash
# Tests messages and exit statuses of bootstrap.sh on a simulated machine: PATH has only the tools below, and stubs of
# apt-get, id, sudo and others.
set -euo pipefail
bootstrap=$(readlink -f "$1")
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
for tool in bash cat cmake dirname env grep head id make mktemp nproc readlink rm sed sort tail; do
  ln -s "$(command -v "$tool")" "$here/$tool" 2>/dev/null || ln -s "/usr/bin/$tool" "$here/$tool"
done

stub() { # stub TOOL BODY
  rm -f "$here/$1"
  printf '#!%s\n%s\n' "$(command -v bash)" "$2" >"$here/$1"
  chmod +x "$here/$1"
}

stub python3 'exit 0' # hides this machine's packages of Python

failures=0
expect() { # expect STATUS TEXT ARGUMENT...: exactly this on standard error, and nothing on standard output
  local status=$1 text=$2 got out=0
  shift 2
  got=$(PATH=$here MEMLANE_YES=0 "$bootstrap" "$@" 2>&1 </dev/null) || out=$?
  if [[ $out != "$status" || $got != "$text" ]]; then
    printf 'bootstrap.sh %s: status %s, expected %s\n--- expected\n%s\n--- got\n%s\n' "$*" "$out" "$status" "$text" "$got"
    failures=$((failures + 1))
  fi
}

error="bootstrap.sh: error:"
expect 2 "$error unknown argument 'tset'; accepted: build, test, demo, playground, packages (try ./bootstrap.sh --help)" tset
expect 2 "$error give one of build, test, demo, playground, packages (try ./bootstrap.sh --help)"
expect 2 "$error give one of build, test, demo, playground, packages, not 'test' and 'demo' (try ./bootstrap.sh --help)" test demo

expect 1 "$error apt-get not found: install the equivalents of these Debian packages and run again: g++" build

# shellcheck disable=SC2016
stub apt-get 'echo "$*" >&2; [[ $1 == update ]] || { echo "E: Unable to locate package g++"; exit 100; }'
stub id 'echo 0'
expect 1 "==> installing g++
$error package g++ cannot be installed (E: Unable to locate package g++)" build

# A compiler that finds no header: every library is missing, and the first one is not available.
stub g++ 'exit 1'
# shellcheck disable=SC2016
stub apt-get '[[ $1 == update ]] || { echo "E: Unable to locate package ${!#}"; exit 100; }'
expect 1 "==> installing libfmt-dev nlohmann-json3-dev libboost-dev libboost-program-options-dev libboost-context-dev catch2 zlib1g-dev \
libsqlitecpp-dev libpng-dev libjpeg-dev libzstd-dev liblz4-dev libflint-dev
$error package libfmt-dev cannot be installed (E: Unable to locate package libfmt-dev)" build
stub g++ 'echo 11.4.0'
expect 1 "$error g++ 11.4.0 is too old: memlane needs version 12 or newer, as Debian 12 and Ubuntu 24.04 have it" build
rm "$here/g++"

stub apt-get 'exit 0'
expect 1 "==> installing g++
$error the installed packages do not suffice: g++ (cmake must be 3.22 or newer)" build

stub id 'echo 1000'
expect 1 "$error these packages are missing and need root to install: g++" build

# The playground has packages of its own, and no C++ compiler.
stub em++ 'exit 0'
stub npm 'exit 0'
stub node 'echo v12.22.9'
expect 1 "==> all dependencies are installed
$error node v12.22.9 is too old: the playground needs version 18.17 or newer" playground
rm "$here/em++"
expect 1 "$error these packages are missing and need root to install: emscripten" playground
rm "$here/npm" "$here/node"

stub sudo 'echo "sudo: a password is required" >&2; exit 1'
expect 1 "$error installing g++ needs sudo, and there is no terminal to ask: allow it with --yes" build
expect 1 "==> installing g++
$error package g++ cannot be installed (apt-get update failed too; sudo: a password is required)" --yes build

# Only what runs the tests builds them: the last call of a cmake stub that fails shows the target.
rm "$here/apt-get"
stub g++ 'exit 0'
stub nproc 'echo 2'
# shellcheck disable=SC2016
stub cmake 'case $1 in --version) echo "cmake version 3.25.1" ;; --build) echo "$*"; exit 1 ;; esac'
last_request() { # last_request WORD TEXT
  local got
  got=$(PATH=$here "$bootstrap" "$1" 2>&1 </dev/null) && got="status 0"
  if [[ ${got##*$'\n'} != "$2" ]]; then
    printf 'bootstrap.sh %s\n--- expected\n%s\n--- got\n%s\n' "$1" "$2" "$got"
    failures=$((failures + 1))
  fi
}
last_request demo "--build --preset release --parallel 2 --target memlane"
last_request build "--build --preset release --parallel 2 --target memlane"
last_request test "--build --preset release --parallel 2"

exit $((failures > 0))
