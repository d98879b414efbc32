#!/usr/bin/env bash
# nvcc takes every file of `memlane emit-cuda --all`, for GPUs from 2018 on, and what it makes of the kernels is held
# against the machine and the program: they have the registers and shared memory to run with the threads they are
# launched with, nothing spills, and each access to an array that the model counts is an instruction of the GPU.
# The files have the harness in common: it is compiled once, with the programs' own text in namespaces of their own; one
# file is compiled as it is.
# usage: nvcc.sh MEMLANE NVCC PRELUDE MACHINE_CODE
set -eu
memlane=$1 nvcc=$2 prelude=$3 machine_code=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$memlane" emit-cuda --all -o "$work/all"

namespace_of() { printf 'program_%s' "$(basename "$1" .cu | tr -c 'a-z0-9\n' _)"; }
{
  cat "$prelude"
  cat "$work"/all/*.cu | grep '^#include <cub/' | sort -u
  echo '#include <numeric>'
  sed -n '/^\/\/ ---- The harness/,/^\/\/ ---- End of the harness/p' "$work/all/sum-umm.cu"
  for file in "$work"/all/*.cu; do
    name=$(namespace_of "$file")
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
[[ $(grep -c '^namespace program_' "$work/joined.cu") -ge 61 ]]

options=(-O3 -std=c++20 -fmad=false -Xcompiler -fwrapv)
for_each=()
for version in 75 90; do for_each+=(-gencode "arch=compute_$version,code=sm_$version"); done
mkdir "$work/kept"
"$nvcc" "${options[@]}" "${for_each[@]}" -Xptxas -v --keep --keep-dir "$work/kept" -c -o "$work/joined.o" \
  "$work/joined.cu" 2>"$work/said" || { cat "$work/said" && exit 1; }
if grep -n warning "$work/said"; then exit 1; fi
"$nvcc" "${options[@]}" -arch=sm_80 -o "$work/sum" "$work/all/sum-umm.cu"
# A program with all that compilers warn of, under all warnings.
"$memlane" emit-cuda "$(dirname "$0")/../lane/unread.lane" -m hmm-h200-plain -o "$work/unread.cu"
"$nvcc" "${options[@]}" -arch=sm_80 -Xcompiler -Wall,-Wextra --Werror all-warnings -c -o "$work/unread.o" "$work/unread.cu"

# What the program accesses: of each kernel, the loads and stores of its instructions, by memory.
for file in "$work"/all/*.cu; do
  # Its head has the command that made it.
  command=$(sed -n 's/^\/\/ .*, by: memlane emit-cuda //p' "$file" | sed "s/ --problem \('[^']*'\|[^ ]*\)//")
  [[ $command ]] || continue # written by hand
  shared=$([[ $command == *dmm-w32* ]] && echo 1 || echo 0)
  eval "\"$memlane\" check $command --disassemble" | awk -v program="$(namespace_of "$file")" -v dmm="$shared" '
    /^[a-z]/ { kernel = ""; delete in_shared }
    /^kernel / {
      kernel = $2; sub(/:$/, "", kernel)
      at = index($0, "shared ")
      if (at) { count = split(substr($0, at + 7), names, " "); for (k = 1; k <= count; ++k) { sub(/\..*/, "", names[k]); in_shared[names[k]] = 1 } }
      known[kernel] = 1
      for (what in most) if (index(what, kernel " ") == 1) now[what] = 0
    }
    kernel && $2 ~ /^(load|store)\./ {
      array = $2 ~ /^load/ ? $4 : $3; sub(/,$/, "", array); sub(/\..*/, "", array)
      what = kernel " " ($2 ~ /^load/ ? "LD" : "ST") (dmm || array in in_shared ? "S" : "G")
      if (++now[what] > most[what]) most[what] = now[what]
    }
    END {
      for (kernel in known)
        print program "::" kernel, most[kernel " LDG"] + 0, most[kernel " STG"] + 0, most[kernel " LDS"] + 0,
              most[kernel " STS"] + 0
    }'
done | sort >"$work/expected"

for version in 75 90; do
  # The compiler's word: registers, threads, shared memory, spills.
  awk -v version="sm_$version" '
    /Compiling entry function/ { name = $0; sub(/.*function ./, "", name); sub(/. for.*/, "", name); own = index($0, version) }
    own && /spill stores/ { spilled[name] = $(NF - 7) + $(NF - 3) }
    own && /Used [0-9]+ registers/ {
      match($0, /Used [0-9]+/); used = substr($0, RSTART + 5, RLENGTH - 5)
      shared = match($0, /[0-9]+ bytes smem/) ? substr($0, RSTART, RLENGTH) + 0 : 0
      print name, used, shared, spilled[name]
    }' "$work/said" | sort >"$work/registers"
  awk '/\.entry/ { name = $0; sub(/.*\.entry /, "", name); sub(/[( ].*/, "", name) }
       /^\.maxntid/ { print name, $2 + 0 }' "$work/kept/joined.compute_$version.ptx" | sort >"$work/threads"
  "$machine_code" "$work/kept/joined.compute_$version.cubin" | sort >"$work/code"
  # Emitted kernels, by readable names, with all that is known of them.
  join -a 1 "$work/registers" "$work/threads" -e 0 -o 0,1.2,1.3,1.4,2.2 | join - "$work/code" |
    c++filt | sed 's/^void //; s/([^)]*)//' | grep '^program_' | sort >"$work/kernels"
  awk -v version="sm_$version" '
    function number(k) { sub(/.*=/, "", $k); return $k + 0 }
    FNR == NR { for (k = 2; k <= 5; ++k) expected[$1, k] = $k; known[$1] = 1; next }
    {
      name = $1; registers = int(($2 + 7) / 8) * 8; threads = $5
      base = name; if (!(base in known)) sub(/_[0-9]+$/, "", base)
      if (!(base in known)) next # written by hand
      ++seen; found[base] = 1
      if (!threads) bad = bad name ": compiled for any number of threads\n"
      if (registers * threads > 65536) bad = bad name ": " $2 " registers for " threads " threads\n"
      if ($3 > 49152) bad = bad name ": " $3 " bytes of shared memory\n"
      if ($4 > 0) bad = bad name ": " $4 " bytes of spilled registers\n"
      for (k = 2; k <= 5; ++k)
        if (number(k + 5) < expected[base, k])
          bad = bad name ": " $(k + 5) " of " expected[base, k] " " substr("LDGSTGLDSSTS", 3 * k - 5, 3) "\n"
    }
    END {
      for (name in known) if (!(name in found)) bad = bad name ": is not in the machine code\n"
      if (seen < 60) bad = bad seen " kernels seen\n"
      printf "%s", bad
      if (bad) { print "for " version; exit 1 }
    }' "$work/expected" "$work/kernels"
done

# It runs where there is a GPU, and says in one line why it does not where there is none.
status=0
"$work/sum" --samples 0 >"$work/said" 2>&1 || status=$?
[[ $status == 0 ]] || { [[ $status == 2 && $(wc -l <"$work/said") == 1 ]] && grep -q '^error: ' "$work/said"; }
