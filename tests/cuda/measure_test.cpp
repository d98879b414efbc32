// Emitted files as they are read and run: one of them whole, and measure.sh with a compiler that
// stands in for nvcc and builds for the CPU.
#include "emitted.hpp"
#include "support/catch.hpp"

#include "memlane/study/gpu/measurements.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>

namespace memlane::test {
namespace {

/// The program's own part: without the harness, which is in every file.
std::string own_part(const std::string& text) {
  const std::size_t begin = text.find("// ---- The harness");
  const std::string last = "// ---- End of the harness ----\n";
  const std::size_t end = text.find(last);
  REQUIRE(begin != std::string::npos);
  REQUIRE(end != std::string::npos);
  return text.substr(0, begin) + "// (the harness)\n" + text.substr(end + last.size());
}

void check_golden(const std::string& name, const std::string& command) {
  const Playground playground;
  const Outcome outcome = playground.run(command);
  REQUIRE(outcome.status == 0);
  const std::string path = std::string(MEMLANE_SOURCE_DIR) + "/tests/golden/emit/" + name;
  const std::string text = own_part(outcome.out);
  if (std::getenv("MEMLANE_UPDATE_GOLDEN") != nullptr) spit(path, text);
  CHECK(text == slurp(path));
}

/// A compiler that takes nvcc's options and builds over fibres; what includes CUB fails.
void write_stand_in(const Playground& playground) {
  spit(playground.folder() + "/nvcc", R"(#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in
    -o) out=$2; shift ;;
    -Xcompiler) shift ;;
    *.cu) file=$1 ;;
  esac
  shift
done
case $file in
  *probe.cu) set -- -include memlane/cuda/cuda_on_host.hpp ;;
esac
exec )" MEMLANE_HOST_COMPILER R"( -std=c++20 -O0 -fwrapv -ffp-contract=off -DMEMLANE_HOST "$@" \
  -I)" MEMLANE_SOURCE_DIR R"(/include -include )" MEMLANE_HOST_HEADERS
                                      R"( -x c++ "$file" -o "$out" -lboost_context
)");
  REQUIRE(playground.run("chmod +x nvcc").status == 0);
}

} // namespace

TEST_CASE("emitted files read as a person would write them", "[release]") {
  check_golden("sum.cu", "memlane emit-cuda sum");
  check_golden("transpose.cu",
               "memlane emit-cuda transpose -m hmm-h200-plain --layout t=random_shift");
  check_golden("scan_dmm.cu", "memlane emit-cuda scan_brent_kung_padded -m dmm-w32");
  check_golden("maximum_segment_sum.cu", "memlane emit-cuda maximum_segment_sum -m hmm-h200-plain");
}

TEST_CASE("kernels have constant thread counts, 32-bit counters and every access") {
  const Playground playground;
  const Outcome emitted =
      playground.run("memlane emit-cuda tests/cuda/lane/widths.lane -m hmm-h200-plain");
  REQUIRE(emitted.status == 0);
  const auto has = [&](const std::string& line) {
    INFO(line);
    CHECK(emitted.out.find(line) != std::string::npos);
  };
  has("__global__ void __launch_bounds__(1024) count(volatile int* a, const volatile int* q, int "
      "n)");
  has("constexpr int threads = 64;");
  has("for (int t = floor_log2(n) - 1; t >= 0; --t)");
  has("for (int i = thread; i < (1 << t); i += threads)");
  has("for (int ij = thread; ij < near * near; ij += threads)");
  has("for (long long i = far; i <= far + 3; ++i)");
  has("for (long long i = x + thread; i < x + 40; i += threads)");
  has("const int at1 = q[i];");
  has("sqrtf(f[i] * f[i] + 0.1f)");

  // A block of more threads than the kernel was compiled for is never launched.
  spit(playground.folder() + "/sizes.lane", R"(param n: int = 64 where n >= 1
memory a[n]: int
kernel fill() { a[thread] = threads }
main { launch fill() threads=n }
verify { assert a[0] == n }
)");
  REQUIRE(playground
              .run("memlane emit-cuda sizes.lane -m hmm-h200-plain --set threads=256 -o emitted.cu")
              .status == 0);
  CHECK(slurp(playground.folder() + "/emitted.cu").find("__launch_bounds__(256)") !=
        std::string::npos);
  compile_for_host(playground, "emitted");
  const Outcome large = playground.run("./emitted --samples 0 --n 320");
  CHECK(large.status == 3);
  CHECK(large.err == "skipped: a block of 320 threads; the kernel is compiled for 256\n");
}

