#!/bin/sh
# Compiles the programs of this folder with nvcc and runs them with `memlane cuda`.
# usage: programs.sh MEMLANE NVCC
set -u
memlane=$1
nvcc=$2
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failed=0
# No library of NVIDIA's can be found by accident.
unset LD_LIBRARY_PATH

fail() {
  echo "not so: $*"
  sed 's/^/  out: /' out
  sed 's/^/  err: /' err
  failed=1
}
compile() { "$nvcc" -cudart shared -lineinfo "$@" || exit 1; }
# run STATUS WORD…: the status of `memlane cuda WORD…`; then look into out and err.
run() {
  wanted=$1
  shift
  "$memlane" cuda "$@" >out 2>err </dev/null
  got=$?
  [ "$got" = "$wanted" ] || fail "memlane cuda $* ends with $wanted, but with $got"
}
says() { grep -qF -- "$2" "$1" || fail "$1 has: $2"; }
silent() { [ ! -s "$1" ] || fail "$1 is empty"; }

compile "$here/ending.cu" -o ending
compile "$here/functions.cu" -o functions
run 0 ./functions
says out "functions: ok"
says err "void add<double>(double*, double const*, int, double)"
"$memlane" cuda "$here/layout.cu" >out 2>err || fail "layout.cu: status 0"
says out "layout: ok"

# Blocks that are not priced are executed.
run 0 --sample-blocks 1 --set multiprocessors=1 "$here/../../programs/cuda/transposes.cu"
says err "Priced are 6 of 8 blocks of 2"

# What a reset ends, and what it does not.
compile "$here/reset.cu" -o reset
run 0 --format json -o reset.json ./reset
says out "reset: ok"
python3 - reset.json <<'END' || fail "reset.json has three kernels, and each launch's own"
import json, sys
result = json.load(open(sys.argv[1]))
launches = {name: kernel["launches"] for name, kernel in result["counts"]["kernels"].items()}
assert launches == {"first": 2, "second": 2, "third": 1}, launches
END

# A source is not newer because the program has gone elsewhere; a chart of no launch is an error.
compile "$here/elsewhere.cu" -o elsewhere
run 0 ./elsewhere
! grep -q "was changed after" err || fail "nothing was changed"
run 2 --timeline chart.txt --timeline-launch 4 ./elsewhere
says err "--timeline-launch: error: there is no launch 4"
[ ! -e chart.txt ] || fail "there is no chart"

# Textures and surfaces.
compile "$here/textures.cu" -o textures
run 0 ./textures
says out "textures: ok"
run 3 -q ./textures fault
says err "textures.cu:33: error: thread (16, 0, 0) of block (0, 0, 0) writes 4 bytes outside of its surface"
says err "in kernel beyond(unsigned long long)"

# Each packing, and an older nvcc's default.
for mode in none speed size; do
  compile --compress-mode=$mode "$here/ending.cu" -o packed
  run 5 ./packed status 5
done

# Files that are linked.
compile -rdc=true "$here/linked_main.cu" "$here/../ptx/fat/part_a.cu" "$here/../ptx/fat/part_b.cu" -o linked
run 0 ./linked
says out "linked: ok"

# Programs without kernels.
compile "$here/query.cu" -o query
run 0 ./query
says out "query: ok"
says err "no kernel was launched"
run 0 -m hmm-gtx1650 ./query # as its machine has it: without and with a kernel's permission, in all
says out "shared memory 49152, 65536, 65536"
run 0 -m hmm-rtx3080 ./query
says out "shared memory 49152, 101376, 102400"
run 0 -m hmm-h200-plain ./query # also where its machine has no limit of threads
says out "shared memory 49152, 232448, 232448"
compile -rdc=true "$here/query.cu" -o query
run 0 ./query
says out "query: ok"

