#!/usr/bin/env bash
# jobs.sh MEMLANE [OTHER]: seconds of runs by one thread and by two, the least of three each, of one memlane or of two in turns.
set -euo pipefail
[[ $# -ge 1 ]] || {
  echo "usage: jobs.sh MEMLANE [OTHER]" >&2
  exit 2
}
TIMEFORMAT=%R
while read -r -a run; do
  printf '%-32s' "${run[*]}"
  for memlane; do
    for jobs in 1 2; do
      for _ in 1 2 3; do { time "$memlane" run "${run[@]}" --no-verify -j $jobs >/dev/null; } 2>&1 | tail -n 1; done |
        sort -n | head -n 1 | xargs printf ' %7.2f'
    done
  done
  echo
done <<'RUNS'
bitonic_sort -D n=262144
gpu_warpsort -D n=131072
io_optimal_sort -D n=131072
scan -D n=4194304
division -D n=2048 -D m=1024
RUNS