TEST_CASE("a measured line says what was priced and how, and nothing of where it was emitted",
          "[release]") {
  const Playground playground;
  const std::string folder = playground.folder() + "/somewhere";
  REQUIRE(playground
              .run("mkdir somewhere && cd " MEMLANE_SOURCE_DIR
                   " && cp programs/reduction/sum.lane configs/machines/umm-w32.json "
                   "configs/machines/dmm-w32.json " +
                   folder)
              .status == 0);
  REQUIRE(playground
              .run("memlane emit-cuda " + folder + "/sum.lane -m " + folder +
                   "/umm-w32.json -o emitted.cu")
              .status == 0);
  const std::string text = slurp(playground.folder() + "/emitted.cu");
  CHECK(text.find("somewhere") == std::string::npos);
  CHECK(text.find("// sum.lane, by: memlane emit-cuda sum.lane -m umm-w32.json") !=
        std::string::npos);
  CHECK(text.find("the assertion does not hold, sum.lane:") != std::string::npos);
  compile_for_host(playground, "emitted");
  const Outcome outcome = playground.run("./emitted --samples 30 --warm-up 1 --seconds 0.2");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const nlohmann::json line = nlohmann::json::parse(outcome.out);
  CHECK(outcome.out.find(playground.folder()) == std::string::npos);
  CHECK(line["program"] == "sum.lane");
  CHECK(line["date"].get<std::string>().size() == std::string("2026-01-01T00:00:00Z").size());
  CHECK(line["fmad"] == false);
  const std::size_t samples = line["samples_ns"].size();
  CHECK(samples >= 5);
  CHECK(samples <= 30);
  const std::string stopped = line["stopped"];
  CHECK((stopped == "samples") == (samples == 30));
  CHECK((stopped == "samples" || stopped == "noise" || stopped == "time"));
  CHECK(line["held"] == true);
  CHECK(line["noise"] >= 0.0);
  CHECK(line["spread"] >= 0.0);
  CHECK(line["back_to_back_samples_ns"].size() >= 3);
  CHECK(line["back_to_back_spread"] >= 0.0);
  CHECK(line["clock_drift"] == 0.0);
  // There is no clock on a CPU: the events' time is all there is.
  CHECK(line["priced_clock"] == "events");
  CHECK(line["priced_ns"] == line["median_ns"]);
  CHECK(line["array_bytes"] == 1024 * 4);
  REQUIRE(line["kernels"].size() == 1);
  CHECK(line["kernels"][0]["threads"] == 1024);
  CHECK(line["kernels"][0]["blocks"] == 1);
  CHECK(line["verify"] == "passed");
#ifdef MEMLANE_PYTHON
  spit(playground.folder() + "/line.jsonl", outcome.out);
  write_schemas(playground);
  const Outcome valid = playground.run(
      "mkdir -p results/measured-line && mv line.jsonl results/measured-line && '" MEMLANE_PYTHON
      "' tests/cli/validate.py schemas results");
  CHECK(valid.out == "\n");
  CHECK(valid.status == 0);
#endif
}

TEST_CASE("a result that is wrong only after the timing is wrong", "[release]") {
  const Playground playground;
  REQUIRE(playground.run("memlane emit-cuda sum -m umm-w32 -o emitted.cu").status == 0);
  // As if the device failed under load.
  const std::string path = playground.folder() + "/emitted.cu";
  std::string text = slurp(path);
  const std::string mark = "  void run() {\n";
  REQUIRE(text.find(mark) != std::string::npos);
  text.insert(text.find(mark) + mark.size(),
              "    static int runs = 0;\n    if (++runs > 1) a.put(0, 7);\n");
  spit(path, text);
  compile_for_host(playground, "emitted");
  const Outcome outcome = playground.run("./emitted --samples 5 --warm-up 0 --seconds 0");
  CHECK(outcome.status == 1);
  CHECK(outcome.out.find("\"verify\": \"failed\"") != std::string::npos);
  CHECK(outcome.err.find("error: the result is wrong after the timing: ") == 0);
}

