// bench_once engine|plain ROW  prints the seconds of one run, for interleave.sh
// bench_once                   lists the rows
// bench_once small             runs both sides of every row on few words, as a test
#include "engine_rows.hpp"

#include <cstdio>
#include <string>

using namespace memlane::bench;

namespace {

int try_all() {
  for (const Row& row : rows()) {
    if (engine_seconds(row, row.small_n) >= 0 && row.plain(row.small_n) >= 0) continue;
    std::fprintf(stderr, "bench_once: %s does not run\n", row.name.c_str());
    return 1;
  }
  return 0;
}

} // namespace

int main(int count, char** words) {
  if (count == 2 && std::string(words[1]) == "small") return try_all();
  const std::string side = count == 3 ? words[1] : "";
  for (const Row& row : rows()) {
    if (side.empty()) std::puts(row.name.c_str());
    if (side.empty() || row.name != words[2]) continue;
    const double seconds = side == "engine" ? engine_seconds(row, row.n) : row.plain(row.n);
    std::printf("%.6f\n", seconds);
    return seconds < 0 ? 1 : 0;
  }
  return side.empty() ? 0 : 2;
}
