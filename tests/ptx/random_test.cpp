// Random programs, whose lanes part and meet in branches, loops and jumps, against the scalar
// interpreter, one thread at a time.
#include "program.hpp"
#include "scalar.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <random>

namespace memlane::test {

using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Operation;

namespace {

constexpr int words = 8, pairs = 4, predicates = 4; // registers %r, %l and %p that programs use

/// Writes a program: statements, nested up to a depth.
class Writer {
public:
  explicit Writer(std::uint64_t seed) : random_(seed) {}

  std::string kernel() {
    text_ = ".version 8.0\n.target sm_80\n.address_size 64\n"
            ".visible .entry k(.param .u64 in, .param .u64 out) {\n.reg .pred %p<16>;\n"
            ".reg .b32 %r<40>;\n.reg .b64 %l<16>;\nld.param.u64 %l10, [in];\n"
            "ld.param.u64 %l11, [out];\nmov.u32 %r30, %tid.x;\nmad.wide.u32 %l10, %r30, 64, %l10;\n"
            "mad.wide.u32 %l11, %r30, 64, %l11;\n";
    for (int k = 0; k < words; ++k)
      text_ += fmt::format("ld.global.u32 %r{}, [%l10+{}];\n", k, 4 * k);
    for (int k = 0; k < pairs; ++k)
      text_ += fmt::format("ld.global.u64 %l{}, [%l10+{}];\n", k, 32 + 8 * k);
    for (int k = 0; k < predicates; ++k)
      text_ += fmt::format("setp.lt.s32 %p{}, %r{}, {};\n", k, k, below(200) - 100);
    statements(3, 8);
    text_ += "EXIT:\n";
    for (int k = 0; k < words; ++k)
      text_ += fmt::format("st.global.u32 [%l11+{}], %r{};\n", 4 * k, k);
    for (int k = 0; k < pairs; ++k)
      text_ += fmt::format("st.global.u64 [%l11+{}], %l{};\n", 32 + 8 * k, k);
    return text_ + "ret;\n}\n";
  }

private:
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  std::string word() {
    return below(6) == 0 ? std::to_string(below(70) - 20) : fmt::format("%r{}", below(words));
  }
  std::string r() { return fmt::format("%r{}", below(words)); }
  std::string l() { return fmt::format("%l{}", below(pairs)); }
  std::string p() { return fmt::format("%p{}", below(predicates)); }
  std::string guard() {
    const int kind = below(5);
    return kind == 0 ? "@" + p() + " " : kind == 1 ? "@!" + p() + " " : "";
  }

  void compute() {
    static const char* const two[] = {"add.u32", "sub.s32", "mul.lo.s32", "mul.hi.u32",
                                      "and.b32", "or.b32",  "xor.b32",    "min.s32",
                                      "max.u32", "shl.b32", "shr.s32",    "shr.u32"};
    static const char* const compared[] = {"lt.s32", "ge.u32", "eq.b32", "gt.s32", "ne.u32"};
    text_ += guard();
    switch (below(9)) {
    case 0:
      text_ += fmt::format("setp.{} {}, {}, {};\n", compared[below(5)], p(), r(), word());
      return;
    case 1: text_ += fmt::format("selp.b32 {}, {}, {}, {};\n", r(), r(), word(), p()); return;
    case 2: text_ += fmt::format("mad.lo.s32 {}, {}, {}, {};\n", r(), r(), r(), r()); return;
    case 3: text_ += fmt::format("add.s64 {}, {}, {};\n", l(), l(), l()); return;
    case 4: text_ += fmt::format("mad.wide.s32 {}, {}, {}, {};\n", l(), r(), r(), l()); return;
    case 5: text_ += fmt::format("cvt.u32.u64 {}, {};\n", r(), l()); return;
    case 6:
      text_ += fmt::format("bfe.u32 {}, {}, {}, {};\n", r(), r(), below(40), below(40));
      return;
    default: text_ += fmt::format("{} {}, {}, {};\n", two[below(12)], r(), r(), word());
    }
  }

  void statements(int depth, int count) {
    for (int k = 0; k < count; ++k) {
      const int kind = depth > 0 ? below(8) : 7;
      if (kind == 0) {
        branch(depth);
      } else if (kind == 1) {
        loop(depth);
      } else if (kind == 2) {
        // A jump over some statements, perhaps into the middle of what others execute.
        const int label = labels_++;
        text_ += fmt::format("@{} bra J{};\n", p(), label);
        statements(depth - 1, 3);
        text_ += fmt::format("J{}:\n", label);
      } else if (kind == 3 && below(4) == 0) {
        text_ += fmt::format("@{} bra EXIT;\n", p());
      } else {
        compute();
      }
    }
  }
  void branch(int depth) {
    const int label = labels_++;
    text_ += fmt::format("@{} bra A{};\n", p(), label);
    statements(depth - 1, 4);
    text_ += fmt::format("bra B{};\nA{}:\n", label, label);
    statements(depth - 1, 4);
    text_ += fmt::format("B{}:\n", label);
  }
  /// Up to 4 rounds, which lanes count for themselves; with break and continue.
  void loop(int depth) {
    const int label = labels_++, counter = 10 + depth;
    text_ += fmt::format("and.b32 %r{}, {}, 3;\nL{}:\n", counter, r(), label);
    statements(depth - 1, 3);
    if (below(2) == 0) text_ += fmt::format("@{} bra C{};\n", p(), label);
    statements(depth - 1, 2);
    if (below(2) == 0) text_ += fmt::format("@{} bra E{};\n", p(), label);
    text_ += fmt::format(
        "C{}:\nsub.s32 %r{}, %r{}, 1;\nsetp.ge.s32 %p{}, %r{}, 0;\n@%p{} bra L{};\nE{}:\n", label,
        counter, counter, counter, counter, counter, label, label);
  }

