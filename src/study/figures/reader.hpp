// Reads figure files, and what lessons share with them: their keys and parts.
#pragma once

#include "memlane/study/figures/figure.hpp"
#include "memlane/support/json_text.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane {

// --- keys: one table from which the reader, the schema and the documents are made

/// What the value of a key is.
enum class FigureValue {
  text,      ///< a string
  lines,     ///< a string, or a list of strings: paragraphs
  query,     ///< the same: lines of one SQL text
  boolean,   ///< true or false
  scale,     ///< one of scale_words
  mark,      ///< one of mark_words
  objects,   ///< a list of objects of the kind of the key's name
  axis,      ///< an object of kind `axis`
  sweeps,    ///< an object: a table's name and its sweep
  queries,   ///< an object: a name and a query
  sweep,     ///< an object: keys of a sweep that replace those of the sweep around it
  continued, ///< an object of kind `continue`
  counts,    ///< an object: a count and the beginning of a claim
};

struct FigureKeyRule {
  FigureKey key;
  FigureValue value = FigureValue::text;
  bool required = false;
};

const std::vector<FigureKeyRule>& figure_key_rules();
/// Those of one kind of object.
std::vector<FigureKeyRule> rules_of_object(std::string_view object);

const std::vector<std::string>& scale_words();
const std::vector<std::string>& mark_words();

// --- reading

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