TEST_CASE("measure.sh measures emitted programs, and says what it left out and why", "[release]") {
  const Playground playground;
  write_stand_in(playground);
  const Outcome outcome = playground.run(
      "NVCC=$T/nvcc memlane gpu measure --minutes 1 --only figure_access -o measured.jsonl");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.err.find("measured.jsonl: measured 1 of 1 points, 0 wrong, 0 skipped") !=
        std::string::npos);
  Sources sources;
  const std::int32_t file =
      sources.add("measured.jsonl", slurp(playground.folder() + "/measured.jsonl"));
  const Result<measure::Measurements> read = measure::read_measurements(sources, file);
  REQUIRE(read);
  CHECK(read->warnings.empty());
  REQUIRE(read->points.size() == 1);
  const measure::MeasuredPoint& point = read->points[0];
  CHECK(point.program == "figure_access");
  CHECK(point.verified == measure::Verified::passed);
  CHECK(point.machine.model == Model::dmm);
  CHECK(point.samples_ns.size() >= 20);
  CHECK(point.back_to_back_ns.has_value());

  // Without CUB nothing is left to be measured, and every point says so.
  const Outcome none =
      playground.run("NVCC=$T/nvcc memlane gpu measure --only cub_sum -o none.jsonl");
  CHECK(none.status == 2);
  CHECK(none.err.find("measured 0 of 5 points, 0 wrong, 5 skipped") != std::string::npos);
  const std::string lines = slurp(playground.folder() + "/none.jsonl");
  CHECK(lines.find("\"skipped\": \"cub_sum.cu was not built") != std::string::npos);
  const Outcome compared = playground.run("memlane gpu compare measured.jsonl -m hmm-h200-plain");
  INFO(compared.err);
  CHECK(compared.status == 0);
}

TEST_CASE("an AGPU's program is emitted if a GPU can run it, and measured as an HMM's",
          "[release]") {
  const Playground playground;
  const auto emitted = [&](const std::string& text, const std::string& settings) {
    spit(playground.folder() + "/kept.lane", text);
    return playground.run("memlane emit-cuda kept.lane -m agpu-k20c" + settings);
  };
  const std::string kept = "shared s[32]: int\nmemory a[32]: int\n"
                           "kernel fill() { s[lane] = lane  a[lane] = s[lane] }\n"
                           "main { launch fill() }\nverify { assert a[1] == 1 }\n";
  const Outcome plain = emitted(kept, "");
  CHECK(plain.status == 0);
  CHECK(plain.out.find("\"machine\": {\"model\": \"hmm\", \"width\": 32, "
                       "\"multiprocessors\": 13, \"threads\": 32}") != std::string::npos);
  const Outcome refused = emitted(kept, " --set volatile=false");
  CHECK(refused.status == 2);
  CHECK(refused.err.find("kept.lane:1:8: error: s is kept between blocks and launches, as the "
                         "machine is not volatile; CUDA's shared memory ends with its block") == 0);
  const Outcome cores = emitted("memory a[p]: int\nkernel k() { a[lane] = p }\n"
                                "main { launch k() }\nverify { assert true }\n",
                                "");
  CHECK(cores.status == 2);
  CHECK(cores.err.find("the program uses p, which an AGPU and an HMM count differently") !=
        std::string::npos);
}

TEST_CASE("an emitted program names wrong options and what is too large for the device",
          "[release]") {
  const Playground playground;
  REQUIRE(playground.run("memlane emit-cuda sum -m dmm-w32 -o emitted.cu").status == 0);
  compile_for_host(playground, "emitted");
  const auto says = [&](const std::string& options, int status, const std::string& what) {
    const Outcome outcome = playground.run("./emitted " + options);
    INFO(options << "\n" << outcome.out << outcome.err);
    CHECK(outcome.status == status);
    CHECK((outcome.out + outcome.err).find(what) != std::string::npos);
  };
  says("--n 65536", 3,
       "\"skipped\": \"a kernel needs 262144 bytes of shared memory, the device has 232448");
  says("--n 48", 2, "error: --n: must satisfy is_pow2(n)");
  says("--n 1e3", 2, "error: --n: '1e3' is not a valid value");
  says("--m 4", 2, "error: unknown option '--m'");
  says("--n", 2, "error: unknown option '--n', or its value is missing");
  says("--output b=x --samples 0", 2, "error: --output b=x: must be ARRAY=FILE");
  says("--help", 0, "--n VALUE");
}

