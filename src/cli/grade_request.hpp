// memlane grade: what was asked for, and rows of many grades.
#pragma once

#include "console.hpp"
#include "interrupt.hpp"

#include "memlane/points/parallel_tasks.hpp"
#include "memlane/show/columns.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace memlane::cli {

struct GradeRequest {
  std::string file; ///< or a folder, an exercise, a result string
  std::optional<std::string> exercise;
  Format format = Format::table;
  std::optional<std::uint64_t> more_seed;
  bool check = false, verify = false, result = false;
  std::size_t jobs = 1;
};

/// Prints a row for each of `count` pieces of work, which are done side by side. Those of CSV and
/// JSON lines are printed as they come, so that none is lost. Returns the rows that a stop did not
/// prevent.
template <class Row>
std::vector<Row> print_rows(const GradeRequest& request, const Columns<Row>& columns,
                            std::size_t count, const std::function<Row(std::size_t)>& make,
                            Console& console) {
  const auto stopped = stop_check(0);
  const bool as_they_come = request.format == Format::csv || request.format == Format::jsonl;
  std::vector<Row> rows(count), finished;
  sweep::ParallelTasks tasks;
  tasks.count = count;
  tasks.work = [&](std::size_t i) {
    if (stopped() == Stop::none) rows[i] = make(i);
  };
  tasks.take = [&](std::size_t i) {
    if (stopped() != Stop::none) return;
    finished.push_back(std::move(rows[i]));
    if (!as_they_come) return;
    const std::string text = columns.text_in(request.format, "", {finished.back()}, {}, {});
    const bool headed = request.format == Format::csv && i > 0;
    console.out(headed ? text.substr(text.find('\n') + 1) : text);
  };
  sweep::run_parallel(request.jobs, INT64_MAX, tasks);
  if (!as_they_come) console.out(columns.text(finished).text());
  return finished;
}

/// `grade --verify`: result strings against the grades of the programs in them.
Result<Exit> verify_results(const GradeRequest& request, Sources& sources, Console& console);

} // namespace memlane::cli
