// Words of shared memory that nothing has written: to read one is no fault, to use it is.
#include "program.hpp"
#include "support/catch.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memlane::test {

namespace {

constexpr std::size_t warp_threads = 32;

/// The first four threads have written their word; %r1 is what each thread reads. `body` follows.
std::string fault_of(const std::string& body, std::vector<std::uint32_t>& out) {
  Program program(
      "unwritten.ptx",
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".func (.param .b32 d) same(.param .b32 a)\n{\n.reg .b32 %r<4>;\nld.param.b32 %r1, [a];\n"
      "st.param.b32 [d], %r1;\nret;\n}\n"
      ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p<9>;\n.reg .b32 %r<20>;\n"
      ".reg .b64 %l<9>;\n.shared .align 8 .b32 words[128];\nld.param.u64 %l0, [out];\n"
      "mov.u32 %r0, %tid.x;\nmad.wide.u32 %l1, %r0, 4, %l0;\nmov.u32 %r9, words;\n"
      "mad.lo.u32 %r9, %r0, 4, %r9;\nsetp.lt.u32 %p1, %r0, 4;\nadd.u32 %r2, %r0, 1;\n"
      "@%p1 st.shared.u32 [%r9], %r2;\nbar.sync 0;\nld.shared.u32 %r1, [%r9];\n" +
          body + "ret;\n}\n");
  out.assign(warp_threads, 0);
  program.give(out);
  return program.launch("k", {1, 1, 1}, {warp_threads, 1, 1}, out).fault;
}
void is_used(const std::string& body, const char* wanted = "reads 4 bytes at byte 16") {
  std::vector<std::uint32_t> out;
  const std::string fault = fault_of(body, out);
  INFO(body << fault);
  CHECK(fault.find(std::string(wanted) + " of shared memory, which no thread has written") !=
        std::string::npos);
}
void is_not_used(const std::string& body, const std::vector<std::uint32_t>& wanted) {
  std::vector<std::uint32_t> out;
  const std::string fault = fault_of(body, out);
  INFO(body << fault);
  CHECK(fault.empty());
  CHECK(std::vector<std::uint32_t>(out.begin(), out.begin() + static_cast<long>(wanted.size())) ==
        wanted);
}
const std::string scan = "shfl.sync.up.b32 %r3|%p3, %r1, 1, 0, -1;\n@%p3 add.u32 %r1, %r1, %r3;\n"
                         "shfl.sync.up.b32 %r3|%p3, %r1, 2, 0, -1;\n@%p3 add.u32 %r1, %r1, %r3;\n";

} // namespace

