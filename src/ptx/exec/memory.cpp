#include "memory.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace memlane::ptx {

void DeviceMemory::add(std::uint64_t begin, std::uint64_t bytes, std::string name) {
  const std::uint64_t end = begin + bytes;
  auto at = ranges_.lower_bound(begin);
  if (at != ranges_.begin() && std::prev(at)->second.end > begin) --at;
  while (at != ranges_.end() && at->second.begin < end) at = ranges_.erase(at);
  ranges_[begin] = {begin, end, false, std::move(name)};
}

bool DeviceMemory::free(std::uint64_t begin) {
  const auto at = ranges_.find(begin);
  if (at == ranges_.end() || at->second.freed || !at->second.name.empty()) return false;
  at->second.freed = true;
  return true;
}

const DeviceMemory::Range* DeviceMemory::find(std::uint64_t address) const {
  auto after = ranges_.upper_bound(address);
  if (after == ranges_.begin()) return nullptr;
  const Range& range = std::prev(after)->second;
  return address < range.end ? &range : nullptr;
}

namespace {

bool fail(Warp& warp, const Step& step, FaultKind kind, int lane, Space space,
          std::uint64_t address, int bytes) {
  warp.memories->fault = {kind, lane, space, address, bytes, &step};
  return false;
}

/// The host's places of what the active lanes access.
struct Places {
  std::uint8_t* at[warp_lanes] = {};
};

std::uint64_t base_of(const Warp& warp, const Step& step, Place place, int bits, int lane) {
  const std::uint64_t base = bits == 32 ? source<std::uint32_t>(warp, place)[lane]
                                        : source<std::uint64_t>(warp, place)[lane];
  (void)step;
  return base;
}

bool in_device(Warp& warp, const Step& step, const LaneAddresses& lanes) {
  Memories& memories = *warp.memories;
  std::uint64_t least = ~std::uint64_t{0}, most = 0;
  for (int l = 0; l < warp_lanes; ++l)
    if ((lanes.mask >> l & 1) != 0) {
      least = std::min(least, lanes.address[l]);
      most = std::max(most, lanes.address[l]);
    }
  const auto bytes = static_cast<std::uint64_t>(lanes.bytes);
  const auto contains = [&](const DeviceMemory::Range& range, std::uint64_t first,
                            std::uint64_t last) {
    return !range.freed && first >= range.begin && last <= range.end - bytes &&
           range.end - range.begin >= bytes;
  };
  if (contains(memories.last, least, most)) return true;
  for (int l = 0; l < warp_lanes; ++l) {
    if ((lanes.mask >> l & 1) == 0 || contains(memories.last, lanes.address[l], lanes.address[l]))
      continue;
    const DeviceMemory::Range* const range = memories.device->find(lanes.address[l]);
    if (!range || !contains(*range, lanes.address[l], lanes.address[l]))
      return fail(warp, step, range && range->freed ? FaultKind::freed : FaultKind::outside, l,
                  Space::global, lanes.address[l], lanes.bytes);
    memories.last = *range;
  }
  return true;
}

/// Finds and checks the places of an operation's lanes; false: there is a fault.
bool find_places(Warp& warp, const Step& step, Space space, Place base, int bits,
                 std::int64_t offset, int bytes, bool writes, Places& places) {
  Memories& memories = *warp.memories;
  LaneAddresses lanes;
  lanes.bytes = bytes;
  lanes.mask = warp.mask;
  lanes.space = space;
  const auto shared_begin = reinterpret_cast<std::uint64_t>(memories.shared);
  const auto local_begin = reinterpret_cast<std::uint64_t>(memories.local);
  std::uint32_t shared = 0, local = 0;
  for (int l = 0; l < warp_lanes; ++l) {
    if ((warp.mask >> l & 1) == 0) continue;
    std::uint64_t address = base_of(warp, step, base, bits, l) + static_cast<std::uint64_t>(offset);
    if (bits == 32) address &= 0xffffffff;
    if ((address & static_cast<std::uint64_t>(bytes - 1)) != 0 &&
        std::has_single_bit(static_cast<unsigned>(bytes)))
      return fail(warp, step, FaultKind::misaligned, l, space, address, bytes);
    const std::uint32_t bit = std::uint32_t{1} << l;
    if (space == Space::generic) {
      // Shared and local memory are windows of the host's addresses.
      if (address - shared_begin < static_cast<std::uint64_t>(memories.shared_bytes)) {
        shared |= bit;
        address -= shared_begin;
      } else if (address - local_begin <
                 static_cast<std::uint64_t>(memories.local_bytes) * warp_lanes) {
        local |= bit;
      }
    }
    lanes.address[l] = address;
  }
  const auto serve = [&](Space of, std::uint32_t mask) {
    if (mask == 0) return true;
    LaneAddresses part = lanes;
    part.space = of;
    part.mask = mask;
    const auto size = static_cast<std::uint64_t>(bytes);
    for (int l = 0; l < warp_lanes; ++l) {
      if ((mask >> l & 1) == 0) continue;
      const std::uint64_t address = part.address[l];
      const auto within = [&](std::int64_t end) {
        return static_cast<std::uint64_t>(end) >= size &&
               address <= static_cast<std::uint64_t>(end) - size;
      };
      switch (of) {
      case Space::shared:
        if (!within(memories.shared_bytes))
          return fail(warp, step, FaultKind::outside, l, of, address, bytes);
        places.at[l] = memories.shared + address;
        break;
      case Space::local:
        if (!within(memories.local_bytes))
          return fail(warp, step, FaultKind::outside, l, of, address, bytes);
        places.at[l] = memories.local + l * memories.local_bytes + address;
        break;
      case Space::param:
        if (!within(memories.param_bytes))
          return fail(warp, step, FaultKind::outside, l, of, address, bytes);
        places.at[l] = memories.params + l * memories.param_bytes + address;
        break;
      default: places.at[l] = reinterpret_cast<std::uint8_t*>(address);
      }
    }
    if ((of == Space::global || of == Space::constant) && !in_device(warp, step, part))
      return false;
    if (of == Space::shared && memories.written) {
      for (int l = 0; l < warp_lanes; ++l)
        for (std::uint64_t word = part.address[l] / 4;
             (mask >> l & 1) != 0 && word <= (part.address[l] + size - 1) / 4; ++word) {
          std::uint8_t& known = (*memories.written)[word];
          if (!writes && !known)
            return fail(warp, step, FaultKind::uninitialised, l, of, part.address[l], bytes);
          if (writes) known = 1;
        }
    }
    if (of != Space::global && of != Space::shared) return true;
    memories.writes += writes ? 1 : 0;
    if (memories.observer) memories.observer->accesses(warp, step, part);
    return true;
  };
  if (space != Space::generic) return serve(space, warp.mask);
  for (int l = 0; l < warp_lanes; ++l) // a lane's own local memory, or another's
    if ((local >> l & 1) != 0) {
      lanes.address[l] -= local_begin + static_cast<std::uint64_t>(l * memories.local_bytes);
    }
  return serve(Space::shared, shared) && serve(Space::local, local) &&
         serve(Space::global, warp.mask & ~(shared | local));
}

/// The bits of a value of `bytes` bytes in memory.
std::uint64_t read_bytes(const std::uint8_t* at, int bytes, bool sign) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, static_cast<std::size_t>(bytes));
  if (sign && bytes < 8 && (bits >> (8 * bytes - 1) & 1) != 0)
    bits |= ~std::uint64_t{0} << (8 * bytes);
  return bits;
}
std::uint64_t read_row(const Warp& warp, Place place, int bits, int lane) {
  if (bits == 16) return source<std::uint16_t>(warp, place)[lane];
  return bits == 32 ? source<std::uint32_t>(warp, place)[lane]
                    : source<std::uint64_t>(warp, place)[lane];
}
void write_row(Warp& warp, Place place, int bits, int lane, std::uint64_t value) {
  if (bits == 16)
    destination<std::uint16_t>(warp, place)[lane] = static_cast<std::uint16_t>(value);
  else if (bits == 32)
    destination<std::uint32_t>(warp, place)[lane] = static_cast<std::uint32_t>(value);
  else
    destination<std::uint64_t>(warp, place)[lane] = value;
}

