// How two results of one run differ.
#pragma once

#include "memlane/engine/simulate.hpp"

#include <sstream>
#include <string>

namespace memlane::test {

/// Collects what is not equal, a line each: what was found, and what the reference has.
class Difference {
public:
  template <class T>
  void compare(const std::string& what, const T& found, const T& reference) {
    if (found == reference) return;
    std::ostringstream text;
    text << what << ": " << found << ", the reference has " << reference << "\n";
    text_ += text.str();
  }
  void compare(const std::string& where, const UnitCounts& found, const UnitCounts& reference);
  void compare(const std::string& where, const Counts& found, const Counts& reference);
  /// Steps and all counts: of the run, its kernels and its fns.
  void compare_counts(const RunResult& found, const RunResult& reference);

  const std::string& text() const { return text_; }

private:
  std::string text_;
};

} // namespace memlane::test