TEST_CASE("a word that nothing has written may be read, computed with, shuffled and kept") {
  is_not_used("@%p1 st.global.u32 [%l1], %r1;\n", {1, 2, 3, 4, 0});
  is_not_used(scan + "@%p1 st.global.u32 [%l1], %r1;\n", {1, 3, 6, 10, 0});
  is_not_used(scan + "st.shared.u32 [%r9], %r1;\nbar.sync 0;\nmov.u32 %r1, 0;\n"
                     "ld.shared.u32 %r4, [%r9];\n@%p1 st.global.u32 [%l1], %r4;\n",
              {1, 3, 6, 10, 0});
  is_not_used("mov.u32 %r4, 9;\nselp.u32 %r1, %r1, %r4, %p1;\nst.global.u32 [%l1], %r1;\n",
              {1, 2, 3, 4, 9, 9});
  is_not_used("@!%p1 mov.u32 %r1, 8;\nst.global.u32 [%l1], %r1;\n", {1, 2, 3, 4, 8, 8});
  is_not_used("shfl.sync.idx.b32 %r3, %r1, 2, 31, -1;\nst.global.u32 [%l1], %r3;\n",
              {3, 3, 3, 3, 3});
  // The other source decides.
  is_not_used("setp.gt.u32 %p2, %r1, 2;\nand.pred %p3, %p2, %p1;\nselp.u32 %r3, 1, 0, %p3;\n"
              "st.global.u32 [%l1], %r3;\n",
              {0, 0, 1, 1, 0, 0});
  is_not_used(
      "setp.gt.and.u32 %p3, %r1, 2, %p1;\nnot.pred %p4, %p1;\nsetp.gt.or.u32 %p5, %r1, 2, %p4;\n"
      "selp.u32 %r3, 1, 0, %p3;\nselp.u32 %r4, 2, 0, %p5;\nor.b32 %r3, %r3, %r4;\n"
      "st.global.u32 [%l1], %r3;\n",
      {0, 0, 3, 3, 2, 2});
  is_not_used("setp.gt.u32 %p2, %r1, 2;\n@%p1 bra A;\nsetp.ne.u32 %p2, %r0, %r0;\nA:\n"
              "not.pred %p4, %p1;\nor.pred %p2, %p2, %p4;\nselp.u32 %r3, 1, 0, %p2;\n"
              "st.global.u32 [%l1], %r3;\n",
              {0, 0, 1, 1, 1, 1});
  is_not_used("selp.b32 %r3, -1, 0, %p1;\nand.b32 %r1, %r1, %r3;\nst.global.u32 [%l1], %r1;\n",
              {1, 2, 3, 4, 0, 0});
  // Written at last.
  is_not_used("st.shared.u32 [%r9], %r1;\nst.shared.u32 [%r9], %r0;\nld.shared.u32 %r1, [%r9];\n"
              "st.global.u32 [%l1], %r1;\n",
              {0, 1, 2, 3, 4, 5});
  is_not_used("{\n.reg .b32 %q<3>;\nld.shared.v2.u32 {%q1, %q2}, [words];\nadd.u32 %q1, %q1, %q2;\n"
              "st.global.u32 [%l1], %q1;\n}\n",
              {3, 3, 3, 3, 3});
}

TEST_CASE("bytes of a word are written one by one") {
  // The upper half of each word that is stored depends on what nothing has written.
  const std::string halves = "cvt.u16.u32 %h1, %r0;\ncvt.u16.u32 %h2, %r1;\nmov.u32 %r5, words;\n"
                             "mad.lo.u32 %r5, %r0, 4, %r5;\nst.shared.u16 [%r5+128], %h1;\n"
                             "st.shared.u16 [%r5+130], %h2;\n";
  is_not_used("{\n.reg .b16 %h<4>;\n" + halves +
                  "ld.shared.u16 %h3, [%r5+128];\ncvt.u32.u16 %r6, %h3;\n"
                  "st.global.u32 [%l1], %r6;\n}\n",
              {0, 1, 2, 3, 4, 5});
  is_used("{\n.reg .b16 %h<4>;\n" + halves +
              "ld.shared.u16 %h3, [%r5+130];\ncvt.u32.u16 %r6, %h3;\nadd.u64 %l1, %l1, 0;\n"
              "st.global.u32 [%l1], %r6;\n}\n",
          "reads 2 bytes at byte 146");
}

namespace {

/// %r6 is a word whose lower half is the thread's number, and whose upper half nothing has written.
std::string half(const std::string& body) {
  return "{\n.reg .b16 %h<5>;\n.reg .b32 %w<4>;\ncvt.u16.u32 %h1, %r0;\n"
         "st.shared.u16 [%r9+128], %h1;\nld.shared.u32 %r6, [%r9+128];\nmov.u32 %w1, 0;\n" +
         body + "}\n";
}
const std::string bytes = "{\n.reg .b16 %h<5>;\nld.shared.v4.u8 {%h1, %h2, %h3, %h4}, [%r9+256];\n";

} // namespace

