#!/bin/sh
# Makes the PTX beside each CUDA source again, with nvcc. Paths and debugging texts, which depend on
# where this runs, are left out.
cd "$(dirname "$0")" || exit 1
for source in ${*:-*.cu}; do
  arch=$(sed -n 's|^// arch: ||p' "$source")
  nvcc -ptx -arch="${arch:-compute_75}" -lineinfo "$source" -o "${source%.cu}.ptx" || exit 1
  sed -i -e 's|\(\.file.*"\).*/include/\(.*"\)|\1cuda/include/\2|' -e '/cuda.include/!s|\(\.file.*"\).*/\([^/]*"\)|\1\2|' -e '/\.section.*\.debug/,/^\t}/d' \
    -e '/^\/\/ Compiler Build ID/d' -e '/^\/\/ Cuda compilation/d' "${source%.cu}.ptx"
done