# Mistakes that the program does not look at are told once, and what hangs has a place.
compile "$here/failing.cu" -o failing
run 0 ./failing calls
says err "note: cudaMemcpy returns cudaErrorInvalidValue: 500 bytes, and its target has 400 up to the end of the allocation"
says err "note: cudaMemcpy returns cudaErrorInvalidValue: its source is not in memory of the device"
says err "note: cudaMalloc returns cudaErrorMemoryAllocation: 1099511627776 bytes, and 400 of the device's 17179869184 are in use"
says err "note: cudaFree returns cudaErrorInvalidValue: no allocation that is in use begins at this address"
says err "note: cudaMemset2D returns cudaErrorInvalidPitchValue"
[ "$(grep -c 'note: cudaMemcpy' err)" = 2 ] || fail "two notes of cudaMemcpy"
run 9 ./failing sync
says err "help: grid.sync() needs a cooperative launch: cudaLaunchCooperativeKernel"
run 9 ./failing wait
says err "failing.cu:12: error: thread (0, 0, 0) of block (0, 0, 0) waits for ever"
run 9 ./failing host
says err "no allocation is near; is it a null pointer, or one of the host?"
run 0 --set resident_blocks=2 ./failing together
grep -q 'a cooperative launch' err && fail "room for all blocks"
run 0 ./failing together
says err "note: a cooperative launch has 15 blocks, and the machine holds 14 at once"
run 0 ./failing timed
grep -q 'not priced' err && fail "all launches are priced"
run 0 --kernel few ./failing timed
says err "note: for events, a launch that is not priced (--kernel, --launches) takes"
# Launches that are refused are in the result, with their reasons.
run 0 --format json -o refused.json ./failing bounds
says err "kernel few(int*) is not launched: blocks of 65 threads; it was compiled for at most 64 (.maxntid): launch smaller blocks, or compile it with larger __launch_bounds__"
python3 - refused.json <<'END' || fail "refused.json has three reasons"
import json, sys
result = json.load(open(sys.argv[1]))
refused = result["refused_launches"]
assert [row["launches"] for row in refused] == [3, 1, 1], refused
assert all(row["kernel"] == "few" for row in refused), refused
assert "at most 64 (.maxntid)" in refused[0]["reason"], refused
assert "each extent must be at least 1" in refused[1]["reason"], refused
assert "60000 of dynamic shared memory" in refused[2]["reason"], refused
assert result["counts"]["launches"] == 1
END
run 0 --format json -o refused.json ./failing
! grep -q refused_launches refused.json || fail "nothing was refused"
run 2 --nvcc=-O1 ./failing
says err "--nvcc: error: ./failing is an executable: nvcc does not compile it"
says err "give the .cu file, or leave out --nvcc"
silent out
cp "$here/failing.cu" changed.cu
compile changed.cu -o changed
touch -d 2040-01-01 changed.cu
run 9 ./changed host
says err "changed.cu was changed after ./changed was made: its lines may be others"
"$nvcc" -cudart shared "$here/failing.cu" -o unlined || exit 1
run 9 ./unlined host
says err "help: nvcc -lineinfo gives messages and tables the lines of the source"

# Arguments, input, status and signals are the program's own.
printf 'some input\n' | "$memlane" cuda ./ending --help -q x >out 2>err || fail "it reads its input"
says out "[--help][-q][x]some input"
run 0 ending
run 7 --quiet ./ending status 7
silent err
run 134 ./ending abort
says err "1 launch"
run 139 ./ending crash
says err "1 launch"
run 3 ./ending fault
says out "cudaErrorIllegalAddress"
says err "ending.cu:8: error: thread (25, 0, 0) of block (0, 0, 0) writes 4 bytes"
says err "in kernel write_at(int*, int)"
says err "1 fault"
run 4 --allow-out-of-bounds ./ending fault
says out "cudaSuccess"
run 2 ./ending fault unseen
says err "ending: error: its status is 0, but a fault ended a launch (out-of-bounds in launch 1, kernel write_at)"
run 2 --no-price -q --kernel none ./ending fault unseen
run 0 --allow-out-of-bounds ./ending fault unseen
run 0 --report lines.jsonl ./ending
grep -q '"launch":0,.*"kernel":"write_at(int\*, int)".*"faults":\[\]' lines.jsonl || fail "a report"

# Which launches are priced and reported; all are executed.
compile "$here/choice.cu" -o choice
run 0 --kernel twice --report lines.jsonl ./choice
says out "choice: 15"
says err "1 kernel, 2 launches of 5"
says err "(2 launches, "
[ "$(grep -c . lines.jsonl)" = 2 ] || fail "two lines are reported"
run 0 --launches 0,3-4 --report lines.jsonl ./choice
says out "choice: 15"
says err "3 kernels, 3 launches of 5"
says err "(3 launches, "
grep -q '"launch":4' lines.jsonl || fail "launch 4 is reported"
run 0 --no-price --kernel 'add<int>' --kernel hidden --launches 1- ./choice
says err "1 kernel, 1 launch of 5"
run 0 --kernel add ./choice
says err "2 kernels, 2 launches of 5"
run 2 --kernel third --launches 9 ./choice
says out "choice: 15"
says err "no kernel that was launched has the name 'third'"
says err "launched: add<int>, twice, hidden, add<unsigned int>"
says err "there is no launch 9: the program had 5 launches, numbered from 0"
for wrong in -1 2-1 1, x 1-2-3 99999999999999999999; do
  run 2 --launches "$wrong" ./choice
  says err "--launches: error: "
  silent out
