#!/usr/bin/env bash
# The commands and the Python program of configs/README.md, section "Results", run as they stand.
# usage: recipes.sh MEMLANE SOURCE PYTHON
set -euo pipefail
readme=$2/configs/README.md python=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ln -s "$1" "$folder/memlane"
mkdir -p "$folder/tests"
ln -s "$2/tests/measure" "$folder/tests/measure"
export PATH=$folder:$PATH
cd "$folder"

fail() {
  printf 'recipes: %s\n' "$*" >&2
  exit 1
}
# The blocks of a language in the section, one after the other.
blocks() {
  awk -v fence="\`\`\`$1" '/^## /{ here = ($0 == "## Results") } here && $0 == fence { inside = 1; next }
    /^```$/ { inside = 0 } here && inside' "$readme"
}
# Of diff the exit status is the answer.
blocks sh | while read -r line; do
  [[ $line == *' diff '* ]] || echo "$line"
done >commands.sh
blocks python >program.py
grep -q sqlite3 commands.sh || fail "the page has no recipe for the sqlite3 shell"
grep -q pandas program.py || fail "the page has no recipe for pandas"

bash -e commands.sh >commands.txt || fail "a command of the page"
# Of sqlite3 -box: 3 sizes of 2 programs, in a frame.
grep -Eq '│ prefix_sums +│ 1024 +│ [0-9]+ +│' commands.txt || fail "what sqlite3 shows"
"$python" program.py >program.txt || fail "the Python program"
least=$(memlane results sums.db --where "program='sum' and n=1024 and machine_latency=20" --columns time --format csv | tail -n 1)
grep -Eq "^1024 .*\b$least(\.0)?\b" program.txt || fail "$least is not in what pandas shows: $(cat program.txt)"
