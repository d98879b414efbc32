// The keys of exercise files: one table from which the reader, the schema and the documents are
// made.
#pragma once

#include "memlane/grade/exercise.hpp"

#include <string_view>
#include <vector>

namespace memlane::grade {

/// What the value of a key is.
enum class ExerciseValue {
  text,     ///< a string
  names,    ///< a list of strings
  points,   ///< a whole number, 0 or more
  positive, ///< a whole number, 1 or more
  number,   ///< a number, 0 or more
  runs,     ///< a list of objects of kind `runs`
  criteria, ///< a list of objects of kind `criterion`
  limits,   ///< an object of kind `limits`
  sweep,    ///< as in a sweep file
};

struct ExerciseKeyRule {
  ExerciseKey key;
  ExerciseValue value = ExerciseValue::text;
  bool required = false;
};

const std::vector<ExerciseKeyRule>& exercise_key_rules();
/// Those of one kind of object.
std::vector<ExerciseKeyRule> rules_of(std::string_view object);

} // namespace memlane::grade