/// A row of words from memory, where all lanes access words that follow each other.
template <class T>
bool load_contiguous(Warp& warp, const Step& step, const Places& places) {
  if (warp.mask != all_lanes) return false;
  for (int l = 1; l < warp_lanes; ++l)
    if (places.at[l] != places.at[0] + l * sizeof(T)) return false;
  std::memcpy(destination<T>(warp, step.d), places.at[0], warp_lanes * sizeof(T));
  return true;
}
template <class T>
bool store_contiguous(Warp& warp, const Step& step, const Places& places) {
  if (warp.mask != all_lanes) return false;
  for (int l = 1; l < warp_lanes; ++l)
    if (places.at[l] != places.at[0] + l * sizeof(T)) return false;
  std::memcpy(places.at[0], source<T>(warp, step.a), warp_lanes * sizeof(T));
  return true;
}

} // namespace

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
      for (int l = 0; l < warp_lanes; ++l)
        if ((warp.mask >> l & 1) != 0) write_row(warp, place, step.bits_d, l, value);
    }
    return;
  }
  Places places;
  if (!find_places(warp, step, op.space, step.a, step.bits_a, step.value, bytes * count, false,
                   places))
    return;
  if (count == 1 && step.bits_d == 8 * bytes) {
    if (bytes == 4 && load_contiguous<std::uint32_t>(warp, step, places)) return;
    if (bytes == 8 && load_contiguous<std::uint64_t>(warp, step, places)) return;
  }
  for (int k = 0; k < count; ++k) {
    const Place place = count == 1 ? step.d : step.elements[k];
    if (place < 0) continue;
    for (int l = 0; l < warp_lanes; ++l)
      if ((warp.mask >> l & 1) != 0)
        write_row(warp, place, step.bits_d, l, read_bytes(places.at[l] + k * bytes, bytes, sign));
  }
}

