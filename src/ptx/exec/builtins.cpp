#include "builtins.hpp"

#include "print_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace memlane::ptx {

namespace {

/// Texts are at most so long: kernels that have lost their way print what has no end.
constexpr std::size_t most_text = 1 << 16;

std::uint64_t argument(const BuiltinCall& call, std::size_t number, int lane) {
  std::uint64_t bits = 0;
  if (number >= call.arguments.size()) return bits;
  const ParamPlace& place = call.arguments[number];
  std::memcpy(&bits, place.of_lane_0 + lane * place.stride,
              static_cast<std::size_t>(std::min<std::int64_t>(place.bytes, 8)));
  return bits;
}

/// The text that an address has, up to its zero. False: a byte is outside of all memory.
bool read_text(Memories& memories, std::uint64_t address, std::string& text) {
  for (; text.size() < most_text; ++address) {
    const std::uint8_t* const byte = readable(memories, address, 1);
    if (!byte) return false;
    if (*byte == 0) return true;
    text += static_cast<char>(*byte);
  }
  text += "…";
  return true;
}

bool fails(Warp& warp, const Step& step, int lane, std::uint64_t address, int bytes,
           std::string detail) {
  report(warp, step,
         {FaultKind::outside, lane, Space::generic, address, bytes, &step, std::move(detail)});
  return !warp.faulted;
}

/// One lane's printf. False: a fault that ends the launch.
bool print_lane(Warp& warp, const Step& step, const BuiltinCall& call, int lane) {
  Memories& memories = *warp.memories;
  std::string format, printed;
  const std::uint64_t format_at = argument(call, 0, lane);
  if (!read_text(memories, format_at, format))
    return fails(warp, step, lane, format_at, 1, "the format of printf");
  std::uint64_t next = argument(call, 1, lane);
  int arguments = 0;
  std::uint64_t bad = 0;
  const char* what = nullptr;
  // Arguments follow each other, aligned to their sizes.
  const auto take = [&](int bytes) -> std::uint64_t {
    const auto size = static_cast<std::uint64_t>(bytes);
    next = (next + size - 1) / size * size;
    const std::uint8_t* const at = readable(memories, next, size);
    std::uint64_t bits = 0;
    if (at)
      std::memcpy(&bits, at, size);
    else if (!what)
      what = "the arguments of printf", bad = next;
    next += size;
    ++arguments;
    return bits;
  };
  const auto text = [&](std::uint64_t address) {
    std::string read;
    if (address == 0) return std::string("(null)");
    if (!read_text(memories, address, read) && !what)
      what = "a text that printf prints", bad = address;
    return read;
  };
  printed = formatted(format, most_text, take, text);
  if (what && !fails(warp, step, lane, bad, 1, what)) return false;
  if (memories.launch) memories.launch->printed.add(memories.block, printed);
  for (const ParamPlace& result : call.results)
    std::memcpy(result.of_lane_0 + lane * result.stride, &arguments,
                static_cast<std::size_t>(std::min<std::int64_t>(result.bytes, 4)));
  return true;
}

/// malloc(bytes): null where the heap is full, as in CUDA.
bool allocate_lane(Warp& warp, const Step&, const BuiltinCall& call, int lane) {
  LaunchState* const launch = warp.memories->launch;
  const std::uint64_t bytes = argument(call, 0, lane);
  const std::uint64_t address =
      launch && launch->heap ? launch->heap->allocate(*launch->memory, bytes) : 0;
  if (address != 0 && warp.memories->observer)
    warp.memories->observer->allocates(warp, address, bytes);
  for (const ParamPlace& result : call.results)
    std::memcpy(result.of_lane_0 + lane * result.stride, &address,
                static_cast<std::size_t>(std::min<std::int64_t>(result.bytes, 8)));
  return true;
}

/// free(address): of nothing else than what malloc gave, or of null.
bool free_lane(Warp& warp, const Step& step, const BuiltinCall& call, int lane) {
  const LaunchState* const launch = warp.memories->launch;
  const std::uint64_t address = argument(call, 0, lane);
  if (address == 0 || (launch && launch->heap && launch->heap->free(*launch->memory, address)))
    return true;
  const DeviceMemory::Range* const range =
      launch && launch->heap ? launch->memory->find(address) : nullptr;
  report(warp, step,
         {range && range->freed ? FaultKind::freed : FaultKind::outside, lane, Space::generic,
          address, 1, &step, "free ends what malloc gave to kernels"});
  return !warp.faulted;
}

/// __assertfail(message, file, line, function, size of a character).
bool assert_lane(Warp& warp, const Step& step, const BuiltinCall& call, int lane) {
  std::string message, file, function;
  Memories& memories = *warp.memories;
  read_text(memories, argument(call, 0, lane), message);
  read_text(memories, argument(call, 1, lane), file);
  read_text(memories, argument(call, 3, lane), function);
  if (const std::size_t folder = file.rfind('/'); folder != file.npos) file.erase(0, folder + 1);
  report(warp, step,
         {FaultKind::asserted, lane, Space::generic, 0, 0, &step,
          fmt::format("{}:{}: {}: `{}`", file, static_cast<std::uint32_t>(argument(call, 2, lane)),
                      function, message)});
  return !warp.faulted;
}

} // namespace