TEST_CASE("padding may be copied, and nothing else may be done with it") {
  is_not_used(half("st.global.u32 [%l1], %r6;\n"), {});
  is_not_used(half("shfl.sync.idx.b32 %w2, %r6, %r0, 31, -1;\nst.global.u32 [%l1], %w2;\n"), {});
  is_not_used(bytes + "st.global.v4.u8 [%l1], {%h1, %h2, %h3, %h4};\n}\n", {});
  is_used(half("add.u32 %r6, %r6, 1;\nst.global.u32 [%l1], %r6;\n"), "at byte 128");
  is_used(half("setp.eq.u32 %p2, %r6, 3;\n@%p2 bra A;\nmov.u32 %w1, 1;\nA:\n"), "at byte 128");
  is_used(bytes + "add.u16 %h1, %h1, %h2;\nst.global.u8 [%l1], %h1;\n}\n", "at byte 256");
  is_used("{\n.reg .b16 %h<5>;\nld.shared.u8 %h1, [%r9+256];\nst.global.u8 [%l1], %h1;\n}\n",
          "reads 1 byte at byte 256");
  // A copy in shared memory keeps what is written, byte by byte.
  const std::string copy = "st.shared.u32 [%r9+256], %r6;\n";
  is_not_used(half(copy + "ld.shared.u16 %h2, [%r9+256];\ncvt.u32.u16 %w2, %h2;\n"
                          "st.global.u32 [%l1], %w2;\n"),
              {0, 1, 2, 3, 4, 5});
  is_used(half(copy + "ld.shared.u16 %h2, [%r9+258];\nst.global.u16 [%l1], %h2;\n"),
          "reads 2 bytes at byte 258");
}

TEST_CASE("bytes that nothing has written are followed through what moves bits") {
  const std::string shown = "add.u32 %w2, %w2, 1;\nst.global.u32 [%l1], %w2;\n";
  const std::vector<std::uint32_t> next{1, 2, 3, 4, 5, 6};
  for (const char* lower :
       {"and.b32 %w2, %r6, 65535;\n", "prmt.b32 %w2, %r6, %w1, 0x5410;\n",
        "shl.b32 %w2, %r6, 16;\nshr.u32 %w2, %w2, 16;\n",
        "cvt.u16.u32 %h2, %r6;\ncvt.u32.u16 %w2, %h2;\n", "cvt.u32.u16 %w2, %r6;\n",
        "mov.b32 {%h2, %h3}, %r6;\nmov.b32 %w2, {%h2, %w1};\n"}) {
    if (std::string(lower).find("mov.b32 {") == 0) continue;
    is_not_used(half(lower + shown), next);
  }
  is_not_used(half("mov.b32 {%h2, %h3}, %r6;\nmov.u16 %h3, 0;\nmov.b32 %w2, {%h2, %h3};\n" + shown),
              next);
  for (const char* upper :
       {"and.b32 %w2, %r6, 0x10000;\n", "or.b32 %w2, %r6, 65535;\n",
        "prmt.b32 %w2, %r6, %w1, 0x5421;\n", "shr.u32 %w2, %r6, 16;\n", "shr.s32 %w2, %r6, 24;\n",
        "mov.b32 {%h2, %h3}, %r6;\ncvt.u32.u16 %w2, %h3;\n",
        "cvt.s64.s32 %l2, %r6;\ncvt.u32.u64 %w2, %l2;\n"})
    is_used(half(upper + shown), "at byte 128");
}

TEST_CASE("an atomic leaves a word that nothing has written as it was") {
  const std::string load = "ld.shared.u32 %r4, [%r9+256];\nst.global.u32 [%l1], %r4;\n";
  is_used("red.shared.add.u32 [%r9+256], 1;\n" + load, "reads 4 bytes at byte 256");
  is_used("atom.shared.max.s32 %r3, [%r9+256], 1;\n" + load, "reads 4 bytes at byte 256");
  is_used("atom.shared.add.u32 %r3, [%r9+256], 1;\nst.global.u32 [%l1], %r3;\n",
          "updates 4 bytes at byte 256");
  is_used("atom.shared.exch.b32 %r3, [%r9+256], %r0;\nst.global.u32 [%l1], %r3;\n",
          "updates 4 bytes at byte 256");
  is_used("atom.shared.cas.b32 %r3, [%r9+256], 0, 1;\nsetp.eq.u32 %p2, %r3, 0;\n@%p2 bra A;\n"
          "mov.u32 %r3, 1;\nA:\n",
          "updates 4 bytes at byte 256");
  is_not_used("atom.shared.exch.b32 %r3, [%r9+256], %r0;\n" + load, {0, 1, 2, 3});
  is_not_used("st.shared.u32 [%r9+256], 7;\nred.shared.add.u32 [%r9+256], 1;\n" + load, {8, 8, 8});
}