void store(Warp& warp, const Step& step) {
  const Operation& op = *step.op;
  const int bytes = bytes_of(op.type), count = op.lanes_of_vector;
  Places places;
  if (!find_places(warp, step, op.space, step.b, step.bits_a, step.value, bytes * count, true,
                   places))
    return;
  if (count == 1 && step.bits_d == 8 * bytes) {
    if (bytes == 4 && store_contiguous<std::uint32_t>(warp, step, places)) return;
    if (bytes == 8 && store_contiguous<std::uint64_t>(warp, step, places)) return;
  }
  // Of lanes that write the same word, the highest remains.
  for (int l = 0; l < warp_lanes; ++l)
    for (int k = 0; k < count; ++k)
      if ((warp.mask >> l & 1) != 0) {
        const std::uint64_t value =
            read_row(warp, count == 1 ? step.a : step.elements[k], step.bits_d, l);
        std::memcpy(places.at[l] + k * bytes, &value, static_cast<std::size_t>(bytes));
      }
}

namespace {

template <class T>
T updated(const Words& words, T old, T b, T c) {
  if (words.has(Word::exch)) return b;
  if (words.has(Word::cas)) return old == b ? c : old;
  if (words.has(Word::add)) {
    if constexpr (std::is_floating_point_v<T>)
      return old + b;
    else
      return static_cast<T>(static_cast<std::make_unsigned_t<T>>(old) +
                            static_cast<std::make_unsigned_t<T>>(b));
  }
  if (words.has(Word::min)) return std::min(old, b);
  if (words.has(Word::max)) return std::max(old, b);
  if constexpr (!std::is_floating_point_v<T>) {
    if (words.has(Word::inc)) return old >= b ? T{0} : static_cast<T>(old + 1);
    if (words.has(Word::dec)) return old == 0 || old > b ? b : static_cast<T>(old - 1);
    if (words.has(Word::and_)) return static_cast<T>(old & b);
    if (words.has(Word::or_)) return static_cast<T>(old | b);
    if (words.has(Word::xor_)) return static_cast<T>(old ^ b);
  }
  return old;
}

/// Lane by lane, in rising order.
template <class T>
void update_lanes(Warp& warp, const Step& step, const Places& places) {
  for (int l = 0; l < warp_lanes; ++l) {
    if ((warp.mask >> l & 1) == 0) continue;
    T old{};
    std::memcpy(&old, places.at[l], sizeof(T));
    const T b = source<T>(warp, step.b)[l];
    const T c = step.c >= 0 ? source<T>(warp, step.c)[l] : b;
    const T now = updated(step.op->words, old, b, c);
    std::memcpy(places.at[l], &now, sizeof(T));
    if (step.d >= 0) destination<T>(warp, step.d)[l] = old;
  }
}

} // namespace