done

# Without prices, the report says that races were not looked for.
run 0 --no-price ./choice
says err "races were not looked for; without --no-price they are counted"
run 0 --races off ./choice
says err "races were not looked for; --races count finds them"
run 0 ./choice
! grep -q "races were not looked for" err || fail "races were looked for"

# The device's memory, and local memory of a thread.
compile "$here/memory.cu" -o memory
run 0 --no-price --max-memory 1M ./memory
says out "1048576 bytes, 1048576 free"
says out "too much: cudaErrorMemoryAllocation"
says out "half: cudaSuccess, 524288 free"
run 0 --no-price ./memory
says out "17179869184 bytes"
says out "too much: cudaSuccess"
run 0 --no-price ./memory local
says err "kernel large_array(int*) is not launched: 1048576 bytes of local memory for each thread; a GPU has at most 524288"
says out "local: cudaErrorLaunchOutOfResources"

for option in --explain --details "--races error" "--timeline chart.txt" "--format json"; do
  run 2 --no-price $option ./choice
  says err "it is of launches that are priced"
  silent out
done

# Limits hold without prices, too; results of launches outlive what a program does to files.
compile "$here/limits.cu" -o limits
for mode in --no-price --details; do
  run 3 $mode --max-seconds 2 ./limits ever
  says out "end: cudaErrorLaunchTimeout"
  says err "a limit ends the run: seconds"
done
for mode in --no-price --details; do
  run 4 $mode ./limits exit
  says err "add(int*)"
done
for what in remove pipe link large; do
  run 0 --no-price ./limits $what
  says out "end: cudaSuccess"
  says err "1 kernel, "
done
run 2 ./limits remove
says err "the program has left no result"
run 0 ./limits pipe
says err "(2 launches, "
run 0 --no-price ./limits nested
says err "1 kernel, 1 launch, "
says err "1 line of the report cannot be read"
run 0 --no-price ./limits other
says err "it is not known what was launched"
run 0 --no-price ./limits numbers
says err "5 launches"
run 0 ./limits descriptors
[ "$(cat own.txt)" = own ] || fail "own.txt has what the program wrote"
says err "(3 launches, "
run 6 ./limits quick
says err "(2 launches, "
# A race that is an error is told with its line.
cat >race.cu <<'END'
__global__ void race(int *words) {
  words[0] = threadIdx.x;
}
int main() {
  int *words = nullptr;
  cudaMalloc(&words, sizeof(int));
  race<<<1, 64>>>(words);
  return cudaDeviceSynchronize() == cudaErrorLaunchFailure ? 7 : 0;
}
END
compile race.cu -o race
run 7 --races error ./race
says err "race.cu:2:3: error: race in kernel"
says err "words[0] = threadIdx.x;"
# Advice that static memory has no room for says so.
cat >full.cu <<'END'
__global__ void full(const float *in, float *out) {
  __shared__ float part[384][32];
  for (int i = threadIdx.y; i < 384; i += 32) part[i][threadIdx.x] = in[i * 32 + threadIdx.x];
  __syncthreads();
  for (int i = threadIdx.y; i < 384; i += 32)
    out[i * 32 + threadIdx.x] = part[threadIdx.x + 32 * (i / 32)][threadIdx.y];
}
int main() {
  float *in = nullptr, *out = nullptr;
  cudaMalloc(&in, 49152);
  cudaMalloc(&out, 49152);
  full<<<20, dim3(32, 32)>>>(in, out);
  return cudaDeviceSynchronize();
}
END
compile full.cu -o full
run 0 -m hmm-h200 --explain ./full
says err "dynamic shared memory: static arrays have 48 KiB"

