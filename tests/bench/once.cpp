// once engine|plain ROW: the seconds of one run, for interleave.sh. Without words: the rows.
#include "engine_rows.hpp"

#include <cstdio>
#include <string>

int main(int count, char** words) {
  using namespace memlane::bench;
  const std::string side = count == 3 ? words[1] : "";
  for (const Row& row : rows()) {
    if (side.empty()) std::puts(row.name.c_str());
    if (side.empty() || row.name != words[2]) continue;
    const double seconds = side == "engine" ? engine_seconds(row) : row.plain();
    std::printf("%.6f\n", seconds);
    return seconds < 0 ? 1 : 0;
  }
  return side.empty() ? 0 : 2;
}
