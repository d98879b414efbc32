// Sectors and bank conflicts beside those that a GPU's counters measured
// (tests/ptx/kernels/counted.csv).
#include "price_kernels.hpp"
#include "support/catch.hpp"
#include "support/machines.hpp"
#include "support/sanitized.hpp"

#include <fmt/format.h>

namespace memlane::test {

namespace {

struct CountedRow {
  std::string kernel;
  int n = 0;
  std::int64_t sectors = 0, conflicts = 0;
  std::int64_t expected = 0; ///< sectors that memlane counts: what a GPU asks its caches for
};

std::vector<CountedRow> counted_rows() {
  std::istringstream file(kernel_text("counted.csv"));
  std::vector<CountedRow> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.front() == '#' || line.rfind("kernel", 0) == 0) continue;
    std::istringstream fields(line);
    std::string field[5];
    for (std::string& one : field) std::getline(fields, one, ',');
    CountedRow row{field[0], std::stoi(field[1]), std::stoll(field[2]), std::stoll(field[3]), 0};
    row.expected = field[4].empty() ? row.sectors : std::stoll(field[4]);
    rows.push_back(row);
  }
  return rows;
}

/// Tells whether the launch ended well.
bool launch(PricedRun& run, const CountedRow& row) {
  const auto words = [&](std::int64_t count, const char* name) {
    return run.kernels.array<float>(static_cast<std::size_t>(count), name);
  };
  const std::int64_t n = row.n;
  const auto went = [](const Result<bool>& done) { return done && *done; };
  if (row.kernel == "vector_add")
    return went(run.launch(row.kernel, grid_of({(n + 255) / 256, 1, 1}, {256, 1, 1}), words(n, "a"),
                           words(n, "b"), words(n, "c"), row.n));
  if (row.kernel.rfind("reduce", 0) == 0) {
    const std::int64_t blocks = n / (row.kernel == "reduce3" ? 512 : 256);
    return went(run.launch(row.kernel, grid_of({blocks, 1, 1}, {256, 1, 1}), words(n, "in"),
                           words(blocks, "out")));
  }
  // The last tiles read up to 32 rows on.
  return went(run.launch(row.kernel, grid_of({n / 32, n / 32, 1}, {32, 32, 1}),
                         words(n * (n + 32), "a"), words(n * (n + 32), "b"), words(n * n, "c"),
                         row.n));
}

} // namespace

TEST_CASE(
    "conflicts are those that Nsight Compute measured, sectors where no cache merges requests") {
  int rows = 0, equal_sectors = 0;
  for (const CountedRow& row : counted_rows()) {
    ++rows;
    equal_sectors += row.expected == row.sectors;
    const int most = sanitized ? 200 : every_case ? 700 : 400;
    if (row.n > most && row.kernel.rfind("matrix", 0) == 0) continue;
    INFO(row.kernel << " n = " << row.n);
    ptx::PriceOptions options;
    options.races = ptx::RaceCheck::off;
    PricedRun run("counted.ptx", hmm(16, 32, 20, 400), options);
    REQUIRE(launch(run, row));
    std::int64_t sectors = 0, conflicts = 0;
    for (const auto& [place, counts] : run.pricing.sectors()) sectors += counts.sectors;
    for (const UnitCounts& unit : run.pricing.result().counts.shared) conflicts += unit.conflicts();
    CHECK(conflicts == row.conflicts);
    CHECK(sectors == row.expected);
  }
  CHECK(rows == 36); // the numbers of `memlane explain nsight`
  CHECK(equal_sectors == 30);
}

} // namespace memlane::test
