#include "program.hpp"

#include "support/catch.hpp"

#include <fstream>
#include <sstream>

namespace memlane::test {

Program::Program(std::string path, std::string text, const ptx::InstructionSet& set)
    : sources(std::make_unique<Sources>()), device(std::make_unique<ptx::DeviceMemory>()),
      image(std::make_unique<ptx::Image>(set)) {
  const std::int32_t file = sources->add(std::move(path), std::move(text));
  Result<ptx::Module> decoded = ptx::parse(*sources, file);
  if (!decoded) FAIL(render(decoded.errors(), *sources));
  module = std::make_unique<ptx::Module>(std::move(*decoded));
  const Status loaded = image->load(*module, *device);
  if (!loaded) FAIL(render(loaded.errors(), *sources));
}

Program Program::of_kernels(const std::string& name, const ptx::InstructionSet& set) {
  std::ifstream in(MEMLANE_SOURCE_DIR "/tests/ptx/kernels/" + name + ".ptx");
  std::stringstream text;
  text << in.rdbuf();
  return Program(name + ".ptx", text.str(), set);
}

Launched Program::launch_with(const std::string& kernel, ptx::Dim3 blocks, ptx::Dim3 threads,
                              std::vector<std::uint8_t> params) {
  const ptx::Code* const code = image->find(kernel);
  if (!code) FAIL("there is no kernel " + kernel);
  REQUIRE(params.size() <= static_cast<std::size_t>(code->param_bytes));
  params.resize(static_cast<std::size_t>(code->param_bytes));
  const ptx::GridShape shape{
      .blocks = blocks, .threads = threads, .dynamic_shared = dynamic_shared, .state = &state};
  Launched made;
  made.result = ptx::run_grid(*image, *code, shape, params, *device, limits);
  made.printed = state.printed.text();
  for (const ptx::GridFault& fault : made.result.faults)
    made.fault += render(diagnostic_of(*module, thread_fault(fault, *code)), *sources);
  for (const ptx::AllowedFault& fault : state.faults)
    made.allowed.push_back(
        render(diagnostic_of(*module, thread_fault(fault, *code, shape), true), *sources));
  return made;
}

void says(const Launched& launched, std::initializer_list<const char*> parts) {
  INFO(launched.fault);
  REQUIRE(launched.result.faults.size() == 1);
  for (const char* const part : parts) {
    INFO(part);
    CHECK(launched.fault.find(part) != std::string::npos);
  }
}

} // namespace memlane::test
