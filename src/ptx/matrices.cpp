#include "matrices.hpp"

namespace memlane::ptx {

namespace {

struct ShapeWord {
  Word word;
  MatrixShape shape;
};
constexpr ShapeWord shape_words[] = {
    {Word::m16n16k16, {16, 16, 16}}, {Word::m32n8k16, {32, 8, 16}}, {Word::m8n32k16, {8, 32, 16}},
    {Word::m16n16k8, {16, 16, 8}},   {Word::m8n8k4, {8, 8, 4}},     {Word::m8n8k16, {8, 8, 16}},
    {Word::m16n8k4, {16, 8, 4}},     {Word::m16n8k8, {16, 8, 8}},   {Word::m16n8k16, {16, 8, 16}},
    {Word::m16n8k32, {16, 8, 32}}};

/// Lanes are in groups of four. A group has a row of a, d and c, and a column of b.
constexpr int lanes_of_group = 4, groups = 8;

} // namespace

MatrixShape shape_of(const Words& words) {
  for (const ShapeWord& row : shape_words)
    if (words.has(row.word)) return row.shape;
  return {};
}

MatrixPlace Fragment::place(int lane, int reg, int element) const {
  const int group = lane / lanes_of_group, in_group = lane % lanes_of_group;
  const int high = shape.m / groups; // parts of eight rows
  if (role == MatrixRole::c) {
    const int number = reg * elements + element, part = number / 2;
    return {group + groups * (part % high), in_group * 2 + number % 2 + groups * (part / high)};
  }
  const int width = lanes_of_group * elements, inner = in_group * elements + element;
  if (role == MatrixRole::a) return {group + groups * (reg % high), width * (reg / high) + inner};
  const int deep = shape.k / width;
  return {width * (reg % deep) + inner, group + groups * (reg / deep)};
}

Fragment fragment_of(Opcode opcode, MatrixShape shape, MatrixRole role, Type type) {
  Fragment made;
  made.role = role;
  made.shape = shape;
  made.type = type;
  // Numbers of fewer than 32 bits share a register.
  made.elements = bits_of(type) < 32 ? 32 / bits_of(type) : 1;
  made.distinct = made.rows() * made.columns() / (groups * lanes_of_group * made.elements);
  const bool repeats = opcode == Opcode::wmma && type == Type::f16 && role != MatrixRole::c;
  made.registers = repeats ? 8 : made.distinct;
  return made;
}

Fragment fragment_in_memory(const Operation& op) {
  const MatrixRole role = op.words.has(Word::matrix_a)   ? MatrixRole::a
                          : op.words.has(Word::matrix_b) ? MatrixRole::b
                                                         : MatrixRole::c;
  return fragment_of(op.opcode, shape_of(op.words), role, op.type);
}

} // namespace memlane::ptx
