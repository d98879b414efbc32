// Barriers in shared memory: phases, counts, waits, and what is wrong with their use.
#include "opcode_tests.hpp"
#include "price_kernels.hpp"
#include "program.hpp"
#include "support/catch.hpp"
#include "support/machines.hpp"

#include <fmt/format.h>

#include <numeric>

namespace memlane::test {

namespace {

constexpr std::size_t barrier_threads = 96;

/// A kernel of which each thread has its number in %r0 and its words of `out` at %l1; the mbarrier
/// is at %r1, the first thread has initialised it for `count`.
std::string kernel_with(const std::string& body, const std::string& count = "96") {
  return fmt::format(
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{\n"
      ".reg .pred %p<4>;\n.reg .b32 %r<20>;\n.reg .b64 %l<20>;\n.shared .align 8 .b64 bar;\n"
      ".shared .align 4 .b32 words[96];\n"
      "ld.param.u64 %l1, [out];\nmov.u32 %r0, %tid.x;\nmad.wide.u32 %l1, %r0, 16, %l1;\n"
      "mov.u32 %r1, bar;\nmov.u32 %r2, words;\nmad.lo.u32 %r3, %r0, 4, %r2;\n"
      "setp.eq.u32 %p1, %r0, 0;\nmov.u32 %r4, {};\n"
      "@%p1 mbarrier.init.shared.b64 [%r1], %r4;\nbar.sync 0;\n{}ret;\n}}\n",
      count, body);
}

std::vector<std::uint32_t> words_of(const std::string& text, std::string& fault) {
  Program program("mbarrier.ptx", text);
  std::vector<std::uint32_t> out(4 * barrier_threads);
  program.give(out);
  const Launched launched = program.launch("k", {1, 1, 1}, {barrier_threads, 1, 1}, out);
  fault = launched.fault;
  return out;
}
std::string fault_of(const std::string& body, const std::string& count = "96") {
  std::string fault;
  words_of(kernel_with(body, count), fault);
  return fault;
}

} // namespace

const std::vector<ptx::Opcode>& mbarrier_opcodes() {
  static const std::vector<ptx::Opcode> all{ptx::Opcode::mbarrier};
  return all;
}

TEST_CASE("threads see behind an mbarrier what all have written before it") {
  // Three phases, each with another word of the neighbour in another warp.
  for (const std::string wait : {"mbarrier.test_wait.shared::cta.b64 %p2, [%r1], %l2;\n",
                                 "mbarrier.try_wait.shared.b64 %p2, [%r1], %l2, 100;\n",
                                 "mbarrier.try_wait.parity.shared.b64 %p2, [%r1], %r5;\n"}) {
    std::string body =
        "add.u32 %r6, %r0, 32;\nrem.u32 %r6, %r6, 96;\nmad.lo.u32 %r6, %r6, 4, %r2;\n";
    for (int phase = 0; phase < 3; ++phase)
      body += fmt::format(
          "mad.lo.u32 %r7, %r0, 10, {0};\nst.shared.u32 [%r3], %r7;\n"
          "mov.u32 %r5, {1};\nmbarrier.arrive.shared.b64 %l2, [%r1];\nWAIT{0}:\n{2}"
          "@!%p2 bra WAIT{0};\nld.shared.u32 %r8, [%r6];\nst.global.u32 [%l1+{3}], %r8;\n"
          "bar.sync 0;\n",
          phase, phase % 2, wait, 4 * phase);
    std::string fault;
    const std::vector<std::uint32_t> out = words_of(kernel_with(body), fault);
    INFO(wait << fault);
    REQUIRE(fault.empty());
    for (std::size_t t = 0; t < barrier_threads; ++t)
      for (std::size_t phase = 0; phase < 3; ++phase)
        REQUIRE(out[4 * t + phase] == (t + 32) % barrier_threads * 10 + phase);
  }
}

TEST_CASE("a phase counts arrivals: several of one thread, pending ones, threads that leave") {
  // 96 threads, one of which arrives for two others; the last warp leaves in phase 0.
  const std::string body =
      "setp.lt.u32 %p2, %r0, 64;\n"
      "@%p2 mbarrier.arrive.shared.b64 %l2, [%r1], 1;\n"
      "@!%p2 mbarrier.arrive_drop.shared.b64 %l2, [%r1];\n"
      "mbarrier.pending_count.b64 %r6, %l2;\nst.global.u32 [%l1], %r6;\n"
      "FIRST:\nmbarrier.try_wait.shared.b64 %p3, [%r1], %l2;\n@!%p3 bra FIRST;\n"
      "bar.sync 0;\n"
      // In phase 1 the first thread arrives for all 64.
      "@%p1 mbarrier.arrive.noComplete.shared.b64 %l3, [%r1], 63;\n"
      "mov.u32 %r7, 1;\nmbarrier.test_wait.parity.shared.b64 %p3, [%r1], 1;\n"
      "selp.u32 %r8, 1, 0, %p3;\nst.global.u32 [%l1+4], %r8;\nbar.sync 0;\n"
      "@%p1 mbarrier.arrive.shared.b64 _, [%r1];\nbar.sync 0;\n"
      "mbarrier.test_wait.parity.shared.b64 %p3, [%r1], %r7;\n"
      "selp.u32 %r8, 1, 0, %p3;\nst.global.u32 [%l1+8], %r8;\nbar.sync 0;\n"
      "@%p1 mbarrier.inval.shared.b64 [%r1];\n";
  std::string fault;
  const std::vector<std::uint32_t> out = words_of(kernel_with(body), fault);
  INFO(fault);
  REQUIRE(fault.empty());
  for (std::size_t t = 0; t < barrier_threads; ++t) {
    CHECK(out[4 * t] == barrier_threads - t); // as they arrive, in order
    CHECK(out[4 * t + 1] == 0);
    CHECK(out[4 * t + 2] == 1);
  }
}

TEST_CASE("asynchronous copies arrive at an mbarrier when they are done") {
  const std::string body =
      "cp.async.mbarrier.arrive.shared.b64 [%r1];\n"
      "mbarrier.arrive.shared.b64 %l2, [%r1];\nmbarrier.pending_count.b64 %r6, %l2;\n"
      "st.global.u32 [%l1], %r6;\n"
      "cp.async.mbarrier.arrive.noinc.shared.b64 [%r1];\n"
      "WAIT:\nmbarrier.try_wait.shared.b64 %p2, [%r1], %l2;\n@!%p2 bra WAIT;\n"
      "mov.u32 %r7, 1;\nst.global.u32 [%l1+4], %r7;\n";
  std::string fault;
  const std::vector<std::uint32_t> out = words_of(kernel_with(body, "192"), fault);
  INFO(fault);
  REQUIRE(fault.empty());
  CHECK(out[0] == 192); // the first arrival was none
  for (std::size_t t = 0; t < barrier_threads; ++t) CHECK(out[4 * t + 1] == 1);
}

TEST_CASE("mistakes with mbarriers are faults with their place") {
  const auto says = [](const std::string& fault, const std::string& what) {
    INFO(fault);
    CHECK(fault.find(what) != fault.npos);
    CHECK(fault.find("mbarrier.ptx:") != fault.npos);
  };
  const std::string arrive = "mbarrier.arrive.shared.b64 %l2, [%r1];\n";
  CHECK(fault_of(arrive, "95").empty()); // the last one is the first of the next phase
  says(fault_of("mbarrier.arrive.shared.b64 %l2, [%r1], 97;\n"), "more threads arrive");
  says(fault_of("mbarrier.arrive.shared.b64 %l2, [%r2];\n"), "nothing has initialised it");
  says(fault_of("mbarrier.test_wait.parity.shared.b64 %p2, [%r2], 0;\n"),
       "which no thread has written");
  says(fault_of(arrive, "0"), "it can count from 1 to 1048575 threads");
  says(fault_of("add.u32 %r1, %r1, 4;\n" + arrive), "misaligned");
  // All wait for an arrival that never comes.
  Program program("mbarrier.ptx",
                  kernel_with(arrive + "WAIT:\nmbarrier.try_wait.shared.b64 %p2, [%r1], %l2;\n"
                                       "@!%p2 bra WAIT;\n",
                              "97"));
  std::vector<std::uint32_t> out(4 * barrier_threads);
  program.give(out);
  CHECK(program.launch("k", {1, 1, 1}, {barrier_threads, 1, 1}, out).result.waits_for_ever);
}

TEST_CASE("cuda::barrier and cuda::pipeline as nvcc compiles them, and they order accesses") {
  constexpr int n = 128, parts = 5;
  PricedRun run("mbarriers.ptx", hmm(2, 32, 1, 1));
  auto* const from = run.kernels.array<int>(n * parts, "from");
  auto* const to = run.kernels.array<int>(n * parts, "to");
  std::iota(from, from + n * parts, 100);
  REQUIRE(run.launch("rounds", grid_of({1, 1, 1}, {n, 1, 1}), to, 4));
  for (int t = 0; t < n; ++t) REQUIRE(to[t] == 6 + 6000 + 4 * ((t + 40) % n));
  REQUIRE(run.launch("pipelined", grid_of({1, 1, 1}, {n, 1, 1}), from, to, parts));
  for (int k = 0; k < n * parts; ++k) REQUIRE(to[k] == 100 + k / n * n + n - 1 - k % n + k / n);
  const RunResult result = run.pricing.result();
  CHECK(result.races.races == 0);
  CHECK(run.line("auto token = barrier.arrive()").requests == 4 * 4); // of 4 warps
}

} // namespace memlane::test
