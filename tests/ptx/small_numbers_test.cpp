// cvt from and to numbers of 4 bits, powers of two of 8 bits, and with random bits: numbers that
// are listed here.
#include "program.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace memlane::test {

namespace {

constexpr float infinity = INFINITY, nan = NAN;

/// A kernel whose threads load words of 4 bytes, `sources` each, and store one. `body` makes %r9 of
/// %r0 and those that follow.
std::string kernel_of(const std::string& name, int sources, const std::string& body) {
  std::string text =
      fmt::format(".visible .entry {}(.param .u64 in, .param .u64 out) {{\n.reg .b8 %c<4>;\n"
                  ".reg .b16 %h<4>;\n.reg .b32 %r<10>;\n.reg .b64 %l<4>;\n"
                  "ld.param.u64 %l0, [in];\nld.param.u64 %l1, [out];\nmov.u32 %r9, %tid.x;\n"
                  "mad.wide.u32 %l0, %r9, {}, %l0;\nmad.wide.u32 %l1, %r9, 4, %l1;\n",
                  name, 4 * sources);
  for (int k = 0; k < sources; ++k)
    text += fmt::format("ld.global.b32 %r{}, [%l0+{}];\n", k, 4 * k);
  return text + body + "st.global.b32 [%l1], %r9;\nret;\n}\n";
}

Program program_of(const std::string& kernels) {
  return Program("small.ptx", ".version 9.0\n.target sm_100a\n.address_size 64\n" + kernels);
}

std::vector<std::uint32_t> results(Program& program, const std::string& kernel, int sources,
                                   std::vector<std::uint32_t> in) {
  std::vector<std::uint32_t> out(in.size() / static_cast<std::size_t>(sources));
  program.give(in);
  program.give(out);
  const Launched launched =
      program.launch(kernel, {1, 1, 1}, {static_cast<std::int64_t>(out.size()), 1, 1}, in, out);
  INFO(launched.fault);
  REQUIRE(launched.fault.empty());
  return out;
}

struct Listed {
  float value;
  std::uint32_t bits;
};

} // namespace

TEST_CASE("numbers of four bits are the nearest of eight and their negatives") {
  // As CUDA's headers write it: pairs are bytes.
  Program program =
      program_of(kernel_of("to", 2,
                           "cvt.rn.satfinite.e2m1x2.f32 %c0, %r0, %r1;\nmov.b16 %h0, {%c0, 0};\n"
                           "mov.b32 %r9, {%h0, 0};\n") +
                 kernel_of("from", 1,
                           "mov.b32 {%h0, %h1}, %r0;\nmov.b16 {%c0, %c1}, %h0;\n"
                           "cvt.rn.f16x2.e2m1x2 %r9, %c0;\n"));
  const std::vector<Listed> list{
      {0, 0},    {0.25F, 0},    {0.26F, 1}, {0.5F, 1},       {0.75F, 2},    {1, 2},    {1.25F, 2},
      {1.5F, 3}, {1.75F, 4},    {2, 4},     {2.5F, 4},       {3, 5},        {3.5F, 6}, {4, 6},
      {5, 6},    {5.01F, 7},    {6, 7},     {1e9F, 7},       {infinity, 7}, {nan, 7},  {-0.0F, 8},
      {-1, 0xa}, {-2.75F, 0xd}, {-7, 0xf},  {-infinity, 0xf}};
  std::vector<std::uint32_t> in, wanted;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const Listed &high = list[k], &low = list[(k + 7) % list.size()];
    in.push_back(std::bit_cast<std::uint32_t>(high.value));
    in.push_back(std::bit_cast<std::uint32_t>(low.value));
    wanted.push_back(high.bits << 4 | low.bits);
  }
  CHECK(results(program, "to", 2, in) == wanted);
  const std::uint32_t halves[] = {0,      0x3800, 0x3c00, 0x3e00, 0x4000, 0x4200, 0x4400, 0x4600,
                                  0x8000, 0xb800, 0xbc00, 0xbe00, 0xc000, 0xc200, 0xc400, 0xc600};
  in.clear(), wanted.clear();
  for (std::uint32_t bits = 0; bits < 256; ++bits) {
    in.push_back(bits | 0xabcd00); // what is above the byte is not looked at
    wanted.push_back(halves[bits >> 4] << 16 | halves[bits & 15]);
  }
  CHECK(results(program, "from", 1, in) == wanted);
}

