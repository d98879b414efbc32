// Source texts and places in them.
#pragma once

#include "memlane/support/limits.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memlane {

/// A half-open range of bytes of one source text. The default span is unknown.
struct Span {
  std::int32_t file = -1;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  bool operator==(const Span&) const = default;
  bool known() const { return file >= 0; }
};

/// The smallest span that contains both; if one is unknown, the other.
Span cover(Span a, Span b);

/// Both count from 1; columns are bytes.
struct Position {
  std::int32_t line = 0;
  std::int32_t column = 0;

  auto operator<=>(const Position&) const = default;
};

/// The texts of a compilation (a program, those it uses, and command-line options), and the limits
/// of the work on them.
class Sources {
public:
  /// Adds a text; messages name it by `path`. Returns its file number.
  std::int32_t add(std::string path, std::string text);

  const std::string& path(std::int32_t file) const;
  const std::string& text(std::int32_t file) const;
  /// The text of a span; empty if the span is unknown.
  std::string_view text(Span span) const;
  std::int32_t count() const { return static_cast<std::int32_t>(files_.size()); }

  /// Limits for each of parsing, checking and lowering; initially none.
  void set_limits(Limits limits) { limits_ = std::move(limits); }
  const Limits& limits() const { return limits_; }

  /// Line and column of a byte offset; O(log lines).
  Position position(std::int32_t file, std::uint32_t offset) const;
  Position begin(Span span) const { return position(span.file, span.begin); }
  /// The text of a line (from 1) without its line end.
  std::string_view line(std::int32_t file, std::int32_t line) const;

private:
  struct File {
    std::string path;
    std::string text;
    std::vector<std::uint32_t> line_starts;
  };
  std::vector<File> files_;
  Limits limits_;
};

} // namespace memlane