TEST_CASE("a value of a lane that does not take part is 0, and shared memory is reserved") {
  Program program("inactive.ptx",
                  ".version 8.0\n.target sm_80\n.address_size 64\n"
                  ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<9>;\n"
                  ".reg .b64 %l<4>;\n.shared .align 4 .b32 own[8];\nld.param.u64 %l0, [out];\n"
                  "mov.u32 %r0, %tid.x;\nmad.wide.u32 %l0, %r0, 4, %l0;\nadd.u32 %r1, %r0, 5;\n"
                  "setp.lt.u32 %p1, %r0, 8;\n@!%p1 bra END;\n"
                  "shfl.sync.down.b32 %r2, %r1, 4, 31, 255;\nst.global.u32 [%l0], %r2;\n"
                  "mov.u32 %r3, %reserved_smem_offset_1;\nst.shared.u32 [%r3], %r0;\n"
                  "mov.u32 %r4, %reserved_smem_offset_cap;\n"
                  "mov.u32 %r5, %reserved_smem_offset_begin;\nadd.u32 %r5, %r5, %r4;\n"
                  "mov.u32 %r6, %reserved_smem_offset_end;\nsub.u32 %r6, %r6, %r5;\n"
                  "st.global.u32 [%l0+32], %r6;\nEND:\nret;\n}\n");
  program.state.allowed = ptx::harmless_faults;
  std::vector<std::uint32_t> out(warp_threads, 77);
  program.give(out);
  const Launched launched = program.launch("k", {1, 1, 1}, {warp_threads, 1, 1}, out);
  INFO(launched.fault);
  REQUIRE(launched.fault.empty());
  const std::vector<std::uint32_t> wanted{9, 10, 11, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 77};
  CHECK(std::vector<std::uint32_t>(out.begin(), out.begin() + 17) == wanted);
  REQUIRE(launched.allowed.size() == 1);
}

TEST_CASE("a word that nothing has written is a fault where its value is used") {
  is_used("st.global.u32 [%l1], %r1;\n");
  is_used("add.u32 %r3, %r1, %r1;\nmul.lo.u32 %r3, %r3, %r0;\nst.global.u32 [%l1], %r3;\n");
  is_used("setp.eq.u32 %p2, %r1, 3;\n@%p2 bra A;\nmov.u32 %r3, 1;\nA:\n");
  is_used("setp.eq.u32 %p2, %r1, 3;\n@%p2 mov.u32 %r3, 1;\n");
  is_used("setp.eq.u32 %p2, %r1, 3;\nselp.u32 %r3, 1, 2, %p2;\nst.global.u32 [%l1], %r3;\n");
  is_used("setp.eq.u32 %p2, %r1, 3;\nvote.sync.any.pred %p3, %p2, -1;\n");
  is_used("match.any.sync.b32 %r3, %r1, -1;\n");
  is_used("mad.wide.u32 %l2, %r1, 4, %l0;\nld.global.u32 %r3, [%l2];\n");
  is_used("and.b32 %r3, %r1, 4;\nadd.u32 %r3, %r3, %r9;\nst.shared.u32 [%r3], %r0;\n");
  is_used("red.global.add.u32 [%l0], %r1;\n");
  is_used("shfl.sync.down.b32 %r3, %r1, 1, 31, -1;\n@!%p1 st.global.u32 [%l1], %r3;\n");
  is_used(scan +
          "st.shared.u32 [%r9], %r1;\nld.shared.u32 %r4, [%r9];\nst.global.u32 [%l1], %r4;\n");
  is_used(
      "{\n.param .b32 a0;\n.param .b32 d0;\nst.param.b32 [a0], %r1;\ncall.uni (d0), same, (a0);\n"
      "ld.param.b32 %r3, [d0];\n}\n");
  is_used("{\n.reg .b64 %q<2>;\nmov.b64 %q1, {%r1, %r0};\nst.global.u64 [%l0], %q1;\n}\n");
}

TEST_CASE("a place before shared memory is told as one before it") {
  std::vector<std::uint32_t> out;
  const std::string fault = fault_of("ld.shared.u32 %r1, [words-4];\n", out);
  INFO(fault);
  CHECK(fault.find("reads 4 bytes at byte -4 of shared memory, which is outside") !=
        std::string::npos);
}

} // namespace memlane::test
