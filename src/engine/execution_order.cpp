#include "execution_order.hpp"

#include "memlane/support/random.hpp"

#include <algorithm>
#include <numeric>

namespace memlane {

namespace {

/// Not one of the streams of `Draws`, whose upper bits are small.
std::uint64_t stream_of_order(const OrderOf& of) {
  std::uint64_t stream = 0x6f72646572000000;
  for (const std::int64_t part : of)
    stream = random_bits(stream, static_cast<std::uint64_t>(part), 0);
  return stream;
}

} // namespace

std::vector<std::int64_t> execution_order(const RunOptions* options, std::int64_t count,
                                          const OrderOf& of) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  if (!options || options->atomics == ExecutionOrder::rising) return order;
  std::reverse(order.begin(), order.end());
  if (options->atomics == ExecutionOrder::reversed) return order;
  const std::uint64_t stream = stream_of_order(of);
  for (std::int64_t k = count - 1; k > 0; --k)
    std::swap(order[static_cast<std::size_t>(k)],
              order[static_cast<std::size_t>(
                  random_integer(options->seed, stream, static_cast<std::uint64_t>(k), 0, k))]);
  return order;
}

ir::Value updated(const ir::Instruction& in, ir::Value before, ir::Value operand,
                  ir::Value expected) {
  const auto combined = [&](ir::Opcode op) {
    return ir::apply(op, in.type, before, operand, {}, in.type).value;
  };
  switch (in.op) {
  case ir::Opcode::atomic_add: return combined(ir::Opcode::add);
  case ir::Opcode::atomic_sub: return combined(ir::Opcode::sub);
  case ir::Opcode::atomic_min: return combined(ir::Opcode::min);
  case ir::Opcode::atomic_max: return combined(ir::Opcode::max);
  case ir::Opcode::atomic_and: return combined(ir::Opcode::bit_and);
  case ir::Opcode::atomic_or: return combined(ir::Opcode::bit_or);
  case ir::Opcode::atomic_xor: return combined(ir::Opcode::bit_xor);
  case ir::Opcode::atomic_cas: return before == expected ? operand : before;
  default: return operand; // exchange
  }
}

} // namespace memlane
