// Each opcode that says where lanes go on, orders memory, or has no effect; and that no row of the
// table is without a test.
#include "opcode_tests.hpp"
#include "program.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace memlane::test {

using ptx::Opcode;

namespace {

constexpr std::size_t control_threads = 96;

/// A body that makes %r1 of %r0, the number of the thread, and what it should be.
struct ControlForm {
  Opcode opcode;
  std::string body;
  std::function<std::uint32_t(std::uint32_t thread)> result;
};

const std::string functions =
    ".func (.param .b32 d) twice(.param .b32 a)\n{\n.reg .b32 %r<4>;\nld.param.b32 %r1, [a];\n"
    "add.u32 %r1, %r1, %r1;\nst.param.b32 [d], %r1;\nret;\n}\n"
    // Odd lanes return early.
    ".func (.param .b32 d) early(.param .b32 a)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<4>;\n"
    "ld.param.b32 %r1, [a];\nst.param.b32 [d], 5;\nand.b32 %r2, %r1, 1;\nsetp.ne.u32 %p1, %r2, 0;\n"
    "@%p1 ret;\nst.param.b32 [d], %r1;\nret;\n}\n";

std::string call_text(const std::string& callee, const std::string& more = "") {
  return "{\n.param .b32 a0;\n.param .b32 d0;\nst.param.b32 [a0], %r0;\ncall.uni (d0), " + callee +
         ", (a0)" + more + ";\nld.param.b32 %r1, [d0];\n}\n";
}

const std::vector<ControlForm>& control_forms() {
  using U = std::uint32_t;
  const auto own = [](U t) { return t; };
  const std::string move = "mov.u32 %r1, %r0;\n";
  static const std::vector<ControlForm> all{
      {Opcode::bra,
       "mov.u32 %r1, 1;\nsetp.lt.u32 %p1, %r0, 40;\n@%p1 bra A;\nmov.u32 %r1, 2;\nbra.uni B;\nA:\n"
       "add.u32 %r1, %r1, %r0;\nB:\nadd.u32 %r1, %r1, 100;\n",
       [](U t) { return t < 40 ? 101 + t : 102; }},
      {Opcode::bra,
       "mov.u32 %r1, 0;\nL:\nadd.u32 %r1, %r1, 3;\nsetp.lt.u32 %p1, %r1, %r0;\n@%p1 bra L;\n",
       [](U t) { return t <= 3 ? 3 : (t + 2) / 3 * 3; }},
      {Opcode::brx,
       "rem.u32 %r2, %r0, 3;\nT: .branchtargets A, B, C;\nbrx.idx %r2, T;\nA:\nmov.u32 %r1, 7;\n"
       "bra D;\nB:\nmov.u32 %r1, %r0;\nbra D;\nC:\nadd.u32 %r1, %r0, %r0;\nD:\n",
       [](U t) { return t % 3 == 0   ? 7
                        : t % 3 == 1 ? t
                                     : 2 * t; }},
      {Opcode::call, call_text("twice"), [](U t) { return 2 * t; }},
      {Opcode::call,
       "setp.lt.u32 %p1, %r0, 9;\nmov.u64 %l2, twice;\nmov.u64 %l3, early;\nselp.b64 %l2, %l2, "
       "%l3, "
       "%p1;\nP: .callprototype (.param .b32 _) _ (.param .b32 _);\n" +
           call_text("%l2", ", P"),
       [](U t) { return t < 9        ? 2 * t
                        : t % 2 == 1 ? 5
                                     : t; }},
      {Opcode::ret, call_text("early"), [](U t) { return t % 2 == 1 ? 5 : t; }},
      {Opcode::ret, move + "setp.gt.u32 %p1, %r0, 50;\n@%p1 ret;\nadd.u32 %r1, %r1, 1;\n",
       [](U t) { return t > 50 ? 0 : t + 1; }},
      {Opcode::exit,
       move + "and.b32 %r2, %r0, 4;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 exit;\nadd.u32 %r1, %r1, 1;\n",
       [](U t) { return (t & 4) != 0 ? 0 : t + 1; }},
      {Opcode::brkpt, move + "brkpt;\n", own},
      {Opcode::nanosleep, move + "nanosleep.u32 100;\nnanosleep.u32 %r0;\n", own},
      {Opcode::pmevent, move + "pmevent 7;\n", own},
      {Opcode::griddepcontrol, move + "griddepcontrol.launch_dependents;\ngriddepcontrol.wait;\n",
       own},
      {Opcode::membar, move + "membar.cta;\nmembar.gl;\nmembar.sys;\n", own},
      {Opcode::fence, move + "fence.sc.gpu;\nfence.acq_rel.cta;\nfence.acq_rel.sys;\n", own},
      {Opcode::prefetch, move + "prefetch.global.L1 [%l0];\nprefetch.global.L2 [%l0];\n", own},
      {Opcode::prefetchu, move + "prefetchu.L1 [%l0];\n", own},
      {Opcode::discard, move + "discard.global.L2 [%l0], 128;\n", own},
      // Each thread reads what the next one has written.
      {Opcode::bar,
       "mov.u32 %r3, words;\nmad.lo.u32 %r4, %r0, 4, %r3;\nst.shared.u32 [%r4], %r0;\nbar.sync 0;\n"
       "add.u32 %r5, %r0, 1;\nrem.u32 %r5, %r5, 96;\nmad.lo.u32 %r4, %r5, 4, %r3;\n"
       "ld.shared.u32 %r1, [%r4];\n",
       [](U t) { return (t + 1) % control_threads; }},
      {Opcode::bar, "setp.lt.u32 %p1, %r0, 11;\nbar.red.popc.u32 %r1, 1, %p1;\n",
       [](U) { return 11; }},
      {Opcode::bar,
       "setp.lt.u32 %p1, %r0, 11;\nbar.red.and.pred %p2, 1, %p1;\nbar.red.or.pred %p3, 1, !%p1;\n"
       "selp.u32 %r1, 1, 0, %p2;\nselp.u32 %r2, 2, 0, %p3;\nadd.u32 %r1, %r1, %r2;\n",
       [](U) { return 2; }},
      {Opcode::bar, move + "bar.warp.sync -1;\n", own},
      // The first warp only arrives; the others wait for it.
      {Opcode::bar,
       "mov.u32 %r3, words;\nmad.lo.u32 %r4, %r0, 4, %r3;\nsetp.lt.u32 %p1, %r0, 32;\n"
       "@%p1 st.shared.u32 [%r4], %r0;\n@%p1 bar.arrive 2, 96;\n@!%p1 bar.sync 2, 96;\n"
       "and.b32 %r5, %r0, 31;\nmad.lo.u32 %r4, %r5, 4, %r3;\nld.shared.u32 %r1, [%r4];\n",
       [](U t) { return t % 32; }},
      {Opcode::barrier,
       "mov.u32 %r3, words;\nmad.lo.u32 %r4, %r0, 4, %r3;\nst.shared.u32 [%r4], %r0;\n"
       "barrier.sync.aligned 0;\nadd.u32 %r5, %r0, 33;\nrem.u32 %r5, %r5, 96;\n"
       "mad.lo.u32 %r4, %r5, 4, %r3;\nld.shared.u32 %r1, [%r4];\nbarrier.sync 3, 96;\n",
       [](U t) { return (t + 33) % control_threads; }},
      {Opcode::barrier, "setp.gt.u32 %p1, %r0, 11;\nbarrier.red.popc.u32 %r1, 1, %p1;\n",
       [](U) { return 84; }},
  };
  return all;
}

std::string kernel_of(const std::string& body, const std::string& name) {
  return ".visible .entry " + name +
         "(.param .u64 out)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<12>;\n.reg .b64 %l<9>;\n"
         ".shared .align 4 .b32 words[96];\nld.param.u64 %l0, [out];\nmov.u32 %r0, %tid.x;\n"
         "mad.wide.u32 %l0, %r0, 4, %l0;\n" +
         body + "st.global.u32 [%l0], %r1;\nret;\n}\n";
}

bool is_in(const std::vector<Opcode>& list, Opcode opcode) {
  return std::find(list.begin(), list.end(), opcode) != list.end();
}

} // namespace

