#include "support/catch.hpp"
#include "support/golden.hpp"

#include "memlane/ir/program.hpp"

using namespace memlane;
using namespace memlane::ir;

namespace {

/// Every instruction once, its immediate naming the first of whatever it names.
Function one_of_each() {
  Function f;
  f.name = "sum";
  f.registers = 4;
  f.formals = {0, 1};
  f.shared = {1};
  f.locals = {{"local", Scalar::int32}};
  const auto emit = [&](Opcode op) {
    Instruction in;
    in.op = op;
    in.d = 3, in.a = 0, in.b = 1, in.c = 2;
    in.type = op == Opcode::convert ? Scalar::float64 : Scalar::int32;
    in.counted = op == Opcode::add;
    const auto at = static_cast<std::uint32_t>(f.code.size());
    in.span = {0, at < 8 ? 2u : 16u, at < 8 ? 4u : 20u};
    f.code.push_back(in);
  };
#define MEMLANE_EACH(opcode, mnemonic, operands, effects, group) emit(Opcode::opcode);
  MEMLANE_OPCODES(MEMLANE_EACH)
#undef MEMLANE_EACH
  return f;
}

} // namespace

TEST_CASE("the disassembly names everything", "[golden]") {
  Sources sources;
  sources.add("sum.lane", "  first line\n\tthe second\n");
  Program program;
  program.arrays.resize(2);
  program.arrays[0].name = "a";
  program.arrays[0].initial = 2;
  program.arrays[1].name = "x";
  program.arrays[1].space = Space::shared;
  program.functions = {one_of_each(), Function{}};
  program.functions[1].code = {Instruction{}};
  Function initial;
  initial.registers = 1;
  initial.code = {Instruction{}};
  program.functions.push_back(initial);
  program.kernels = {0};
  program.main = 1;
  program.launches = {{0, {0, 1}, 2, 3}};
  program.bounds = {{"a", 1, 3}};
  program.tables = {{"table", Scalar::int32, {}}};
  program.messages = {"say \"no\""};
  program.fns = {"combine"};
  const std::string text = disassemble(program, sources);
  CHECK(text == test::golden("ir/disassembly.txt", text));
}

TEST_CASE("the table of instructions is whole") {
  CHECK(mnemonic(Opcode::end) == "end");
  CHECK(mnemonic(Opcode::constant) == "const");
  CHECK(operands(Opcode::random) == "dabi");
  CHECK(operands(Opcode::barrier).empty());
  CHECK(name_of(Special::index) == "index");
  CHECK(name_of(LayoutKind::random_permute) == "random_permute");
}
