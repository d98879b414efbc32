// Memory as host code: its arrays, their initial values, arrays of records.
#include "emit_parts.hpp"
#include "emitter.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cuda {

using namespace lang;

int Emitter::lowered_array(const std::string& name) const {
  for (std::size_t i = 0; i < lowered_.arrays.size(); ++i)
    if (lowered_.arrays[i].name == name) return int(i);
  return -1;
}

std::string Emitter::extents_of(const ArraySymbol& array) {
  std::string extents;
  for (const TExpr& extent : array.extents) extents += (extents.empty() ? "" : ", ") + text(extent);
  return extents;
}

std::string Emitter::allocate_function() {
  FunctionText needs;
  needs.host = true;
  function_ = &needs;
  Writer out(2);
  for (std::size_t k = 0; k < checked_.arrays.size(); ++k) {
    const auto id = SymbolId(k);
    const ArraySymbol& array = checked_.arrays[k];
    const bool exists = (array.kind == ArrayKind::memory || array.kind == ArrayKind::shared);
    if (!exists || !array.used) continue;
    if (turns_rows(id) && !(array.kind == ArrayKind::shared && sized_by_launch(id))) {
      if (array.element.is_record()) {
        unsupported(array.span,
                    fmt::format("the layout {} of an array of records, where each field's rows are "
                                "turned by other random numbers",
                                array.layout),
                    {fmt::format("take another layout, as with --layout {}=diagonal", array.name),
                     "or an array a field"});
        continue;
      }
      const std::string stream = fmt::format("layout_stream({})", lowered_array(array.name));
      const std::string name = fresh_name(array.name + "_turns");
      const std::string length = row_length(id).text;
      out.line(array.layout == "random_shift"
                   ? fmt::format("{0}.set(random_shifts({1}, {{{2}}}, {3}), {3});", name, stream,
                                 extents_of(array), length)
                   : fmt::format("{}.set(random_permutation({}, {}), {});", name, stream,
                                 machine_letter("w"), length));
    }
    if (array.kind != ArrayKind::memory) continue;
    std::string place;
    if (!has_rows(id)) {
      const bool flat = array.extents.size() > 1;
      place = fmt::format(", [&](int number) {{ return {}(number); }}", word_function(id, flat));
    }
    out.line(fmt::format("{}.allocate(\"{}\", {{{}}}{});", top_name(array.name), array.name,
                         extents_of(array), place));
  }
  function_ = nullptr;
  return fmt::format("  void allocate() {{\n{}{}  }}\n", opening(needs, "  "), out.text());
}

void Emitter::fill_array(SymbolId id, Writer& out) {
  const ArraySymbol& array = symbol_of(id);
  const std::string name = top_name(array.name);
  struct Part {
    std::string target, lowered;
    ir::Scalar type;
    int field;
  };
  std::vector<Part> parts;
  if (array.element.is_record()) {
    const auto& fields = checked_.records[std::size_t(array.element.record)].fields;
    for (std::size_t f = 0; f < fields.size(); ++f)
      parts.push_back({name + "." + top_name(fields[f].name), array.name + "." + fields[f].name,
                       fields[f].type, int(f)});
  } else {
    parts.push_back({name, array.name, array.element.scalar, -1});
  }
  for (const Part& part : parts) {
    random_array_ = lowered_array(part.lowered);
    const auto value_of = [&](const TExpr& e) {
      if (part.field < 0) return text(e);
      if (e.kind == TExprKind::record) return text(e.operands[std::size_t(part.field)]);
      const auto& fields = checked_.records[std::size_t(array.element.record)].fields;
      return fmt::format("{}.{}", text(e, Code::primary),
                         top_name(fields[std::size_t(part.field)].name));
    };
    if (!array.initial_list) {
      out.open(fmt::format("for (int index = 0; index < {}.elements(); ++index)", part.target));
      out.line(fmt::format("{}.fill(index, {});", part.target, value_of(array.initial[0])));
      out.close();
      continue;
    }
    for (std::size_t i = 0; i < array.initial.size(); ++i)
      out.line(fmt::format("{}.fill({}, {});", part.target, i, value_of(array.initial[i])));
  }
  random_array_ = -1;
}

std::string Emitter::fill_function() {
  FunctionText needs;
  needs.host = true;
  function_ = &needs;
  Writer out(2);
  for (std::size_t k = 0; k < checked_.arrays.size(); ++k) {
    const ArraySymbol& array = checked_.arrays[k];
    if (array.kind == ArrayKind::memory && array.used && !array.initial.empty())
      fill_array(SymbolId(k), out);
  }
  function_ = nullptr;
  return fmt::format("  void fill() {{\n{}{}  }}\n", opening(needs, "  "), out.text());
}

/// An array of records in memory: one array a field.
std::string Emitter::record_memory(const RecordType& record) {
  const std::string name = top_name(record.name);
  std::string members, allocate, get, initial, put, device;
  for (const RecordField& field : record.fields) {
    const std::string own = top_name(field.name);
    const char* comma = get.empty() ? "" : ", ";
    members += fmt::format("  Memory<{}> {};\n", word_name(field.type), own);
    allocate +=
        fmt::format("    {}.allocate(its_name + \".{}\", extents, more...);\n", own, field.name);
    get += fmt::format("{}{}[i]", comma, own);
    initial += fmt::format("{}{}.initial(i)", comma, own);
    put += fmt::format("    {0}[i] = whole.{0};\n", own);
    device += fmt::format("{}{}.device()", comma, own);
  }
  const std::string first = top_name(record.fields.front().name);
  return fmt::format(
      "struct {0}_memory {{\n{1}"
      "  template <class... More>\n"
      "  void allocate(const std::string& its_name, std::initializer_list<long long> extents, "
      "More... more) {{\n{2}  }}\n"
      "  {0} operator[](long long i) {{ return {{{3}}}; }}\n"
      "  {0} initial(long long i) const {{ return {{{4}}}; }}\n"
      "  void put(long long i, const {0}& whole) {{\n{5}  }}\n"
      "  {0}_words device() {{ return {{{6}}}; }}\n"
      "  int words() const {{ return {7}.words(); }}\n}};\n\n",
      name, members, allocate, get, initial, put, device, first);
}

} // namespace memlane::cuda
