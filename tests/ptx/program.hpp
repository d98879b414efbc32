// Kernels of a PTX text that tests launch, and memory for them.
#pragma once

#include "exec/grid_faults.hpp"
#include "exec/run_grid.hpp"

#include "memlane/ptx/fault.hpp"
#include "memlane/support/diagnostic.hpp"

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace memlane::test {

/// What a launch says, as text.
struct Launched {
  ptx::GridResult result;
  std::string printed;
  std::string fault; ///< rendered; empty: none
  std::vector<std::string> allowed;
};

/// The launch has one fault, and its text these parts.
void says(const Launched& launched, std::initializer_list<const char*> parts);

class Program {
public:
  /// Decodes and lowers a text; errors are a failure of the test.
  Program(std::string path, std::string text,
          const ptx::InstructionSet& set = ptx::best_handlers());
  /// `tests/ptx/kernels/NAME.ptx`
  static Program of_kernels(const std::string& name,
                            const ptx::InstructionSet& set = ptx::best_handlers());

  /// Memory that kernels may access.
  template <class T>
  void give(std::vector<T>& array) {
    device->add(reinterpret_cast<std::uint64_t>(array.data()), array.size() * sizeof(T));
  }
  /// Launches with arguments: vectors are given as pointers.
  template <class... Arguments>
  Launched launch(const std::string& kernel, ptx::Dim3 blocks, ptx::Dim3 threads,
                  const Arguments&... arguments) {
    std::vector<std::uint8_t> params;
    (append(params, arguments), ...);
    return launch_with(kernel, blocks, threads, std::move(params));
  }

  ptx::LaunchState state; ///< of the next launches
  std::int64_t dynamic_shared = 0;
  Limits limits;
  // Moved as a whole: they refer to each other.
  std::unique_ptr<Sources> sources;
  std::unique_ptr<ptx::Module> module;
  std::unique_ptr<ptx::DeviceMemory> device;
  std::unique_ptr<ptx::Image> image;

private:
  Launched launch_with(const std::string& kernel, ptx::Dim3 blocks, ptx::Dim3 threads,
                       std::vector<std::uint8_t> params);
  template <class T>
  static void append(std::vector<std::uint8_t>& params, const std::vector<T>& array) {
    append(params, reinterpret_cast<std::uint64_t>(array.data()));
  }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  static void append(std::vector<std::uint8_t>& params, T value) {
    params.resize((params.size() + alignof(T) - 1) / alignof(T) * alignof(T));
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&value);
    params.insert(params.end(), bytes, bytes + sizeof(T));
  }
};

} // namespace memlane::test
