#include "input_programs.hpp"

#include "program.hpp"
#include "shipped_programs.hpp"

#include "memlane/ir/arithmetic.hpp"
#include "memlane/support/sha256.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cli {
namespace {

constexpr std::string_view size_param = "size";

/// Texts of -D: what the program's parameters have the values of.
std::vector<std::string> definitions_for(const sweep::CheckedProgram& program,
                                         const ir::Array& array, const ir::Program& code) {
  std::vector<std::string> definitions;
  for (const lang::ParamSymbol& param : program.checked.params) {
    if (param.name == size_param) {
      definitions.push_back(fmt::format("{}={}", size_param, array.elements()));
      continue;
    }
    for (const ir::Constant& known : sweep::parameters_of(code))
      if (known.name == param.name)
        definitions.push_back(
            fmt::format("{}={}", known.name, ir::to_string(known.type, known.value)));
  }
  return definitions;
}

/// The array of this name, or the only one.
Result<const ir::Array*> content_array(const std::string& source, const ir::Array& array,
                                       const ir::Program& made) {
  std::vector<const ir::Array*> all;
  for (const ir::Array& own : made.arrays) {
    if (own.space != ir::Space::memory) continue;
    if (own.name == array.name) return &own;
    all.push_back(&own);
  }
  if (all.size() == 1) return all.front();
  return error_in(
      "--input",
      fmt::format("{} has {} memory arrays, and none of them is called {}", source, all.size(),
                  array.name),
      {fmt::format("name the array that {} takes its content from as {}", array.name, array.name)});
}

Status check_content(const std::string& source, const ir::Array& array, const ir::Array& content) {
  if (content.elements() != array.elements())
    return error_in(
        "--input",
        fmt::format("array {} has {} elements, and {} of {} has {}", array.name, array.elements(),
                    content.name, source, content.elements()),
        {fmt::format("give {} a parameter '{}': it is the number of elements", source, size_param),
         "parameters of the same names have the same values in both programs"});
  const bool is_whole = content.type == ir::Scalar::int32 || content.type == ir::Scalar::int64;
  if (content.type == array.type ||
      (is_whole && array.type != ir::Scalar::boolean && array.type != ir::Scalar::int32))
    return Done{};
  return error_in("--input", fmt::format("array {} is of type {}, and {} of {} of type {}",
                                         array.name, ir::name_of(array.type), content.name, source,
                                         ir::name_of(content.type)));
}

/// A word without an ending may have been meant as a file.
Diagnostics about_source(Diagnostics errors, const std::string& source) {
  if (errors.empty() || errors.front().span.known() || source.ends_with(".lane")) return errors;
  const std::vector<std::string> known = input_program_names();
  errors.front().message = fmt::format("no program that makes inputs is named '{}'", source);
  errors.front().help = did_you_mean(source, known);
  errors.front().help.push_back(fmt::format("those that are shipped: {}", fmt::join(known, ", ")));
  errors.front().help.push_back("a file's name ends in .csv, .txt, .bin, .npy, .pgm, .png or .jpg, "
                                "a program's in .lane");
  return errors;
}

} // namespace

bool is_input_program(const std::string& source) {
  return source.ends_with(".lane") || source.find_first_of("./") == std::string::npos;
}

Result<std::vector<ir::Value>> made_input(const std::string& source, const ir::Array& array,
                                          const ir::Program& code, const sweep::Point& point,
                                          Sources& sources) {
  const Result<sweep::CheckedProgram> program = load_checked_program(sources, {source});
  if (!program) return about_source(program.errors(), source);
  Result<sweep::Point> made =
      bound_point(sources, *program, point.machine, definitions_for(*program, array, code));
  if (!made) return made.errors();
  const Result<const ir::Array*> content = content_array(source, array, *made->code);
  if (!content) return content.errors();
  if (Status fits = check_content(source, array, **content); !fits) return fits.errors();
  made->options.seed = point.options.seed;
  made->options.limits = point.options.limits;
  made->options.limits.progress = nullptr;
  made->options.outputs = {(*content)->name};
  made->claims = false;
  RunResult run = sweep::run_point(*made, sources).run;
  if (run.stop == Stop::error) return run.errors;
  if (run.stop != Stop::none)
    return stopped_while(run.stop, fmt::format("running {}", program->info.path));
  if (run.verify == Verdict::failed)
    return error_in("--input", fmt::format("verify of {} failed", program->info.path));
  std::vector<ir::Value> values = std::move(run.outputs.at((*content)->name));
  if (array.type != (*content)->type)
    for (ir::Value& value : values)
      value = ir::apply(ir::Opcode::convert, array.type, value, {}, {}, (*content)->type).value;
  return values;
}

Result<std::string> input_program_hash(const std::string& source) {
  Sources sources;
  const Result<ProgramText> text = load_program_text(sources, {source});
  if (!text) return text.errors();
  std::string all = text->info.sha256;
  for (const auto& [path, hash] : text->info.uses) all += hash;
  return sha256(all);
}

} // namespace memlane::cli
