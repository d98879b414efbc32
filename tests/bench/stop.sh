#!/usr/bin/env bash
# How long after one Ctrl-C, a second after its start, each of these commands ends: milliseconds. Each would take far longer.
# usage: stop.sh MEMLANE
set -euo pipefail
memlane=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkfifo pipe pipe.lane pipe.txt
cat >endless.json <<'FIGURE'
{ "title": "Endless", "source": "A measurement", "measured": "Nothing.",
  "sweeps": { "sums": { "programs": ["sum"], "machines": ["umm-w32"], "axes": { "n": [64] } } },
  "checks": [ { "finding": "None.", "says": "{n}",
    "query": "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT 1 AS shown, max(n) AS n FROM c" } ] }
FIGURE

after_signal() { # command: milliseconds from the signal to its end
  "$memlane" "$@" >/dev/null 2>&1 &
  local job=$! start end
  sleep 1
  start=$(date +%s%N)
  kill -INT "$job"
  wait "$job" || true
  end=$(date +%s%N)
  printf '%6d  memlane %s\n' $(((end - start) / 1000000)) "$*"
}
set -m # a background job of a script would ignore SIGINT
after_signal run sum -D n=2^26 -m umm-w32 --engine reference
after_signal run pipe.lane
after_signal run sum --input a=pipe.txt
after_signal replay pipe
after_signal grade pipe.lane --exercise map
after_signal figures --only ./endless.json
after_signal timeline sum -D n=2^22 -m umm-w32 --requests 10000000 --html -o page.html
after_signal sweep sum -D n=2^24 --set latency=1..100 -m umm-w32
