#!/usr/bin/env bash
# Builds the programs in this folder with nvcc, runs each at several sizes on the first GPU, and writes a line of JSON for
# each point, for `memlane gpu compare` and `memlane gpu fit`. Needs only nvcc and a GPU.
set -u

usage() {
  cat <<'EOF'
usage: measure.sh [--minutes M] [--only WORD] [-o FILE]
  --minutes M  time limit (default 10); points that it cuts off are written as skipped
  --only WORD  builds and runs only files whose names contain the word
  -o FILE      output file (default measured.jsonl)
  NVCC         environment variable: path of the compiler, if not on the path
EOF
}

fail() {
  printf 'error: %s\n' "$1" >&2
  exit 2
}

minutes=10 only="" output=measured.jsonl
while (($#)); do
  case $1 in
    --minutes) minutes=${2-} ;;
    --only) only=${2-} ;;
    -o | --output) output=${2-} ;;
    -h | --help) usage && exit 0 ;;
    *) fail "unknown option '$1'; --help lists them" ;;
  esac
  (($# >= 2)) || fail "$1 needs a value"
  shift 2
done
[[ $minutes =~ ^[0-9]{1,4}$ && $minutes -ge 1 ]] || fail "--minutes '$minutes': must be an integer from 1"
seconds_left() { echo $((minutes * 60 - SECONDS)); }

# Finds the compiler and the GPU; an error says which one is missing.
nvcc=${NVCC-}
if [[ -z $nvcc ]]; then
  nvcc=$(command -v nvcc) || nvcc=/usr/local/cuda/bin/nvcc
fi
[[ -x $nvcc ]] || command -v "$nvcc" >/dev/null ||
  fail "nvcc not found: install the CUDA toolkit, put its bin folder on the path, or set NVCC"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d) || fail "no folder for temporary files"
trap 'rm -rf "$work"' EXIT
cat >"$work/probe.cu" <<'EOF'
#include <cstdio>
int main() {
  int count = 0, driver = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaErrorInsufficientDriver) {
    cudaDriverGetVersion(&driver);
    if (driver == 0) return std::printf("this machine has no driver for an NVIDIA GPU: install one\n"), 1;
    return std::printf("the driver has CUDA %d.%d, older than nvcc's: update the driver, or set NVCC to an older one\n",
                       driver / 1000, driver % 1000 / 10), 1;
  }
  if (status == cudaErrorNoDevice || (status == cudaSuccess && count == 0))
    return std::printf("there is no CUDA device, or CUDA_VISIBLE_DEVICES hides it: nvidia-smi lists the devices\n"), 1;
  if (status != cudaSuccess)
    return std::printf("no CUDA device can be used: %s\n", cudaGetErrorString(status)), 1;
  return 0;
}
EOF
"$nvcc" -o "$work/probe" "$work/probe.cu" >"$work/log" 2>&1 ||
  fail "$nvcc cannot compile: $(grep -m1 -i error "$work/log" || head -n 1 "$work/log")"
why=$("$work/probe") || fail "${why:-no CUDA device can be used}"
: >"$output" || fail "cannot write $output"

# One point in each row: file, program, variant, parameters. Small sizes come first.
rows() {
  cat <<'EOF'
@ROWS@
EOF
}

