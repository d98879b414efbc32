#!/usr/bin/env bash
# mpirun with four processes gives what one gives; after one of them is killed, the rest is run.
# usage: mpirun.sh MEMLANE MPIRUN THROWING_MODULE SOURCE_FOLDER
set -euo pipefail
memlane=$1
mpirun=($2 --allow-run-as-root --oversubscribe -n 4)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# Open MPI's own files; and no other machine's variables.
export TMPDIR=$folder OMPI_MCA_btl=self,vader OMPI_MCA_rmaps_base_oversubscribe=1

fail() {
  printf 'mpi: %s\n' "$*" >&2
  exit 1
}
content() {
  "$memlane" results "$1" --columns program,machine,n,machine_latency,time,verify,status --format csv | sort
}

sweep=("$memlane" sweep sum prefix_sums -D n=2^4..2^9:pow2 --set latency=1..8 -m umm-w32)
"${sweep[@]}" --store one.db >/dev/null
"${mpirun[@]}" "${sweep[@]}" --store four.db >four.txt 2>four.err || fail "four processes: $(cat four.err)"
grep -q '96 run, 0 known before' four.txt || fail "what four processes say: $(cat four.txt)"
diff <(content one.db) <(content four.db) || fail "four processes gave another content"
"${mpirun[@]}" "${sweep[@]}" --store four.db >again.txt 2>&1 || fail "again: $(cat again.txt)"
grep -q '0 run, 96 known before' again.txt || fail "what four processes say again: $(cat again.txt)"

# An error is said once, and all processes end.
if "${mpirun[@]}" "${sweep[@]}" --store /no/such/folder/x.db >error.txt 2>&1; then fail "a store in no folder"; fi
grep -q 'no/such/folder' error.txt || fail "the error of a store in no folder: $(cat error.txt)"

# A process that is killed ends the job; what was finished is kept, and running again does the rest.
long=("$memlane" sweep sum -D n=2^19 --set latency=1..60 -m umm-w32 --store killed.db)
"${mpirun[@]}" "${long[@]}" >killed.txt 2>&1 &
job=$!
for _ in $(seq 100); do
  sleep 0.1
  [[ -e killed.db-wal && $(stat -c %s killed.db-wal) -gt 200000 ]] && break
done
worker=$(pgrep -P "$job" | tail -n 1)
kill -9 "$worker"
if wait "$job"; then fail "a killed process went unnoticed: $(cat killed.txt)"; fi
before=$(content killed.db | tail -n +2 | wc -l)
[[ $before -gt 0 && $before -lt 60 ]] || fail "$before points of 60 were kept"
"${mpirun[@]}" "${long[@]}" >rest.txt 2>&1 || fail "the rest: $(cat rest.txt)"
grep -q "$((60 - before)) run, $before known before" rest.txt || fail "the rest says: $(cat rest.txt)"

# An exception in one process ends all of them, with its reason; what was finished is kept.
mkdir -p throwing
cp "$memlane" throwing/
cp "$3" throwing/memlane_mpi.so
export MEMLANE_HOME=$4
thrown=(throwing/memlane sweep sum -D n=2^4..2^9:pow2 --set latency=1..8 -m umm-w32 --store thrown.db)
status=0
timeout -k 5 100 "${mpirun[@]}" "${thrown[@]}" >thrown.txt 2>&1 || status=$?
[[ $status -ne 0 && $status -ne 124 ]] || fail "an exception ended with status $status: $(cat thrown.txt)"
grep -q 'mpirun: process 1 ends: a test wants it' thrown.txt || fail "the exception says: $(cat thrown.txt)"
grep -qi 'segmentation' thrown.txt && fail "the exception crashed: $(cat thrown.txt)"
"${sweep[@]}" --store thrown.db >/dev/null || fail "the store of an exception"
