#!/usr/bin/env bash
# compare.sh [--record] BENCH_ONCE [ROUNDS]: measures engine and plain loop of every row alternately, and compares the ratio
# with that in baseline.txt. Exits with 1 if a row is slower by more than 15 %. Runs short rows five times as often, because
# they are the noisiest.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
record=0
if [[ ${1:-} == --record ]]; then
  record=1
  shift
fi
[[ $# -ge 1 ]] || {
  echo "usage: compare.sh [--record] BENCH_ONCE [ROUNDS]" >&2
  exit 2
}
once=$1 rounds=${2:-5} slower=0
measured=$(mktemp)
trap 'rm -f "$measured"' EXIT
while IFS= read -r row; do
  times=$("$once" engine "$row" | awk -v rounds="$rounds" '{ print $1 < 0.1 ? 5 * rounds : rounds }')
  line=$("$here/interleave.sh" -n "$times" "'$once' engine '$row'" "'$once' plain '$row'") || {
    echo "compare.sh: $row: failed to run" >&2
    exit 1
  }
  ratio=${line##* }
  printf '%s\t%s\n' "$row" "$ratio" >>"$measured"
  was=$(awk -F'\t' -v row="$row" '$1 == row { print $2 }' "$here/baseline.txt" 2>/dev/null || true)
  verdict=$(awk -v now="$ratio" -v was="${was:-0}" 'BEGIN {
    if (was == 0) print "not recorded"; else if (now > 1.15 * was) print "SLOWER than " was; else print "recorded " was }')
  printf '%-12s %s  (%s)\n' "$row" "$line" "$verdict"
  [[ $verdict != SLOWER* ]] || slower=1
done < <("$once")
[[ $record == 0 ]] || cp "$measured" "$here/baseline.txt"
exit $((record == 1 ? 0 : slower))
