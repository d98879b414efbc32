#!/bin/sh
# Makes the PTX beside each CUDA source again, with nvcc. Paths and debugging texts, which depend on
# where this runs, are left out.
#   make.sh [NAME.cu…]            makes them
#   make.sh --check MEMLANE NVCC  compares, if the release of nvcc is that which made them;
#                                 MEMLANE has to understand what another one makes
set -eu
cd "$(dirname "$0")"

make() { # SOURCE NVCC PTX
  arch=$(sed -n 's|^// arch: ||p' "$1")
  "$2" -ptx -arch="${arch:-compute_75}" -lineinfo "$1" -o "$3"
  sed -i -e 's|\(\.file.*"\).*/include/\(.*"\)|\1cuda/include/\2|' \
    -e '/cuda.include/!s|\(\.file.*"\).*/\([^/]*"\)|\1\2|' \
    -e '/\.section.*\.debug/,/^\t}/d' -e '/^\/\/ Compiler Build ID/d' "$3"
}
release() { sed -n 's|^// Cuda compilation tools, ||p' "$1"; }

if [ "${1:-}" != --check ]; then
  [ $# != 0 ] || set -- *.cu
  for source; do make "$source" nvcc "${source%.cu}.ptx"; done
  exit
fi
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
for source in *.cu ../../../programs/cuda/*.cu ../../../configs/kernels/*.cu ../../../programs/exercises/*.cu \
  ../../exercises/*.cu ../../exercises/false/*.cu; do
  ! grep -q '^int main' "$source" || continue # a program of kernels that have PTX
  ptx=$(basename "$source" .cu).ptx
  make "$source" "$3" "$made/$ptx"
  "$2" ptx "$made/$ptx" >"$made/kernels" || { cat "$made/kernels"; exit 1; }
  [ "$(release "$made/$ptx")" != "$(release "${source%.cu}.ptx")" ] || diff "${source%.cu}.ptx" "$made/$ptx"
done
