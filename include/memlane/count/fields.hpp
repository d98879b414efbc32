// What every count is called, its unit and its meaning: JSON, CSV, tables and `explain counts` are
// all made from these lists.
#pragma once

#include "memlane/count/counts.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace memlane {

/// One integer count of a T.
template <class T>
struct Field {
  std::string_view name;
  std::string_view unit;
  std::string_view meaning;
  std::int64_t (*get)(const T&) = nullptr;
  bool (*known)(const T&) = nullptr; ///< null: always
  std::string_view heading = {};     ///< of its column in tables, if it is not the name

  std::optional<std::int64_t> count(const T& of) const {
    return known && !known(of) ? std::nullopt : std::optional(get(of));
  }
};

/// A member as a count.
template <auto member, class T>
std::int64_t count_of(const T& counts) {
  return counts.*member;
}

/// Counts of a run, or of the launches of one kernel.
const std::vector<Field<Counts>>& count_fields();
/// Counts of a whole run only.
const std::vector<Field<RunResult>>& run_fields();
/// Counts of a memory unit. The parts of its time (busy, idle) are those that `time_fields` gives
/// too.
const std::vector<Field<UnitCounts>>& unit_fields();
/// The fields of a unit that add up to the run's time.
const std::vector<Field<UnitCounts>>& time_fields();
/// Counts of a multiprocessor's own port, beside those of a unit.
const std::vector<Field<PortCounts>>& port_fields();
/// Counts of a unit of operations.
const std::vector<Field<OperationAccount>>& operation_fields();
/// Counts of own ports and of tensor units, of all multiprocessors together, where the machine has
/// them.
const std::vector<Field<Counts>>& part_fields();
/// Counts of a source line.
const std::vector<Field<LineCounts>>& line_fields();
/// Counts of a `fn`.
const std::vector<Field<FnCounts>>& fn_fields();

// --- the tables of models: every format shows what is in them, whatever the model is

/// What a model says of a run; monostate: nothing of this run.
using ModelValue = std::variant<std::monostate, std::int64_t, MmmBound, std::string>;
/// `12`, `292 1/2`, `CREW`; empty: none.
std::string to_text(const ModelValue& value);

struct ModelField {
  enum class Kind : std::uint8_t {
    whole,
    whole_or_none,
    bound, ///< a fraction: a number in CSV, a number and a text in JSON
    ratio, ///< a fraction in lowest terms, as text
    word,  ///< one of `words`
    line,  ///< a line of the program and its file: JSON and CSV alone have them
    file,
  };

  std::string_view name;
  std::string_view unit; ///< of `whole`; else the meaning has it
  std::string_view meaning;
  ModelValue (*get)(const ModelCounts&); ///< requires that the model has counts
  std::string_view heading = {};         ///< of its column in tables; empty: it has none
  Kind kind = Kind::whole;
  std::vector<std::string_view> words = {};
  /// A remark on the value, or why there is none; may be empty.
  std::string (*note)(const ModelCounts&) = nullptr;

  bool is_number() const { return kind <= Kind::bound; }
  bool may_be_none() const { return kind != Kind::whole && kind != Kind::word; }
  bool is_place() const { return kind >= Kind::line; }
  std::string meaning_with_unit() const;
};

/// What JSON has where a model has no counts.
enum class WithoutCounts : std::uint8_t {
  object_of_none, ///< its object, with a null for each count that is not known
  null,
  nothing, ///< the model counts runs that are asked for it
};

/// What one model counts.
struct ModelTable {
  std::string_view name;    ///< `agpu`: its member in JSON, and the prefix of its columns in CSV
  std::string_view title;   ///< `AGPU`
  std::string_view meaning; ///< whose model it is
  WithoutCounts without = WithoutCounts::null;
  std::string_view counts_it; ///< what has its counts: `only an mmm counts`
  bool (*known)(const ModelCounts&) = nullptr;
  std::vector<ModelField> fields;
  std::vector<Field<LineCounts>> line_fields = {}; ///< of a source line

  /// The counts, if JSON and CSV have them; else null.
  const ModelCounts* published(const ModelCounts* counts) const {
    const bool has = without == WithoutCounts::object_of_none || (counts && known(*counts));
    return has ? counts : nullptr;
  }
  /// Likewise of a source line: one that is not of such a model's run knows none of them.
  bool is_published(const LineCounts& line) const {
    return without == WithoutCounts::object_of_none || line_fields.front().count(line);
  }
};

/// AGPU, MMM, PRAM.
const std::vector<ModelTable>& model_tables();
/// Requires that there is one.
const ModelTable& model_table(std::string_view name);

} // namespace memlane
