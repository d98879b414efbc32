// What stands before the kernels: constants, types, tables, shared arrays.
#include "emit_parts.hpp"
#include "emitter.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cuda {

using namespace lang;

/// Letters, fixed parameters and constants, in an order in which each is known where it is used.
std::string Emitter::constants() {
  std::string text;
  FunctionText nowhere;
  function_ = &nowhere;
  const auto add = [&](const std::string& type, const std::string& name, const std::string& value,
                       const std::string& comment) {
    Writer out(0);
    out.line(fmt::format("constexpr {} {} = {};", type, top_name(name), value), comment);
    text += out.text();
  };
  std::string fixed;
  std::swap(text, fixed);
  for (std::size_t i = 0; i < checked_.params.size(); ++i) {
    if (fixed_params_.count(SymbolId(i)) == 0) continue;
    const ParamSymbol& param = checked_.params[i];
    TExpr itself;
    itself.kind = TExprKind::param;
    itself.symbol = SymbolId(i);
    const auto value = values_.value(itself);
    if (value)
      add(scalar_name(param.type), param.name, literal(param.type, *value).text,
          comments_.behind(param.span));
  }
  for (std::size_t i = 0; i < checked_.consts.size(); ++i) {
    const ConstSymbol& constant = checked_.consts[i];
    if (fixed_consts_.count(SymbolId(i)) == 0 || !constant.extents.empty()) continue;
    // A claim's constant need not be a number of C++.
    if (!values_.value(constant.values[0])) continue;
    add(scalar_name(constant.type), constant.name, constant_text(constant.values[0]),
        comments_.behind(constant.span));
  }
  std::swap(text, fixed);
  static const std::map<std::string, const char*> meanings = {
      {"w", "// threads of a warp"},
      {"p", "// threads of a block, where a launch does not say"},
      {"d", "// multiprocessors of the machine this was emitted for"},
      {"k", "// multiprocessors of the machine this was emitted for"}};
  for (const std::string& letter : letters_) {
    const std::int64_t value = request_.bindings.letters.at(letter);
    const auto meaning = meanings.find(letter);
    const bool wide = value > INT32_MAX || letter == "M" || letter == "capacity";
    add(wide ? "long long" : "int", letter, std::to_string(value),
        meaning == meanings.end() ? "" : meaning->second);
  }
  function_ = nullptr;
  text += fixed;
  return text.empty() ? text : text + "\n";
}

std::string Emitter::record_types() {
  std::string text;
  std::set<std::string> aliases;
  for (const TypeDecl& type : checked_.program.types) {
    if (!type.alias) continue;
    for (const auto& [place, name] : type_names_)
      if (name == top_name(type.name.text)) aliases.insert(type.name.text);
    if (aliases.count(type.name.text) == 0) continue;
    text += fmt::format("using {} = {};\n", top_name(type.name.text), alias_of(type));
  }
  if (!text.empty()) text += "\n";
  for (const RecordType& record : checked_.records) {
    const std::string name = top_name(record.name);
    std::string fields, pointers, get, put, same, from, moved;
    for (const RecordField& field : record.fields) {
      const std::string own = top_name(field.name);
      fields += fmt::format("  {} {};\n", scalar_name(field.type), own);
      pointers += fmt::format("  volatile {}* {};\n", word_name(field.type), own);
      const char* comma = get.empty() ? "" : ", ";
      get += fmt::format("{}{}[i]", comma, own);
      put += fmt::format("    {0}[i] = whole.{0};\n", own);
      moved += fmt::format("{}{} + first", comma, own);
      same += fmt::format("{0}{1} == other.{1}", same.empty() ? "" : " && ", own);
    }
    text += fmt::format(
        "struct {0} {{\n{1}  __host__ __device__ bool operator==(const {0}& other) const {{\n"
        "    return {2};\n  }}\n}};\n",
        name, fields, same);
    text += fmt::format("// An array of them: one array a field.\nstruct {0}_words {{\n{1}"
                        "  __device__ {0} operator[](int i) const {{ return {{{2}}}; }}\n"
                        "  __device__ void put(int i, const {0}& whole) const {{\n{3}  }}\n"
                        "  __host__ __device__ {0}_words operator+(long long first) const {{\n"
                        "    return {{{4}}};\n  }}\n}};\n\n",
                        name, pointers, get, put, moved);
  }
  return text;
}

std::string Emitter::alias_of(const TypeDecl& type) const {
  static const std::map<std::string, std::string> scalars = {{"long", "long long"}};
  std::string name = type.alias->text;
  if (const auto found = scalars.find(name); found != scalars.end()) return found->second;
  const bool basic = name == "int" || name == "float" || name == "double" || name == "bool";
  return basic ? name : top_name(name);
}

/// Tables of constants as functions: so they are at hand on both sides.
std::string Emitter::tables() {
  std::string text;
  for (const ConstSymbol& constant : checked_.consts) {
    if (constant.extents.empty()) continue;
    std::int64_t words = 1;
    for (const TExpr& extent : constant.extents) words *= values_.integer(extent).value_or(1);
    std::string values;
    for (std::int64_t i = 0; i < words; ++i) {
      const TExpr& e = constant.values[constant.list ? std::size_t(i) : 0];
      const auto value = values_.value(e);
      values += fmt::format("{}{}", i == 0 ? "" : ", ",
                            value ? literal(constant.type, *value).text : std::string("0"));
    }
    Writer out(0);
    out.line(fmt::format("__host__ __device__ inline {} {}(long long i) {{",
                         scalar_name(constant.type), top_name(constant.name)),
             comments_.behind(constant.span));
    out.line(fmt::format("  constexpr {} words[] = {{{}}};", scalar_name(constant.type), values));
    out.line("  return words[i];");
    out.line("}");
    text += out.text() + "\n";
  }
  return text;
}

/// Shared arrays of the program's top level, for all kernels that have room for static ones.
std::string Emitter::top_level_shared() {
  std::string text;
  FunctionText nowhere;
  function_ = &nowhere;
  for (std::size_t id = 0; id < checked_.arrays.size(); ++id) {
    const ArraySymbol& array = checked_.arrays[id];
    const bool wanted = static_shared_.count(SymbolId(id)) > 0;
    if (array.kind != ArrayKind::shared || !array.top_level || !wanted) continue;
    std::string size = words_of(SymbolId(id));
    if (contains_call(size)) size = std::to_string(words_now(SymbolId(id)));
    Writer out(0);
    const auto declare = [&](const std::string& type, const std::string& name) {
      out.line(fmt::format("__shared__ volatile {} {}[{}];", type, name, size),
               comments_.behind(array.span));
    };
    if (!array.element.is_record()) {
      declare(declared_type(array.span, array.element), top_name(array.name));
    } else {
      for (const RecordField& field : checked_.records[std::size_t(array.element.record)].fields)
        declare(word_name(field.type), shared_field(array, field));
    }
    text += out.text();
  }
  function_ = nullptr;
  return text.empty() ? text : text + "\n";
}

} // namespace memlane::cuda
