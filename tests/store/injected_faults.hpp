// Faults that tests inject into SQLite: the n-th write, sync or allocation fails, once or from then
// on.
#pragma once

#include <cstdint>
#include <string_view>

namespace memlane::store_test {

enum class FaultKind : std::uint8_t { write, sync, allocation };
constexpr FaultKind fault_kinds[] = {FaultKind::write, FaultKind::sync, FaultKind::allocation};
constexpr std::string_view name_of(FaultKind kind) {
  constexpr std::string_view names[] = {"write", "sync", "allocation"};
  return names[static_cast<std::size_t>(kind)];
}

/// While it lives, SQLite's files and memory go through it. No connection may be open when it
/// begins or ends.
class InjectedFaults {
public:
  InjectedFaults();
  ~InjectedFaults();
  InjectedFaults(const InjectedFaults&) = delete;
  InjectedFaults& operator=(const InjectedFaults&) = delete;

  /// The `number`-th operation of this kind from now on, from 1, fails, and with `stays` all
  /// behind.
  void arm(FaultKind kind, std::int64_t number, bool stays);
  /// Nothing fails any more; whether something has.
  bool disarm();
};

} // namespace memlane::store_test
