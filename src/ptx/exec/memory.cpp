#include "memory.hpp"

#include "places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace memlane::ptx {

/// The faster forms for most accesses are in accesses.hpp.
void load(Warp& warp, const Step& step) {
  const Operation& op = *step.op;
  const int bytes = bytes_of(op.type), count = op.lanes_of_vector;
  const bool sign = is_signed(op.type);
  if (step.kernel_param) {
    const std::uint8_t* const at = warp.memories->kernel_params + step.value;
    for (int k = 0; k < count; ++k) {
      const Place place = count == 1 ? step.d : step.elements[k];
      if (place < 0) continue;
      const std::uint64_t value = read_bytes(at + k * bytes, bytes, sign);
      if (step.bits_d == 64)
        for_lanes<std::uint64_t>(warp, place, [=](int) { return value; });
      else if (step.bits_d == 32)
        for_lanes<std::uint32_t>(warp, place,
                                 [=](int) { return static_cast<std::uint32_t>(value); });
      else
        for_lanes<std::uint16_t>(warp, place,
                                 [=](int) { return static_cast<std::uint16_t>(value); });
    }
    return;
  }
  Places places;
  if (!find_places(warp, step,
                   {op.space, step.a, step.bits_a, step.value, bytes * count, false, true}, places))
    return;
  if (places.unwritten.mask != 0) {
    warp.memories->unwritten = places.unwritten;
    warp.faulted = true;
  }
  for (int k = 0; k < count; ++k) {
    const Place place = count == 1 ? step.d : step.elements[k];
    if (place < 0) continue;
    for (int l = 0; l < warp_lanes; ++l) {
      if ((warp.mask >> l & 1) == 0) continue;
      const bool good = (places.mask >> l & 1) != 0;
      write_row(warp, place, step.bits_d, l,
                good ? read_bytes(places.at[l] + k * bytes, bytes, sign) : 0);
    }
  }
}

void store(Warp& warp, const Step& step) {
  const Operation& op = *step.op;
  const int bytes = bytes_of(op.type), count = op.lanes_of_vector;
  Places places;
  if (!find_places(warp, step, {op.space, step.b, step.bits_a, step.value, bytes * count, true},
                   places))
    return;
  // Of lanes that write the same word, the highest remains.
  for (int l = 0; l < warp_lanes; ++l)
    for (int k = 0; k < count; ++k)
      if ((places.mask >> l & 1) != 0) {
        const std::uint64_t value =
            read_row(warp, count == 1 ? step.a : step.elements[k], step.bits_d, l);
        std::memcpy(places.at[l] + k * bytes, &value, static_cast<std::size_t>(bytes));
      }
}

/// Lane l of matrix m reads 32 bits of row l / 4, whose address lane 8 m + l / 4 gives.
void load_matrix(Warp& warp, const Step& step) {
  const Words& words = step.op->words;
  const int matrices = words.has(Word::x4) ? 4 : words.has(Word::x2) ? 2 : 1;
  if (warp.mask != all_lanes) {
    report(warp, step,
           {FaultKind::absent, std::countr_zero(warp.mask), Space::generic, 0, 0, &step});
    return;
  }
  // Only these lanes have addresses.
  warp.mask = matrices == 4 ? all_lanes : (std::uint32_t{1} << (8 * matrices)) - 1;
  Places places;
  const bool good =
      find_places(warp, step, {step.op->space, step.a, step.bits_a, step.value, 16, false}, places);
  warp.mask = all_lanes;
  if (!good) return;
  std::uint32_t values[4][warp_lanes] = {};
  for (int m = 0; m < matrices; ++m)
    for (int l = 0; l < warp_lanes; ++l)
      for (int k = 0; k < 2; ++k) {
        const int row = words.has(Word::trans) ? 2 * (l % 4) + k : l / 4;
        const int column = words.has(Word::trans) ? l / 4 : 2 * (l % 4) + k;
        std::uint16_t one = 0;
        if ((places.mask >> (8 * m + row) & 1) != 0)
          std::memcpy(&one, places.at[8 * m + row] + 2 * column, 2);
        values[m][l] |= static_cast<std::uint32_t>(one) << (16 * k);
      }
  for (int m = 0; m < matrices; ++m) {
    const Place place = step.elements ? step.elements[m] : step.d;
    for (int l = 0; l < warp_lanes && place >= 0; ++l) write_row(warp, place, 32, l, values[m][l]);
  }
}

