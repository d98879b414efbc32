// What PTX that is written by hand costs on machines with keys of real GPUs (configs/README.md
// section 10), from the command line.
#include "shell.hpp"
#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace memlane::test {
namespace {

/// A kernel `k` with the address of its array in %rd1 and 16 bytes of shared memory at %r1.
std::string kernel_by_hand(const std::string& body) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n"
         ".visible .entry k(.param .u64 p0)\n{\n"
         " .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p<3>; .shared .align 16 .b8 sm[16];\n"
         " ld.param.u64 %rd1, [p0];\n mov.u32 %r1, sm;\n" +
         body + " ret;\n}\n";
}

class PricedByHand {
public:
  PricedByHand(const std::string& body, const std::string& machine) {
    spit(playground_.folder() + "/k.ptx", kernel_by_hand(body));
    spit(playground_.folder() + "/m.json", machine);
  }
  Outcome run(const std::string& launch, const std::string& options) const {
    return playground_.run("memlane ptx k.ptx -m m.json --launch '" + launch + "' " + options);
  }
  nlohmann::json result(const std::string& launch, const std::string& options = "") const {
    const Outcome outcome = run(launch, options + " --format json");
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return nlohmann::json::parse(outcome.out);
  }
  std::int64_t time(const std::string& launch, const std::string& options = "") const {
    return result(launch, options)["counts"]["time"];
  }

private:
  Playground playground_;
};

std::string hmm_by_hand(const std::string& keys, const std::string& of_global = "") {
  return R"({"model": "hmm", "width": 32, "multiprocessors": 1, "threads": 1024,
             "shared": {"latency": 100}, "global": {"latency": 20)" +
         of_global + "}" + keys + "}";
}

/// Each lane reads a word a hundred times.
const std::string reads_again = " mov.u32 %r2, %tid.x;\n mul.wide.u32 %rd2, %r2, 32;\n"
                                " add.s64 %rd3, %rd1, %rd2;\n mov.u32 %r3, 0;\n"
                                "L:\n ld.global.u32 %r4, [%rd3];\n add.u32 %r3, %r3, 1;\n"
                                " setp.lt.u32 %p1, %r3, 100;\n @%p1 bra L;\n";
const std::string reuse = R"(, "own_port": true, "group": 8, "line": 32, "reuse": "block",
                               "reuse_latency": 3)";

} // namespace

TEST_CASE("PTX by hand: each register of a merged read is waited for behind its piece") {
  const auto time = [](const std::string& used, const std::string& end) {
    const PricedByHand pricing(" st.shared.v4.u32 [%r1], {1, 2, 3, 4};\n"
                               " ld.shared.u32 %r2, [%r1];\n ld.shared.u32 %r3, [%r1+4];\n" +
                                   end + " add.u32 %r4, " + used +
                                   ", 1;\n st.global.u32 [%rd1], %r4;\n",
                               hmm_by_hand(R"(, "requests_in_flight": 4)"));
    return pricing.time("k<<<1,1>>>(x: int[4])", "--set shared.widest=8");
  };
  for (const std::string end : {"", " bar.warp.sync -1;\n", " red.shared.add.u32 [%r1+8], 1;\n"}) {
    INFO(end);
    CHECK(time("%r3", end) == time("%r2", end));
  }
}

TEST_CASE("PTX by hand: a copy under a condition is there once the condition is") {
  // The operations, in turn: of the first write, of the comparison, of the read.
  const std::string unit =
      R"(, "operations": [{"name": "o", "slots": {"other": 10}}], "schedule": "hoisted")";
  const auto time = [&](const std::string& guarded) {
    return PricedByHand(" st.shared.u32 [%r1], 1;\n setp.ne.s64 %p1, %rd1, 0;\n" + guarded +
                            " ld.global.u32 %r3, [%rd2];\n",
                        hmm_by_hand(unit))
        .time("k<<<1,1>>>(x: int[4])");
  };
  const std::int64_t copied = time(" @%p1 mov.b64 %rd2, %rd1;\n");
  CHECK(copied == time(" @%p1 add.s64 %rd2, %rd1, 0;\n") - 10);
}

TEST_CASE("PTX by hand: lines of any length begin where arrays do") {
  // Lane i reads word 32 i.
  const std::string body = " mov.u32 %r2, %tid.x;\n mul.wide.u32 %rd2, %r2, 128;\n"
                           " add.s64 %rd3, %rd1, %rd2;\n ld.global.u32 %r3, [%rd3];\n";
  for (const int line : {32, 256, 1024}) {
    INFO(line);
    const PricedByHand pricing(
        body, hmm_by_hand("", R"(, "own_port": true, "line": )" + std::to_string(line)));
    const std::string one = "k<<<1,32>>>(x: int[1024])",
                      both = one + "' --launch 'k<<<1,32>>>(y: int[1024])";
    const std::int64_t lines = 1024 / line;
    CHECK(pricing.result(both)["counts"]["units"]["ports"][0]["lines"] == 2 * lines);
    const std::int64_t time = pricing.time(both);
    CHECK(time == 2 * pricing.time(one));
    CHECK(pricing.time(both, "--trace /dev/null") == time);
    CHECK(pricing.time(both, "--engine reference") == time);
  }
  const Outcome refused = PricedByHand(body, hmm_by_hand("", R"(, "own_port": true, "line": 96)"))
                              .run("k<<<1,32>>>(x: int[9])", "");
  CHECK(refused.status == 2);
  CHECK(refused.err.find("make global.line a power of two") != std::string::npos);
}

TEST_CASE("PTX by hand: bounds are below the time where reads are reused") {
  const PricedByHand pricing(reads_again, hmm_by_hand("", reuse));
  const std::string launch = "k<<<1,256>>>(x: int[2048])";
  const nlohmann::json result = pricing.result(launch);
  const nlohmann::json& hiding = result["latency_hiding"];
  const std::int64_t time = result["counts"]["time"];
  // 256 groups of the first reads enter; each of 8 warps makes 100 requests of 8 lines.
  CHECK(hiding["global"]["bandwidth"] == 256);
  CHECK(hiding["own_port"]["bound"] == 8 * 100 * 8);
  CHECK(hiding["largest"] == "own_port");
  CHECK(hiding["own_port"]["bound"] <= time);
  const Outcome explained = pricing.run(launch, "--explain");
  CHECK(explained.out.find("The own port to the global memory: its stages take at least 6400") !=
        std::string::npos);
  CHECK(explained.out.find("32 stages, its 32 lanes read words 8") != std::string::npos);
  CHECK(explained.out.find(" 8 address groups") == std::string::npos);
}

} // namespace memlane::test