TEST_CASE("numbers become powers of two that are not larger, or not smaller") {
  Program program = program_of(
      kernel_of("down", 2, "cvt.rz.ue8m0x2.f32 %h0, %r0, %r1;\nmov.b32 %r9, {%h0, 0};\n") +
      kernel_of("up", 2, "cvt.rp.ue8m0x2.f32 %h0, %r0, %r1;\nmov.b32 %r9, {%h0, 0};\n") +
      kernel_of("finite", 2,
                "cvt.rp.satfinite.ue8m0x2.f32 %h0, %r0, %r1;\nmov.b32 %r9, {%h0, 0};\n") +
      kernel_of("pair", 1, "cvt.rp.ue8m0x2.bf16x2 %h0, %r0;\nmov.b32 %r9, {%h0, 0};\n") +
      kernel_of("from", 1, "mov.b32 {%h0, %h1}, %r0;\ncvt.rn.bf16x2.ue8m0x2 %r9, %h0;\n"));
  struct Scale {
    float value;
    std::uint32_t down, up, finite;
  };
  const std::vector<Scale> list{{1, 127, 127, 127},
                                {1.5F, 127, 128, 128},
                                {2, 128, 128, 128},
                                {-4, 129, 129, 129},
                                {0, 0, 0, 0},
                                {0x1p-127F, 0, 0, 0},
                                {0x1p-140F, 0, 0, 0},
                                {0x1.8p-127F, 0, 1, 1},
                                {0x1.8p-126F, 1, 2, 2},
                                {0x1p127F, 254, 254, 254},
                                {0x1.8p127F, 254, 255, 254},
                                {infinity, 255, 255, 254},
                                {nan, 255, 255, 255}};
  std::vector<std::uint32_t> in, down, up, finite, pairs;
  for (const Scale& one : list) {
    in.push_back(std::bit_cast<std::uint32_t>(one.value));
    in.push_back(std::bit_cast<std::uint32_t>(1.5F));
    down.push_back(one.down << 8 | 127);
    up.push_back(one.up << 8 | 128);
    finite.push_back(one.finite << 8 | 128);
    // Those that have no more places than bf16.
    pairs.push_back((in[in.size() - 2] & 0xffff0000) | 0x3fc0);
  }
  CHECK(results(program, "down", 2, in) == down);
  CHECK(results(program, "up", 2, in) == up);
  CHECK(results(program, "finite", 2, in) == finite);
  CHECK(results(program, "pair", 1, pairs) == up);
  CHECK(results(program, "from", 1, {0x7f80, 0x00ff, 0x01fe}) ==
        std::vector<std::uint32_t>{0x3f804000, 0x00407fff, 0x00807f00});
}

TEST_CASE("random bits carry into the last place or do not") {
  const auto kernel = [](const std::string& name, const std::string& words) {
    return kernel_of(name, 2, "cvt.rs" + words + ".f32 %r9, %r0, %r0, %r1;\n");
  };
  Program program =
      program_of(kernel("half", ".f16x2") + kernel("brain", ".bf16x2") +
                 kernel("finite", ".satfinite.f16x2") + kernel("positive", ".relu.bf16x2"));
  const auto made = [&](const std::string& name, float value, std::uint32_t random) {
    return results(program, name, 2, {std::bit_cast<std::uint32_t>(value), random}).front();
  };
  // Half of the last place, and a random number of 13 bits for each half of the result.
  CHECK(made("half", 1 + 0x1p-11F, 0x1000'0fff) == 0x3c01'3c00);
  CHECK(made("half", 1 + 0x1p-11F, 0x0fff'f000) == 0x3c00'3c01); // 3 bits are not looked at
  CHECK(made("half", -1 - 0x1p-11F, 0x1000'0fff) == 0xbc01'bc00);
  CHECK(made("half", 1, 0xffff'ffff) == 0x3c00'3c00);
  CHECK(made("half", 1 + 0x1p-23F, 0x1fff'1ffe) == 0x3c01'3c00);
  CHECK(made("half", 65520, 0x1000'0fff) == 0x7c00'7bff);
  CHECK(made("finite", 65520, 0x1000'0fff) == 0x7bff'7bff);
  CHECK(made("half", nan, 0) == 0x7fff'7fff);
  CHECK(made("half", 0x1.8p-25F, 0x1000'07ff) == 0x0001'0000); // three quarters of the least one
  CHECK(made("brain", 1 + 0x1p-8F, 0x8000'7fff) == 0x3f81'3f80);
  CHECK(made("brain", 3 + 0x1p-22F, 0xffff'0000) == 0x4041'4040);
  CHECK(made("positive", -3, 0xffff'ffff) == 0);
}

TEST_CASE("a conversion with random bits needs them, and others have none") {
  const auto refusal_of = [](const std::string& instruction) {
    Sources sources;
    const std::string text =
        ".version 9.0\n.target sm_100a\n.address_size 64\n" + kernel_of("k", 2, instruction + "\n");
    const auto module = ptx::parse(sources, sources.add("k.ptx", text));
    return module ? std::string() : module.errors()[0].message;
  };
  CHECK(refusal_of("cvt.rs.f16x2.f32 %r9, %r0, %r1, %r1;").empty());
  for (const std::string wrong :
       {"cvt.rs.f16x2.f32 %r9, %r0, %r1;", "cvt.rn.f16x2.f32 %r9, %r0, %r1, %r1;",
        "cvt.rs.f16.f32 %h0, %r0;", "cvt.rn.ue8m0x2.f32 %h0, %r0, %r1;",
        "cvt.rn.e2m1x2.f32 %c0, %r0, %r1;", "cvt.rz.bf16x2.ue8m0x2 %r9, %h0;"})
    CHECK(refusal_of(wrong).find("memlane does not execute cvt") == 0);
  CHECK(refusal_of("cvt.rn.satfinite.e2m1x2.f32 %r9, %r0, %r1;").find("has 32 bits") !=
        std::string::npos);
}

} // namespace memlane::test
