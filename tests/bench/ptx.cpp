// bench_ptx [small] [ROW MODE]: how many warp instructions a second one thread executes, and prices
// on an HMM with the numbers of an H100, with four requests of a warp in flight, and without races:
// SGEMM with register tiles, binomial trees, the naive transpose, sums, a histogram. With a row and
// a mode, prints the seconds of a million (tests/bench/interleave.sh).
#include "ptx/exec/run_grid.hpp"

#include "memlane/machine/spec.hpp"
#include "memlane/ptx/price.hpp"
#include "memlane/support/diagnostic.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

using namespace memlane;

namespace {

enum class Mode : std::uint8_t { unpriced, priced, in_flight, without_races };
constexpr std::array mode_names{"unpriced", "priced", "in_flight", "without_races"};

struct Row {
  std::string name, kernel; ///< the file of kernels, and which of them
  ptx::Dim3 blocks, threads;
  std::size_t words = 0; ///< of each array
  int arrays = 0;
  int last = 0; ///< the argument behind the arrays
};

std::vector<Row> rows(bool small) {
  const std::int64_t tiles = small ? 1 : 6, options = small ? 1 : 64, blocks = small ? 1 : 32,
                     sums = small ? 1 : 2048;
  const auto words = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  return {{"sgemm",
           "sgemm",
           {tiles, tiles, 1},
           {256, 1, 1},
           words(64 * 64 * tiles * tiles),
           3,
           static_cast<int>(64 * tiles)},
          {"binomial", "binomial", {options, 1, 1}, {256, 1, 1}, 64, 2, 255},
          {"transpose",
           "transpose_naive",
           {blocks, blocks, 1},
           {32, 8, 1},
           words(32 * 32 * blocks * blocks),
           2,
           static_cast<int>(32 * blocks)},
          {"reduction",
           "reduce_sequential",
           {sums, 1, 1},
           {256, 1, 1},
           words(256 * sums),
           2,
           static_cast<int>(256 * sums)},
          {"histogram",
           "histogram",
           {options, 1, 1},
           {256, 1, 1},
           words(1024 * options),
           2,
           static_cast<int>(4096 * options)}};
}

/// As configs/machines/hmm-h100-pcie-plain.json.
MachineSpec priced_machine() {
  MachineSpec machine;
  machine.model = Model::hmm;
  machine.width = 32;
  machine.multiprocessors = 114;
  machine.threads = 1024;
  machine.shared = UnitSpec{UnitKind::discrete, {29}, 1, {}};
  machine.global = UnitSpec{UnitKind::unified, {650}, 9, {}};
  return machine;
}

/// A row's kernel, loaded, with its arrays.
class Loaded {
public:
  explicit Loaded(const Row& row) : row_(row) {
    std::ifstream in(MEMLANE_SOURCE_DIR "/tests/ptx/kernels/" + row.name + ".ptx");
    std::stringstream text;
    text << in.rdbuf();
    Result<ptx::Module> module = ptx::parse(sources_, sources_.add(row.name, text.str()));
    if (!module) return;
    module_ = std::move(*module);
    if (!image_.load(module_, device_)) return;
    code_ = image_.find(row.kernel);
    if (!code_) return;
    params_.resize(static_cast<std::size_t>(code_->param_bytes));
    for (int k = 0; k < row.arrays; ++k) {
      const auto address =
          reinterpret_cast<std::uint64_t>(arrays_.emplace_back(row.words, 1.5F).data());
      device_.add(address, row.words * 4);
      std::memcpy(params_.data() + 8 * k, &address, 8);
    }
    std::memcpy(params_.data() + 8 * row.arrays, &row.last, 4);
  }

  /// Seconds of a million warp instructions; not positive: it does not run.
  double seconds(Mode mode) {
    if (!code_) return 0;
    // The processor's time: other programs on the machine do not count.
    const std::clock_t begin = std::clock();
    const ptx::GridResult result = mode == Mode::unpriced ? execute() : price(mode);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    if (!result.faults.empty() || result.warp_steps == 0) return 0;
    return seconds / static_cast<double>(result.warp_steps) * 1e6;
  }

private:
  ptx::GridShape shape() const { return {row_.blocks, row_.threads}; }
  ptx::GridResult execute() { return ptx::run_grid(image_, *code_, shape(), params_, device_, {}); }
  ptx::GridResult price(Mode mode) {
    MachineSpec machine = priced_machine();
    if (mode == Mode::in_flight) machine.requests_in_flight = 4;
    ptx::PriceOptions options;
    if (mode == Mode::without_races) options.races = ptx::RaceCheck::off;
    ptx::Pricing pricing(machine, options, {});
    ptx::GridResult result;
    const Result<bool> done =
        pricing.launch(module_, sources_, image_, *code_, shape(), params_, device_, result);
    return done && *done ? result : ptx::GridResult{};
  }

  const Row& row_;
  Sources sources_;
  ptx::Module module_;
  ptx::DeviceMemory device_;
  ptx::Image image_;
  const ptx::Code* code_ = nullptr;
  std::vector<std::vector<float>> arrays_;
  std::vector<std::uint8_t> params_;
};

/// The best of so many runs.
double best_of(int runs, const Row& row, Mode mode) {
  double best = 0;
  for (int k = 0; k < runs; ++k) {
    const double seconds = Loaded(row).seconds(mode);
    if (seconds <= 0) return 0;
    best = k == 0 ? seconds : std::min(best, seconds);
  }
  return best;
}

} // namespace

int main(int count, char** words) {
  std::vector<std::string> args(words + 1, words + count);
  const bool small = !args.empty() && args[0] == "small";
  if (small) args.erase(args.begin());
  for (const Row& row : rows(small)) {
    if (args.size() == 2 && args[0] != row.name) continue;
    if (args.empty()) std::printf("%-9s", row.name.c_str());
    for (std::size_t mode = 0; mode < mode_names.size(); ++mode) {
      if (args.size() == 2 && args[1] != mode_names[mode]) continue;
      const double seconds = best_of(small ? 1 : 3, row, static_cast<Mode>(mode));
      if (seconds <= 0) return 1;
      if (args.size() == 2) return std::printf("%.6f\n", seconds), 0;
      std::printf(" %s %.1f", mode_names[mode], 1 / seconds);
    }
    if (args.empty()) std::printf(" million warp instructions a second\n");
  }
  return args.empty() ? 0 : 1;
}
