// A module ready to run: its variables have memory, its functions are steps.
#pragma once

#include "memory.hpp"
#include "textures.hpp"
#include "vectors.hpp"

#include "memlane/ptx/flow.hpp"
#include "memlane/ptx/module.hpp"

#include <cstdlib>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

namespace memlane::ptx {

/// A special register that a function reads: each warp has a row with its values.
struct UsedSpecial {
  Special special = Special::tid_x;
  std::int32_t offset = 0; ///< of its row
  int bits = 32;
};

struct Code {
  const Function* function = nullptr;
  std::int32_t number = 0; ///< index into Module::functions
  Flow flow;
  Frame frame;
  std::vector<Step> steps;
  std::deque<std::vector<Place>> elements; ///< of the steps' vectors
  std::vector<std::uint8_t> constants;     ///< rows that are not written
  // By variable: its offset in its space.
  std::vector<std::int64_t> offsets;
  std::int64_t shared_bytes = 0;  ///< static, of the function itself
  std::int64_t shared_begin = 0;  ///< kernels share a place: one is launched at a time
  std::int64_t static_shared = 0; ///< of a kernel: bytes that a block takes, with what it calls
  std::int64_t local_bytes = 0;   ///< of a lane, of the function itself
  std::int64_t own_bytes = 0;     ///< of a lane: local_bytes, and what alloca may take
  std::int64_t stack_bytes = 0;   ///< of a lane, with those of the functions that it calls
  std::int64_t param_bytes = 0;   ///< of a lane, in a call; of a kernel the parameters'
  bool addresses_params = false;  ///< a kernel that reads its parameters by their addresses
};

/// Functions of several modules that call each other are one image.
class Image {
public:
  /// `set`: whose functions execute the steps.
  explicit Image(const InstructionSet& set = best_handlers()) : set_(set) {}

  /// Lowers all functions of a module, and gives its variables memory. Refers to the module.
  /// Errors: a variable that nothing defines.
  Status load(const Module& module, DeviceMemory& device);
  /// The variables have their first values, in memory that kernels may access from now on.
  void begin(DeviceMemory& device);

  const Code* find(std::string_view function) const;
  const Code& code(std::int32_t function) const {
    return *codes_[static_cast<std::size_t>(function)];
  }
  /// The function at an address; -1: none.
  std::int32_t function_at(std::uint64_t address) const;
  /// The address of a variable in global or constant memory; null: none.
  std::uint8_t* variable(std::string_view name, std::int64_t* bytes = nullptr) const;
  /// The address in its space of a variable of the module, by Module::variables.
  std::uint64_t address_of_variable(std::size_t variable) const {
    return variables_[variable].address;
  }
  /// Where dynamic shared memory begins, behind all static variables.
  std::int64_t dynamic_begin() const { return dynamic_begin_; }
  /// Of all functions, and the bytes of their rows.
  const std::vector<UsedSpecial>& specials() const { return specials_; }
  std::int32_t special_bytes() const { return special_bytes_; }

private:
  void place_shared(const Module& module);
  void size_stacks();

  friend class Lowering;
  InstructionSet set_;
  const Module* module_ = nullptr;
  std::vector<std::unique_ptr<Code>> codes_; ///< by Module::functions
  /// Of calloc: pages of a large variable that nothing accesses take no memory.
  struct Freed {
    void operator()(std::uint8_t* memory) const { std::free(memory); }
  };
  struct Placed {
    std::unique_ptr<std::uint8_t[], Freed> memory; ///< null: shared, extern
    std::uint64_t address = 0;                     ///< in its space
    std::int64_t bytes = 0;
  };
  std::vector<Placed> variables_; ///< by Module::variables
  std::int64_t shared_bytes_ = 0; ///< of the module's variables and of device functions
  std::int64_t dynamic_begin_ = 0;
  std::vector<UsedSpecial> specials_;
  std::int32_t special_bytes_ = 0;
};

} // namespace memlane::ptx