const std::uint8_t* readable(Memories& memories, std::uint64_t address, std::uint64_t bytes) {
  const auto within = [&](const std::uint8_t* begin, std::int64_t size) {
    const std::uint64_t at = address - reinterpret_cast<std::uint64_t>(begin);
    return size > 0 && static_cast<std::uint64_t>(size) >= bytes &&
           at <= static_cast<std::uint64_t>(size) - bytes;
  };
  if (within(memories.shared, memories.shared_bytes) ||
      within(memories.local, memories.local_bytes * warp_lanes) ||
      is_accessible(memories, address, bytes))
    return reinterpret_cast<const std::uint8_t*>(address);
  return nullptr;
}

namespace {

/// A function of one lane. False: a fault that ends the launch.
using LaneFunction = bool (*)(Warp& warp, const Step& step, const BuiltinCall& call, int lane);

LaneFunction find_builtin(std::string_view name) {
  constexpr std::pair<std::string_view, LaneFunction> functions[] = {
      {"vprintf", print_lane},
      {"__assertfail", assert_lane},
      {"malloc", allocate_lane},
      {"free", free_lane},
  };
  for (const auto& [known, function] : functions)
    if (known == name) return function;
  return nullptr;
}

} // namespace

bool is_builtin(std::string_view function) { return find_builtin(function) != nullptr; }

bool execute_builtin(Warp& warp, const Step& step, const BuiltinCall& call) {
  if (const LaneFunction function = find_builtin(call.function)) {
    for (std::uint32_t left = warp.mask; left != 0; left &= left - 1)
      if (!function(warp, step, call, std::countr_zero(left))) return false;
    return true;
  }
  report(warp, step,
         {FaultKind::no_function, std::countr_zero(warp.mask), Space::generic, 0, 0, &step,
          std::string(call.function)});
  return false;
}

// --- what is printed

void Printed::add(std::int64_t block, std::string_view text) {
  if (text.empty()) return;
  if (bytes_ + static_cast<std::int64_t>(text.size()) > most_bytes) {
    ++lost_;
    return;
  }
  bytes_ += static_cast<std::int64_t>(text.size());
  if (!pieces_.empty() && pieces_.back().block == block)
    pieces_.back().text += text;
  else
    pieces_.push_back({block, std::string(text)});
}

std::string Printed::text() const {
  std::vector<const Piece*> sorted;
  for (const Piece& piece : pieces_) sorted.push_back(&piece);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Piece* a, const Piece* b) { return a->block < b->block; });
  std::string all;
  all.reserve(static_cast<std::size_t>(bytes_));
  for (const Piece* const piece : sorted) all += piece->text;
  return all;
}

} // namespace memlane::ptx
