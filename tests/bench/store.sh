#!/usr/bin/env bash
# What queries of a store of a million points take: rows by a condition, all rows, the best. Each is run three times; the
# shortest seconds are shown. usage: store.sh MEMLANE BENCH_STORE [POINTS]
set -euo pipefail
memlane=$1 maker=$2 points=${3:-1000000}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$maker" "$folder/store.db" "$points"
echo "$points points, $(($(stat -c %s "$folder/store.db") / points)) bytes each"
measure() { # words behind the store
  local shortest="" begin seconds
  for turn in 1 2 3; do
    begin=$(date +%s.%N)
    "$memlane" results "$@" >"$folder/rows"
    seconds=$(echo "$(date +%s.%N) - $begin" | bc)
    if [ -z "$shortest" ] || [ "$(echo "$seconds < $shortest" | bc)" = 1 ]; then shortest=$seconds; fi
  done
  echo "$shortest s, $(($(wc -l <"$folder/rows") - 1)) rows: memlane results ${*/$folder\//}"
}
store=$folder/store.db
measure "$store" --where "n = 7 and program = 'sum'" --format csv
measure "$store" --where "time < 10" --format csv
measure "$store" --limit 3 --format csv
measure best "$store" --per n --format csv
