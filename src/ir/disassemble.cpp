#include "memlane/ir/program.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::ir {

namespace {

std::string register_name(Register r) { return r < 0 ? "-" : fmt::format("r{}", r); }

bool shows_type(Opcode op) {
  return group_of(op) <= OpcodeGroup::warp && op != Opcode::special && op != Opcode::logical_not &&
         op != Opcode::local_new;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + '"';
}

std::string bound_text(const BoundSite& site) {
  if (site.dimensions == 1) return site.array;
  return fmt::format("{} (dimension {} of {})", site.array, site.dimension + 1, site.dimensions);
}

std::string launch_text(const Program& program, const LaunchSite& site) {
  std::string text = program.functions[static_cast<std::size_t>(site.kernel)].name;
  text += "(";
  for (std::size_t i = 0; i < site.actuals.size(); ++i)
    text.append(i == 0 ? "" : ", ").append(register_name(site.actuals[i]));
  text += ")";
  if (site.blocks >= 0) text += " blocks=" + register_name(site.blocks);
  if (site.threads >= 0) text += " threads=" + register_name(site.threads);
  return text;
}

std::string operand_text(const Program& program, const Function& function, const Instruction& in,
                         char letter) {
  const auto k = static_cast<std::size_t>(in.immediate);
  switch (letter) {
  case 'd': return register_name(in.d);
  case 'a': return register_name(in.a);
  case 'b': return register_name(in.b);
  case 'c': return register_name(in.c);
  case 'v': return to_string(in.type, Value::of(in.immediate));
  case 'T': return fmt::format("-> {}", in.immediate);
  case 'A': return program.arrays[k].name;
  case 'B': return bound_text(program.bounds[k]);
  case 'F': return function.locals[k].name;
  case 'U': return program.tables[k].name;
  case 'S': return std::string(name_of(static_cast<Special>(in.immediate)));
  case 'M': return quoted(program.messages[k]);
  case 'L': return launch_text(program, program.launches[k]);
  case 'f': return program.fns[k];
  case 's': return std::string(name_of(static_cast<Scalar>(in.immediate)));
  default: return std::to_string(in.immediate); // i
  }
}

std::string instruction_text(const Program& program, const Function& function,
                             const Instruction& in) {
  std::string name(mnemonic(in.op));
  if (shows_type(in.op)) name += fmt::format(".{}", name_of(in.type));
  std::string list;
  for (char letter : operands(in.op))
    list.append(list.empty() ? "" : ", ").append(operand_text(program, function, in, letter));
  return list.empty() ? name : fmt::format("{:<15} {}", name, list);
}

/// `path:line: source`, of the line an instruction comes from.
std::string source_text(const Sources& sources, Span span) {
  const auto line = sources.begin(span).line;
  std::string_view text = sources.line(span.file, line);
  const auto first = text.find_first_not_of(" \t");
  text = first == std::string_view::npos ? std::string_view{} : text.substr(first);
  return fmt::format("{}:{}: {}", sources.path(span.file), line, text);
}

std::string role(const Program& program, std::int32_t index) {
  if (index == program.main) return "main";
  if (index == program.verify) return "verify";
  for (const Array& array : program.arrays) {
    if (array.initial == index) return fmt::format("initial value of {}", array.name);
    const auto& extents = array.extent_functions;
    if (std::find(extents.begin(), extents.end(), index) != extents.end())
      return fmt::format("extent of {}", array.name);
    if (array.layout_function == index) return fmt::format("layout of {}", array.name);
  }
  return fmt::format("kernel {}", program.functions[static_cast<std::size_t>(index)].name);
}

std::string heading(const Program& program, std::int32_t index) {
  const Function& function = program.functions[static_cast<std::size_t>(index)];
  std::string text = fmt::format("{}: {} register{}", role(program, index), function.registers,
                                 plural_s(function.registers));
  if (!function.formals.empty()) text += ", formals";
  for (Register r : function.formals) text.append(" ").append(register_name(r));
  if (!function.shared.empty()) text += ", shared";
  for (std::int32_t array : function.shared)
    text.append(" ").append(program.arrays[static_cast<std::size_t>(array)].name);
  return text + "\n";
}

void append_code(std::string& out, const Program& program, const Function& function,
                 const Sources& sources) {
  std::string shown;
  for (std::size_t i = 0; i < function.code.size(); ++i) {
    const Instruction& in = function.code[i];
    std::string row = fmt::format("{:>5} {} {}", i, in.counted ? '*' : ' ',
                                  instruction_text(program, function, in));
    std::string source = in.span.known() ? source_text(sources, in.span) : shown;
    if (source != shown) {
      row = fmt::format("{:<50} ; {}", row, source);
      shown = std::move(source);
    }
    out += row + "\n";
  }
}

} // namespace

std::string disassemble(const Program& program, const Sources& sources) {
  std::string out;
  for (std::size_t i = 0; i < program.functions.size(); ++i) {
    if (i > 0) out += "\n";
    out += heading(program, static_cast<std::int32_t>(i));
    append_code(out, program, program.functions[i], sources);
  }
  return out;
}

} // namespace memlane::ir
