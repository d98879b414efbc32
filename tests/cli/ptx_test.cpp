// Kernels of a PTX file, launched and priced from the command line.
#include "shell.hpp"
#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace memlane::test {
namespace {

using Json = nlohmann::ordered_json;

std::string transpose(const std::string& kernel, const std::string& more = "") {
  return "memlane ptx " + std::string(MEMLANE_SOURCE_DIR) +
         "/programs/cuda/transpose.ptx --launch '" + kernel +
         "<<<(8,8),(32,8)>>>(out: float[2^16], in: float[2^16] = 0.., 256)' " + more;
}

Json priced(const Playground& playground, const std::string& command) {
  const Outcome outcome = playground.run(command + " --format json");
  INFO(command << "\n" << outcome.err);
  REQUIRE(outcome.status == 0);
  return Json::parse(outcome.out);
}

/// The greatest number of stages that a request to the units had.
std::int64_t worst(const Json& units) {
  std::int64_t most = 0;
  for (const Json& unit : units)
    for (const Json& entry : unit["congestion"])
      most = std::max(most, entry["stages"].get<std::int64_t>());
  return most;
}

void check_error(const Playground& playground, const std::string& command, int status,
                 const std::string& text) {
  const Outcome outcome = playground.run(command);
  INFO(command << "\n" << outcome.err);
  CHECK(outcome.status == status);
  CHECK(outcome.err.find(text) != std::string::npos);
  CHECK(outcome.out.empty());
}

} // namespace

TEST_CASE("transposes of a PTX file have their stages, and their results are right") {
  const Playground playground;
  const Json naive = priced(playground, transpose("naive"));
  CHECK(worst(naive["counts"]["units"]["global"]) == 32);
  CHECK(naive["sectors"].size() == 1);
  CHECK(naive["sectors"][0]["sectors"] == 36 * 2048);
  CHECK(worst(priced(playground, transpose("tiled"))["counts"]["units"]["shared"]) == 32);
  const Json padded = priced(playground, transpose("padded"));
  CHECK(worst(padded["counts"]["units"]["shared"]) == 1);
  CHECK(worst(padded["counts"]["units"]["global"]) == 1);
  const Outcome shown =
      playground.run(transpose("padded", "--print 'out[0..4]' --output out=out.txt --details"));
  INFO(shown.err);
  CHECK(shown.status == 0);
  CHECK(shown.out.find("out[0..4]: 0 256 512 768\n") != std::string::npos);
  CHECK(shown.out.find("transpose.cu") != std::string::npos);
  CHECK(shown.out.find("out[(y + j) * n + x] = part[threadIdx.x][threadIdx.y + j];") !=
        std::string::npos);
  CHECK(slurp(playground.folder() + "/out.txt").rfind("0\n256\n512\n", 0) == 0);
}

TEST_CASE("both engines and a run in several launches give the same") {
  const Playground playground;
  const std::string twice = transpose("tiled", "--launch 'naive<<<(8,8),(32,8)>>>(in, out, 256)'");
  const Json fast = priced(playground, twice);
  Json reference = priced(playground, twice + " --engine reference");
  CHECK(fast["counts"] == reference["counts"]);
  CHECK(fast["counts"]["launches"] == 2);
  const Outcome back = playground.run(twice + " --print 'in[5]'");
  CHECK(back.out.find("in[5..6]: 5\n") != std::string::npos);
}

TEST_CASE("mistakes in a launch are named at their place, with the way out") {
  const Playground playground;
  check_error(playground, transpose("naiv"), 2, "did you mean 'naive'");
  check_error(playground, transpose("tiled", "-m dmm-w32"), 2, "use an hmm");
  check_error(playground, transpose("naive", "-m hmm-teaching"), 2, "--set width=32");
  check_error(playground, transpose("naive", "--set threads=128"), 2, "--set threads=256");
  check_error(playground, transpose("naive", "--print 'ou[1]'"), 2, "did you mean 'out'");
  check_error(playground, transpose("naive", "--print 'out[70000]'"), 2, "65536 elements");
  const Outcome stopped = playground.run(transpose("naive", "--max-time 10"));
  CHECK(stopped.status == 3);
  CHECK(stopped.err.find("10 time units, in launch 1 of the run, kernel naive") !=
        std::string::npos);
  const std::string file = std::string(MEMLANE_SOURCE_DIR) + "/programs/cuda/transpose.ptx";
  const auto launch = [&](const std::string& text) {
    return "memlane ptx " + file + " --launch '" + text + "'";
  };
  check_error(playground, launch("naive<<<1, 32>>>(1)"), 2, "has 3 parameters, 1 is given");
  check_error(playground, launch("naive<<<1, 32>>>(o: flaot[8], 0, 1)"), 2, "--launch:1:21: ");
  check_error(playground, launch("naive<<<1, 32>>>(o: float[8], a, 1)"), 2, "no array 'a'");
  check_error(playground, launch("naive<<<1, 32>>>(o: float[8], o, 0.5)"), 2,
              "an integer of 4 bytes");
  check_error(playground, launch("naive<<<1 32>>>()"), 2, "--launch:1:11: ");
  // Accesses outside of the array.
  check_error(playground, launch("naive<<<1, 32>>>(o: float[8], o, 1024)"), 2, "thread");
  CHECK(playground.run("memlane ptx " + file)
            .out.find("naive(pointer or 64-bit integer, pointer or "
                      "64-bit integer, 32-bit integer)\n") == 0);
}

} // namespace memlane::test
