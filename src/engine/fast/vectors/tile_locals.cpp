// Threads' own arrays, and constant tables: no requests.
#include "fast/launch_run.hpp"
#include "tile.hpp"

#include <algorithm>

namespace memlane::fast {

using ir::Instruction;
using ir::Opcode;

bool Tile::local(const Instruction& in) {
  if (in.op == Opcode::local_new) return new_local(in);
  LocalWords& array = locals_[static_cast<std::size_t>(in.immediate)];
  const Register& index = values_[in.a];
  if (!within(index, 0, array.elements - 1, mask_)) return refuse();
  const int lanes = values_.shape().lanes();
  const std::uint8_t* active = values_.sets().lanes(mask_);
  const ir::Scalar type = launch_.kernel.locals[static_cast<std::size_t>(in.immediate)].type;
  const bool loads = in.op == Opcode::local_load;
  if (!loads && !values_.fits(values_[in.b], type, mask_)) return refuse();
  const Shape part = values_.sets().part(mask_);
  const auto* at = values_.words<std::int64_t>(index, 0, part);
  with_type(type, [&](auto word) {
    using T = decltype(word);
    auto* words = reinterpret_cast<T*>(array.words.data());
    const T* from = loads ? nullptr : values_.words<T>(values_[in.b], 1, part);
    T* to = loads ? make_vector<T>(values_.out(), values_.shape()) : nullptr;
    for (int i = 0; i < part.lanes(); ++i) {
      if (!active[i]) continue;
      T& element = words[at[i] * lanes + i];
      if (loads) {
        to[i] = element;
      } else {
        element = from[i];
      }
    }
  });
  if (loads) values_.commit(in.d, type, mask_, launch_.facts.writes_all[pc_]);
  return true;
}

bool Tile::new_local(const Instruction& in) {
  LocalWords& array = locals_[static_cast<std::size_t>(in.immediate)];
  const Register& size = values_[in.a];
  // Threads whose arrays differ in size are left to the reference engine.
  if (size.form != Form::uniform || size.value.integer() < 0) return refuse();
  const std::int64_t elements = size.value.integer();
  const bool first = array.words.empty();
  if (!mask_.whole && !first && array.elements != elements) return refuse();
  const std::int64_t lanes = values_.shape().lanes();
  if (elements > array.elements && !launch_.take_bytes(elements - array.elements, 8 * lanes))
    return refuse();
  const ir::Scalar type = launch_.kernel.locals[static_cast<std::size_t>(in.immediate)].type;
  const std::int64_t bytes = elements * lanes * ir::size_of(type);
  array.elements = elements;
  if (mask_.whole || first) {
    array.words.assign(static_cast<std::size_t>(bytes), 0);
    return true;
  }
  const std::uint8_t* active = values_.sets().lanes(mask_);
  with_type(type, [&](auto word) {
    using T = decltype(word);
    auto* words = reinterpret_cast<T*>(array.words.data());
    for (std::int64_t e = 0; e < elements; ++e)
      for (std::int64_t i = 0; i < lanes; ++i)
        if (active[i]) words[e * lanes + i] = T{};
  });
  return true;
}

bool Tile::lookup(const Instruction& in) {
  const ir::Table& table = launch_.run.program.tables[static_cast<std::size_t>(in.immediate)];
  const Register& index = values_[in.a];
  if (!within(index, 0, static_cast<std::int64_t>(table.values.size()) - 1, mask_)) return refuse();
  if (index.form == Form::uniform) {
    make_uniform(values_.out(), table.values[static_cast<std::size_t>(index.value.integer())]);
  } else {
    const Shape part = values_.sets().part(mask_);
    const std::uint8_t* active = values_.sets().lanes(mask_);
    const auto* at = values_.words<std::int64_t>(index, 0, part);
    with_type(table.type, [&](auto word) {
      using T = decltype(word);
      T* to = make_vector<T>(values_.out(), values_.shape());
      for (int i = 0; i < part.lanes(); ++i)
        if (active[i]) to[i] = to_word<T>(table.values[static_cast<std::size_t>(at[i])]);
    });
  }
  values_.commit(in.d, table.type, mask_, launch_.facts.writes_all[pc_]);
  return true;
}

} // namespace memlane::fast