const std::vector<Opcode>& control_opcodes() {
  static const std::vector<Opcode> all{Opcode::bra,       Opcode::brx,       Opcode::call,
                                       Opcode::ret,       Opcode::exit,      Opcode::trap,
                                       Opcode::brkpt,     Opcode::nanosleep, Opcode::pmevent,
                                       Opcode::bar,       Opcode::barrier,   Opcode::griddepcontrol,
                                       Opcode::membar,    Opcode::fence,     Opcode::prefetch,
                                       Opcode::prefetchu, Opcode::discard};
  return all;
}

TEST_CASE("each opcode of control agrees with a thread at a time") {
  const std::vector<ControlForm>& all = control_forms();
  std::string text = ".version 8.6\n.target sm_100\n.address_size 64\n" + functions;
  for (std::size_t k = 0; k < all.size(); ++k)
    text += kernel_of(all[k].body, fmt::format("k{}", k));
  text += kernel_of("mov.u32 %r1, 0;\nsetp.eq.u32 %p1, %r0, 70;\n@%p1 trap;\n", "traps");
  Program program("control.ptx", text);
  std::vector<std::uint32_t> out(control_threads);
  program.give(out);
  for (std::size_t k = 0; k < all.size(); ++k) {
    std::fill(out.begin(), out.end(), 0);
    const Launched launched =
        program.launch(fmt::format("k{}", k), {1, 1, 1}, {control_threads, 1, 1}, out);
    INFO(all[k].body << launched.fault);
    REQUIRE(launched.fault.empty());
    for (std::uint32_t t = 0; t < control_threads; ++t) REQUIRE(out[t] == all[k].result(t));
  }
  CHECK(program.launch("traps", {1, 1, 1}, {control_threads, 1, 1}, out).fault.find("(70, 0, 0)") !=
        std::string::npos);
  for (const Opcode opcode : control_opcodes()) {
    INFO(ptx::row_of(opcode).mnemonic);
    CHECK((opcode == Opcode::trap || std::any_of(all.begin(), all.end(), [=](const auto& form) {
             return form.opcode == opcode;
           })));
  }
}