/// Sources are in b and c, the address in a.
void atomic(Warp& warp, const Step& step) {
  const Operation& op = *step.op;
  Places places;
  if (!find_places(warp, step, op.space, step.a, step.bits_a, step.value, bytes_of(op.type), true,
                   places))
    return;
  switch (op.type) {
  case Type::b16: return update_lanes<std::uint16_t>(warp, step, places);
  case Type::b32:
  case Type::u32: return update_lanes<std::uint32_t>(warp, step, places);
  case Type::s32: return update_lanes<std::int32_t>(warp, step, places);
  case Type::b64:
  case Type::u64: return update_lanes<std::uint64_t>(warp, step, places);
  case Type::s64: return update_lanes<std::int64_t>(warp, step, places);
  case Type::f32: return update_lanes<float>(warp, step, places);
  case Type::f64: return update_lanes<double>(warp, step, places);
  default: return step.half_update(warp, step, places.at);
  }
}

/// Lane l of matrix m reads 32 bits of row l / 4, whose address lane 8 m + l / 4 gives.
void load_matrix(Warp& warp, const Step& step) {
  const Words& words = step.op->words;
  const int matrices = words.has(Word::x4) ? 4 : words.has(Word::x2) ? 2 : 1;
  Places places;
  if (!find_places(warp, step, step.op->space, step.a, step.bits_a, step.value, 16, false, places))
    return;
  for (int m = 0; m < matrices; ++m) {
    const Place place = matrices == 1 && step.d >= 0 ? step.d : step.elements[m];
    if (place < 0) continue;
    for (int l = 0; l < warp_lanes; ++l) {
      std::uint16_t pair[2] = {};
      for (int k = 0; k < 2; ++k) {
        const int row = words.has(Word::trans) ? 2 * (l % 4) + k : l / 4;
        const int column = words.has(Word::trans) ? l / 4 : 2 * (l % 4) + k;
        std::memcpy(&pair[k], places.at[8 * m + row] + 2 * column, 2);
      }
      write_row(warp, place, 32, l, static_cast<std::uint32_t>(pair[1]) << 16 | pair[0]);
    }
  }
}

/// At once: what waits for it finds it done. `e` bytes, of which the last ones are zeros if the
/// source has fewer.
void copy_async(Warp& warp, const Step& step) {
  const auto bytes = static_cast<int>(step.value);
  Places from, to;
  if (!find_places(warp, step, Space::global, step.b, step.bits_a, step.offset, bytes, false,
                   from) ||
      !find_places(warp, step, Space::shared, step.a, step.bits_d, step.target, bytes, true, to))
    return;
  for (int l = 0; l < warp_lanes; ++l) {
    if ((warp.mask >> l & 1) == 0) continue;
    const std::uint32_t have = step.c < 0
                                   ? static_cast<std::uint32_t>(bytes)
                                   : std::min<std::uint32_t>(source<std::uint32_t>(warp, step.c)[l],
                                                             static_cast<std::uint32_t>(bytes));
    std::memset(to.at[l], 0, static_cast<std::size_t>(bytes));
    std::memcpy(to.at[l], from.at[l], have);
  }
}

void convert_address(Warp& warp, const Step& step) {
  const Memories& memories = *warp.memories;
  const bool to_space = step.op->words.has(Word::to);
  const bool wide = step.bits_d == 64;
  for (int l = 0; l < warp_lanes; ++l) {
    if ((warp.mask >> l & 1) == 0) continue;
    std::uint64_t address = read_row(warp, step.a, wide ? 64 : 32, l);
    std::uint64_t begin = 0;
    if (step.op->space == Space::shared) begin = reinterpret_cast<std::uint64_t>(memories.shared);
    if (step.op->space == Space::local)
      begin = reinterpret_cast<std::uint64_t>(memories.local + l * memories.local_bytes);
    address = to_space ? address - begin : address + begin;
    write_row(warp, step.d, step.bits_d, l, address);
  }
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
