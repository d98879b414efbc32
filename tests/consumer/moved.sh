#!/bin/sh
# usage: moved.sh PROGRAM PREFIX SOURCE, for a built program, its installation and its source tree. Tests where memlane
# finds its programs and machines. Each copy below has a program that the others lack.
set -eu
program=$1 prefix=$2 source=$3
unset MEMLANE_HOME
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# own FOLDER: adds a program to the folder.
own() {
  echo '/// Only here.
kernel k() { } main { launch k() } verify { assert true }' > "$1/programs/only_here.lane"
}
# expect STATUS TEXT COMMAND...: the command exits with the status and prints the text.
expect() {
  status=$1 text=$2
  shift 2
  found=0
  "$@" > out 2>&1 || found=$?
  if [ "$found" != "$status" ] || ! grep -qF "$text" out; then
    echo "$*: status $found, expected $status with '$text':"
    cat out
    exit 1
  fi
}

# An installation that is moved.
mkdir -p opt
cp -r "$prefix" opt/memlane
own opt/memlane/share/memlane
expect 0 only_here opt/memlane/bin/memlane list programs
expect 0 opt/memlane/share/memlane/configs/machines opt/memlane/bin/memlane run only_here
expect 0 '"$schema"' cat opt/memlane/share/memlane/configs/schemas/run.schema.json
expect 0 opt/memlane/share/memlane/programs/reduction/sum.lane opt/memlane/bin/memlane run sum -D n=64
expect 0 'all as it should be' opt/memlane/bin/memlane grade --check 14_transpose
expect 0 cudaLaunchKernel opt/memlane/bin/memlane cuda --functions
expect 0 libmemlane_measure.so ls "$(dirname "$(find opt -name libcudart.so.13)")"
ln -s "$work/opt/memlane/bin/memlane" linked
expect 0 only_here ./linked list programs

# A source tree that is copied with its build folder.
mkdir -p tree/build/release
cp -r "$source/programs" "$source/configs" "$source/CMakeLists.txt" tree
cp "$program" tree/build/release/memlane
own tree
expect 0 only_here tree/build/release/memlane list programs
expect 0 tree/configs/machines tree/build/release/memlane run only_here

# The program alone has no shipped files, but has the schemas; an error names MEMLANE_HOME.
cp "$program" alone
expect 0 '"$schema"' ./alone explain schema run
expect 2 'MEMLANE_HOME' ./alone run sum
expect 2 'there are no shipped programs' ./alone run sum
expect 2 'there are no shipped machines' ./alone list machines

# MEMLANE_HOME takes precedence.
mkdir -p home
cp -r "$source/configs" "$source/programs" home
own home
rm -r home/programs/reduction/sum.lane
for memlane in "$program" ./alone opt/memlane/bin/memlane tree/build/release/memlane; do
  expect 0 only_here env MEMLANE_HOME="$work/home" "$memlane" list programs
  expect 2 "no shipped program is named 'sum'" env MEMLANE_HOME="$work/home" "$memlane" run sum
done
