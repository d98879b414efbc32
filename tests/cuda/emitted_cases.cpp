// The shipped programs as they are emitted and run by tests.
#include "emitted.hpp"
#include "support/sanitized.hpp"

#include <map>

namespace memlane::test {

const std::map<std::string, std::vector<EmittedCase>>& shipped_cases() {
  static const std::map<std::string, std::vector<EmittedCase>> cases = {
      {"sums",
       {{"sum", "-m umm-w32", {"n=1", "n=4096"}},
        {"sum", "-m dmm-w32 --set threads=64", {"n=2048"}},
        {"sum_hmm", "-m hmm-h200 --type number=float", {"n=1", "n=100000"}},
        {"sum_asynchronous", "-m umm-w32 --set latency=100", {"n=1", "n=5000"}},
        {"sum_asynchronous", "-m dmm-w32 --type number=long", {"n=100"}},
        {"example", "-m umm-w32", {"n=1", "n=1024"}},
        {"count", "-m hmm-h200", {"n=1", "n=5000 r=2"}}}},
      {"reductions",
       {{"reduction", "-m hmm-h200", {"n=5 commutative=true", "n=5000 r=3"}},
        {"reduction_cascading", "-m hmm-titan", {"n=1", "n=5000 r=3"}},
        {"reduction_tree", "-m hmm-titan", {"n=1", "n=9000 r=2", "n=5000 commutative=true"}},
        {"reduction_matrix", "-m hmm-titan --set multiprocessors=3", {"n=33", "n=5000 r=2"}},
        {"reduction_matrix", "-m hmm-titan --layout d=rows", {"n=999"}},
        {"maximum_segment_sum", "-m hmm-h200 --set multiprocessors=70", {"n=3000"}},
        {"maximum_segment_sum_tree", "-m hmm-titan", {"n=3000"}},
        {"map_reduce", "-m hmm-titan", {"n=1", "n=3000 r=2"}},
        {"figure_pipeline", "-m hmm-titan", {"n=9", ""}}}},
      {"scans",
       {{"prefix_simple", "-m umm-w32 -D n=2048"},
        {"prefix_sums", "-m dmm-w32", {"n=2", "n=1024"}},
        {"prefix_asynchronous", "-m umm-w32 --set latency=100", {"n=2", "n=5000"}},
        {"prefix_asynchronous", "-m dmm-w32 --type number=long", {"n=100"}},
        {"prefix_hmm", "-m hmm-h200 --set multiprocessors=3 -D r=2", {"n=20000"}},
        {"scan_brent_kung", "-m umm-w32", {"n=2", "n=512"}},
        {"scan_brent_kung_padded", "-m dmm-w32", {"n=1024"}},
        {"scan_kogge_stone", "-m dmm-w32", {"n=512"}},
        {"scan",
         "-m hmm-h200 --set multiprocessors=5 -D alpha=5",
         {"n=5000", "n=777 r=3 inclusive=true commutative=false", "n=20000 r=40 several=true"}},
        {"compact", "-m hmm-h200 --set multiprocessors=3", {"n=5000", "n=99 r=2"}},
        {"compact", "-m hmm-h200 --set multiprocessors=3 --type value=long", {"n=99"}},
        {"segmented_scan",
         "-m hmm-h200 --set multiprocessors=3 -D alpha=3",
         {"n=3000 r=2", "n=1000 segments=17 positions=true inclusive=false"}},
        {"scan_blocks", "-m hmm-h200 -D t=64", {"n=20000", "n=300 inclusive=false"}},
        {"scan_blocks", "-m hmm-h200 -D efficient=false", {"n=5000", "n=1 inclusive=false"}},
        {"scan_naive", "-m hmm-h200", {"n=500"}}}},
      {"matrices",
       {{"multiply", "-m hmm-h200 -D m=16 --type number=float", {"n=16", "n=48"}},
        {"multiply_dmm", "-m dmm-w32", {"n=20"}},
        {"convolution", "-m hmm-h200 -D v=2", {"n=1", "n=50"}},
        {"convolution_dmm", "-m dmm-w32", {"n=20"}}}},
      {"transposes",
       {{"transpose", "-m hmm-h200", {"n=64"}},
        {"transpose", "-m hmm-h200 --layout t=random_permute", {"n=64"}},
        {"transpose", "-m hmm-h200 --layout 't=swizzle(5, 0, 5)'", {"n=64"}},
        {"transpose", "-m hmm-h200 --layout t=swizzle --set threads=64", {"n=32"}},
        {"transpose_direct", "-m umm-w32 --layout c=random_shift", {"n=64 diagonal=true"}},
        {"transpose_direct", "-m dmm-w32 --layout 'c=padded(1)'", {"n=32"}},
        {"congestion", "-m umm-w32 --layout t=diagonal"}}},
      {"permutations",
       {{"permutation", "-m umm-w32", {"n=999 which=0", "which=2", "which=4"}},
        {"permutation_dmm", "-m dmm-w32", {"which=3"}},
        {"permutation_hmm", "-m hmm-h200 -D n=1024 --set threads=256"}}},
      {"dynamic programs",
       {{"triangulation", "-m umm-w32", {"n=3", "n=40"}},
        {"triangulation", "-m dmm-w32 --type number=float --layout chord=rows", {"n=25"}},
        {"triangulation_simple", "-m hmm-h200 --layout m=rows", {"n=3", "n=40"}},
        {"triangulation_hmm", "-m hmm-h200", {"n=3", "n=70"}}}},
      {"summed area tables",
       {{"summed_area", "-m umm-w32", {"n=2", "n=64"}},
        {"summed_area_2r2w", "-m umm-w32", {"n=1", "n=50"}},
        {"summed_area_2r1w", "-m hmm-h200 --type number=float", {"n=1", "n=100"}},
        {"summed_area_1r1w", "-m hmm-h200 --set multiprocessors=3", {"n=1", "n=100"}}}},
      {"bulk",
       {{"bulk_prefix_sums", "-m umm-w32", {"n=1 inputs=1", "inputs=100 n=20"}},
        {"bulk_triangulation", "-m umm-w32", {"n=3 inputs=1", "inputs=70"}},
        {"bulk_triangulation", "-m hmm-h200 --layout m=rows --type number=float", {"n=9"}},
        {"bulk_prefix_sums", "-m hmm-h200 --layout b=rows", {"inputs=40"}}}},
      {"sorts",
       {{"bitonic_sort", "-m hmm-h200 --set multiprocessors=3", {"n=1", "n=3000 r=2"}},
        {"heap_merge", "-m hmm-h200 --set multiprocessors=2", {"n=33", "n=2000 sequences=19"}},
        {"warpsort_merge", "-m hmm-h200", {"n=1000"}},
        {"io_optimal_sort", "-m hmm-h200 --set multiprocessors=3", {"n=1", "n=3000 r=2"}},
        {"gpu_warpsort", "-m hmm-h200 --set multiprocessors=5", {"n=2000"}}}},
      {"stable sorts",
       {{"radix_sort", "-m hmm-h200 --set multiprocessors=3", {"n=1", "n=3000 low=20 r=2"}},
        {"radix_sort_tiles", "-m hmm-h200 -D t=8", {"n=1", "n=700 bits=10"}},
        {"merge_sort", "-m hmm-h200 --set multiprocessors=3", {"n=1", "n=3000 r=2"}}}},
      {"polynomials",
       {{"division_naive", "-m hmm-h200 -D t=8", {"n=5 m=7", "n=60 m=21 q=2147483647"}},
        {"division", "-m hmm-h200 -D s=5", {"n=1 m=1", "n=60 m=33", "n=61 m=7 q=3"}},
        {"multiplication", "-m hmm-titan -D t=8", {"n=1 m=9", "n=50 m=31 q=2147483647"}},
        {"multiplication", "-m hmm-h200 -D s=5 -D t=8", {"n=70 m=33"}},
        {"ntt", "-m hmm-h200 -D tile=16", {"n=30 m=21", "n=1 m=1 q=2"}},
        {"gcd_naive", "-m hmm-h200 -D t=8", {"n=25 m=40", "n=31 m=30 q=2"}},
        {"gcd", "-m hmm-h200 -D s=3 -D t=7", {"n=30 m=21", "n=31 m=30 q=2"}}}},
      {"others",
       {{"contiguous", "-m umm-w32", {"n=5000", "n=7 reading=true"}},
        {"sequential", "-m umm-w32", {"n=1 f=0", "n=3000 f=99 gap=5"}},
        {"signal_convolution", "-m hmm-h200 --set multiprocessors=3 -D m=9", {"n=1", "n=3000"}},
        {"signal_convolution", "-m hmm-h200 --type number=float -D m=100", {"n=700"}},
        {"signal_convolution_dmm", "-m umm-w32", {"n=1000", "n=50 m=40"}},
        {"strided", "-m dmm-w32 --layout 'a=padded(1)'", {"n=100 s=32"}},
        {"figure_access", "-m dmm-w32"},
        {"figure_coalescing", "-m hmm-titan"},
        {"copy_shared", "-m hmm-h200 -D n=5000 -D m=32 -D gap=96"},
        {"product_tree", "-m hmm-h200", {"levels=1", "levels=7 degree=3 modulus=10007"}},
        {"product_tree", "-m umm-w32", {"degree=40"}},
        {"product_tree", "-m dmm-w32 -D degree=1", {"levels=3 t=9"}},
        {"string_matching", "-m hmm-h200 -D m=3", {"n=100"}}}}};
  return cases;
}

std::vector<EmittedCase> cases_of_turn(const std::string& group, std::size_t first) {
  std::vector<EmittedCase> cases;
  std::map<std::string, std::size_t> numbers;
  for (const EmittedCase& emitted : shipped_cases().at(group)) {
    const auto number = numbers.try_emplace(emitted.program, numbers.size()).first->second;
    if (has_turn(number + first, 2)) cases.push_back(emitted);
  }
  return cases;
}

} // namespace memlane::test
