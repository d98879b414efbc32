#include "explain.hpp"

#include "memlane/claim/claim.hpp"
#include "memlane/show/text_table.hpp"

#include <fmt/format.h>

namespace memlane::cli {
namespace {

/// A piece of source text on one line, its white space closed up.
std::string text_of(Span span, const Sources& sources) {
  if (!span.known()) return "";
  const std::string_view text = sources.text(span.file);
  return on_one_line(source_on_one_line(text.substr(span.begin, span.end - span.begin)), 300);
}

/// A declaration that is too long for a line, without its body.
std::string without_body(const std::string& text) {
  constexpr std::size_t longest = 120;
  const std::size_t body = text.find(" {");
  return text.size() <= longest || body == std::string::npos ? text
                                                             : text.substr(0, body) + " { … }";
}

std::string documentation(const std::string& doc) { return doc.empty() ? "" : doc + "\n"; }

std::string params_section(const lang::Program& program, const Sources& sources) {
  if (program.params.empty()) return "";
  TextTable table({Align::left, Align::left, Align::left, Align::left, Align::left});
  for (const lang::ParamDecl& param : program.params) {
    table.add({param.name.text, param.type.text, "= " + text_of(param.value.span, sources),
               param.where ? "where " + text_of(param.where->span, sources) : "",
               on_one_line(param.doc, 100)});
  }
  return "\nparameters (-D NAME=VALUE)\n" + table.text(2);
}

std::string_view space_name(lang::ArraySpace space) {
  switch (space) {
  case lang::ArraySpace::memory: return "memory";
  case lang::ArraySpace::shared: return "shared";
  case lang::ArraySpace::local: break;
  }
  return "var";
}

/// `padded(1)`; `rows` where the program says nothing.
std::string layout_of(const lang::ArraysDecl& arrays, const Sources& sources) {
  return arrays.layout ? text_of(arrays.layout->written, sources) : "rows";
}

/// A row for each array of a declaration; `place` is the kernel or proc that it stands in.
void add_arrays(TextTable& table, const lang::ArraysDecl& arrays, const std::string& place,
                const Sources& sources) {
  const bool placed = arrays.space != lang::ArraySpace::local; // has a layout
  for (const lang::ArrayDeclarator& array : arrays.arrays) {
    std::string extents;
    for (const lang::Expr& extent : array.extents)
      extents += (extents.empty() ? "" : ", ") + text_of(extent.span, sources);
    table.add({std::string(space_name(arrays.space)),
               fmt::format("{}[{}]", array.name.text, extents), arrays.type.text,
               placed ? "layout " + layout_of(arrays, sources) : "",
               arrays.initial ? "= " + text_of(arrays.initial->span, sources) : "",
               place.empty() ? "" : "in " + place});
  }
}

/// The shared arrays of a body: those in registers cannot be set.
void add_shared(TextTable& table, const std::vector<lang::Statement>& body,
                const std::string& place, const Sources& sources) {
  for (const lang::Statement& s : body) {
    if (s.arrays && s.arrays->space == lang::ArraySpace::shared)
      add_arrays(table, *s.arrays, place, sources);
    add_shared(table, s.body, place, sources);
    add_shared(table, s.alternative, place, sources);
  }
}

std::string arrays_section(const lang::Program& program, const Sources& sources) {
  TextTable table(std::vector<Align>(6, Align::left));
  for (const lang::ArraysDecl& arrays : program.arrays) add_arrays(table, arrays, "", sources);
  for (const lang::KernelDecl& kernel : program.kernels)
    add_shared(table, kernel.body, kernel.name.text, sources);
  if (table.empty()) return "";
  return "\narrays (--layout NAME=LAYOUT; of memory: --input NAME=FILE, --output NAME=FILE)\n" +
         table.text(2);
}

/// A declaration as its option takes it: without the word that begins it.
template <class Decl>
std::string declared(const std::vector<Decl>& declarations, std::string_view word,
                     std::string_view title, const Sources& sources) {
  std::string text;
  for (const Decl& declaration : declarations) {
    std::string own = text_of(declaration.span, sources);
    if (own.rfind(std::string(word) + " ", 0) == 0) own.erase(0, word.size() + 1);
    text += fmt::format("  {}\n", without_body(own));
  }
  return text.empty() ? "" : fmt::format("\n{}\n{}", title, text);
}

std::string kernels_section(const lang::Program& program) {
  TextTable table({Align::left, Align::left, Align::left});
  for (const lang::KernelDecl& kernel : program.kernels) {
    std::string formals;
    for (const lang::Formal& formal : kernel.formals) {
      formals += (formals.empty() ? "" : ", ") + formal.name.text + (formal.array ? "[]" : "");
    }
    table.add({kernel.proc ? "proc" : "kernel", fmt::format("{}({})", kernel.name.text, formals),
               on_one_line(kernel.doc, 120)});
  }
  return table.empty() ? "" : "\nkernels\n" + table.text(2);
}

/// What is done with a claim of this kind: in one run, and over a grid.
std::string_view test_of(lang::ClaimKind kind) {
  switch (kind) {
  case lang::ClaimKind::equal:
    return "exact: both sides must be equal, to the unit, in every run it applies to";
  case lang::ClaimKind::at_most:
    return "exact: the left side must not be greater in any run it applies to";
  case lang::ClaimKind::at_least:
    return "exact: the left side must not be less in any run it applies to";
  case lang::ClaimKind::about:
    return "about: the mean over seeds must be within its standard error";
  case lang::ClaimKind::big_o:
    return "upper bound: one run shows the ratio of count to formula; over a grid of parameters it "
           "must not grow";
  case lang::ClaimKind::omega:
    return "lower bound: one run shows the ratio of count to formula; over a grid of parameters it "
           "must not vanish";
  case lang::ClaimKind::theta: break;
  }
  return "both bounds: one run shows the ratio of count to formula; over a grid of parameters it "
         "must neither grow nor vanish";
}

} // namespace

std::string claims_page(const ProgramText& text, const Sources& sources) {
  const lang::Program& program = text.program;
  if (program.claims.empty()) return fmt::format("{} claims nothing\n", text.info.path);
  std::string out;
  for (const lang::ClaimDecl& claim : program.claims) {
    out += fmt::format("{}{}\n", out.empty() ? "" : "\n", text_of(claim.span, sources));
    out += fmt::format("  from    {}\n", on_one_line(claim.source, 200));
    out += fmt::format("  tested  {}\n", test_of(claim.kind));
    if (claim.when) {
      out += fmt::format("  when    {}\n", text_of(claim.when->span, sources));
    }
    std::string machines;
    for (const lang::Name& machine : claim.machines) {
      machines += (machines.empty() ? "" : ", ") + machine.text;
    }
    out += fmt::format("  on      {}\n", machines.empty() ? "every machine" : machines);
    out += fmt::format("  line    {}\n", sources.begin(claim.span).line);
  }
  return out;
}

/// What may race and why; the statements that are racy.
std::string races_section(const lang::Program& program, const Sources& sources) {
  const std::string allowed = lang::allowed_races(program);
  if (allowed.empty()) return "";
  std::string out = fmt::format("\nraces allowed: {}\n", on_one_line(allowed, 300));
  for (const Span word : program.racy) {
    const std::int32_t line = sources.begin(word).line;
    std::string_view text = sources.line(word.file, line);
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    out += fmt::format("  {}:{}  {}\n", sources.path(word.file), line,
                       on_one_line(std::string(text), 100));
  }
  return out;
}

std::string program_page(const ProgramText& text, const Sources& sources) {
  const lang::Program& program = text.program;
  std::string out = fmt::format("{}\n{}", text.info.path, documentation(program.doc));
  for (const auto& [path, hash] : text.info.uses) out += fmt::format("uses {}\n", path);
  out += params_section(program, sources);
  out += arrays_section(program, sources);
  out += declared(program.fns, "fn", "fns (--fn \"NAME(…) = EXPRESSION\")", sources);
  out += declared(program.types, "type", "types (--type NAME=TYPE)", sources);
  out += kernels_section(program);
  out += races_section(program, sources);
  if (!program.claims.empty()) out += "\nclaims\n";
  for (const lang::ClaimDecl& claim : program.claims) {
    out += fmt::format("  {}\n", text_of(claim.span, sources));
  }
  return out;
}

} // namespace memlane::cli
