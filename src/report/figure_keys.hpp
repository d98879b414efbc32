// The keys of figure files and lessons: one table from which the reader, the schema and the
// documents are made.
#pragma once

#include "memlane/report/figure.hpp"

#include <string_view>
#include <vector>

namespace memlane {

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

} // namespace memlane
