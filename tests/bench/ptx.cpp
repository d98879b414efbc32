// bench_ptx [small]: how many warp instructions a second one thread executes, unpriced: SGEMM with
// register tiles, binomial trees, the naive transpose.
#include "ptx/exec/run_grid.hpp"

#include "memlane/support/diagnostic.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

using namespace memlane;

namespace {

struct Row {
  std::string name, kernel; ///< the file of kernels, and which of them
  ptx::Dim3 blocks, threads;
  std::size_t words = 0; ///< of each array
  int arrays = 0;
  int last = 0; ///< the argument behind the arrays
};

std::vector<Row> rows(bool small) {
  const std::int64_t tiles = small ? 1 : 6, options = small ? 1 : 64, blocks = small ? 1 : 32;
  return {{"sgemm",
           "sgemm",
           {tiles, tiles, 1},
           {256, 1, 1},
           static_cast<std::size_t>(64 * 64 * tiles * tiles),
           3,
           static_cast<int>(64 * tiles)},
          {"binomial", "binomial", {options, 1, 1}, {256, 1, 1}, 64, 2, 255},
          {"transpose",
           "transpose_naive",
           {blocks, blocks, 1},
           {32, 8, 1},
           static_cast<std::size_t>(32 * 32 * blocks * blocks),
           2,
           static_cast<int>(32 * blocks)}};
}

/// Million warp instructions a second; negative: it does not run.
double speed_of(const Row& row) {
  std::ifstream in(MEMLANE_SOURCE_DIR "/tests/ptx/kernels/" +
                   (row.name == "transpose" ? std::string("transpose") : row.kernel) + ".ptx");
  std::stringstream text;
  text << in.rdbuf();
  Sources sources;
  const Result<ptx::Module> module = ptx::parse(sources, sources.add(row.name, text.str()));
  ptx::DeviceMemory device;
  ptx::Image image;
  if (!module || !image.load(*module, device)) return -1;
  const ptx::Code* const code = image.find(row.kernel);
  if (!code) return -1;
  std::vector<std::vector<float>> arrays(static_cast<std::size_t>(row.arrays),
                                         std::vector<float>(row.words, 1.5F));
  std::vector<std::uint8_t> params(static_cast<std::size_t>(code->param_bytes));
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    const auto address = reinterpret_cast<std::uint64_t>(arrays[k].data());
    device.add(address, row.words * 4);
    std::memcpy(params.data() + 8 * k, &address, 8);
  }
  std::memcpy(params.data() + 8 * arrays.size(), &row.last, 4);
  // The processor's time: other programs on the machine do not count.
  const std::clock_t begin = std::clock();
  const ptx::GridResult result =
      ptx::run_grid(image, *code, {row.blocks, row.threads}, params, device, {});
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  return result.faults.empty() ? static_cast<double>(result.warp_steps) / seconds / 1e6 : -1;
}

} // namespace

int main(int count, char** words) {
  const bool small = count == 2 && std::string(words[1]) == "small";
  for (const Row& row : rows(small)) {
    double best = 0;
    for (int k = 0; k < (small ? 1 : 3); ++k) best = std::max(best, speed_of(row));
    if (best <= 0) return 1;
    std::printf("%s %.1f million warp instructions a second\n", row.name.c_str(), best);
  }
  return 0;
}
