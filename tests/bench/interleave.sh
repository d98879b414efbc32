#!/usr/bin/env bash
# interleave.sh [-n ROUNDS] A B: runs the commands A and B alternately, each of which prints its seconds, and prints the ratio
# A/B of their medians and of their minima. On a noisy machine only such ratios are meaningful.
set -euo pipefail
rounds=7
if [[ ${1:-} == -n ]]; then
  rounds=$2
  shift 2
fi
[[ $# == 2 ]] || {
  echo "usage: interleave.sh [-n ROUNDS] 'COMMAND A' 'COMMAND B'" >&2
  exit 2
}
a=() b=()
for ((round = 0; round < rounds; ++round)); do
  a+=("$(bash -c "$1")")
  b+=("$(bash -c "$2")")
done
printf '%s\n' "${a[@]}" | sort -g >"${TMPDIR:-/tmp}/interleave.$$.a"
printf '%s\n' "${b[@]}" | sort -g >"${TMPDIR:-/tmp}/interleave.$$.b"
paste "${TMPDIR:-/tmp}/interleave.$$.a" "${TMPDIR:-/tmp}/interleave.$$.b" | awk '
  { a[NR] = $1; b[NR] = $2 }
  END {
    m = int((NR + 1) / 2)
    printf "median %.6f / %.6f = %.2f, least %.6f / %.6f = %.2f\n", a[m], b[m], a[m] / b[m], a[1], b[1], a[1] / b[1]
  }'
rm -f "${TMPDIR:-/tmp}/interleave.$$".[ab]
