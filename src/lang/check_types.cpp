// Types by name, and what records are made of.
#include "checker.hpp"

#include "memlane/support/suggest.hpp"

namespace memlane::lang {

using ir::Scalar;

Type scalar_type(Scalar scalar) { return {scalar, -1}; }
bool is_number(Type type) { return !type.is_record() && type.scalar != Scalar::boolean; }
bool is_integer(Type type) { return !type.is_record() && ir::is_integer(type.scalar); }

std::optional<Scalar> scalar_named(std::string_view name) {
  for (Scalar scalar :
       {Scalar::boolean, Scalar::int32, Scalar::int64, Scalar::float32, Scalar::float64}) {
    if (name == ir::name_of(scalar)) return scalar;
  }
  return std::nullopt;
}

std::string Checker::name_of(Type type) const {
  if (type.exact) return is_integer(type) ? "whole number" : "number";
  if (type.is_record()) return checked_.record(type).name;
  return std::string(ir::name_of(type.scalar));
}

std::optional<Type> Checker::type_named(const Name& name) {
  if (auto scalar = scalar_named(name.text)) return scalar_type(*scalar);
  auto at = top_.names.find(name.text);
  if (at != top_.names.end()) {
    if (at->second.kind == EntityKind::type) return declared_type(at->second.id);
    if (at->second.kind == EntityKind::poison) return std::nullopt;
  }
  std::vector<std::string> known = {"int", "long", "float", "double", "bool"};
  for (const auto& [text, entity] : top_.names) {
    if (entity.kind == EntityKind::type) known.push_back(text);
  }
  std::vector<std::string> help = suggest(name.text, known);
  if (help.empty()) {
    help = {"types are int, long, float, double, bool and those declared by `type`"};
  }
  return error(name.span, "unknown type " + in_quotes(name.text), help);
}

std::optional<Type> Checker::declared_type(SymbolId id) {
  check_type(id);
  return types_[static_cast<std::size_t>(id)];
}

void Checker::check_type(SymbolId id) {
  auto index = static_cast<std::size_t>(id);
  const TypeDecl& decl = checked_.program.types[index];
  if (type_progress_[index] == Progress::active) {
    error(decl.name.span, "type " + in_quotes(decl.name.text) + " contains itself");
  }
  if (type_progress_[index] != Progress::waiting) return;
  type_progress_[index] = Progress::active;
  const Depth depth(*this, decl.name.span, 1);
  if (depth) types_[index] = decl.alias ? type_named(*decl.alias) : record_type(decl);
  type_progress_[index] = Progress::done;
}

std::optional<Type> Checker::record_type(const TypeDecl& decl) {
  RecordType record{decl.name.text, {}};
  bool good = true;
  for (const FieldDecl& field : decl.fields) {
    std::optional<Type> type = type_named(field.type);
    if (type && type->is_record()) {
      error(field.type.span, "a field is a number or a bool, not a record",
            {"declare the fields of " + in_quotes(field.type.text) + " here"});
    }
    for (const RecordField& other : record.fields) {
      if (other.name != field.name.text) continue;
      error(field.name.span, "field " + in_quotes(other.name) + " is declared twice");
      good = false;
    }
    good = good && type && !type->is_record();
    record.fields.push_back({field.name.text, type ? type->scalar : Scalar::int32});
  }
  if (!good) return std::nullopt;
  checked_.records.push_back(std::move(record));
  return Type{Scalar::int32, static_cast<SymbolId>(checked_.records.size() - 1)};
}

} // namespace memlane::lang
