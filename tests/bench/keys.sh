#!/usr/bin/env bash
# keys.sh MEMLANE [ROUNDS]: user time of programs on a machine with the keys of a real GPU, which has several requests in flight
# and units of operations, against the same GPU with the keys of the papers alone. Prints the least of each and their ratio.
set -euo pipefail
[[ $# -ge 1 ]] || {
  echo "usage: keys.sh MEMLANE [ROUNDS]" >&2
  exit 2
}
memlane=$1 rounds=${2:-3} TIMEFORMAT=%U
least() {
  for ((round = 0; round < rounds; ++round)); do
    { time "$memlane" run "$@" >/dev/null; } 2>&1
  done | sort -g | head -n 1
}
while read -r -a program; do
  keyed=$(least "${program[@]}" -m hmm-rtx3080)
  plain=$(least "${program[@]}" -m hmm-rtx3080-plain)
  awk -v program="${program[*]}" -v keyed="$keyed" -v plain="$plain" \
    'BEGIN { printf "%-32s %6.2f / %5.2f s = %5.2f\n", program, keyed, plain, keyed / plain }'
done <<'PROGRAMS'
multiply -D n=512
transpose -D n=2048
radix_sort_match -D n=131072
prefix_sums -D n=1048576
sum_hmm -D n=4194304
histogram -D n=1048576
PROGRAMS