TEST_CASE("emitted programs and measure.sh say why this machine's GPU cannot be used",
          "[release]") {
  const Playground playground;
  write_stand_in(playground);
  REQUIRE(playground.run("memlane emit-cuda scan_kogge_stone -m dmm-w32 -o emitted.cu").status ==
          0);
  compile_for_host(playground, "emitted");
  const std::string none = "there is no CUDA device, or CUDA_VISIBLE_DEVICES hides it: nvidia-smi "
                           "lists the devices\n";
  const std::string no_driver = "this machine has no driver for an NVIDIA GPU: install one\n";
  const auto says = [&](const std::string& device, const std::string& program, int status,
                        const std::string& line) {
    const Outcome outcome = playground.run("MEMLANE_HOST_DEVICE=" + device + " " + program);
    CHECK(outcome.status == status);
    CHECK(outcome.err == line);
  };
  says("none", "./emitted", 2, "error: " + none);
  says("no-driver", "./emitted", 2, "error: " + no_driver);
  says("old-driver", "./emitted", 2,
       "error: the driver has CUDA 11.4, and this program was built with CUDA 13.0: update the "
       "driver, or build with an nvcc of 11.4\n");
  says("other-architecture", "./emitted", 2,
       "error: this program was not built for the machine's GPU: build it there, with nvcc "
       "-arch=native\n");
  says("small", "./emitted --n 8192", 3,
       "skipped: a kernel needs 65536 bytes of shared memory, the device has 49152 for a block: "
       "use smaller arrays\n");

  // measure.sh checks the GPU before it builds programs.
  const std::string measure = "NVCC=$T/nvcc memlane gpu measure --only figure -o measured.jsonl";
  says("none", measure, 2, "error: " + none);
  says("no-driver", measure, 2, "error: " + no_driver);
  says("old-driver", measure, 2,
       "error: the driver has CUDA 11.4, older than nvcc's: update the driver, or set NVCC to an "
       "older one\n");
  CHECK(playground.run("test ! -e measured.jsonl").status == 0);
}

TEST_CASE("kernels written by hand give the simulator's results", "[release]") {
  const Playground playground;
  REQUIRE(playground.run("memlane emit-cuda --all -o all").status == 0);
  const std::vector<std::vector<std::string>> kernels = {
      {"sum", "sum_hmm", "n=10007", ""},
      {"prefix_sums", "prefix_hmm", "n=10007", "a"},
      {"transpose", "transpose", "n=64", "c"},
      {"multiply", "multiply", "n=64", "c"},
      {"convolution", "convolution", "n=40", "c"}};
  std::vector<std::string> programs;
  for (const auto& kernel : kernels)
    programs.push_back(slurp(playground.folder() + "/all/" + kernel[0] + "-by-hand.cu"));
  compile_together(playground, programs);
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const auto& kernel = kernels[k];
    const std::string size = kernel[2].substr(2), array = kernel[3];
    std::string simulated;
    if (!array.empty()) {
      REQUIRE(playground
                  .run("memlane run " + kernel[1] + " -m hmm-h200-plain -D n=" + size +
                       " --output " + array + "=simulated.bin")
                  .status == 0);
      simulated = slurp(playground.folder() + "/simulated.bin");
    }
    for (const char* const order : {"forward", "reverse"}) {
      const std::string output = array.empty() ? "" : " --output " + array + "=host.bin";
      const Outcome outcome =
          playground.run("MEMLANE_HOST_ORDER=" + std::string(order) + " ./emitted " +
                         std::to_string(k) + " --samples 0 --n " + size + output);
      INFO(kernel[0] << " " << order << "\n" << outcome.err);
      CHECK(outcome.status == 0);
      CHECK(outcome.out.find("\"verify\": \"passed\"") != std::string::npos);
      const bool equal = array.empty() || slurp(playground.folder() + "/host.bin") == simulated;
      CHECK(equal);
    }
  }
}

} // namespace memlane::test