# Memory that one thread frees and another one gets is no race.
cat >own.cu <<'END'
__global__ void own(int *sums) {
  const int n = threadIdx.x % 7 + 1;
  int *const list = static_cast<int *>(malloc(n * sizeof(int)));
  for (int k = 0; k < n; ++k) list[k] = k;
  int sum = 0;
  for (int k = 0; k < n; ++k) sum += list[n - 1 - k];
  free(list);
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
int main() {
  int *sums = nullptr;
  cudaMalloc(&sums, 512 * sizeof(int));
  cudaMemset(sums, 0, 4096); // too long
  own<<<4, 128>>>(sums);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
END
compile own.cu -o own
run 0 --races error ./own
says err "note: cudaMemset returns cudaErrorInvalidValue: 4096 bytes, and its target has 2048 up to the end of the allocation"
"$memlane" sweep --command 'cuda --races error ./race' --store r.db >out 2>err
[ $? = 1 ] || fail "a sweep with a race that is an error: status 1"
says err "race in kernel race"

# A terminal of 80 columns: tables with long names and reports of faults fit.
cat >names.cu <<'END'
namespace numerical_methods_of_the_project {
template <class Number, int width, bool is_transposed> struct TraitsOfAMatrix {};
template <class Traits>
__global__ void multiply_by_preconditioner(float *out, const float *in, int n) {
  __shared__ float part[32][33];
  part[threadIdx.x][0] = in[threadIdx.x * 32 % n];
  __syncthreads();
  out[threadIdx.x] = part[31 - threadIdx.x][0];
}
}
using namespace numerical_methods_of_the_project;
int main() {
  float *x = nullptr;
  cudaMalloc(&x, 4096);
  multiply_by_preconditioner<TraitsOfAMatrix<float, 32, true>><<<1, 32>>>(x, x, 1024);
  multiply_by_preconditioner<TraitsOfAMatrix<float, 32, false>><<<1, 32>>>(x, x, 1024);
  multiply_by_preconditioner<TraitsOfAMatrix<float, 64, true>><<<1, 32>>>(x + 4096, x, 1024);
  return cudaDeviceSynchronize() != cudaErrorIllegalAddress;
}
END
compile names.cu -o names
for options in "" "--details" "--explain -m hmm-rtx3080" "--no-price"; do
  script -qec "stty cols 80; '$memlane' cuda $options ./names" typescript >/dev/null </dev/null
  LC_ALL=C.UTF-8 grep -Ev '^memlane:     |^./names: error|^  help: |^time |^(memlane:)? *[^ ]{60,}.?$' typescript | tr -d '\r' | sed '1d;$d;s/\x1b\[[0-9;]*m//g' >said
  says said "out-of-bounds"
  if LC_ALL=C.UTF-8 grep -E '^.{81}' said >wide; then
    cat wide >&2
    fail "memlane cuda $options: lines of more than 80 columns"
  fi
done
"$memlane" cuda --format json -o names.json ./names 2>err
says names.json 'TraitsOfAMatrix<float, 32, false>'

# A forked process executes its launches without a price.
cat >forks.cu <<'END'
#include <sys/wait.h>
#include <unistd.h>
__global__ void add(int *word) {
  atomicAdd(word, 1);
}
int main() {
  int *word = nullptr, sum = 0;
  cudaMalloc(&word, sizeof(int));
  cudaMemset(word, 0, sizeof(int));
  const pid_t child = fork();
  add<<<1, 32>>>(word);
  cudaMemcpy(&sum, word, sizeof(int), cudaMemcpyDeviceToHost);
  if (child == 0) _exit(sum);
  int status = 0;
  waitpid(child, &status, 0);
  return sum == 32 && WEXITSTATUS(status) == 32 ? 0 : 1;
}
END
compile forks.cu -o forks
run 0 ./forks
says err "1 launch of forked processes, executed, but not priced"
says err "(1 launch, "

# Why kernels take their time, and a time chart of one launch.
compile "$here/../../programs/cuda/transposes.cu" -o transposes
run 0 --explain ./transposes 256
says out "transposes: ok"
says err "kernel tiled: 11603 time units in 1 launch"
says err "2. a spare word behind each 32 words of the shared array part in kernel tiled"
says err "what each source line costs"
run 0 ./transposes 64 --explain
says err "note: --explain is passed to the program"
says err "part[threadIdx.x][threadIdx.y + j];"
run 0 --timeline chart.json --timeline-launch 1 ./transposes 64
says err "time chart: 512 requests, "
grep -q '"kernel":"padded"' chart.json || fail "the chart of launch 1"
grep -q '"name":"part"' chart.json || fail "the chart names arrays in shared memory"
run 0 -q --window 0:300 --timeline chart.html ./transposes 64
says chart.html "memlane cuda -q --window 0:300 --timeline chart.html ./transposes 64"
run 0 -q --window 0:300 --timeline chart.svg ./transposes 64
grep -q '^<svg ' chart.svg || fail "the chart as SVG"
run 2 --timeline none.json --timeline-launch 2 ./transposes 64
says err "the run has launches 0 to 1"
[ ! -e none.json ] || fail "no chart of a launch that is not there"
run 2 --timeline none.pdf ./transposes 64
says err "endings: .html"

# A sweep over an argument and a key of the machine: each row is what the run alone takes.
"$memlane" sweep --command 'cuda ./transposes {n}' -D n=64,128 --set multiprocessors=7,14 --store s.db >out 2>err ||
  fail "memlane sweep: status 0"
"$memlane" results s.db --columns n,machine_multiprocessors,time,launches \
  --order n,machine_multiprocessors --format csv >out 2>err
[ "$(wc -l <out)" = 5 ] || fail "four rows and a heading"
run 0 --set multiprocessors=7 --format csv -o alone.csv ./transposes 128
"$memlane" results s.db --where "n = 128 and machine_multiprocessors = 7" --columns time --format csv >out 2>err
time=$(tail -n 1 out)
alone=$(python3 -c 'import csv; print(*(row["time"] for row in csv.DictReader(open("alone.csv"))))')
[ "$alone" = "$time" ] || fail "a row has the time of its run"

"$memlane" sweep --command 'cuda ./ending status {s}' -D s=0,7 --store s.db >out 2>err
[ $? = 1 ] || fail "a sweep with a failed program: status 1"
says err "the program ends with status 7"
"$memlane" sweep --command 'cuda ./ending fault unseen' --store f.db >out 2>err
[ $? = 1 ] || fail "a sweep with a fault that the program does not look at: status 1"
says err "a fault ends a launch: out-of-bounds in launch 1, kernel write_at; the program ends with status 2"
"$memlane" sweep --command 'cuda ./failing race' --store both.db >out 2>err
[ $? = 1 ] || fail "a sweep with a race that is counted and a fault: status 1"
says err "a fault ends a launch: out-of-bounds in launch 1, kernel increase"
# A program with a refused launch has no time that can be compared.
"$memlane" sweep --command 'cuda ./failing {s}' -D s=timed,bounds --store b.db >out 2>err
[ $? = 1 ] || fail "a sweep with refused launches: status 1"
says err "at most 64 (.maxntid)"
"$memlane" compare --command 'cuda --sample-blocks 9 ./choice' -m umm-w32 >out 2>err
[ $? = 2 ] || fail "a comparison of parts: status 2"
says err "such a run has the time of the sampled blocks alone"
# The reasons for which values are not chosen: a status, a signal.
"$memlane" tune --command 'cuda ./ending status {s}' -D s=0,7 >out 2>err
[ $? = 1 ] || fail "a tuning with a failed program: status 1"
says out "s=7: the program ends with status 7"
"$memlane" tune --command 'cuda ./ending {s}' -D s=none,abort >out 2>err
[ $? = 0 ] || fail "a tuning with a program that aborts: status 0"
says out "s=abort: signal 6 ends it"
grep -q "signal 6 ends it." out && fail "the signal alone"
"$memlane" sweep --command 'cuda --kernel padded ./transposes {n}' --command 'cuda --kernel tiled ./transposes {n}' \
  -D n=64 --store k.db >out 2>err || fail "a sweep of one kernel: status 0"
"$memlane" results k.db --columns program,launches --order program --format csv >out 2>err
says out "transposes padded,1"
says out "transposes tiled,1"

# Measured, with memlane's library as the GPU's, then beside the times on a machine: the commands of README-cuda.md.
libraries_of_memlane=$(dirname "$memlane")/cudart
measure() {
  wanted=$1
  shift
  LD_LIBRARY_PATH=$libraries_of_memlane "$memlane" gpu measure "$@" >out 2>err </dev/null
  got=$?
  [ "$got" = "$wanted" ] || fail "memlane gpu measure $* ends with $wanted, but with $got"
}
measure 0 -o my.jsonl ./transposes 64
says out "transposes: ok"
[ "$(grep -c "transposes: ok" out)" = 1 ] || fail "the output of one run"
says err "my.jsonl: 2 launches of ./transposes, 5 runs"
"$memlane" gpu compare my.jsonl -m hmm-titan-plain >out 2>err || fail "memlane gpu compare: status 0"
says out "tiled<<<(2,2),(32,8)>>>"
says out "Kendall's tau-b 1.000 over 1 pairs"
measure 0 --runs 2 -o my.jsonl ./choice
"$memlane" gpu compare my.jsonl -m hmm-titan-plain >out 2>err || fail "memlane gpu compare: status 0"
says out "add<unsigned int><<<1,32>>>"
says out "hidden<<<1,32>>>"
measure 0 --runs 1 -o my.jsonl ./functions
says err "captured into a graph: not measured"
"$memlane" gpu compare my.jsonl -m hmm-titan-plain >out 2>err || fail "memlane gpu compare: status 0"
measure 2 --runs 1 -o none.jsonl ./ending status 7
says err "the program ends with status 7"
[ ! -e none.jsonl ] || fail "no file of a program that fails"
# NVIDIA's library is there, but no GPU: its errors are named.
if [ ! -e /dev/nvidiactl ] && [ -e "$(dirname "$(dirname "$nvcc")")/lib64/libcudart.so.13" ]; then
  LD_LIBRARY_PATH=$(dirname "$(dirname "$nvcc")")/lib64 "$memlane" gpu measure ./transposes >out 2>err
  [ $? = 2 ] || fail "memlane gpu measure without a GPU: status 2"
  says err "there is no driver of NVIDIA's on this computer"
fi

# What cannot run is said before anything runs.
LD_PRELOAD=$libraries_of_memlane/libcudart.so.13 "$memlane" cuda ./ending >out 2>err </dev/null
[ $? = 2 ] || fail "another runtime library is in front: status 2"
says err "LD_PRELOAD: error: it has"
silent out
printf '__global__ void kernel() {}\n' >kernels.cu
run 2 kernels.cu
says err "memlane ptx kernels.cu --launch"
silent out
"$nvcc" "$here/ending.cu" -o with_static || exit 1
run 2 ./with_static status 9
says err "-cudart shared"
silent out
measure 2 ./with_static
says err "-cudart shared"
compile -gencode arch=compute_80,code=sm_80 "$here/ending.cu" -o without_ptx
run 2 ./without_ptx
says err "no PTX"
compile "$here/lacking.cu" -o lacking
run 2 ./lacking
says err "3 functions that memlane's library lacks: cudaFreeMipmappedArray, cudaGetMipmappedArrayLevel, cudaMallocMipmappedArray"
compile -rdc=true "$here/nested.cu" -o nested -lcudadevrt
run 2 ./nested
says err "memlane does not have CUDA's runtime for devices"
says err "nested.cu:5 needs"
silent out
libraries=$(dirname "$(dirname "$nvcc")")/lib64
if [ -e "$libraries/libcudart.so.13" ]; then
  compile -Xlinker --disable-new-dtags -Xlinker -rpath="$libraries" "$here/ending.cu" -o with_rpath
  run 2 ./with_rpath
  says err "its RPATH leads to"
  compile -Xlinker --enable-new-dtags -Xlinker -rpath="$libraries" "$here/ending.cu" -o with_runpath
  run 0 ./with_runpath
fi
if [ -e "$libraries/stubs/libcuda.so" ]; then
  compile "$here/driver.cu" -L"$libraries/stubs" -lcuda -o driver
  run 2 ./driver
  says err "it needs libcuda, the driver"
fi
if [ -e "$libraries/libcublas.so" ]; then
  compile "$here/ending.cu" -Xlinker --no-as-needed -L"$libraries" -lcublas -o beside_cublas
  LD_LIBRARY_PATH=$libraries run 0 ./beside_cublas
  compile "$here/product.cu" -L"$libraries" -lcublas -o with_cublas
  run 2 ./with_cublas
  says err "it calls cublasCreate_v2, cublasDestroy_v2 of libcublas.so"
fi
run 2 /bin/true
says err "no CUDA in this program"
echo '#!/bin/sh' >script
chmod +x script
run 2 ./script
says err "it is a script"
run 2 ./no_such_program
says err "no_such_program"
echo 'int main( { }' >wrong.cu
run 2 wrong.cu
says err "nvcc does not compile it"
run 2
says err "cuda takes at least one executable"

[ $failed = 0 ] && echo "programs: ok"
exit $failed