  std::mt19937_64 random_;
  std::string text_;
  int labels_ = 0;
};

/// One thread of a kernel that loads from its first parameter and stores to its second.
class Thread {
public:
  Thread(const ptx::Function& function, std::uint32_t number, const std::uint64_t* in,
         std::uint64_t* out)
      : function_(function), number_(number), registers_(function.registers.size()) {
    params_[0] = reinterpret_cast<std::uint64_t>(in);
    params_[1] = reinterpret_cast<std::uint64_t>(out);
  }
  bool run() {
    std::size_t at = 0;
    for (int steps = 0; steps < 100000; ++steps) {
      const Operation& op = function_.code[at++];
      const bool takes =
          op.guard < 0 || (registers_[static_cast<std::size_t>(op.guard)] != 0) != op.guard_negated;
      if (!takes) continue;
      if (op.opcode == Opcode::ret) return true;
      if (op.opcode == Opcode::bra)
        at = static_cast<std::size_t>(op.target);
      else
        execute(op);
    }
    return false;
  }

private:
  std::uint64_t value(const Operand& operand) const {
    switch (operand.kind) {
    case OperandKind::reg: {
      const std::uint64_t bits = registers_[static_cast<std::size_t>(operand.index)];
      return operand.negated ? bits == 0 : bits;
    }
    case OperandKind::immediate: return static_cast<std::uint64_t>(operand.value);
    case OperandKind::special: return number_;
    default: return 0;
    }
  }
  void write(const Operand& operand, std::uint64_t bits) {
    if (operand.kind != OperandKind::reg) return;
    const auto index = static_cast<std::size_t>(operand.index);
    const int width = ptx::bits_of(function_.registers[index]);
    registers_[index] = width == 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
  }
  void execute(const Operation& op) {
    const auto bytes = static_cast<std::size_t>(ptx::bytes_of(op.type));
    if (op.opcode == Opcode::ld && op.space == ptx::Space::param)
      return write(op.d, params_[op.m.index]);
    if (op.opcode == Opcode::ld || op.opcode == Opcode::st) {
      const std::uint64_t address =
          registers_[static_cast<std::size_t>(op.m.index)] + static_cast<std::uint64_t>(op.m.value);
      std::uint64_t bits = value(op.a);
      if (op.opcode == Opcode::st) {
        std::memcpy(reinterpret_cast<void*>(address), &bits, bytes);
        return;
      }
      bits = 0;
      std::memcpy(&bits, reinterpret_cast<const void*>(address), bytes);
      return write(op.d, bits);
    }
    const ScalarOut out =
        scalar_result(op, {value(op.a), value(op.b), value(op.c), value(op.e), false});
    REQUIRE(out.known);
    write(op.d, out.d);
    write(op.q, out.q ? 1 : 0);
  }

  const ptx::Function& function_;
  std::uint32_t number_;
  std::vector<std::uint64_t> registers_;
  std::uint64_t params_[2] = {};
};

} // namespace

TEST_CASE("random programs agree with one thread at a time") {
  const std::size_t threads = 80;
  std::vector<std::uint64_t> in(8 * threads), out(in.size()), wanted(in.size());
  std::mt19937_64 random(11);
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    for (std::uint64_t& one : in) one = random() % 3 == 0 ? random() : random() % 256 * 0x100000001;
    const std::string text = Writer(seed).kernel();
    INFO("seed " << seed << "\n" << text);
    for (const ptx::InstructionSet& set : ptx::instruction_sets()) {
      Program program("random.ptx", text, set);
      if (set.name == ptx::instruction_sets()[0].name)
        for (std::size_t t = 0; t < threads; ++t)
          REQUIRE(Thread(program.module->functions[0], static_cast<std::uint32_t>(t), in.data(),
                         wanted.data())
                      .run());
      program.give(in), program.give(out);
      std::fill(out.begin(), out.end(), 0);
      const Launched launched =
          program.launch("k", {1, 1, 1}, {static_cast<std::int64_t>(threads), 1, 1}, in, out);
      REQUIRE(launched.fault.empty());
      REQUIRE(out == wanted);
    }
  }
}

} // namespace memlane::test
