// Every shipped program as CUDA C++, run on the CPU: its arrays are the simulator's, bit by bit.
#include "emitted.hpp"
#include "property/program_generator.hpp"
#include "support/catch.hpp"
#include "support/shipped_programs.hpp"

#include <map>

namespace memlane::test {
namespace {

// By groups, a test each, so that several run at once. A program that is new has to be in one.
const std::map<std::string, std::vector<EmittedCase>>& groups() {
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

void check_group(const std::string& name) { check_emitted(Playground(), groups().at(name)); }

} // namespace

// Programs that were written to be hard to emit: each goes for one part of the language.
TEST_CASE("emitted programs of all kinds equal the simulated ones", "[release]") {
  std::vector<EmittedCase> cases = {
      {"tests/cuda/lane/records.lane", "-m dmm-w32"},
      {"tests/programs/lane/fn_blocks.lane", "-m hmm-h200", {"", "n=33"}},
      {"tests/cuda/lane/slices.lane", "-m dmm-w32"},
      {"tests/cuda/lane/swizzled.lane", "-m dmm-w32", {"", "n=77 low=0"}},
      {"tests/cuda/lane/sized.lane", "-m dmm-w32", {"", "n=77"}},
      {"tests/cuda/lane/shared_records.lane", "-m hmm-h200 -D m=64"}};
  for (const char* const name :
       {"names",        "records",  "forms",   "lanes",          "hosts",  "big",
        "hash",         "blocks",   "reals",   "shared_records", "nested", "grids",
        "ends",         "division", "widths",  "widened",        "slices", "sized",
        "shared_procs", "swizzled", "choices", "own_records"})
    cases.push_back({"tests/cuda/lane/" + std::string(name) + ".lane", "-m hmm-h200"});
  check_emitted(Playground(), cases);
}

TEST_CASE("emitted launches of a concurrent run in streams that join before what follows",
          "[release]") {
  const Playground playground;
  const std::string lane = "tests/cuda/lane/concurrent.lane";
  check_emitted(playground, {{lane, "-m hmm-h200", {"", "parts=1 rounds=1", "parts=33"}},
                             {lane, "-m umm-w32", {"parts=7"}},
                             {lane, "-m dmm-w32", {"parts=7"}}});
  const auto text = [&](const std::string& machine) {
    return playground.run("memlane emit-cuda " + lane + " -m " + machine).out;
  };
  CHECK(text("hmm-h200").find("concurrent([&] {") != std::string::npos);
  CHECK(text("dmm-w32").find("concurrent([&] {") == std::string::npos);
}

// The timing repeats main's launches, with host code between them and without.
TEST_CASE("the harness times a concurrent as a whole", "[release]") {
  const Playground playground;
  std::vector<std::string> programs;
  for (const char* const between : {"", "  a[1] = a[0] + 1\n"}) {
    spit(playground.folder() + "/timed.lane",
         "memory a[320]: int\nkernel k(x[s]: int) { forall i in 0..s { x[i] = i } }\n"
         "main {\n  launch k(a)\n" +
             std::string(between) +
             "  concurrent { for i = 0 to 39 { launch k(a[8*i..8*i + 8]) } }\n}\n"
             "verify { for i = 0 to 319 { assert a[i] == i % 8 } }\n");
    const Outcome made = playground.run("memlane emit-cuda timed.lane -m hmm-h200");
    INFO(made.err);
    REQUIRE(made.status == 0);
    programs.push_back(made.out);
  }
  compile_together(playground, programs);
  for (const char* const program : {"0", "1"}) {
    const Outcome run = playground.run("./emitted " + std::string(program) +
                                       " --samples 3 --warm-up 1 --seconds 0.01");
    INFO(run.err);
    CHECK(run.status == 0);
    CHECK(run.out.find("\"launches\": 41,") != std::string::npos);
    CHECK(run.out.find("\"verify\": \"passed\"") != std::string::npos);
    CHECK(run.out.find("samples_ns") != std::string::npos);
  }
}

TEST_CASE("emitted programs draw the simulator's random numbers under other parameters, too",
          "[release]") {
  check_emitted(Playground(),
                {{"tests/cuda/lane/draws.lane",
                  "-m hmm-h200",
                  {"", "n=70 which=1", "which=2 n=60 twice=true", "which=3", "n=2 which=2"}},
                 {"tests/cuda/lane/draw_conditions.lane",
                  "-m hmm-h200",
                  {"", "which=1", "which=3 n=7", "which=9"}},
                 {"tests/cuda/lane/entangled.lane",
                  "-m hmm-h200",
                  {"", "which=6", "twice=false", "n=70 free=4"}}});
}

TEST_CASE("prints are left out of emitted files, or printed by kernels and host code",
          "[release]") {
  const Playground playground;
  spit(playground.folder() + "/printing.lane",
       "type pair = (a: int, b: double)\nmemory c[64]: int\nparam printf: int = 4\n"
       "kernel k() {\n  forall i in 0..64 { c[i] = i\n"
       "    if i % 32 == printf { print \"100% of\", i, i > 5, pair(i, 0.5) } }\n}\n"
       "main { launch k()\n  print \"drawn\", random(0, 9)  c[0] = random(0, 1000000) }\n"
       "verify { assert c[1] == 1 }\n");
  const std::string text = playground.run("memlane emit-cuda printing.lane -m hmm-h200").out;
  CHECK(text.find("100%") == std::string::npos);
  CHECK(text.find("\"drawn") == std::string::npos);
  // The random number that the print draws is drawn in both, so c[0] is the simulator's.
  check_emitted(playground, {{"printing.lane", "-m hmm-h200"}});
  REQUIRE(
      playground.run("memlane emit-cuda printing.lane -m hmm-h200 --print -o emitted.cu").status ==
      0);
  compile_for_host(playground, "emitted");
  const Outcome run = playground.run("./emitted --samples 0");
  CHECK(run.out.find("block 0, thread 4: 100% of 4 false (4, 0.5)\n"
                     "block 0, thread 36: 100% of 36 true (36, 0.5)\n") == 0);
  CHECK(run.err.find("drawn ") != std::string::npos);
  CHECK(playground.run("memlane emit-cuda --all -o all --print").status == 2);
}

// What `memlane run` reads and draws, the emitted program reads and draws, too.
TEST_CASE("emitted programs read arrays from files, and refuse wrong ones", "[release]") {
  const Playground playground;
  spit(playground.folder() + "/sums.lane",
       "param n: int = 4\ntype pair = (u: int, v: double)\nmemory a[n]: int = random(0, 99)\n"
       "memory m[2, n]: double\nmemory z[n]: pair\nmemory r[n]: double = random(0.0, 1.0)\n"
       "kernel k() {\n  forall i in 0..n { m[0, i] = m[1, i] + double(a[i]) + r[i]\n"
       "    z[i].u = z[i].u + 1 }\n}\n"
       "main { launch k() }\nverify { assert z[0].u == initial(z)[0].u + 1 }\n");
  spit(playground.folder() + "/a.txt", "3, -1\n+2147483647 7\n");
  spit(playground.folder() + "/u.csv", "1,2,3,4\n");
  REQUIRE(playground.run("memlane emit-cuda sums.lane -m hmm-h200 -o sums.cu").status == 0);
  compile_for_host(playground, "sums");
  // Output of one run, in NumPy's format and raw, is input of the next.
  REQUIRE(playground
              .run("memlane run sums.lane -m hmm-h200 --seed 3 --input a=a.txt --output "
                   "m=m.npy --output r=r.bin")
              .status == 0);
  const std::string inputs =
      " --seed 9 --input a=a.txt --input m=m.npy --input r=r.bin --input z.u=u.csv";
  const Outcome emitted =
      playground.run("mkdir host && ./sums --samples 0 --outputs host" + inputs);
  INFO(emitted.err);
  REQUIRE(emitted.status == 0);
  CHECK(emitted.out.find("\"inputs\": {\"a\": \"a.txt\", \"m\": \"m.npy\"") != std::string::npos);
  REQUIRE(playground
              .run("memlane run sums.lane -m hmm-h200 -o /dev/null --output m=m.bin "
                   "--output z.u=u.bin" +
                   inputs)
              .status == 0);
  CHECK(slurp(playground.folder() + "/host/m.bin") == slurp(playground.folder() + "/m.bin"));
  CHECK(slurp(playground.folder() + "/host/z.u.bin") == slurp(playground.folder() + "/u.bin"));
  const auto refused = [&](const std::string& given, const std::string& says) {
    const Outcome run = playground.run("./sums --samples 0 " + given);
    INFO(given << "\n" << run.err);
    CHECK(run.status == 2);
    CHECK(run.err.find(says) != std::string::npos);
  };
  playground.run("head -c 20 m.npy > cut.npy; head -c 150 m.npy > short.npy; printf '1 2 x 4' > "
                 "x.txt; printf '1 2,,3 4' > commas.txt; printf '1 2 3 2147483648' > large.txt; "
                 "printf '1 2 3' > three.txt; cp m.npy a.npy; cp a.txt a.dat; head -c 9 r.bin > "
                 "nine.bin");
  refused("--input b=a.txt", "must be ARRAY=FILE; the arrays are a, m, z.u, z.v, r");
  refused("--input a", "must be ARRAY=FILE");
  refused("--input a=none.txt", "cannot be read: No such file");
  refused("--input a=host.txt/x", "cannot be read");
  refused("--input a=a.dat", "must end in .txt, .csv, .bin or .npy");
  refused("--input a=x.txt", "'x' is not a number of type int");
  refused("--input a=commas.txt", "a number is missing before the comma");
  refused("--input a=large.txt", "'2147483648' is not a number of type int");
  refused("--input a=three.txt", "has 4 elements of type int, the file has 3 numbers");
  refused("--input a=a.txt --n 5", "has 5 elements of type int, the file has 4 numbers");
  refused("--input a=a.txt --input a=a.txt", "given twice");
  refused("--input m=cut.npy", "cut off in its header");
  refused("--input m=short.npy", "so 64 bytes; the file has 22");
  refused("--input a=a.npy", "so the file's type must be '<i4'");
  refused("--input m=m.npy --n 5", "the array has shape (2, 5)");
  refused("--input r=nine.bin", "so 32 bytes; the file has 9");
}

TEST_CASE("emitted programs whose races are allowed have fences, and warn where blocks wait",
          "[release]") {
  const Playground playground;
  const std::string body =
      "memory flag[1]: int\nmemory value[2]: int\nkernel k() {\n  if block == 1 {\n"
      "    while flag[0] == 0 { }\n    value[0] = value[1]\n  } else {\n"
      "    if thread == 0 { value[1] = 7\n      flag[0] = 1 }\n  }\n}\n"
      "main { launch k() blocks=2 threads=32 }\nverify { assert value[0] == 7 }\n";
  spit(playground.folder() + "/wait.lane",
       "races allowed flag, value \"block 1 waits for block 0\"\n" + body);
  const Outcome emitted = playground.run("memlane emit-cuda wait.lane -m hmm-h200 -o wait.cu");
  CHECK(emitted.status == 0);
  CHECK(emitted.err.find("wait.lane:6:5: warning: this loop may wait for a word that another block "
                         "writes") == 0);
  const std::string text = slurp(playground.folder() + "/wait.cu");
  CHECK(text.find("// Line 6: this loop may wait") != std::string::npos);
  CHECK(
      text.find("while (flag[0] == 0) {\n      __threadfence();\n    }\n    __threadfence();\n") !=
      std::string::npos);
  CHECK(text.find("__threadfence();\n    flag[0] = 1;") != std::string::npos);
  CHECK(text.find("volatile int* flag") != std::string::npos);
  check_emitted(playground, {{"wait.lane", "-m hmm-h200"}});
  // One block: no other one is waited for. No allowed races: no fences.
  spit(playground.folder() + "/strict.lane", body);
  const Outcome strict = playground.run("memlane emit-cuda strict.lane -m hmm-h200");
  CHECK(strict.err.empty());
  const std::size_t kernels = strict.out.find("---- The harness");
  CHECK(strict.out.substr(0, kernels).find("__threadfence") == std::string::npos);
}

TEST_CASE("kernels of --lines name the program's lines, and the host's code those of the file",
          "[release]") {
  const Playground playground;
  const std::string text =
      playground.run("memlane emit-cuda transpose -m hmm-h200 --lines -o lines.cu && cat lines.cu")
          .out;
  const std::size_t store = text.find("    c[(j0 + i) * n + i0 + j] = ");
  REQUIRE(store != std::string::npos);
  const std::size_t said = text.rfind("#line ", store);
  CHECK(text.substr(said, 9) == "#line 13 ");
  CHECK(text.substr(said, store - said).ends_with("transpose.lane\"\n"));
  const std::size_t back = text.find("\"emitted.cu\"\n");
  REQUIRE(back != std::string::npos);
  const std::size_t number = text.rfind("#line ", back) + 6;
  const auto lines_before = std::count(text.begin(), text.begin() + std::ptrdiff_t(back), '\n');
  CHECK(std::stol(text.substr(number)) == lines_before + 2);
  CHECK(text.find("#line", back) == std::string::npos);
  compile_for_host(playground, "lines");
  CHECK(playground.run("./lines --samples 0").status == 0);
}

TEST_CASE("shared arrays beyond the machine's capacity are not emitted") {
  const Playground playground;
  spit(playground.folder() + "/tiles.lane",
       "param t: int = 64\ntype pair = (u: int, v: int)\nkernel k() {\n  shared s[t, t]: int\n"
       "  shared z[t]: pair layout padded(1)\n  forall i in 0..t { s[i, 0] = i  z[i].u = i }\n}\n"
       "main { launch k() }\nverify { assert true }\n");
  const auto emit = [&](const std::string& options) {
    return playground.run("memlane emit-cuda tiles.lane -o tiles.cu -m hmm-h200 " + options);
  };
  CHECK(emit("--set shared.capacity=4228").status == 0);
  const Outcome refused = emit("--set shared.capacity=4200");
  CHECK(refused.status == 2);
  CHECK(
      refused.err.find("tiles.lane:4:10: error: k needs 4228 shared words, more than the machine's "
                       "capacity of 4200; 4096 of them are those of s") == 0);
  CHECK(refused.err.find("--set shared.capacity=4228") != std::string::npos);
  CHECK(emit("--set shared.capacity=4200 -D t=32").status == 0);
}

TEST_CASE("emitted fns with blocks, random ones, have the simulator's values", "[release]") {
  const Playground playground;
  spit(playground.folder() + "/random_3.lane", fn_program(3));
  spit(playground.folder() + "/random_14.lane", fn_program(14));
  check_emitted(playground, {{"random_3.lane", "-m hmm-h200"}, {"random_14.lane", "-m hmm-h200"}});
}

TEST_CASE("emitted sums equal the simulated ones", "[release]") { check_group("sums"); }
TEST_CASE("emitted reductions equal the simulated ones", "[release]") { check_group("reductions"); }
TEST_CASE("emitted scans equal the simulated ones", "[release]") { check_group("scans"); }
TEST_CASE("emitted products of matrices equal the simulated ones", "[release]") {
  check_group("matrices");
}
TEST_CASE("emitted transposes equal the simulated ones", "[release]") { check_group("transposes"); }
TEST_CASE("emitted permutations equal the simulated ones", "[release]") {
  check_group("permutations");
}
TEST_CASE("emitted dynamic programs equal the simulated ones", "[release]") {
  check_group("dynamic programs");
}
TEST_CASE("emitted summed area tables equal the simulated ones", "[release]") {
  check_group("summed area tables");
}
TEST_CASE("emitted bulk executions equal the simulated ones", "[release]") { check_group("bulk"); }
TEST_CASE("emitted sorts equal the simulated ones", "[release]") { check_group("sorts"); }
TEST_CASE("emitted stable sorts equal the simulated ones", "[release]") {
  check_group("stable sorts");
}
TEST_CASE("emitted programs for polynomials equal the simulated ones", "[release]") {
  check_group("polynomials");
}
TEST_CASE("other emitted programs equal the simulated ones", "[release]") { check_group("others"); }

TEST_CASE("every shipped program is held against the simulator as emitted", "[release]") {
  for (const ShippedProgram& program : shipped_programs()) {
    bool found = false;
    for (const auto& [group, cases] : groups())
      for (const EmittedCase& emitted : cases) found = found || emitted.program == program.name;
    INFO(program.name);
    CHECK(found);
  }
}

} // namespace memlane::test
