#!/usr/bin/env bash
# Makes the packages of a build folder, and tests what is in them without installing anything: run.sh BUILD_FOLDER [portable]
set -euo pipefail
build=$(readlink -f "$1")
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here"

fail() {
  echo "not so: $*" >&2
  exit 1
}
# What a package has beside the programs, machines and documents of share/memlane.
check_tree() { # check_tree FOLDER, which has bin
  local file
  for file in bin/memlane lib/memlane/libcudart.so.12 lib/memlane/libcudart.so.13 share/man/man1/memlane.1 \
    share/bash-completion/completions/memlane share/memlane/programs/reduction/sum.lane \
    share/memlane/configs/machines/hmm-teaching.json share/memlane/python/memlane.py share/memlane/configs/schemas/run.schema.json; do
    [ -e "$1/$file" ] || fail "$file is in the package"
  done
  [ -z "$(find "$1" -name '*.a' -o -name '*.hpp' -o -name memlane_mpi.so)" ] || fail "nothing to link, and no MPI"
  env -i "$1/bin/memlane" verify sum >out 2>err || fail "memlane verify sum: $(cat err)"
  grep -q 'every result right' out || fail "verify says that results are right"
  env -i "$1/bin/memlane" demo >out 2>err || fail "memlane demo: $(cat err)"
  grep -q "banks  *5 min  *how many" out || fail "memlane demo lists the lessons"
}

kinds=DEB
[[ ${2-} != portable ]] || kinds="DEB;TGZ"
(cd "$build" && cpack -G "$kinds" -B "$here/packages") >cpack.log 2>&1 || fail "cpack works: $(tail -n 5 cpack.log)"

dpkg-deb --extract packages/memlane_*.deb deb
dpkg-deb --field packages/memlane_*.deb Depends >depends
grep -q 'libc6 (>= ' depends || fail "the package depends on glibc: $(cat depends)"
! grep -q mpi depends || fail "the package does without MPI"
check_tree "$here/deb/usr"

if [[ ${2-} == portable ]]; then
  tar --extract --file packages/memlane-*.tar.gz
  check_tree "$(echo "$here"/memlane-*)"
  for file in memlane-*/bin/memlane memlane-*/lib/memlane/*.so*; do
    needed=$(objdump -p "$file" | sed -n 's/^ *NEEDED *//p' | grep -v '^lib[cm]\.so\.6$\|^ld-linux' || true)
    [ -z "$needed" ] || fail "$file needs only glibc, not $needed"
    newest=$(objdump -T "$file" | grep -o 'GLIBC_[0-9.]*' | cut -d _ -f 2 | sort -V | tail -n 1)
    [ "$(printf '%s\n2.36\n' "$newest" | sort -V | tail -n 1)" = 2.36 ] || fail "$file runs with glibc 2.36, not $newest"
  done
fi
