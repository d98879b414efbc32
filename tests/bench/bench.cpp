// Measures each row with Google Benchmark: the engine's launches and the plain loop, with manual
// times.
#include "engine_rows.hpp"

#include <benchmark/benchmark.h>

int main(int count, char** words) {
  using namespace memlane::bench;
  for (const Row& row : rows()) {
    const auto each = [](benchmark::State& state, auto seconds) {
      for (auto _ : state) state.SetIterationTime(seconds());
    };
    benchmark::RegisterBenchmark(
        (row.name + "/engine").c_str(),
        [&row, each](auto& state) { each(state, [&row] { return engine_seconds(row, row.n); }); })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(
        (row.name + "/plain").c_str(),
        [&row, each](auto& state) { each(state, [&row] { return row.plain(row.n); }); })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::Initialize(&count, words);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
