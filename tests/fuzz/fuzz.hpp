// Shared by the fuzzing targets. libFuzzer calls LLVMFuzzerTestOneInput with mutated inputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace memlane::test {

inline std::string text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Reports a finding by aborting.
inline void require(bool holds) {
  if (!holds) std::abort();
}

} // namespace memlane::test
