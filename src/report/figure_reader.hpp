// Reads figure files, and what lessons share with them.
#pragma once

#include "figure_keys.hpp"

#include "memlane/support/json_text.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane {

/// Empty if there is no such member.
std::string text_of_member(const JsonValue& object, std::string_view key);
/// The lines of a string or a list of strings.
std::vector<std::string> lines_of_member(const JsonValue& object, std::string_view key);
/// The member, which is there: its lines are one SQL text.
FigureQuery query_of(const JsonValue& object, std::string_view key = "query");

/// Checks a figure file against the table of keys, then reads it.
class FigureReader {
public:
  FigureReader(Sources& sources, FigureSpec& figure) : sources_(sources), figure_(figure) {}

  /// A whole figure.
  void read(const JsonValue& root);
  /// Whether the object has the right keys; else there are errors.
  bool check(const JsonValue& object, std::string_view kind, const std::string& path);
  /// What figures and lessons have: title, sweeps, views, charts, tables. Requires checked keys.
  void read_parts(const JsonValue& root);
  Diagnostics errors;

private:
  bool check_value(const JsonValue& value, const FigureKeyRule& rule, const std::string& path);
  bool check_lines(const JsonValue& value, const std::string& path);
  bool check_word(const JsonValue& value, const std::string& path,
                  const std::vector<std::string>& words);
  bool fail(Span span, const std::string& path, const std::string& message,
            std::vector<std::string> help = {});
  bool expect(bool right, const JsonValue& value, const std::string& path, std::string_view what);

  void read_sweep(const JsonMember& member);
  std::optional<sweep::SweepSpec> read_spec(const JsonValue& value, const std::string& path,
                                            const std::string& table);
  void read_checks(const JsonValue& root);

  Sources& sources_;
  FigureSpec& figure_;
};

} // namespace memlane
