#!/usr/bin/env bash
# The command lines of configs/README.md for several machines, run as they stand: with GNU parallel for real, those of
# SLURM and HTCondor with the index set. Every way gives the content of the whole sweep.
# usage: shards.sh MEMLANE README
set -euo pipefail
readme=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ln -s "$1" "$folder/memlane"
export PATH=$folder:$PATH
cd "$folder"

fail() {
  printf 'shards: %s\n' "$*" >&2
  exit 1
}
cat >sums.json <<'END'
{ "name": "sums", "programs": ["sum", "prefix_sums"], "machines": ["umm-w32", "dmm-w32"],
  "axes": { "n": { "pow2": ["2^4", "2^9"] }, "latency": [1, 20] } }
END
content() { memlane results "$1" --columns program,machine,n,machine_latency,time,verify --format csv | sort; }
# The lines of the page that hold a text; there must be some.
lines_with() { grep -F "$1" "$readme" || fail "the page has no '$1'"; }
check_parts() {
  for part in part-*.db; do
    [[ $(content "$part" | wc -l) -lt 49 ]] || fail "$1: $part has all points"
  done
  memlane results merge merged.db part-*.db >/dev/null
  diff <(content whole.db) <(content merged.db) || fail "$1 gives another content"
  rm -f part-*.db merged.db
}

memlane sweep sums.json --store whole.db >/dev/null
[[ $(content whole.db | wc -l) == 49 ]] || fail "the whole sweep has $(content whole.db | wc -l) lines"

eval "$(lines_with 'parallel memlane sweep')" >/dev/null
eval "$(lines_with 'results merge sums.db')" >/dev/null
diff <(content whole.db) <(content sums.db) || fail "what the page's merge gives"
check_parts parallel

lines_with 'sbatch --array' | while read -r line; do
  range=$(sed -E "s/.*--array=([0-9]+-[0-9]+).*/\1/" <<<"$line")
  wrapped=$(sed -E "s/.*--wrap '(.*)'/\1/" <<<"$line")
  for index in $(seq "${range%-*}" "${range#*-}"); do
    SLURM_ARRAY_TASK_ID=$index bash -c "$wrapped" >/dev/null
  done
  check_parts "SLURM from ${range%-*}"
done

arguments=$(lines_with 'arguments  = ' | sed 's/.*= //')
count=$(grep -E '^queue [0-9]+$' "$readme" | sed 's/queue //')
lines_with 'shard      = $(Process) + 1' >/dev/null
for process in $(seq 0 $((count - 1))); do
  line=${arguments//'$INT(shard)'/$((process + 1))}
  line=${line//'$(Process)'/$process}
  bash -c "memlane $line" >/dev/null
done
check_parts HTCondor
