#!/usr/bin/env bash
# What a sweep costs beside its runs, and what two cores bring. usage: sweep.sh MEMLANE
#
# 1. 10,000 tiny points on one thread: the seconds beyond the runs' own, a point.
# 2. Points of some 10 ms on two threads, and the same points as two processes at the same time, by turns: the ratio of
#    the medians of seconds. A store's `seconds` has each run's own.
set -euo pipefail
memlane=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

seconds() { # of a command
  local begin end
  begin=$(date +%s.%N)
  "$@" >/dev/null
  end=$(date +%s.%N)
  echo "$end - $begin" | bc
}
median() { sort -n | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }

wall=$(seconds "$memlane" sweep contiguous -D n=1..10000 -m umm-w32 --store tiny.db -j 1)
runs=$("$memlane" results tiny.db --columns seconds --format csv | tail -n +2 | awk '{ sum += $1 } END { print sum }')
echo "10000 tiny points: $wall s, their runs $runs s, beyond these $(echo "scale=4; ($wall - $runs) / 10" | bc) ms a point"

points=(sweep prefix_sums sum -D n=2^17 --set "latency=1..40" -m umm-w32)
halves() {
  "$memlane" "${points[@]}" --store half1.db -j 1 --shard 1/2 &
  "$memlane" "${points[@]}" --store half2.db -j 1 --shard 2/2
  wait
}
for turn in 1 2 3 4 5; do
  rm -f both.db* half*.db*
  seconds "$memlane" "${points[@]}" --store both.db -j 2 >>two_threads
  seconds halves >>two_processes
done
threads=$(median <two_threads) processes=$(median <two_processes)
echo "two threads $threads s, two processes $processes s: $(echo "scale=1; 100 * $processes / $threads" | bc) % of what these reach"
