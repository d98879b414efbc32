#!/usr/bin/env bash
# For long commands that are stopped after a second, by Ctrl-C or by --max-seconds: how many milliseconds later each ends, and the
# longest time between two polls of its stop token. Without a stop each would take far longer. The exit status is 1 if two polls
# of a command are more than 200 ms apart, which on a busy machine they may be.
# usage: stop.sh MEMLANE
set -euo pipefail
memlane=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export MEMLANE_POLLS=1
mkfifo pipe pipe.lane pipe.txt
cat >endless.json <<'FIGURE'
{ "title": "Endless", "source": "A measurement", "measured": "Nothing.",
  "sweeps": { "sums": { "programs": ["sum"], "machines": ["umm-w32"], "axes": { "n": [64] } } },
  "checks": [ { "finding": "None.", "says": "{n}",
    "query": "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT 1 AS shown, max(n) AS n FROM c" } ] }
FIGURE

slow_program() { # rounds of its fn `slow`
  cat <<PROGRAM
param n: int = 64
param m: int = 1
fn slow(k) {
  var s = 0
  for i = 0 to $1 { s = (s + i * k) % 7 }
  return s
}
memory a[n]: int
memory c[n]: int
kernel k() { forall i in 0..n { a[i] = i } }
main { launch k() }
verify { assert a[0] == 0 }
PROGRAM
}
numbered() { # a line for each number, which is in place of #
  for k in $(seq 99); do echo "${1//#/$k}"; done
}
slow_program 400000 >plain.lane
{ slow_program 4000000; numbered 'const c#: int = slow(#)'; } >consts.lane
{ slow_program 400000; numbered 'claim time >= slow(#)/9 "none"'; } >claims.lane
{ slow_program 4000000; echo 'param q: int = 16 where slow(q) >= 0'; } >where.lane
{ slow_program 4400000; } >value.lane
cat >picture.lane <<'PROGRAM'
memory a[8000, 8000]: int
kernel k() { forall i in 0..1 { a[i, i] = 0 } }
main { launch k() }
verify { assert true }
PROGRAM
printf 'P2 8000 8000 255\n' >picture.pgm
head -n 3200000 < <(yes '0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19') >>picture.pgm

slow=0
report() { # start, command: of the job that has just ended
  local end gap
  end=$(date +%s%N)
  gap=$(sed -n 's/.*at most \([0-9]*\) ms.*/\1/p' polls.txt)
  [[ ${gap:-0} -le 200 ]] || slow=1
  printf '%6d  %-28s  memlane %s\n' $((($end - $1) / 1000000)) "$(grep -o 'at most.*' polls.txt || true)" "${*:2}"
}
after_signal() {
  # A background job of a script ignores SIGINT otherwise.
  env --default-signal=INT "$memlane" "$@" >/dev/null 2>polls.txt &
  local job=$! start
  sleep 1
  start=$(date +%s%N)
  kill -INT "$job"
  wait "$job" || true
  report "$start" "$@"
}
at_limit() {
  local start
  start=$(($(date +%s%N) + 1000000000))
  "$memlane" "$@" --max-seconds 1 >/dev/null 2>polls.txt || true
  report "$start" "$@" --max-seconds 1
}
after_signal timeline sum -D n=2^22 -m umm-w32 --requests 10000000 --html -o page.html
after_signal sweep sum -D n=2^24 --set latency=1..100 -m umm-w32
# Not these two: the page of what was recorded is written in any case, and the points of a sweep that are under way end.
# A second Ctrl-C ends both.
slow=0
after_signal run sum -D n=2^26 -m umm-w32 --engine reference
after_signal run pipe.lane
after_signal run sum --input a=pipe.txt
after_signal replay pipe
after_signal grade pipe.lane --exercise map
after_signal figures --only ./endless.json
after_signal verify strided --grid s=1..1000 --grid n=1..1000
at_limit verify strided --grid s=1..1000 --grid n=1..1000
at_limit verify where.lane
at_limit verify claims.lane
at_limit run consts.lane
at_limit run claims.lane
at_limit run value.lane -D 'n=slow(3)+64'
at_limit run picture.lane --input a=picture.pgm
for format in txt csv npy bin pgm png jpg; do at_limit run picture.lane --output a=out.$format; done
at_limit sweep consts.lane -D m=1..2
at_limit check consts.lane
at_limit compare plain.lane consts.lane
at_limit timeline consts.lane
at_limit explain relations consts.lane
after_signal sweep plain.lane -D m=1..1000 --where 'slow(m) >= 0' --dry-run
after_signal sweep where.lane -D q=1..1000
after_signal sweep consts.lane -D m=1..100 --shard 1/2
after_signal tune plain.lane -D m=1..1000 --where 'slow(m) >= 0'
after_signal tune where.lane -D q=1..1000
after_signal grade consts.lane --exercise map
exit "$slow"
