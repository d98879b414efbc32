#include "memory.hpp"

#include <fmt/format.h>

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

const DeviceMemory::Range* DeviceMemory::before(std::uint64_t address) const {
  const auto after = ranges_.upper_bound(address);
  return after == ranges_.begin() ? nullptr : &std::prev(after)->second;
}

bool report(Warp& warp, const Step& step, Fault fault) {
  Memories& memories = *warp.memories;
  LaunchState* const launch = memories.launch;
  if (!launch || !launch->allowed[static_cast<std::size_t>(fault.kind)]) {
    if (fault.detail.empty() && memories.device &&
        (fault.kind == FaultKind::outside || fault.kind == FaultKind::freed) &&
        (fault.space == Space::global || fault.space == Space::constant)) {
      if (const DeviceMemory::Range* const near = memories.device->before(fault.address))
        fault.detail = fmt::format("{} {} before it has {} bytes from {:#x} on",
                                   near->name.empty() ? "the" : near->name,
                                   near->name.empty() ? "allocation" : "is a variable that",
                                   near->end - near->begin, near->begin);
    }
    memories.fault = std::move(fault);
    warp.faulted = true;
    return false;
  }
  const auto known = std::find_if(launch->faults.begin(), launch->faults.end(),
                                  [&](const AllowedFault& one) { return one.kind == fault.kind; });
  if (known != launch->faults.end()) {
    ++known->times;
    return true;
  }
  launch->faults.push_back({fault.kind, fault.lane, fault.space, fault.address, fault.bytes, &step,
                            memories.block, memories.warp, 1});
  return true;
}

bool is_accessible(Memories& memories, std::uint64_t address, std::uint64_t bytes) {
  const auto contains = [&](std::uint64_t begin, std::uint64_t end) {
    return address >= begin && end - begin >= bytes && address <= end - bytes;
  };
  for (const Memories::Known& known : memories.known)
    if (known.begin < known.end && contains(known.begin, known.end)) return true;
  const auto remember = [&](std::uint64_t begin, std::uint64_t end) {
    memories.known[memories.next_known++ % Memories::known_ranges] = {begin, end};
    return true;
  };
  const DeviceMemory::Range* const range = memories.device->find(address);
  if (range)
    return !range->freed && contains(range->begin, range->end) &&
           remember(range->begin, range->end);
  if (!memories.launch || !memories.launch->cooperative) return false;
  const auto begin = reinterpret_cast<std::uint64_t>(memories.launch->workspace);
  const std::uint64_t end = begin + sizeof memories.launch->workspace;
  return contains(begin, end) && remember(begin, end);
}

namespace {

/// The host's places of what lanes access.
struct Places {
  std::uint8_t* at[warp_lanes] = {};
  std::uint32_t mask = 0;  ///< lanes that access their place: those without a fault
  LaneAddresses unwritten; ///< of shared memory, which nothing has written
};

/// An operation's access: which operand has the addresses, and what it does there.
struct Access {
  Space space = Space::generic;
  Place base = -1;
  int bits = 64; ///< of the base's register
  std::int64_t offset = 0;
  int bytes = 4;
  bool writes = false;
  bool loads = false; ///< into registers: words that nothing has written are no fault yet
};

/// Checks the lanes of one access, space by space.
class Checker {
public:
  Checker(Warp& warp, const Step& step, const Access& access, Places& places)
      : warp_(warp), memories_(*warp.memories), step_(step), access_(access), places_(places),
        size_(static_cast<std::uint64_t>(access.bytes)) {}

