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
constexpr std::uint64_t own_bytes = 16; ///< bytes of shared and of local memory of a thread

/// Writes a program: statements, nested up to a depth.
class Writer {
public:
  /// Half of the programs have operations of whole warps, at their top; no lane of these ends
  /// early.
  explicit Writer(std::uint64_t seed) : random_(seed), of_warps_(seed % 2 == 1) {}

  std::string kernel() {
    text_ = ".version 8.0\n.target sm_80\n.address_size 64\n"
            ".visible .entry k(.param .u64 in, .param .u64 out) {\n.reg .pred %p<16>;\n"
            ".reg .b32 %r<40>;\n.reg .b64 %l<16>;\nld.param.u64 %l10, [in];\n"
            "ld.param.u64 %l11, [out];\nmov.u32 %r30, %tid.x;\nmad.wide.u32 %l10, %r30, 64, %l10;\n"
            "mad.wide.u32 %l11, %r30, 64, %l11;\n.shared .align 16 .b8 all[1536];\n"
            ".local .align 16 .b8 own[16];\nmov.u32 %r31, all;\nmad.lo.u32 %r31, %r30, 16, %r31;\n"
            "mov.u64 %l12, own;\n";
    for (std::uint64_t k = 0; k < own_bytes; k += 4)
      text_ += fmt::format("st.shared.u32 [%r31+{0}], {0};\nst.local.u32 [%l12+{0}], {0};\n", k);
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
    switch (below(12)) {
    case 9: memory("shared", "%r31"); return;
    case 10: memory("local", "%l12"); return;
    case 11: update(); return;
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

  /// A load or store of the thread's own bytes, of any type.
  void memory(const char* space, const char* base) {
    static const char* const types[] = {"u8",     "s8",     "u16",   "s16", "b32",   "u32",
                                        "v2.u32", "v4.u32", "v4.u8", "u64", "v2.b64"};
    static const int counts[] = {1, 1, 1, 1, 1, 1, 2, 4, 4, 1, 2};
    static const int bytes[] = {1, 1, 2, 2, 4, 4, 8, 16, 4, 8, 16};
    const int n = below(11), place = below(static_cast<int>(own_bytes) / bytes[n]) * bytes[n];
    const bool wide = n >= 9, loads = below(2) == 0;
    std::string values;
    // The registers of a vector that is loaded are different ones.
    const int first = below(wide ? pairs : words);
    for (int k = 0; k < counts[n]; ++k)
      values += fmt::format("{}%{}{}", k > 0 ? ", " : "", wide ? 'l' : 'r',
                            (first + k) % (wide ? pairs : words));
    if (counts[n] > 1) values = "{" + values + "}";
    const std::string at = fmt::format("[{}+{}]", base, place);
    text_ += loads ? fmt::format("ld.{}.{} {}, {};\n", space, types[n], values, at)
                   : fmt::format("st.{}.{} {}, {};\n", space, types[n], at, values);
  }
  void update() {
    static const char* const what[] = {"add.u32", "add.s32", "min.s32", "max.u32", "inc.u32",
                                       "dec.u32", "and.b32", "or.b32",  "xor.b32", "exch.b32"};
    const int n = below(10), place = 4 * below(4);
    if (n < 9 && below(2) == 0)
      text_ += fmt::format("red.shared.{} [%r31+{}], {};\n", what[n], place, r());
    else
      text_ += fmt::format("atom.shared.{} {}, [%r31+{}], {};\n", what[n], r(), place, r());
  }
  /// All lanes of a warp come here.
  void of_warp() {
    switch (below(6)) {
    case 0:
      text_ += fmt::format("shfl.sync.bfly.b32 {}, {}, {}, 31, -1;\n", r(), r(), below(32));
      return;
    case 1:
      text_ += fmt::format("shfl.sync.idx.b32 {}|{}, {}, {}, 31, -1;\n", r(), p(), r(), r());
      return;
    case 2:
      text_ += fmt::format("shfl.sync.up.b32 {}, {}, {}, 0, -1;\n", r(), r(), below(9));
      return;
    case 3: text_ += fmt::format("vote.sync.ballot.b32 {}, {}, -1;\n", r(), p()); return;
    case 4:
      text_ += fmt::format("redux.sync.{} {}, {}, -1;\n", below(2) == 0 ? "add.u32" : "xor.b32",
                           r(), r());
      return;
    default: text_ += fmt::format("match.any.sync.b32 {}, {}, -1;\n", r(), r());
    }
  }

  void statements(int depth, int count) {
    for (int k = 0; k < count; ++k) {
      if (depth == 3 && of_warps_) of_warp();
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
      } else if (kind == 3 && below(4) == 0 && !of_warps_) {
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
  bool of_warps_;
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
  /// Goes on to its end, or to the next operation of its warp: the operation, else null.
  const Operation* run() {
    for (int steps = 0; steps < 100000; ++steps) {
      const Operation& op = function_.code[at_++];
      const bool takes =
          op.guard < 0 || (registers_[static_cast<std::size_t>(op.guard)] != 0) != op.guard_negated;
      if (!takes) continue;
      if (op.opcode == Opcode::ret) return nullptr;
      if (ptx::row_of(op.opcode).effects == ptx::Effects::warp) return &op;
      if (op.opcode == Opcode::bra)
        at_ = static_cast<std::size_t>(op.target);
      else
        execute(op);
    }
    FAIL("a thread has no end");
    return nullptr;
  }
  ScalarIn sources(const Operation& op) const {
    return {value(op.a), value(op.b), value(op.c), value(op.e), false};
  }
  void finish(const Operation& op, const ScalarOut& out) {
    write(op.d, out.d);
    write(op.q, out.q ? 1 : 0);
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
      std::uint8_t* const at = place(op);
      for (int k = 0; k < op.lanes_of_vector; ++k) {
        const auto one = [&](const Operand& whole) {
          return whole.kind == OperandKind::vector
                     ? function_.elements[static_cast<std::size_t>(whole.index + k)]
                     : whole;
        };
        const std::size_t from = static_cast<std::size_t>(k) * bytes;
        std::uint64_t bits = op.opcode == Opcode::st ? value(one(op.a)) : 0;
        if (op.opcode == Opcode::st) {
          std::memcpy(at + from, &bits, bytes);
          continue;
        }
        std::memcpy(&bits, at + from, bytes);
        if (ptx::is_signed(op.type) && bytes < 8 && (bits >> (8 * bytes - 1) & 1) != 0)
          bits |= ~0ull << (8 * bytes);
        write(one(op.d), bits);
      }
      return;
    }
    if (op.opcode == Opcode::atom || op.opcode == Opcode::red) return update(op);
    const ScalarOut out = scalar_result(op, sources(op));
    REQUIRE(out.known);
    finish(op, out);
  }
  /// Variables have the address 0: the thread has its own bytes of them.
  std::uint8_t* place(const Operation& op) {
    const std::uint64_t address =
        registers_[static_cast<std::size_t>(op.m.index)] + static_cast<std::uint64_t>(op.m.value);
    if (op.space == ptx::Space::shared) return shared_ + (address - own_bytes * number_);
    return op.space == ptx::Space::local ? local_ + address
                                         : reinterpret_cast<std::uint8_t*>(address);
  }
  void update(const Operation& op) {
    std::uint32_t old = 0;
    std::memcpy(&old, place(op), sizeof old);
    const auto b = static_cast<std::uint32_t>(value(op.a));
    std::uint32_t now = b; // exch
    const auto has = [&](ptx::Word word) { return op.words.has(word); };
    if (has(ptx::Word::add)) now = old + b;
    if (has(ptx::Word::and_)) now = old & b;
    if (has(ptx::Word::or_)) now = old | b;
    if (has(ptx::Word::xor_)) now = old ^ b;
    if (has(ptx::Word::min)) // of signed numbers
      now = static_cast<std::int32_t>(old) < static_cast<std::int32_t>(b) ? old : b;
    if (has(ptx::Word::max)) now = std::max(old, b);
    if (has(ptx::Word::inc)) now = old >= b ? 0 : old + 1;
    if (has(ptx::Word::dec)) now = old == 0 || old > b ? b : old - 1;
    std::memcpy(place(op), &now, sizeof now);
    write(op.d, old);
  }

  const ptx::Function& function_;
  std::uint32_t number_;
  std::vector<std::uint64_t> registers_;
  std::uint64_t params_[2] = {};
  std::uint8_t shared_[own_bytes] = {}, local_[own_bytes] = {};
  std::size_t at_ = 0;
};

/// What an operation of the warp gives to a lane; `in`: of all its lanes.
ScalarOut result_of_lane(const Operation& op, const std::vector<ScalarIn>& in, std::size_t lane) {
  const auto count = static_cast<std::uint64_t>(in.size());
  ScalarOut out;
  const auto collect = [&](auto combine) {
    for (std::size_t l = 0; l < in.size(); ++l) out.d = combine(out.d, l);
  };
  switch (op.opcode) {
  case Opcode::shfl: {
    const std::uint64_t n = in[lane].b & 31;
    const std::uint64_t from = op.words.has(ptx::Word::bfly) ? lane ^ n
                               : op.words.has(ptx::Word::up) ? lane - n
                                                             : n;
    out.q = from < 32;
    const std::uint64_t read = out.q ? from : lane;
    out.known = read < count;
    out.d = out.known ? in[read].a : 0;
    break;
  }
  case Opcode::vote:
    collect([&](std::uint64_t all, std::size_t l) { return all | (in[l].e & 1) << l; });
    break;
  case Opcode::match:
    collect([&](std::uint64_t all, std::size_t l) {
      return all | (in[l].a == in[lane].a ? std::uint64_t{1} << l : 0);
    });
    break;
  default:
    collect([&](std::uint64_t all, std::size_t l) {
      return op.words.has(ptx::Word::add) ? all + in[l].a : all ^ in[l].a;
    });
  }
  return out;
}

/// All threads of a warp, one at a time from meeting to meeting.
void run_warp(std::vector<Thread>& warp) {
  for (;;) {
    const Operation* op = nullptr;
    for (Thread& thread : warp) op = thread.run();
    if (!op) return;
    std::vector<ScalarIn> in;
    for (const Thread& thread : warp) in.push_back(thread.sources(*op));
    for (std::size_t lane = 0; lane < warp.size(); ++lane)
      warp[lane].finish(*op, result_of_lane(*op, in, lane));
  }
}

} // namespace

TEST_CASE("random programs agree with one thread at a time") {
  std::vector<std::uint64_t> in(8 * std::size_t{96}), out(in.size()), wanted(in.size());
  std::mt19937_64 random(11);
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    for (std::uint64_t& one : in) one = random() % 3 == 0 ? random() : random() % 256 * 0x100000001;
    // Those with operations of warps have whole warps only.
    const std::size_t threads = seed % 2 == 1 ? 96 : 80;
    std::fill(wanted.begin(), wanted.end(), 0);
    const std::string text = Writer(seed).kernel();
    INFO("seed " << seed << "\n" << text);
    for (const ptx::InstructionSet& set : ptx::instruction_sets()) {
      Program program("random.ptx", text, set);
      if (set.name == ptx::instruction_sets()[0].name)
        for (std::size_t first = 0; first < threads; first += 32) {
          std::vector<Thread> warp;
          for (std::size_t t = first; t < std::min(threads, first + 32); ++t)
            warp.emplace_back(program.module->functions[0], static_cast<std::uint32_t>(t),
                              in.data(), wanted.data());
          run_warp(warp);
        }
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