/// At once: what waits for it finds it done. Of `value` bytes, the last ones are zeros if the
/// source has fewer; a source without bytes is not looked at.
void copy_async(Warp& warp, const Step& step) {
  const auto bytes = static_cast<int>(step.value);
  const std::uint32_t mask = warp.mask;
  std::uint32_t have[warp_lanes] = {}, whole = 0, part = 0;
  for (int l = 0; l < warp_lanes; ++l) {
    if ((mask >> l & 1) == 0) continue;
    const auto most = static_cast<std::uint32_t>(bytes);
    have[l] = step.c < 0 ? most : std::min(source<std::uint32_t>(warp, step.c)[l], most);
    (have[l] == most ? whole : part) |= have[l] > 0 ? std::uint32_t{1} << l : 0;
  }
  Places from, to;
  warp.mask = whole;
  bool good = find_places(warp, step,
                          {Space::global, step.b, step.bits_a, step.offset, bytes, false}, from);
  for (std::uint32_t left = part; good && left != 0; left &= left - 1) {
    const int l = std::countr_zero(left);
    warp.mask = std::uint32_t{1} << l;
    good = find_places(
        warp, step,
        {Space::global, step.b, step.bits_a, step.offset, static_cast<int>(have[l]), false}, from);
  }
  warp.mask = mask;
  if (!good ||
      !find_places(warp, step, {Space::shared, step.a, step.bits_d, step.target, bytes, true}, to))
    return;
  for (int l = 0; l < warp_lanes; ++l) {
    if ((to.mask >> l & 1) == 0) continue;
    std::memset(to.at[l], 0, static_cast<std::size_t>(bytes));
    if ((from.mask >> l & 1) != 0) std::memcpy(to.at[l], from.at[l], have[l]);
  }
}

namespace {

template <class T>
void convert_addresses(Warp& warp, const Step& step) {
  const Memories& memories = *warp.memories;
  // Where the lanes' memories begin, and how far apart.
  std::uint64_t begin = 0, apart = 0;
  if (step.op->space == Space::shared) begin = reinterpret_cast<std::uint64_t>(memories.shared);
  if (step.op->space == Space::local) {
    begin = reinterpret_cast<std::uint64_t>(memories.local + memories.local_base);
    apart = static_cast<std::uint64_t>(memories.local_bytes);
  }
  if (step.op->space == Space::param) {
    begin = reinterpret_cast<std::uint64_t>(memories.params);
    apart = static_cast<std::uint64_t>(memories.param_bytes);
  }
  if (step.op->words.has(Word::to)) {
    begin = -begin;
    apart = -apart;
  }
  const T* const address = source<T>(warp, step.a);
  for_lanes<T>(warp, step.d, [=](int l) {
    return static_cast<T>(address[l] + begin + static_cast<std::uint64_t>(l) * apart);
  });
}

} // namespace

void convert_address(Warp& warp, const Step& step) {
  if (step.bits_d == 64)
    convert_addresses<std::uint64_t>(warp, step);
  else
    convert_addresses<std::uint32_t>(warp, step);
}

namespace {

template <class T>
void use_stack_of(Warp& warp, const Step& step) {
  const Memories& memories = *warp.memories;
  const std::int64_t most = memories.local_bytes - memories.local_base;
  const T* const given = step.a >= 0 ? source<T>(warp, step.a) : nullptr;
  const Opcode opcode = step.op->opcode;
  T begins[warp_lanes] = {};
  for (std::uint32_t left = warp.mask; left != 0; left &= left - 1) {
    const int l = std::countr_zero(left);
    std::int64_t& end = memories.stack[l];
    const std::int64_t begin =
        opcode == Opcode::alloca ? (end + step.value - 1) / step.value * step.value : end;
    begins[l] = static_cast<T>(begin);
    if (opcode == Opcode::stacksave) continue;
    // A stack that is restored is no larger than it was.
    const std::uint64_t room = static_cast<std::uint64_t>(
        opcode == Opcode::alloca ? std::max<std::int64_t>(most - begin, 0) : end);
    if (given[l] > room) {
      report(warp, step,
             {FaultKind::too_deep, l, Space::local, 0, 0, &step,
              opcode == Opcode::alloca
                  ? fmt::format("alloca of {} bytes, and {} of the thread's stack are left",
                                given[l], room)
                  : fmt::format("stackrestore of {}, and the stack ends at {}", given[l], room)});
      return;
    }
    end = static_cast<std::int64_t>(given[l]) + (opcode == Opcode::alloca ? begin : 0);
  }
  if (step.d >= 0) for_lanes<T>(warp, step.d, [&](int l) { return begins[l]; });
}

} // namespace

void use_stack(Warp& warp, const Step& step) {
  if (bits_of(step.op->type) == 64)
    use_stack_of<std::uint64_t>(warp, step);
  else
    use_stack_of<std::uint32_t>(warp, step);
}

void is_in_space(Warp& warp, const Step& step) {
  const Memories& memories = *warp.memories;
  const auto* const a = source<std::uint64_t>(warp, step.a);
  const auto inside = [&](std::uint64_t address, const std::uint8_t* begin, std::int64_t bytes) {
    return address - reinterpret_cast<std::uint64_t>(begin) < static_cast<std::uint64_t>(bytes);
  };
  set_predicate(warp, step.d, test_lanes([&](int l) {
                  const bool shared = inside(a[l], memories.shared, memories.shared_bytes);
                  const bool local =
                      inside(a[l], memories.local, memories.local_bytes * warp_lanes);
                  if (step.op->space == Space::shared) return shared;
                  if (step.op->space == Space::local) return local;
                  return step.op->space == Space::global && !shared && !local;
                }));
}

} // namespace memlane::ptx
