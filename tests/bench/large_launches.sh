#!/usr/bin/env bash
# large_launches.sh MEMLANE [OTHER]: seconds of runs with many blocks or rounds, of one memlane or of two in turns.
set -euo pipefail
[[ $# -ge 1 ]] || {
  echo "usage: large_launches.sh MEMLANE [OTHER]" >&2
  exit 2
}
TIMEFORMAT=%R
while read -r -a run; do
  printf '%-48s' "${run[*]}"
  for memlane; do
    printf ' %7.2f' "$({ time timeout 300 "$memlane" run "${run[@]}" >/dev/null; } 2>&1 | tail -n 1)"
  done
  echo
done <<'RUNS'
multiply -D n=1024 --timing-only
multiply -D n=2048 --timing-only
transpose -D n=32768 --timing-only
transpose -D n=4096
summed_area_1r1w -D n=4096 --timing-only
bitonic_sort -D n=16777216 --timing-only
RUNS
