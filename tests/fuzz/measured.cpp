// Fuzzes files of measurements: points, or errors with messages.
#include "fuzz.hpp"

#include "memlane/study/gpu/measurements.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace memlane;
  Sources sources;
  const std::int32_t file = sources.add("m.jsonl", test::text_of(data, size));
  const auto measurements = measure::read_measurements(sources, file);
  if (!measurements) test::require(!render(measurements.errors(), sources).empty());
  return 0;
}
