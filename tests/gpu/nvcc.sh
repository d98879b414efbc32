#!/usr/bin/env bash
# nvcc takes every file of `memlane emit-cuda --all`, for GPUs from 2018 on. The files have the harness in common: it is
# compiled once, with the programs' own text in namespaces of their own; one file is compiled as it is.
# usage: nvcc.sh MEMLANE NVCC PRELUDE
set -eu
memlane=$1 nvcc=$2 prelude=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$memlane" emit-cuda --all -o "$work/all"

{
  cat "$prelude"
  cat "$work"/all/*.cu | grep '^#include <cub/' | sort -u
  echo '#include <numeric>'
  sed -n '/^\/\/ ---- The harness/,/^\/\/ ---- End of the harness/p' "$work/all/sum-umm.cu"
  for file in "$work"/all/*.cu; do
    name=program_$(basename "$file" .cu | tr -c 'a-z0-9\n' _)
    echo "#line 1 \"$(basename "$file")\""
    if grep -q '^namespace program {' "$file"; then
      # The kernels stand before the harness, the host code behind it.
      sed -e '/^\/\/ ---- The harness/,/^\/\/ ---- End of the harness/d' -e '/^int main/,$d' "$file" |
        sed -e '1,/^namespace program {/{/^namespace program {/!d}' -e "s/^namespace program/namespace $name/" |
        sed -e "s/^} \/\/ namespace program$/}/"
    else
      printf '#undef MEMLANE_FACTS\n%s\nnamespace %s {\n' "$(grep '^#define MEMLANE_FACTS' "$file")" "$name"
      sed -e '1,/^#define MEMLANE_FACTS/d' -e '/^int main/,$d' -e '/^#include/d' "$file"
      echo '}'
    fi
  done
  echo 'int main() {}'
} >"$work/joined.cu"
[[ $(grep -c '^namespace program_' "$work/joined.cu") -ge 52 ]]

for_each=()
for version in 75 80 90; do for_each+=(-gencode "arch=compute_$version,code=sm_$version"); done
options=(-std=c++20 -fmad=false -Xcompiler -fwrapv)
"$nvcc" "${options[@]}" "${for_each[@]}" -Xcicc -O1 -Xptxas -O1 -c -o "$work/joined.o" "$work/joined.cu"
"$nvcc" "${options[@]}" -O3 -arch=sm_80 -o "$work/sum" "$work/all/sum-umm.cu"

# It runs where there is a GPU, and says in one line why it does not where there is none.
status=0
"$work/sum" --samples 0 >"$work/said" 2>&1 || status=$?
[[ $status == 0 ]] || { [[ $status == 2 && $(wc -l <"$work/said") == 1 ]] && grep -q '^error: ' "$work/said"; }
