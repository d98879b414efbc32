// Every write, sync and allocation of SQLite fails once: what was stored, and what was reported as
// stored, is in the store, nothing is there twice, and the same work done again completes it.
#include "injected_faults.hpp"
#include "store_fixture.hpp"
#include "support/sanitized.hpp"

#include "memlane/store/merge.hpp"

#include <functional>
#include <set>

namespace memlane::store_test::injected {
namespace {

using Keys = std::set<std::string>;

StoredPoint numbered(std::int64_t i) {
  StoredPoint point = test_point("p", {{"n", i}}, i * 7);
  if (i % 2 == 0) point.parameters.emplace_back("m", i); // a column that others lack
  return point;
}

void store_points(const std::string& path, std::int64_t begin, std::int64_t end) {
  Store store = open_store(path);
  for (std::int64_t i = begin; i < end; ++i) add(store, numbered(i));
}

/// What a scenario has said: these points are stored, and all of them if `done`.
struct Report {
  Keys stored;
  bool done = false;
};

constexpr std::int64_t known = 3, all = 6;

/// A point at a time, as sweeps do; one that fails is tried once more.
Report sweep_points(const std::string& path) {
  Report report;
  Result<Store> store = Store::open(path, test_columns());
  if (!store) return report;
  report.done = true;
  for (std::int64_t i = 0; i < all; ++i) {
    const StoredPoint point = numbered(i);
    if (store->find(point.key)) {
      report.stored.insert(point.key);
      continue;
    }
    Status added = store->add(point, PointStatus::done, false, "");
    if (!added) added = store->add(point, PointStatus::done, false, "");
    if (added) report.stored.insert(point.key);
    report.done = report.done && added.ok();
  }
  return report;
}

/// All in one commit: whole or nothing.
Report import_points(const std::string& path) {
  Report report;
  Result<Store> store = Store::open(path, test_columns());
  if (!store) return report;
  const Status imported = store->in_one_commit([&]() -> Status {
    for (std::int64_t i = 0; i < all; ++i)
      if (Status one = store->add(numbered(i), PointStatus::done, false, ""); !one) return one;
    return Done{};
  });
  report.done = imported.ok();
  for (std::int64_t i = 0; report.done && i < all; ++i) report.stored.insert(numbered(i).key);
  return report;
}

/// From a store beside it, which has all points.
Report merge_points(const std::string& path) {
  Report report;
  const std::string from = path + ".from";
  const Result<StoreReader> reader = StoreReader::open(from);
  if (!reader) return report;
  report.done = merge_store(path, *reader, MergeChoice::neither).ok();
  for (std::int64_t i = 0; report.done && i < all; ++i) report.stored.insert(numbered(i).key);
  return report;
}

struct Scenario {
  const char* name;
  Report (*run)(const std::string&);
  bool commits_once = false;
};
constexpr Scenario scenarios[] = {
    {"sweep", sweep_points}, {"import", import_points, true}, {"merge", merge_points}};

Keys keys_of(const std::string& path) {
  const StoreReader reader = open_reader(path);
  const Status sound = reader.check();
  if (!sound) FAIL(sound.errors().front().message);
  Keys keys;
  const Status read = reader.each_point("", [&](const WholePoint& whole) -> Status {
    keys.insert(whole.point.key);
    const auto* time = std::get_if<std::int64_t>(&whole.point.cells[3]);
    CHECK(time);
    CHECK((time && whole.point.json.find(fmt::format("\"time\":{},", *time)) != std::string::npos));
    return Done{};
  });
  CHECK(read.ok());
  // The view has each key once; so has the table.
  CHECK(text_of(reader.select("SELECT count(*) = count(DISTINCT key) AS once FROM points")) ==
        "once|1");
  return keys;
}

/// Stores to begin with: `some.db` has the known points, `all.db` all.
struct Beginnings {
  StoreFolder folder;
  Beginnings() {
    store_points(folder.file("some.db"), 0, known);
    store_points(folder.file("all.db"), 0, all);
  }
};

/// Whether the fault came to pass.
bool try_fault(InjectedFaults& faults, const Beginnings& begin, const Scenario& scenario,
               FaultKind kind, std::int64_t number, bool stays) {
  INFO(scenario.name << ": " << name_of(kind) << " " << number << (stays ? " and all behind" : ""));
  const StoreFolder folder;
  const std::string path = folder.file("a.db");
  const bool is_new = number % 2 == 0; // every second fault happens while the store is made
  if (!is_new) std::filesystem::copy_file(begin.folder.file("some.db"), path);
  std::filesystem::copy_file(begin.folder.file("all.db"), path + ".from");
  faults.arm(kind, number, stays);
  const Report report = scenario.run(path);
  const bool failed = faults.disarm();
  if (!failed) CHECK(report.done);
  const bool has_store = std::filesystem::exists(path) && StoreReader::open(path).ok();
  const Keys kept = has_store ? keys_of(path) : Keys();
  for (const std::string& key : report.stored) CHECK(kept.count(key) == 1);
  for (std::int64_t i = 0; !is_new && i < known; ++i) CHECK(kept.count(numbered(i).key) == 1);
  if (scenario.commits_once && !report.done)
    CHECK((kept.size() == all || kept.size() == (is_new ? 0 : known)));
  CHECK(scenario.run(path).done);
  CHECK(keys_of(path).size() == all);
  return failed;
}

/// Every `step`-th operation of the scenario.
void try_faults(FaultKind kind, std::int64_t step) {
  InjectedFaults faults;
  const Beginnings begin;
  for (const Scenario& scenario : scenarios)
    for (const bool stays : {false, true}) {
      std::int64_t number = 1, without = 0;
      // Twice in a row without a fault: neither a new store nor an old one has so many operations.
      for (; without < 2; number += step)
        without = try_fault(faults, begin, scenario, kind, number, stays) ? 0 : without + 1;
      CHECK(number > 3);
    }
}

} // namespace

TEST_CASE("the n-th write fails, for every n") {
  try_faults(FaultKind::write, test::sanitized ? 3 : 1);
}
TEST_CASE("the n-th sync fails, for every n") { try_faults(FaultKind::sync, 1); }
TEST_CASE("the n-th allocation fails, for many n") {
  try_faults(FaultKind::allocation, MEMLANE_ALLOCATION_STEP);
}

} // namespace memlane::store_test::injected
