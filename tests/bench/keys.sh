#!/usr/bin/env bash
# keys.sh MEMLANE [ROUNDS|instructions]: user time of programs on a machine with the keys of a real GPU, which has several requests
# in flight and units of operations, against the same GPU with the keys of the papers alone. Prints the least of each and their
# ratio; or millions of instructions, which do not vary (with valgrind).
set -euo pipefail
[[ $# -ge 1 ]] || {
  echo "usage: keys.sh MEMLANE [ROUNDS|instructions]" >&2
  exit 2
}
memlane=$1 rounds=${2:-3} unit=s TIMEFORMAT=%U
least() {
  for ((round = 0; round < rounds; ++round)); do
    { time "$memlane" run "$@" >/dev/null; } 2>&1
  done | sort -g | head -n 1
}
if [[ $rounds == instructions ]]; then
  unit=million
  least() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$memlane" run "$@" 2>&1 >/dev/null |
      awk '/Collected/ { print $NF / 1e6 }'
  }
fi
while read -r -a program; do
  keyed=$(least "${program[@]}" -m hmm-rtx3080)
  plain=$(least "${program[@]}" -m hmm-rtx3080-plain)
  awk -v program="${program[*]}" -v keyed="$keyed" -v plain="$plain" -v unit="$unit" \
    'BEGIN { printf "%-32s %8.2f / %7.2f %s = %5.2f\n", program, keyed, plain, unit, keyed / plain }'
done <<'PROGRAMS'
multiply -D n=128
multiply -D n=512
transpose -D n=512
transpose -D n=2048
radix_sort_match -D n=131072
prefix_sums -D n=262144
prefix_sums -D n=1048576
sum_hmm -D n=4194304
histogram -D n=1048576
PROGRAMS