  /// False: no lane may go on.
  bool check() {
    std::uint32_t shared = 0, local = 0;
    std::uint32_t left = warp_.mask;
    lanes_.bytes = access_.bytes;
    for (int l = 0; l < warp_lanes; ++l) {
      const std::uint32_t bit = std::uint32_t{1} << l;
      if ((warp_.mask & bit) == 0) continue;
      std::uint64_t address = (access_.bits == 32 ? source<std::uint32_t>(warp_, access_.base)[l]
                                                  : source<std::uint64_t>(warp_, access_.base)[l]) +
                              static_cast<std::uint64_t>(access_.offset);
      if (access_.bits == 32) address &= 0xffffffff;
      lanes_.address[l] = address;
      if ((address & (size_ - 1)) != 0 && std::has_single_bit(size_)) {
        left &= ~bit;
        if (!fault(FaultKind::misaligned, l, access_.space)) return false;
      } else if (access_.space == Space::generic) {
        // Shared and local memory are windows of the host's addresses.
        if (address - begin_of(memories_.shared) <
            static_cast<std::uint64_t>(memories_.shared_bytes)) {
          shared |= bit;
          lanes_.address[l] -= begin_of(memories_.shared);
        } else if (address - begin_of(memories_.local) <
                   static_cast<std::uint64_t>(memories_.local_bytes) * warp_lanes) {
          local |= bit;
        }
      }
    }
    if (access_.space != Space::generic) return serve(access_.space, left);
    return serve(Space::shared, left & shared) && serve_any_local(left & local) &&
           serve(Space::global, left & ~(shared | local));
  }

private:
  static std::uint64_t begin_of(const std::uint8_t* memory) {
    return reinterpret_cast<std::uint64_t>(memory);
  }
  bool fault(FaultKind kind, int lane, Space space) {
    return report(warp_, step_, {kind, lane, space, lanes_.address[lane], access_.bytes, &step_});
  }
  bool is_within(std::uint64_t address, std::int64_t end) const {
    return static_cast<std::uint64_t>(end) >= size_ &&
           address <= static_cast<std::uint64_t>(end) - size_;
  }

  /// The place in its space; null: there is none.
  std::uint8_t* place(Space space, int lane) {
    const std::uint64_t address = lanes_.address[lane];
    switch (space) {
    case Space::shared:
      return is_within(address, memories_.shared_bytes) ? memories_.shared + address : nullptr;
    case Space::local: {
      const std::uint64_t at = address + static_cast<std::uint64_t>(memories_.local_base);
      return is_within(at, memories_.local_bytes)
                 ? memories_.local + lane * memories_.local_bytes + at
                 : nullptr;
    }
    case Space::param:
      return is_within(address, memories_.param_bytes)
                 ? memories_.params + lane * memories_.param_bytes + address
                 : nullptr;
    default:
      // A kernel's parameters have generic addresses, too (cvta.param).
      if (!access_.writes && access_.space == Space::generic &&
          is_within(address - begin_of(memories_.params), memories_.param_bytes * warp_lanes))
        return reinterpret_cast<std::uint8_t*>(address);
      return is_accessible(memories_, address, size_) ? reinterpret_cast<std::uint8_t*>(address)
                                                      : nullptr;
    }
  }

  bool serve(Space space, std::uint32_t mask) {
    if (mask == 0) return true;
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
      const int l = std::countr_zero(left);
      places_.at[l] = place(space, l);
      if (places_.at[l]) continue;
      mask &= ~(std::uint32_t{1} << l);
      const DeviceMemory::Range* const range = memories_.device->find(lanes_.address[l]);
      const bool freed =
          (space == Space::global || space == Space::constant) && range && range->freed;
      if (!fault(freed ? FaultKind::freed : FaultKind::outside, l, space)) return false;
    }
    if (space == Space::shared && memories_.shared_words && memories_.shared_words->left > 0 &&
        !note_words(mask))
      return false;
    if (mask != 0 && (space == Space::global || space == Space::shared))
      memories_.writes += access_.writes ? 1 : 0;
    if (memories_.observer && mask != 0 && (space == Space::global || space == Space::shared)) {
      lanes_.space = space;
      lanes_.mask = mask;
      memories_.observer->accesses(warp_, step_, lanes_);
    }
    places_.mask |= mask;
    return true;
  }

