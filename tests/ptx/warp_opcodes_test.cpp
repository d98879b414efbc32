// Each opcode that looks at other lanes, in all its forms, against a lane at a time: whole warps
// and guarded lanes, on every instruction set of this processor.
#include "opcode_tests.hpp"
#include "program.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <random>

namespace memlane::test {

using ptx::Opcode;

namespace {

constexpr int warp_size = 32;

/// What the lanes have: values of three registers, and whether they take part.
struct Lanes {
  std::uint64_t a[warp_size] = {};
  std::uint32_t b[warp_size] = {}, c[warp_size] = {};
  std::uint32_t mask = 0;

  bool has(int l) const { return (mask >> l & 1) != 0; }
};
struct LaneResult {
  std::uint64_t d = 0;
  bool q = false;
};
using OneLane = std::function<LaneResult(const Lanes&, int lane)>;

/// An instruction on %p0 or registers, the width of its first source, and what a lane gets.
struct Form {
  Opcode opcode;
  std::string text;       ///< with {mask} for the members
  int bits = 32;          ///< of a: 1 a predicate
  bool predicate = false; ///< the result is one
  bool pair = false;      ///< and a predicate beside it
  OneLane result;
};

/// The lane that a shuffle reads, as PTX ISA 9.0, section 9.7.9.6 says; -1: its own.
int source_lane(const std::string& mode, int lane, int n, int c) {
  const int clamp = c & 31, segment = c >> 8 & 31;
  const int most = (lane & segment) | (clamp & ~segment & 31), least = lane & segment;
  n &= 31;
  if (mode == "up") return lane - n >= most ? lane - n : -1;
  if (mode == "down") return lane + n <= most ? lane + n : -1;
  if (mode == "bfly") return (lane ^ n) <= most ? lane ^ n : -1;
  const int from = least | (n & ~segment & 31);
  return from <= most ? from : -1;
}

std::vector<Form> shuffles() {
  std::vector<Form> all;
  for (const std::string mode : {"up", "down", "bfly", "idx"})
    all.push_back({Opcode::shfl, "shfl.sync." + mode + ".b32 {d}|{q}, {a}, {b}, {c}, {mask};", 32,
                   false, true, [mode](const Lanes& in, int l) {
                     const int from =
                         source_lane(mode, l, static_cast<int>(in.b[l]), static_cast<int>(in.c[l]));
                     return LaneResult{in.a[from < 0 ? l : from], from >= 0};
                   }});
  return all;
}

/// The lanes of the mask whose predicate holds.
std::uint32_t voters(const Lanes& in) {
  std::uint32_t yes = 0;
  for (int l = 0; l < warp_size; ++l)
    if (in.has(l) && in.a[l] != 0) yes |= std::uint32_t{1} << l;
  return yes;
}

std::vector<Form> votes() {
  const auto vote = [](const std::string& mode, bool predicate, auto holds) {
    return Form{Opcode::vote,
                "vote.sync." + mode + (predicate ? ".pred" : ".b32") + " {d}, {a}, {mask};",
                1,
                predicate,
                false,
                [=](const Lanes& in, int) {
                  return LaneResult{static_cast<std::uint64_t>(holds(voters(in), in.mask)), false};
                }};
  };
  using Bits = std::uint32_t;
  return {vote("all", true, [](Bits yes, Bits mask) -> Bits { return yes == mask; }),
          vote("any", true, [](Bits yes, Bits) -> Bits { return yes != 0; }),
          vote("uni", true, [](Bits yes, Bits mask) -> Bits { return yes == mask || yes == 0; }),
          vote("ballot", false, [](Bits yes, Bits) { return yes; })};
}

std::uint32_t equal_lanes(const Lanes& in, int lane) {
  std::uint32_t same = 0;
  for (int l = 0; l < warp_size; ++l)
    if (in.has(l) && in.a[l] == in.a[lane]) same |= std::uint32_t{1} << l;
  return same;
}

std::vector<Form> matches() {
  std::vector<Form> all;
  for (const int bits : {32, 64}) {
    all.push_back({Opcode::match, fmt::format("match.any.sync.b{} {{d}}, {{a}}, {{mask}};", bits),
                   bits, false, false, [](const Lanes& in, int l) {
                     return LaneResult{equal_lanes(in, l), false};
                   }});
    all.push_back({Opcode::match,
                   fmt::format("match.all.sync.b{} {{d}}|{{q}}, {{a}}, {{mask}};", bits), bits,
                   false, true, [](const Lanes& in, int l) {
                     const bool same = equal_lanes(in, l) == in.mask;
                     return LaneResult{same ? in.mask : 0, same};
                   }});
  }
  return all;
}

std::vector<Form> reductions() {
  std::vector<Form> all;
  const auto add = [&](const std::string& name, auto combine) {
    all.push_back({Opcode::redux, "redux.sync." + name + " {d}, {a}, {mask};", 32, false, false,
                   [=](const Lanes& in, int) {
                     std::uint32_t sum = 0;
                     bool first = true;
                     for (int l = 0; l < warp_size; ++l) {
                       if (!in.has(l)) continue;
                       const auto own = static_cast<std::uint32_t>(in.a[l]);
                       sum = first ? own : combine(sum, own);
                       first = false;
                     }
                     return LaneResult{sum, false};
                   }});
  };
  using U = std::uint32_t;
  const auto sign = [](U bits) { return std::bit_cast<std::int32_t>(bits); };
  for (const char* const type : {"u32", "s32"})
    add(fmt::format("add.{}", type), [](U a, U b) { return a + b; });
  add("min.u32", [](U a, U b) { return std::min(a, b); });
  add("max.u32", [](U a, U b) { return std::max(a, b); });
  add("min.s32", [=](U a, U b) { return sign(a) < sign(b) ? a : b; });
  add("max.s32", [=](U a, U b) { return sign(a) < sign(b) ? b : a; });
  add("and.b32", [](U a, U b) { return a & b; });
  add("or.b32", [](U a, U b) { return a | b; });
  add("xor.b32", [](U a, U b) { return a ^ b; });
  return all;
}

std::vector<Form> forms() {
  std::vector<Form> all;
  for (const auto& some : {shuffles(), votes(), matches(), reductions()})
    all.insert(all.end(), some.begin(), some.end());
  all.push_back(
      {Opcode::activemask, "activemask.b32 {d};", 32, false, false, [](const Lanes& in, int) {
         return LaneResult{in.mask, false};
       }});
  all.push_back(
      {Opcode::elect, "elect.sync {d}|{q}, {mask};", 32, false, true, [](const Lanes& in, int l) {
         const int leader = std::countr_zero(in.mask);
         return LaneResult{static_cast<std::uint64_t>(leader), l == leader};
       }});
  return all;
}

std::string replaced(std::string text, const std::vector<std::pair<std::string, std::string>>& by) {
  for (const auto& [name, value] : by)
    for (std::size_t at; (at = text.find(name)) != text.npos;) text.replace(at, name.size(), value);
  return text;
}

/// Lanes whose bit of `in[3]` is set execute the instruction; each thread has 4 words of 64 bits.
std::string kernel_of(const Form& form, std::size_t number) {
  const std::string a = form.bits == 1 ? "%p1" : form.bits == 64 ? "%l2" : "%r1";
  const std::string op = replaced(form.text, {{"{d}", form.predicate ? "%p2" : "%r4"},
                                              {"{q}", "%p3"},
                                              {"{a}", a},
                                              {"{b}", "%r2"},
                                              {"{c}", "%r3"},
                                              {"{mask}", "%r6"}});
  return fmt::format(
      ".visible .entry k{}(.param .u64 in, .param .u64 out) {{\n.reg .pred %p<6>;\n"
      ".reg .b32 %r<12>;\n.reg .b64 %l<8>;\nld.param.u64 %l0, [in];\nld.param.u64 %l1, [out];\n"
      "mov.u32 %r0, %laneid;\nmad.wide.u32 %l0, %r0, 32, %l0;\nmad.wide.u32 %l1, %r0, 16, %l1;\n"
      "ld.global.u64 %l2, [%l0];\ncvt.u32.u64 %r1, %l2;\nsetp.ne.u32 %p1, %r1, 0;\n"
      "ld.global.u32 %r2, [%l0+8];\nld.global.u32 %r3, [%l0+16];\nld.global.u32 %r6, [%l0+24];\n"
      "shr.u32 %r7, %r6, %r0;\nand.b32 %r7, %r7, 1;\nsetp.ne.u32 %p4, %r7, 0;\n"
      "mov.u32 %r4, 77;\nsetp.ne.u32 %p2, 1, 1;\nsetp.ne.u32 %p3, 1, 1;\n@%p4 {}\n{}"
      "st.global.u32 [%l1], %r4;\nselp.u32 %r5, 1, 0, %p3;\nst.global.u32 [%l1+8], "
      "%r5;\nret;\n}}\n",
      number, op, form.predicate ? "selp.u32 %r4, 1, 0, %p2;\n" : "");
}

Lanes random_lanes(std::mt19937_64& random) {
  Lanes in;
  const std::uint64_t masks[] = {~0ull,
                                 random(),
                                 random() | random(),
                                 random() & random(),
                                 std::uint64_t{1} << random() % warp_size,
                                 0x0000ffff};
  in.mask = static_cast<std::uint32_t>(masks[random() % std::size(masks)]);
  if (in.mask == 0) in.mask = 1;
  const std::uint64_t kind = random() % 4;
  for (int l = 0; l < warp_size; ++l) {
    in.a[l] = kind == 0 ? random() : kind == 1 ? random() % 2 : kind == 2 ? 5 : random() % 4 - 2;
    in.b[l] = static_cast<std::uint32_t>(kind % 2 == 0 ? random() % 40 : 1u << random() % 6);
    in.c[l] = static_cast<std::uint32_t>(kind == 3 ? random() & 0x1f1f : kind == 2 ? 0 : 31);
  }
  return in;
}

/// A value of a lane that does not take part is nobody's.
bool defined(const Form& form, const Lanes& in, int lane) {
  if (form.opcode != Opcode::shfl) return true;
  const std::size_t at = form.text.find('.', 5) + 1;
  const int from = source_lane(form.text.substr(at, form.text.find('.', at) - at), lane,
                               static_cast<int>(in.b[lane]), static_cast<int>(in.c[lane]));
  return from < 0 || in.has(from);
}

} // namespace

const std::vector<Opcode>& warp_opcodes() {
  static const std::vector<Opcode> all{Opcode::shfl,       Opcode::vote,  Opcode::match,
                                       Opcode::activemask, Opcode::redux, Opcode::elect};
  return all;
}

TEST_CASE("each opcode that looks at other lanes agrees with a lane at a time") {
  const std::vector<Form> all = forms();
  for (const Opcode opcode : warp_opcodes())
    CHECK(std::any_of(all.begin(), all.end(),
                      [=](const Form& form) { return form.opcode == opcode; }));
  std::string text = ".version 8.6\n.target sm_100\n.address_size 64\n";
  for (std::size_t k = 0; k < all.size(); ++k) text += kernel_of(all[k], k);
  std::vector<std::uint64_t> in(4 * warp_size), out(2 * warp_size);
  for (const ptx::InstructionSet& set : ptx::instruction_sets()) {
    Program program("warp.ptx", text, set);
    program.state.allowed = ptx::harmless_faults;
    program.give(in), program.give(out);
    std::mt19937_64 random(5);
    for (std::size_t k = 0; k < all.size(); ++k)
      for (int round = 0; round < 60; ++round) {
        const Lanes given = random_lanes(random);
        for (std::size_t l = 0; l < warp_size; ++l) {
          in[4 * l] = given.a[l], in[4 * l + 1] = given.b[l];
          in[4 * l + 2] = given.c[l], in[4 * l + 3] = given.mask;
        }
        std::fill(out.begin(), out.end(), 0);
        const Launched launched =
            program.launch(fmt::format("k{}", k), {1, 1, 1}, {warp_size, 1, 1}, in, out);
        INFO(all[k].text << " on " << set.name << ", mask " << std::hex << given.mask << "\n"
                         << launched.fault);
        REQUIRE(launched.fault.empty());
        for (int l = 0; l < warp_size; ++l) {
          if (given.has(l) && !defined(all[k], given, l)) continue;
          const LaneResult wanted = given.has(l) ? all[k].result(given, l)
                                                 : LaneResult{all[k].predicate ? 0u : 77u, false};
          INFO("lane " << std::dec << l << ", b " << given.b[l] << ", c " << given.c[l]);
          REQUIRE(out[2 * static_cast<std::size_t>(l)] == (wanted.d & 0xffffffff));
          if (all[k].pair) REQUIRE(out[2 * static_cast<std::size_t>(l) + 1] == (wanted.q ? 1 : 0));
        }
      }
  }
}

} // namespace memlane::test
