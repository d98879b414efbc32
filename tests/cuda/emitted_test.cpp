// Every shipped program as CUDA C++, run on the CPU: its arrays are the simulator's, bit by bit.
#include "emitted.hpp"
#include "property/program_generator.hpp"
#include "support/catch.hpp"
#include "support/shipped_programs.hpp"

#include <fmt/format.h>

namespace memlane::test {
namespace {

#ifdef MEMLANE_NVCC // the others run as nvcc compiles them
void check_group(const std::string& name) { check_emitted(Playground(), cases_of_turn(name, 0)); }
#else
void check_group(const std::string& name) { check_emitted(Playground(), shipped_cases().at(name)); }
#endif

} // namespace

// Programs that were written to be hard to emit: each goes for one part of the language.
TEST_CASE("emitted programs of all kinds equal the simulated ones", "[release]") {
  std::vector<EmittedCase> cases = {
      {"tests/cuda/lane/records.lane", "-m dmm-w32"},
      {"tests/programs/lane/fn_blocks.lane", "-m hmm-h200-plain", {"", "n=33"}},
      {"tests/cuda/lane/slices.lane", "-m dmm-w32"},
      {"tests/cuda/lane/swizzled.lane", "-m dmm-w32", {"", "n=77 low=0"}},
      {"tests/cuda/lane/mapped.lane", "-m dmm-w32", {"", "n=77 k=7"}},
      {"tests/cuda/lane/sized.lane", "-m dmm-w32", {"", "n=77"}},
      {"tests/cuda/lane/made_names_dmm.lane", "-m dmm-w32"},
      {"tests/cuda/lane/shared_records.lane", "-m hmm-h200-plain -D m=64"}};
  for (const char* const name :
       {"names",    "records", "forms",          "lanes",     "hosts", "big",          "hash",
        "blocks",   "reals",   "shared_records", "nested",    "grids", "triangles",    "ends",
        "division", "widths",  "widened",        "slices",    "sized", "shared_procs", "swizzled",
        "mapped",   "choices", "own_records",    "atomics",   "warps", "early",        "signs",
        "lowest",   "unread",  "parted",         "made_names"})
    cases.push_back({"tests/cuda/lane/" + std::string(name) + ".lane", "-m hmm-h200-plain"});
  check_emitted(Playground(), cases);
}

TEST_CASE("emitted launches of a concurrent run in streams that join before what follows",
          "[release]") {
  const Playground playground;
  const std::string lane = "tests/cuda/lane/concurrent.lane";
  check_emitted(playground, {{lane, "-m hmm-h200-plain", {"", "parts=1 rounds=1", "parts=33"}},
                             {lane, "-m umm-w32", {"parts=7"}},
                             {lane, "-m dmm-w32", {"parts=7"}}});
  const auto text = [&](const std::string& machine) {
    return playground.run("memlane emit-cuda " + lane + " -m " + machine).out;
  };
  CHECK(text("hmm-h200-plain").find("concurrent([&] {") != std::string::npos);
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
    const Outcome made = playground.run("memlane emit-cuda timed.lane -m hmm-h200-plain");
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
                  "-m hmm-h200-plain",
                  {"", "n=70 which=1", "which=2 n=60 twice=true", "which=3", "n=2 which=2"}},
                 {"tests/cuda/lane/draw_conditions.lane",
                  "-m hmm-h200-plain",
                  {"", "which=1", "which=3 n=7", "which=9"}},
                 {"tests/cuda/lane/entangled.lane",
                  "-m hmm-h200-plain",
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
  const std::string text = playground.run("memlane emit-cuda printing.lane -m hmm-h200-plain").out;
  CHECK(text.find("100%") == std::string::npos);
  CHECK(text.find("\"drawn") == std::string::npos);
  // The random number that the print draws is drawn in both, so c[0] is the simulator's.
  check_emitted(playground, {{"printing.lane", "-m hmm-h200-plain"}});
  REQUIRE(playground.run("memlane emit-cuda printing.lane -m hmm-h200-plain --print -o emitted.cu")
              .status == 0);
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
  REQUIRE(playground.run("memlane emit-cuda sums.lane -m hmm-h200-plain -o sums.cu").status == 0);
  compile_for_host(playground, "sums");
  // Output of one run, in NumPy's format and raw, is input of the next.
  REQUIRE(playground
              .run("memlane run sums.lane -m hmm-h200-plain --seed 3 --input a=a.txt --output "
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
              .run("memlane run sums.lane -m hmm-h200-plain -o /dev/null --output m=m.bin "
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

TEST_CASE("an assert of main that fails ends the emitted program with its message", "[release]") {
  const Playground playground;
  spit(playground.folder() + "/main.lane",
       "memory a[2]: int\nkernel k() { forall i in 0..2 { a[i] = i } }\n"
       "main { launch k()\n  assert a[1] == 2 \"no two\" }\nverify { assert true }\n");
  REQUIRE(playground.run("memlane emit-cuda main.lane -m hmm-h200-plain -o main.cu").status == 0);
  compile_for_host(playground, "main");
  const Outcome run = playground.run("./main --samples 0");
  CHECK(run.status == 1);
  CHECK(run.err == "error: assert failed: no two, main.lane:4\n");
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
  const Outcome emitted =
      playground.run("memlane emit-cuda wait.lane -m hmm-h200-plain -o wait.cu");
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
  check_emitted(playground, {{"wait.lane", "-m hmm-h200-plain"}});
  // A load before a store that announces it.
  spit(playground.folder() + "/take.lane",
       "races allowed flag \"the value is taken\"\nmemory flag[1], value[1], out[1]: int\nkernel "
       "k() "
       "{\n  let v = value[0]\n  flag[0] = v\n}\nmain { launch k() threads=1 }\n"
       "verify { assert true }\n");
  CHECK(playground.run("memlane emit-cuda take.lane -m hmm-h200-plain")
            .out.find("__threadfence();\n  flag[0] = v;") != std::string::npos);
  // One block: no other one is waited for. No allowed races: no fences.
  spit(playground.folder() + "/strict.lane", body);
  const Outcome strict = playground.run("memlane emit-cuda strict.lane -m hmm-h200-plain");
  CHECK(strict.err.empty());
  const std::size_t kernels = strict.out.find("---- The harness");
  CHECK(strict.out.substr(0, kernels).find("__threadfence") == std::string::npos);
}

namespace {

/// Where the compiler takes the line of a text to be that has this code: its first one.
std::string place_of(const std::string& text, const std::string& code) {
  std::string file = "lines.cu", found;
  int number = 0, real_number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number, ++real_number;
    if (line.rfind("#line ", 0) == 0) {
      number = std::stoi(line.substr(6)) - 1;
      file = line.substr(line.find('"') + 1);
      file = file.substr(file.rfind('/') + 1);
      file.pop_back();
    } else if (file == "lines.cu" && number != real_number) {
      FAIL("line " << number << " is line " << real_number);
    }
    if (found.empty() && line.find(code) != std::string::npos)
      found = file + (file == "lines.cu" ? "" : ":" + std::to_string(number));
  }
  return found;
}

} // namespace

TEST_CASE("emit-cuda --lines relates each line of code to the program or to its own file",
          "[release]") {
  const Playground playground;
  const auto emitted = [&](const std::string& program) {
    return playground.run("memlane emit-cuda " + program + " --lines -o lines.cu && cat lines.cu")
        .out;
  };
  std::string text = emitted("reduction_tree -m hmm-h200-plain");
  CHECK(place_of(text, "for (int h = size / 2;") == "reduction.lane:40");
  CHECK(place_of(text, "const bool enters1") == "reduction.lane:41");
  CHECK(place_of(text, "if (enters1)") == "reduction.lane:41");
  CHECK(place_of(text, "x[lane] = value2;") == "reduction.lane:42");
  CHECK(place_of(text, "x[lane] = value3;") == "reduction.lane:43");
  CHECK(place_of(text, "return i < n ? lift(T[i]) : 0;") == "reduction.lane:16");
  CHECK(place_of(text, "void fold(") == "lines.cu");
  CHECK(text.find("lift_2") == std::string::npos); // kernels and host code share functions
  text = emitted("sum -m dmm-w32");                // its memory is copied
  CHECK(place_of(text, "  copy_words<int>(a, global_a, words_a);") == "lines.cu");
  CHECK(place_of(text, "  copy_words<int>(global_a, a, words_a);") == "lines.cu");
  CHECK(place_of(text, "a[i] = a[i] + ") == "sum.lane:8");
  // An expression of two lines, a function of the layout, records.
  text = emitted("heap_merge -m hmm-h200-plain");
  CHECK(place_of(text, "= lane >= left_[c] ?") == "heap_merge.lane:39");
  CHECK(place_of(text, "x[ends[c - ways] - left_[c] + lane]") == "heap_merge.lane:40");
  text = emitted("transpose -m hmm-h200-plain --layout t=random_permute");
  CHECK(place_of(text, "t_offsets[i % w]") == "lines.cu");
  CHECK(place_of(text, "= t[t_word(j, i)];") == "transpose.lane:13");
  compile_for_host(playground, "lines");
  CHECK(playground.run("./lines --samples 0").status == 0);
  text = emitted("map_reduce -m hmm-titan-plain");
  CHECK(place_of(text, "void put(int index, ").find("functions of records:") == 0);
}

TEST_CASE("what a program does not use and what exceeds a range is no warning of compilers") {
  const Playground playground;
  spit(playground.folder() + "/count.lane", R"(
    param n: int = 8
    memory x[n]: int = 0
    kernel count() {
      forall i in 0..n, j in i..n { atomic x[0] += 1 }
      forall i in 0..n, j in 0..n { atomic x[1] += 1 }
      forall chunked i in 2..n { atomic x[2] += 1 }
      for i = 0 to n - 1 { atomic x[3] += 1 }
      let other = 7
    }
    main { launch count() }
    verify { assert x[0]*2 == x[1] + n and x[2] == n - 2 })");
  spit(playground.folder() + "/idle.lane",
       "memory a[64]: int = index\nkernel k() { forall i in 0..3 { let x = i } }\n"
       "main { launch k() threads=64 }\nverify { assert a[0] == 0 }\n");
  for (const char* const program :
       {"count.lane -m hmm-h200-plain", "tests/cuda/lane/unread.lane -m hmm-h200-plain",
        "idle.lane -m dmm-w32"}) {
    const Outcome outcome = playground.run(
        fmt::format("memlane run {0} && memlane emit-cuda {0} -o warned.cu", program));
    INFO(outcome.err);
    CHECK(outcome.status == 0);
    compile_for_host(playground, "warned", "-Wall -Wextra -Werror");
  }
}

TEST_CASE("shared arrays beyond the machine's capacity are not emitted") {
  const Playground playground;
  spit(playground.folder() + "/tiles.lane",
       "param t: int = 64\ntype pair = (u: int, v: int)\nkernel k() {\n  shared s[t, t]: int\n"
       "  shared z[t]: pair layout padded(1)\n  forall i in 0..t { s[i, 0] = i  z[i].u = i }\n}\n"
       "main { launch k() }\nverify { assert true }\n");
  const auto emit = [&](const std::string& options) {
    return playground.run("memlane emit-cuda tiles.lane -o tiles.cu -m hmm-h200-plain " + options);
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

TEST_CASE("emit-cuda --wmma takes products that tensor cores make without loss") {
  const Playground playground;
  const std::string program =
      "const s = tensor_size\nmemory a[s, s], c[s, s]: double = index\n"
      "memory b[s, s], d[s, s]: int = index\nkernel k() {\n  tensor c[0, 0] += a[0, 0] * a[0, 0]\n"
      "  tensor d[0, 0] += b[0, 0] * b[0, 0]\n}\nmain { launch k() threads=";
  const auto emit = [&](const std::string& options, int warps = 2) {
    spit(playground.folder() + "/products.lane",
         program + std::to_string(warps) + "*w }\nverify { assert true }\n");
    return playground.run("memlane emit-cuda products.lane -m hmm-tensor " + options);
  };
  const auto holds = [](const Outcome& emitted, const std::string& text) {
    return emitted.out.find(text) != std::string::npos;
  };
  const Outcome plain = emit(""), both = emit("--wmma");
  CHECK_FALSE(holds(plain, "wmma"));
  CHECK(holds(both, "by: memlane emit-cuda products.lane -m hmm-tensor --wmma\n"));
  CHECK(holds(both, "multiply_tiles<16, 2>(_tile0_c, _tile0_a, _tile0_b);"));
  CHECK_FALSE(holds(both, "multiply_tiles<16, 2>(_tile1_c"));
  CHECK(holds(both, "// A loop: wmma multiplies without loss only tiles of doubles"));
  CHECK(holds(emit("--wmma --set tensor.size=32"), "multiply_tiles<32, 2>("));
  CHECK(holds(emit("--wmma --set tensor.size=32", 6), "multiply_tiles<32, 6>("));
  CHECK(emit("--wmma --set tensor.size=32", 7).status == 2);
  CHECK(holds(emit("--wmma", 7), "multiply_tiles<16, 7>("));
  for (const char* other : {"--set tensor.size=4", "--set tensor.size=64"}) {
    const Outcome refused = emit(std::string("--wmma ") + other);
    CHECK(refused.status == 2);
    CHECK(refused.err.find("--wmma: error: no product of the program fits tensor cores") == 0);
  }
}

TEST_CASE("emitted fns with blocks, random ones, have the simulator's values", "[release]") {
  const Playground playground;
  spit(playground.folder() + "/random_3.lane", fn_program(3));
  spit(playground.folder() + "/random_14.lane", fn_program(14));
  check_emitted(playground,
                {{"random_3.lane", "-m hmm-h200-plain"}, {"random_14.lane", "-m hmm-h200-plain"}});
}

TEST_CASE("emitted sums equal the simulated ones", "[release]") { check_group("sums"); }
TEST_CASE("emitted reductions equal the simulated ones", "[release]") { check_group("reductions"); }
TEST_CASE("emitted scans equal the simulated ones", "[release]") { check_group("scans"); }
TEST_CASE("emitted scans that look back equal the simulated ones", "[release]") {
  check_group("scans that look back");
}
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
TEST_CASE("emitted atomics and operations of warps equal the simulated ones", "[release]") {
  check_group("atomics and warps");
}
TEST_CASE("other emitted programs equal the simulated ones", "[release]") { check_group("others"); }

TEST_CASE("every shipped program is held against the simulator as emitted", "[release]") {
  for (const ShippedProgram& program : shipped_programs()) {
    bool found = false;
    for (const auto& [group, cases] : shipped_cases())
      for (const EmittedCase& emitted : cases) found = found || emitted.program == program.name;
    INFO(program.name);
    CHECK(found);
  }
}

} // namespace memlane::test