json() { # n=64 s=3 becomes {"n": 64, "s": 3}
  local pair text=""
  for pair in "$@"; do text+="${text:+, }\"${pair%%=*}\": ${pair#*=}"; done
  printf '{%s}' "$text"
}
skip() { # file program variant why parameters…
  local program=$2 variant=$3 why=${4//\\/} && shift 4
  why=${why//\"/\'}
  why=${why//"$here/"/} why=${why//"$work/"/} # removes paths of this machine
  printf '{"memlane_measurement": 1, "program": "%s", "variant": "%s", "parameters": %s, "skipped": "%s"}\n' \
    "$program" "$variant" "$(json "$@")" "$why" >>"$output"
  printf 'skipped: %s %s %s: %s\n' "$program" "$variant" "$*" "$why" >&2
}

# Kernels with real numbers are built twice: with two roundings of a product and a sum, like the simulator, and with one
# (nvcc's -fmad), the default of nvcc. The lines have the option as "fmad".
builds_of() { # file
  if sed -n '/^namespace program {/,/^\/\/ ---- The harness/p' "$here/$1.cu" | grep -qwE 'float|double'; then
    echo false true
  else
    echo false
  fi
}

mapfile -t points < <(rows | awk -v word="$only" 'index($1, word)')
mapfile -t files < <(printf '%s\n' "${points[@]}" | cut -d' ' -f1 | sort -u)
((${#points[@]} > 0)) || fail "no file has '$only' in its name"
printf 'building %s programs\n' "${#files[@]}" >&2
for file in "${files[@]}"; do
  for fmad in $(builds_of "$file"); do
    while (($(jobs -rp | wc -l) >= $(nproc))); do wait -n; done
    timeout "$(($(seconds_left) > 1 ? $(seconds_left) : 1))" \
      "$nvcc" -O3 -std=c++20 -arch=native "-fmad=$fmad" -Xcompiler -fwrapv -o "$work/$file.$fmad" "$here/$file.cu" \
      >"$work/$file.$fmad.log" 2>&1 &
  done
done
wait

measured=0 skipped=0 wrong=0
: >"$work/warned"
measure() { # file program variant fmad parameters…
  local file=$1 program=$2 variant=$3 fmad=$4 options=() pair line status && shift 4
  if [[ ! -x $work/$file.$fmad ]]; then
    skip "$file" "$program" "$variant" "$file.cu was not built: $(grep -m1 -i error "$work/$file.$fmad.log" || echo 'no time')" "$@"
    ((++skipped))
    return
  fi
  if (($(seconds_left) < 2)); then
    skip "$file" "$program" "$variant" "the time limit of $minutes minutes was over" "$@"
    ((++skipped))
    return
  fi
  for pair in "$@"; do options+=("--${pair%%=*}" "${pair#*=}"); done
  line=$(timeout "$(seconds_left)" "$work/$file.$fmad" "${options[@]}" 2>"$work/said")
  status=$?
  if grep '^warning: ' "$work/said" >>"$work/warned"; then
    printf '%s %s: %s\n' "$file" "$*" "$(grep -m1 '^warning: ' "$work/said")" >&2
  fi
  case $status in
    0 | 1)
      printf '%s\n' "$line" >>"$output"
      ((++measured))
      ((status == 0)) || { ((++wrong)) && printf '%s %s: %s\n' "$file" "$*" "$(grep -m1 '^error: ' "$work/said")" >&2; }
      ;;
    3)
      printf '%s\n' "$line" >>"$output"
      ((++skipped))
      printf 'skipped: %s %s: %s\n' "$file" "$*" "${line##*\"skipped\": }" >&2
      ;;
    124) skip "$file" "$program" "$variant" "it exceeded the time limit of $minutes minutes" "$@" && ((++skipped)) ;;
    *) skip "$file" "$program" "$variant" "it ended with status $status: $(head -n 1 "$work/said")" "$@" && ((++skipped)) ;;
  esac
}
for point in "${points[@]}"; do
  read -r file program variant parameters <<<"$point"
  read -ra pairs <<<"$parameters"
  for fmad in $(builds_of "$file"); do measure "$file" "$program" "$variant" "$fmad" "${pairs[@]}"; done
done
printf '%s: measured %s of %s points, %s wrong, %s skipped\n' "$output" "$measured" "$((measured + skipped))" "$wrong" \
  "$skipped" >&2
if [[ -s $work/warned ]]; then
  printf 'the clock changed during %s of them: lock it (see above) and measure these again\n' "$(wc -l <"$work/warned")" >&2
fi
((measured > 0)) || exit 2
exit $((wrong > 0))