  /// Local memory by generic addresses: a lane's own, or another one's.
  bool serve_any_local(std::uint32_t mask) {
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
      const int l = std::countr_zero(left);
      const std::uint64_t at = lanes_.address[l] - begin_of(memories_.local);
      if (!is_within(at, memories_.local_bytes * warp_lanes)) {
        if (!fault(FaultKind::outside, l, Space::generic)) return false;
        continue;
      }
      places_.at[l] = memories_.local + at;
      places_.mask |= std::uint32_t{1} << l;
    }
    return true;
  }

  bool note_words(std::uint32_t mask) {
    SharedWords& words = *memories_.shared_words;
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
      const int l = std::countr_zero(left);
      if (access_.writes)
        words.write(lanes_.address[l], size_);
      else if (!words.has(lanes_.address[l], size_) && !note_unwritten(l))
        return false;
    }
    return true;
  }

  bool note_unwritten(int lane) {
    constexpr FaultKind kind = FaultKind::uninitialised;
    const bool counts =
        memories_.launch && memories_.launch->allowed[static_cast<std::size_t>(kind)];
    if (!access_.loads || counts) return fault(kind, lane, Space::shared);
    places_.unwritten.space = Space::shared;
    places_.unwritten.bytes = access_.bytes;
    places_.unwritten.mask |= std::uint32_t{1} << lane;
    places_.unwritten.address[lane] = lanes_.address[lane];
    return true;
  }

  Warp& warp_;
  Memories& memories_;
  const Step& step_;
  const Access& access_;
  Places& places_;
  std::uint64_t size_;
  LaneAddresses lanes_;
};

/// Finds and checks the places of an operation's lanes; false: there is a fault.
bool find_places(Warp& warp, const Step& step, const Access& access, Places& places) {
  return Checker(warp, step, access, places).check();
}

#include "halves.hpp"

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

} // namespace

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
    if ((places.mask >> l & 1) == 0) continue;
    T old{};
    std::memcpy(&old, places.at[l], sizeof(T));
    const T b = source<T>(warp, step.b)[l];
    const T c = step.c >= 0 ? source<T>(warp, step.c)[l] : b;
    const T now = updated(step.op->words, old, b, c);
    std::memcpy(places.at[l], &now, sizeof(T));
    if (step.d >= 0) destination<T>(warp, step.d)[l] = old;
  }
}

/// `atom.add` of f16 and bf16, one or two of them.
template <class Format>
std::uint32_t sum_of_halves(std::uint32_t a, std::uint32_t b) {
  std::uint32_t sum = 0;
  for (int k = 0; k < 32; k += 16) {
    const double x = Format::to(static_cast<std::uint16_t>(a >> k));
    const double y = Format::to(static_cast<std::uint16_t>(b >> k));
    sum |= static_cast<std::uint32_t>(Format::of(odd_fma(x, 1, y))) << k;
  }
  return sum;
}
void update_halves(Warp& warp, const Step& step, const Places& places) {
  const Type type = step.op->type;
  const bool brain = type == Type::bf16 || type == Type::bf16x2;
  const int bits = bits_of(type);
  for (int l = 0; l < warp_lanes; ++l) {
    if ((places.mask >> l & 1) == 0) continue;
    const auto old = static_cast<std::uint32_t>(read_bytes(places.at[l], bits / 8, false));
    const auto b = static_cast<std::uint32_t>(read_row(warp, step.b, bits, l));
    const std::uint32_t now = brain ? sum_of_halves<Brain>(old, b) : sum_of_halves<Half>(old, b);
    std::memcpy(places.at[l], &now, static_cast<std::size_t>(bits / 8));
    if (step.d >= 0) write_row(warp, step.d, bits, l, old);
  }
}

} // namespace

/// Sources are in b and c, the address in a.
void atomic(Warp& warp, const Step& step) {
  const Operation& op = *step.op;
  Places places;
  if (!find_places(warp, step, {op.space, step.a, step.bits_a, step.value, bytes_of(op.type), true},
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
  default: return update_halves(warp, step, places);
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
      begin = reinterpret_cast<std::uint64_t>(memories.local + l * memories.local_bytes +
                                              memories.local_base);
    if (step.op->space == Space::param)
      begin = reinterpret_cast<std::uint64_t>(memories.params + l * memories.param_bytes);
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
