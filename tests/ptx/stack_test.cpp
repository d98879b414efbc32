// Memory of a size that is known at run time: alloca, stacksave, stackrestore.
#include "program.hpp"
#include "support/catch.hpp"

#include <numeric>

namespace memlane::test {

namespace {

/// Sums of lanes with arrays of their own lengths: `total` copies its caller's array to one of its
/// own, backwards, and the caller's must be as it was. `loops` allocates n times 1024 bytes, and
/// frees them where `frees` is not 0.
constexpr const char* text = R"(.version 7.3
.target sm_52
.address_size 64
.func (.param .b32 sum) total(.param .b64 from, .param .b32 count) {
.reg .pred %p;
.reg .b32 %r<9>;
.reg .b64 %l<9>;
ld.param.u64 %l1, [from];
ld.param.u32 %r1, [count];
mul.wide.u32 %l2, %r1, 4;
alloca.u64 %l3, %l2;
cvta.local.u64 %l4, %l3;
add.u64 %l4, %l4, %l2;
mov.u32 %r2, 0;
COPY:
add.u64 %l4, %l4, -4;
ld.u32 %r3, [%l1];
st.u32 [%l4], %r3;
add.u64 %l1, %l1, 4;
add.u32 %r2, %r2, 1;
setp.lt.u32 %p, %r2, %r1;
@%p bra COPY;
mov.u32 %r4, 0;
mov.u32 %r2, 0;
ADD:
add.u32 %r2, %r2, 1;
ld.local.u32 %r3, [%l3];
mad.lo.u32 %r4, %r3, %r2, %r4;
add.u64 %l3, %l3, 4;
setp.lt.u32 %p, %r2, %r1;
@%p bra ADD;
st.param.b32 [sum], %r4;
ret;
}
.visible .entry sums(.param .u64 out) {
.reg .pred %p;
.reg .b32 %r<9>;
.reg .b64 %l<9>;
.local .align 4 .b32 before;
ld.param.u64 %l0, [out];
mov.u32 %r0, %tid.x;
mad.wide.u32 %l0, %r0, 8, %l0;
st.local.u32 [before], %r0;
rem.u32 %r1, %r0, 7;
add.u32 %r1, %r1, 1;
mul.lo.u32 %r2, %r1, 4;
alloca.u32 %r3, %r2, 16;
cvt.u64.u32 %l1, %r3;
mov.u32 %r4, 0;
FILL:
mad.wide.u32 %l2, %r4, 4, %l1;
add.u32 %r5, %r4, %r0;
st.local.u32 [%l2], %r5;
add.u32 %r4, %r4, 1;
setp.lt.u32 %p, %r4, %r1;
@%p bra FILL;
cvta.local.u64 %l3, %l1;
{
.param .b64 p0;
.param .b32 p1;
.param .b32 result;
st.param.b64 [p0], %l3;
st.param.b32 [p1], %r1;
call.uni (result), total, (p0, p1);
ld.param.b32 %r6, [result];
}
ld.local.u32 %r7, [%l1];
ld.local.u32 %r8, [before];
mad.lo.u32 %r6, %r7, 1000, %r6;
st.global.u32 [%l0], %r6;
and.b32 %r3, %r3, 15;
add.u32 %r8, %r8, %r3;
st.global.u32 [%l0+4], %r8;
ret;
}
.visible .entry loops(.param .u32 n, .param .u32 frees) {
.reg .pred %p<3>;
.reg .b32 %r<9>;
.reg .b64 %l<9>;
ld.param.u32 %r1, [n];
ld.param.u32 %r2, [frees];
setp.ne.u32 %p1, %r2, 0;
AGAIN:
stacksave.u64 %l1;
alloca.u64 %l2, 1024, 8;
st.local.u32 [%l2+1020], %r1;
@%p1 stackrestore.u64 %l1;
add.u32 %r1, %r1, -1;
setp.ne.u32 %p2, %r1, 0;
@%p2 bra AGAIN;
ret;
}
.visible .entry freed() {
.reg .b64 %l<3>;
stackrestore.u64 64;
ret;
})";

} // namespace

TEST_CASE("lanes allocate local memory of sizes of their own") {
  for (const ptx::InstructionSet& set : ptx::instruction_sets()) {
    Program program("stack.ptx", text, set);
    std::vector<std::uint32_t> out(2 * 64);
    program.give(out);
    const Launched launched = program.launch("sums", {1, 1, 1}, {64, 1, 1}, out);
    INFO(launched.fault);
    REQUIRE(launched.fault.empty());
    for (std::uint32_t t = 0; t < 64; ++t) {
      const std::uint32_t count = t % 7 + 1;
      std::uint32_t sum = 1000 * t;
      for (std::uint32_t k = 0; k < count; ++k) sum += (count - 1 - k + t) * (k + 1);
      REQUIRE(out[2 * t] == sum);
      REQUIRE(out[2 * t + 1] == t); // another variable is as it was, and 16 divides the address
    }
  }
}

TEST_CASE("a stack that is too small is an error with its bytes, one that is restored is not") {
  Program program("stack.ptx", text);
  CHECK(program.launch("loops", {1, 1, 1}, {32, 1, 1}, 16, 0).fault.empty());
  CHECK(program.launch("loops", {1, 1, 1}, {32, 1, 1}, 1000, 1).fault.empty());
  says(program.launch("loops", {1, 1, 1}, {32, 1, 1}, 17, 0),
       {"thread (0, 0, 0) of block (0, 0, 0) has too many nested calls or too much local memory: "
        "alloca of 1024 bytes, and 0 of the thread's stack are left",
        "allocate less, or place the array in global memory"});
  says(program.launch("freed", {1, 1, 1}, {32, 1, 1}),
       {"stackrestore of 64, and the stack ends at 0"});
}

TEST_CASE("an alignment that is no power of two is refused") {
  Sources sources;
  const std::string body = ".version 7.3\n.target sm_52\n.address_size 64\n.visible .entry k() {\n"
                           ".reg .b64 %l<3>;\nalloca.u64 %l1, 8, 24;\nret;\n}\n";
  const auto module = ptx::parse(sources, sources.add("k.ptx", body));
  REQUIRE_FALSE(module);
  CHECK(module.errors()[0].message ==
        "alloca has an alignment that is a power of two, at most 128");
}

} // namespace memlane::test
