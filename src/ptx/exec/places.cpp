// Which memory an address is in, and what is wrong with it.
#include "places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace memlane::ptx {

void DeviceMemory::add(std::uint64_t begin, std::uint64_t bytes, std::string name) {
  ++changes_;
  const std::uint64_t end = begin + bytes;
  auto at = ranges_.lower_bound(begin);
  if (at != ranges_.begin() && std::prev(at)->second.end > begin) --at;
  while (at != ranges_.end() && at->second.begin < end) at = ranges_.erase(at);
  ranges_[begin] = {begin, end, false, std::move(name)};
}

bool DeviceMemory::free(std::uint64_t begin) {
  const auto at = ranges_.find(begin);
  if (at == ranges_.end() || at->second.freed || !at->second.name.empty()) return false;
  ++changes_;
  at->second.freed = true;
  return true;
}

void DeviceMemory::clear() {
  ++changes_;
  ranges_.clear();
  objects.clear();
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

const DeviceMemory::Range* DeviceMemory::behind(std::uint64_t address) const {
  const auto after = ranges_.upper_bound(address);
  return after == ranges_.end() ? nullptr : &after->second;
}

namespace {

/// Which memory is near an address that is in none.
std::string neighbour_of(std::uint64_t address, const DeviceMemory& device) {
  constexpr std::uint64_t nearest = std::uint64_t{1} << 20;
  const DeviceMemory::Range* const before = device.before(address);
  const DeviceMemory::Range* const behind = device.behind(address);
  // A freed allocation has the address.
  const std::uint64_t from_end = !before                 ? nearest
                                 : address < before->end ? 0
                                                         : address - before->end;
  const std::uint64_t to_begin = behind ? behind->begin - address : nearest;
  const bool is_behind = to_begin < from_end;
  const DeviceMemory::Range* const near = is_behind ? behind : before;
  if (std::min(from_end, to_begin) >= nearest)
    return "no allocation is near; is it a null pointer, or one of the host?";
  const std::string name =
      near->name.empty() ? "allocation" : fmt::format("variable {}", near->name);
  if (is_behind)
    return fmt::format("{} bytes before the {} of {} bytes from {:#x} on", to_begin, name,
                       near->end - near->begin, near->begin);
  return fmt::format("the {} before it has {} bytes from {:#x} on", name, near->end - near->begin,
                     near->begin);
}

} // namespace

bool report(Warp& warp, const Step& step, Fault fault) {
  Memories& memories = *warp.memories;
  LaunchState* const launch = memories.launch;
  if (!launch || !launch->allowed[static_cast<std::size_t>(fault.kind)]) {
    if (fault.detail.empty() && memories.device &&
        (fault.kind == FaultKind::outside || fault.kind == FaultKind::freed) &&
        (fault.space == Space::global || fault.space == Space::constant))
      fault.detail = neighbour_of(fault.address, *memories.device);
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
      if (access_.writes && !access_.loads)
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

} // namespace

bool find_places(Warp& warp, const Step& step, const Access& access, Places& places) {
  return Checker(warp, step, access, places).check();
}

} // namespace memlane::ptx
