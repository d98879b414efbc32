// Changed runs beside the run that they change.
#include "compare/line_comparison.hpp"

#include "memlane/count/fields.hpp"
#include "memlane/show/columns.hpp"
#include "memlane/show/json_parts.hpp"
#include "memlane/show/run_words.hpp"
#include "memlane/show/text_table.hpp"
#include "memlane/study/explain/explanation_text.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <vector>

namespace memlane {

using sweep::TriedChange;

namespace {

/// `2.5 times as fast`, and what was predicted.
std::string tried_sentence(const TriedChange& tried) {
  if (!tried.ended()) {
    std::string text = fmt::format("{}: the changed run did not come to its end: {}.", tried.change,
                                   on_one_line(tried.row.reason, 300));
    return text;
  }
  const std::int64_t time = tried.row.counts.time.value;
  std::string text = fmt::format("{}: {} instead of {}", tried.change, counted(time, "time unit"),
                                 tried.base_time);
  const bool faster = time < tried.base_time;
  const std::string factor =
      faster ? times_as_fast(tried.base_time, time) : times_as_fast(time, tried.base_time);
  if (time == tried.base_time) {
    text += ", as before.";
  } else if (factor == "1.00") {
    text += fmt::format(", {} {}.", std::abs(time - tried.base_time), faster ? "fewer" : "more");
  } else {
    text += fmt::format(", {} times as {}.", factor, faster ? "fast" : "slow");
  }
  if (!tried.other_sizes.empty()) text += " " + tried.other_sizes;
  if (!tried.predicts) {
    // CUDA kernels are executed, whatever is asked.
  } else if (!tried.predicted) {
    text += " Its time depends on the data, so it was not predicted before.";
  } else if (*tried.predicted == time) {
    text += " A simulation without data had predicted this.";
  } else {
    text += fmt::format(" A simulation without data had predicted {}.", *tried.predicted);
  }
  if (tried.row.verify == Verdict::failed)
    text += " The changed program was run with its data, and its verify FAILED.";
  if (tried.row.verify == Verdict::passed)
    text += " The changed program was run with its data, and its verify passed.";
  return text;
}

/// A count of two runs.
struct ComparedCount {
  const ModelField& field;
  ModelValue a, b;
};

/// The counts of the MMM, side by side; none on other machines.
std::vector<ComparedCount> compared_counts(const TriedChange& tried) {
  std::vector<ComparedCount> rows;
  const ModelTable& mmm = model_table("mmm");
  if (mmm.known(tried.base_counts) && mmm.known(tried.row.counts))
    for (const ModelField& field : mmm.fields)
      rows.push_back({field, field.get(tried.base_counts), field.get(tried.row.counts)});
  return rows;
}

/// How much more B has; empty: as much, or not whole.
std::string more_in_b(const ComparedCount& count) {
  const auto* a = std::get_if<std::int64_t>(&count.a);
  const auto* b = std::get_if<std::int64_t>(&count.b);
  return !a || !b || *a == *b ? "" : fmt::format("{:+}", *b - *a);
}

const Columns<ComparedCount>& compared_count_columns() {
  using R = ComparedCount;
  const auto right = Align::right;
  static const Columns<R> columns(
      {table_column<R>(Shown{"count"}, [](const R& r) { return std::string(r.field.name); }),
       table_column<R>(Shown{"A", right}, [](const R& r) { return to_text(r.a); }),
       table_column<R>(Shown{"B", right}, [](const R& r) { return to_text(r.b); }),
       table_column<R>(Shown{"B - A", right}, more_in_b)});
  return columns;
}

std::string tried_paper(const TriedChange& tried, Format format) {
  std::string text = paper_part({"tried", {{tried_sentence(tried)}}}, format);
  if (const auto counts = compared_counts(tried); !counts.empty())
    text +=
        '\n' + paper_text({compared_count_columns().paper("Counts of A and B on the MMM", counts)},
                          format);
  if (tried.lines) text += '\n' + paper_text({compared_lines_paper(*tried.lines)}, format);
  if (tried.causes) text += '\n' + paper_text({compared_causes_paper(*tried.causes)}, format);
  return text;
}

/// Its times, then its source lines.
std::string tried_text(const TriedChange& tried) {
  std::string text = "tried\n" + paragraph_text(tried_sentence(tried), 2);
  if (const auto counts = compared_counts(tried); !counts.empty())
    text += "\ncounts of the MMM\n" + compared_count_columns().text(counts).text(2);
  if (tried.lines) text += '\n' + compared_lines_text(*tried.lines);
  if (tried.causes) text += '\n' + compared_causes_text(*tried.causes);
  return text;
}

} // namespace

AddedPart tried_part(TriedChange tried) {
  const auto shared = std::make_shared<const TriedChange>(std::move(tried));
  return {[shared] { return tried_change_json(*shared); },
          [shared](Format format, std::size_t) {
            return format == Format::table ? tried_text(*shared) : tried_paper(*shared, format);
          }};
}

} // namespace memlane
