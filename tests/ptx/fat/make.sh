#!/bin/sh
# Makes the fat binaries of the tests anew, with nvcc 13. They are compiled in a folder whose name is
# always the same: it is in them, for lines.
set -eu
cd "$(dirname "$0")"
here=$PWD
rm -rf /tmp/fat
mkdir /tmp/fat
cp ./*.cu /tmp/fat
cd /tmp/fat
for packing in none:plain speed:lz4 size:zstd; do
  nvcc -fatbin -lineinfo --compress-mode="${packing%:*}" scale.cu -o "$here/scale_${packing#*:}.fatbin"
done
nvcc -fatbin -gencode arch=compute_75,code='[sm_75,compute_75]' -gencode arch=compute_80,code=sm_80 \
  -gencode arch=compute_90,code='[sm_90,compute_90]' accesses.cu -o "$here/accesses.fatbin"
nvcc -fatbin -gencode arch=compute_80,code=sm_80 scale.cu -o "$here/without_ptx.fatbin"
for part in a b; do nvcc -rdc=true -fatbin part_$part.cu -o "$here/part_$part.fatbin"; done
rm -r /tmp/fat