TEST_CASE("registers of one branch do not overwrite what lanes of the other still read") {
  // %s1 is read last on the first way, where %r1 to %r3 are wider; the other lanes read it later.
  Program program("ways.ptx", R"(.version 9.0
.target sm_75
.address_size 64
.visible .entry ways(.param .u64 in, .param .u64 out) {
.reg .pred %p1;
.reg .b16 %s<2>;
.reg .b32 %r<6>;
.reg .b64 %d<4>;
ld.param.u64 %d0, [in];
ld.param.u64 %d1, [out];
mov.u32 %r0, %tid.x;
mul.wide.u32 %d2, %r0, 2;
add.u64 %d0, %d0, %d2;
mul.wide.u32 %d3, %r0, 4;
add.u64 %d1, %d1, %d3;
ld.global.u16 %s0, [%d0];
ld.global.u16 %s1, [%d0+64];
setp.lt.s16 %p1, %s0, 0;
@%p1 bra OTHER;
cvt.s32.s16 %r1, %s0;
cvt.s32.s16 %r2, %s1;
add.s32 %r3, %r1, %r2;
mul.lo.s32 %r5, %r3, 3;
bra DONE;
OTHER:
cvt.s32.s16 %r1, %s0;
cvt.s32.s16 %r2, %s1;
sub.s32 %r4, %r1, %r2;
mul.lo.s32 %r5, %r4, 5;
DONE:
st.global.u32 [%d1], %r5;
ret;
})");
  std::vector<std::int16_t> in(64);
  std::vector<std::int32_t> out(32), wanted(32);
  for (int lane = 0; lane < 32; ++lane) {
    const int a = lane * 37 % 101 - 50, b = 3 + lane * 7 % 60;
    in[static_cast<std::size_t>(lane)] = static_cast<std::int16_t>(a);
    in[static_cast<std::size_t>(lane) + 32] = static_cast<std::int16_t>(b);
    wanted[static_cast<std::size_t>(lane)] = a < 0 ? (a - b) * 5 : (a + b) * 3;
  }
  program.give(in);
  program.give(out);
  CHECK(program.launch("ways", {1, 1, 1}, {32, 1, 1}, in, out).fault.empty());
  CHECK(out == wanted);
}

TEST_CASE("every row of the table of opcodes has a test that executes it") {
  std::vector<std::string> without;
  for (const ptx::OpcodeRow& row : ptx::opcode_rows()) {
    const int tests = (computes(row) ? 1 : 0) +
                      (is_in(opcodes_with_carries(), row.opcode) ? 1 : 0) +
                      (is_in(memory_opcodes(), row.opcode) ? 1 : 0) +
                      (is_in(matrix_opcodes(), row.opcode) ? 1 : 0) +
                      (is_in(mbarrier_opcodes(), row.opcode) ? 1 : 0) +
                      (is_in(texture_opcodes(), row.opcode) ? 1 : 0) +
                      (is_in(warp_opcodes(), row.opcode) ? 1 : 0) +
                      (is_in(control_opcodes(), row.opcode) ? 1 : 0);
    if (tests != 1) without.emplace_back(row.mnemonic);
  }
  CHECK(fmt::format("{}", fmt::join(without, " ")) == "");
}

} // namespace memlane::test
