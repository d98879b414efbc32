#include "memlane/store/merge.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <vector>

namespace memlane::sweep {
namespace {

constexpr std::size_t points_of_a_commit = 500;
constexpr std::size_t bytes_of_a_commit = std::size_t{1} << 26; ///< one point may exceed it

std::size_t bytes_of(const StoredPoint& point) {
  std::size_t bytes = point.json.size();
  for (const Cell& cell : point.cells)
    if (const auto* text = std::get_if<std::string>(&cell)) bytes += text->size();
  for (const auto& [name, text] : point.key_parts) bytes += text.size();
  return bytes;
}

/// The names under which two points of one key differ in what came out; not seconds, not the text
/// of the whole result, which names the computer.
std::vector<std::string> different(const WholePoint& a,
                                   const std::vector<StoreColumn>& columns_of_a,
                                   const WholePoint& b,
                                   const std::vector<StoreColumn>& columns_of_b) {
  std::map<std::string, std::pair<Cell, Cell>> cells;
  const auto read = [&](const WholePoint& point, const std::vector<StoreColumn>& columns,
                        Cell std::pair<Cell, Cell>::*side) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (columns[i].name != "path") cells[columns[i].name].*side = point.point.cells[i];
  };
  read(a, columns_of_a, &std::pair<Cell, Cell>::first);
  read(b, columns_of_b, &std::pair<Cell, Cell>::second);
  std::vector<std::string> names;
  for (const auto& [name, both] : cells)
    if (both.first != both.second) names.push_back(name);
  const auto nanoseconds = [](const WholePoint& point) {
    return point.point.measured ? Cell(point.point.measured->nanoseconds) : Cell();
  };
  if (nanoseconds(a) != nanoseconds(b)) names.emplace_back("nanoseconds");
  if (a.status != b.status) names.emplace_back("status");
  if (a.check_failed != b.check_failed) names.emplace_back("check_failed");
  return names;
}

class Merge {
public:
  Merge(const std::string& into, Store& store, const StoreReader& known, const StoreReader& from,
        MergeChoice choice)
      : into_(into), store_(store), known_(known), from_(from),
        columns_of_known_(known.result_columns()), columns_(from.result_columns()),
        choice_(choice) {}

  Result<MergeCounts> run() {
    const Status read = from_.each_point("", [&](const WholePoint& point) {
      Status taken = take(point);
      const bool full = chosen_.size() >= points_of_a_commit || bytes_ > bytes_of_a_commit;
      return taken && full ? flush() : taken;
    });
    const Status last = flush();
    if (!read) return read.errors();
    if (!last) return last.errors();
    return counts_;
  }

private:
  Status take(const WholePoint& point) {
    const auto known = known_.point(point.point.key);
    if (!known) return known.errors();
    if (!*known) {
      ++counts_.added;
      choose(point);
      return Done{};
    }
    const WholePoint& old = **known;
    const bool was_stopped = old.status == PointStatus::stopped;
    const bool is_stopped = point.status == PointStatus::stopped;
    const auto names = different(old, columns_of_known_, point, columns_);
    if ((is_stopped && !was_stopped) || names.empty() ||
        (choice_ == MergeChoice::first && !was_stopped)) {
      ++counts_.known;
      return Done{};
    }
    if (!was_stopped && choice_ == MergeChoice::neither)
      return error_in(into_,
                      fmt::format("point {} is in both stores with another {}", point.point.key,
                                  fmt::join(names, ", ")),
                      {"--keep first or --keep last chooses one; the points before it are merged"});
    ++counts_.replaced;
    choose(point);
    return Done{};
  }

  void choose(const WholePoint& point) {
    chosen_.push_back(point);
    bytes_ += bytes_of(point.point);
  }

  Status flush() {
    Status added = store_.in_one_commit([&]() -> Status {
      for (const WholePoint& point : chosen_) {
        Status one = store_.add(point.point, point.status, point.check_failed, point.limit);
        if (!one) return one;
      }
      return Done{};
    });
    chosen_.clear();
    bytes_ = 0;
    return added;
  }

  const std::string& into_;
  Store& store_;
  const StoreReader& known_;
  const StoreReader& from_;
  std::vector<StoreColumn> columns_of_known_, columns_;
  MergeChoice choice_;
  std::vector<WholePoint> chosen_;
  std::size_t bytes_ = 0; ///< the bytes of these points
  MergeCounts counts_;
};

} // namespace

Result<MergeCounts> merge_store(const std::string& into, const StoreReader& from,
                                MergeChoice choice) {
  Result<Store> store = Store::open(into, from.result_columns());
  if (!store) return store.errors();
  // It is closed before the store: only a writer that is the last to close removes the log.
  const Result<StoreReader> known = StoreReader::open(into);
  if (!known) return known.errors();
  return Merge(into, *store, *known, from, choice).run();
}

} // namespace memlane::sweep
