#!/usr/bin/env zsh
# The script of `memlane completion zsh` asks for the line that zsh has, and offers the answer.
PATH=${1:h}:$PATH
compdef() { registered="$*" }
script=$(memlane completion zsh)
zsh -n <<< $script || exit 1
eval $script
[[ $registered == "_memlane memlane" ]] || { print "not registered: $registered"; exit 1 }
# In place of zsh's own, which need a terminal: what is offered, and how.
_describe() { shift; [[ $1 == memlane ]] && shift; offered+=("${(@P)1}" "${@[2,-1]}") }
_files() { offered+=("files $*") }
compset() { offered+=("behind $2") }
expect() {
  local want=$1 CURRENT
  shift
  words=("$@") CURRENT=$# PREFIX=${@[-1]} offered=()
  _memlane
  (( ${offered[(I)$want]} )) || { print -r -- "$*: '$want' is not among: $offered"; exit 1 }
}
expect "verify:check*" memlane ver
expect "scan_blocks:*" memlane run scan_b
expect "umm-w32:*" memlane run sum -m umm-w
expect "n=:long*" memlane run sum -D ''
expect "-S" memlane run sum -D ''
expect "files " memlane run sum --input a=num
expect "behind a=" memlane run sum --input a=num
expect "files " memlane results ''
