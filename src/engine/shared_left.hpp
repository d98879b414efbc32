// What the blocks that have ended have left in the shared memories (configs/README.md section 6).
#pragma once

#include "budget.hpp"

#include "memlane/ir/program.hpp"
#include "memlane/machine/spec.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memlane {

/// Whether the array's words outlive a block: on an AGPU that is not volatile, a shared array that
/// is declared at the program's top level.
inline bool is_kept(const ir::Array& array, const MachineSpec& machine) {
  return !machine.is_volatile && array.space == ir::Space::shared && array.top_level;
}
/// Whether the program has such arrays.
bool keeps_shared_words(const ir::Program& program, const MachineSpec& machine);

/// By multiprocessor and shared array: which elements blocks that have ended had written, and in
/// which launch. Only for messages, so what does not fit the limit of memory is not noted.
class SharedLeft {
public:
  /// `written`: by element, 1 if the block has written it.
  void note(std::int64_t mp, std::int32_t array, std::int64_t launch,
            const std::vector<std::uint8_t>& written, Budget& budget);
  /// The last launch before which or in which a block that has ended wrote the element.
  std::optional<std::int64_t> writer(std::int64_t mp, std::int32_t array,
                                     std::int64_t element) const;

private:
  static constexpr std::uint32_t no_launch = 0; ///< others are 1 + their number
  std::map<std::pair<std::int64_t, std::int32_t>, std::vector<std::uint32_t>> launches_;
};

} // namespace memlane
