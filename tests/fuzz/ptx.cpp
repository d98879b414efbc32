// Fuzzes PTX: errors with messages, or kernels that run within limits, whose addresses are all
// checked.
#include "fuzz.hpp"
#include "ptx/exec/grid_faults.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace memlane;
  Sources sources;
  Limits limits;
  limits.memory = 1 << 26;
  sources.set_limits(limits);
  const std::int32_t text = sources.add("a.ptx", test::text_of(data, size));
  const Result<ptx::Module> module = ptx::parse(sources, text);
  if (!module) {
    test::require(!render(module.errors(), sources).empty());
    return 0;
  }
  ptx::DeviceMemory device;
  ptx::Image image;
  const Status loaded = image.load(*module, device);
  if (!loaded) {
    test::require(!render(loaded.errors(), sources).empty());
    return 0;
  }
  for (const ptx::Function& function : module->functions) {
    if (!function.kernel || !function.defined) continue;
    const ptx::Code* const code = image.find(function.name);
    if (code->param_bytes > 1 << 12 || code->stack_bytes > 1 << 16 ||
        image.dynamic_begin() > 1 << 16 || code->frame.bytes > 1 << 16)
      continue;
    std::vector<std::uint32_t> words(64, 3);
    device.add(reinterpret_cast<std::uint64_t>(words.data()), 4 * words.size());
    std::vector<std::uint8_t> params(static_cast<std::size_t>(code->param_bytes) + 8);
    const auto address = reinterpret_cast<std::uint64_t>(words.data());
    std::memcpy(params.data(), &address, 8);
    ptx::LaunchState state;
    for (std::size_t k = 0; k < state.allowed.size(); ++k)
      state.allowed.set(k, size % 2 == 0 && ptx::may_be_allowed(static_cast<ptx::FaultKind>(k)));
    limits.steps = 20'000;
    const ptx::GridResult result = ptx::run_grid(
        image, *code, {{2, 1, 1}, {40, 1, 1}, 0, -1, 0, &state}, params, device, limits);
    for (const ptx::GridFault& fault : result.faults)
      test::require(!render(diagnostic_of(*module, thread_fault(fault, *code)), sources).empty());
    device.free(address);
  }
  return 0;
}
