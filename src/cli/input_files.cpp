#include "input_files.hpp"

#include "files.hpp"
#include "program.hpp"
#include "shipped_programs.hpp"

#include "memlane/arrays/array_files.hpp"
#include "memlane/ir/arithmetic.hpp"
#include "memlane/support/sha256.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cli {
namespace {

// --- The arrays of options, and their files.

constexpr std::size_t most_input_bytes = std::size_t{16} << 30;

Result<const ir::Array*> memory_array(const ir::Program& code, const std::string& option,
                                      const std::string& name) {
  std::vector<std::string> known;
  for (const ir::Array& array : code.arrays) {
    if (array.space == ir::Space::memory) known.push_back(array.name);
    if (array.name != name) continue;
    if (array.space == ir::Space::memory) return &array;
    return error_in(option, fmt::format("{} is a shared array; only memory arrays are read from "
                                        "and written to files",
                                        name));
  }
  const std::string whole = name.substr(0, name.find('.')); // of records the fields are arrays
  const bool is_unstored =
      std::find(code.unstored.begin(), code.unstored.end(), whole) != code.unstored.end();
  std::vector<std::string> help =
      is_unstored ? std::vector<std::string>() : did_you_mean(name, known);
  help.push_back(known.empty() ? "the program has no memory arrays"
                               : fmt::format("memory arrays: {}", fmt::join(known, ", ")));
  if (is_unstored)
    return error_in(option,
                    fmt::format("the program never mentions array {}, so it is not stored", whole),
                    help);
  return error_in(option, fmt::format("the program has no array '{}'", name), help);
}

/// What a file holds for an array.
struct FileContent {
  std::vector<ir::Value> values;
  std::string sha256; ///< of the file's bytes
};
/// The array's elements from a file. An array that `limits` has no room for is not read, and no
/// more of a file than the array can need; the limits may end the reading.
Result<FileContent> read_array_file(Sources& sources, const std::string& path,
                                    const ir::Array& array, const Limits& limits) {
  const Result<arrays::FileSizeLimit> size = arrays::file_size_limit(path, array, limits);
  if (!size) return size.errors();
  Result<std::string> content = read_file(path, size->max_bytes, {size->help}, limits);
  if (!content) return content.errors();
  FileContent read;
  Watch watch(limits);
  read.sha256 = sha256(*content, &watch);
  if (watch.stopped()) return stopped_while(watch.stop(), fmt::format("reading '{}'", path));
  Result<std::vector<ir::Value>> values =
      arrays::read_array(sources, path, std::move(*content), array);
  if (!values) return values.errors();
  read.values = std::move(*values);
  return read;
}

// --- Programs that make inputs: `--input a=descending`, `--input a=worst.lane`.

constexpr std::string_view size_param = "size";

/// Texts of -D: what the program's parameters have the values of.
std::vector<std::string> definitions_for(const CheckedProgram& program, const ir::Array& array,
                                         const ir::Program& code) {
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

/// The parameters of a program that makes an input are not given: they follow the run.
Diagnostics about_parameters(Diagnostics errors, const std::string& source,
                             const ir::Array& array) {
  for (Diagnostic& error : errors)
    for (std::string& help : error.help)
      if (help.starts_with("give another value: -D"))
        help = fmt::format("{} is made for this run: its size is the number of elements of {}, {}, "
                           "and parameters of the same names have the same values",
                           source, array.name, array.elements());
  return errors;
}

/// The content of `array` of the bound code of `point`. The program is run on the point's machine
/// with its seed and limits. Its parameters have the values of those of the same names in `code`;
/// its `size` is the number of elements. Its array of the same name, or its only one, is the
/// content, row by row. Errors: those of the program; an array of another length or type.
Result<std::vector<ir::Value>> made_input(const std::string& source, const ir::Array& array,
                                          const ir::Program& code, const sweep::Point& point,
                                          Sources& sources) {
  const Result<CheckedProgram> program = load_checked_program(sources, {source});
  if (!program) return about_source(program.errors(), source);
  Result<sweep::Point> made =
      bound_point(sources, *program, point.machine, definitions_for(*program, array, code));
  if (!made) return about_parameters(made.errors(), source, array);
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

/// The SHA-256 of the program's text and of those that it uses.
Result<std::string> input_program_hash(const std::string& source) {
  Sources sources;
  const Result<ProgramText> text = load_program_text(sources, {source});
  if (!text) return text.errors();
  std::string all = text->info.sha256;
  for (const auto& [path, hash] : text->info.uses) all += hash;
  return sha256(all);
}

} // namespace

Result<std::vector<ArrayFile>> array_files(const std::string& option,
                                           const std::vector<NameAndValue>& given,
                                           const ir::Program& code) {
  std::vector<ArrayFile> files;
  for (const auto& [name, path] : given) {
    const Result<const ir::Array*> array = memory_array(code, option, name);
    if (!array) return array.errors();
    for (const ArrayFile& earlier : files) {
      if (earlier.array == *array)
        return error_in(option, fmt::format("array {} is given twice", name));
    }
    files.push_back({*array, path});
  }
  return files;
}

bool is_input_program(const std::string& source) {
  return source.ends_with(".lane") || source.find_first_of("./") == std::string::npos;
}

// --- Inputs of points.

Result<InputFiles::Content> InputFiles::read(const std::string& path, const ir::Array& array,
                                             const Limits& limits) {
  Content& known = known_[{path, array.type, array.extents}];
  if (known.values) return known;
  Result<FileContent> file = read_array_file(*sources_, path, array, limits);
  if (!file) return file.errors();
  known = {std::make_shared<const std::vector<ir::Value>>(std::move(file->values)),
           std::move(file->sha256)};
  return known;
}

Result<InputFiles::Content> InputFiles::content(const std::string& source, const ir::Array& array,
                                                const ir::Program& code,
                                                const sweep::Point& point) {
  if (!is_input_program(source)) return read(source, array, point.options.limits);
  Result<std::vector<ir::Value>> made = made_input(source, array, code, point, *sources_);
  if (!made) return made.errors();
  const Result<std::string> hash = input_program_hash(source);
  if (!hash) return hash.errors();
  return Content{std::make_shared<const std::vector<ir::Value>>(std::move(*made)), *hash};
}

Status InputFiles::add(const ir::Program& code, sweep::Point& point) {
  const std::lock_guard lock(mutex_);
  const auto arrays = array_files("--input", point.input_sources, code);
  if (!arrays) return arrays.errors();
  const bool is_planned = !point.input_hashes.empty();
  ErrorCollector errors;
  for (const ArrayFile& input : *arrays) {
    const Result<Content> got = content(input.path, *input.array, code, point);
    if (!errors.check(got)) continue;
    point.options.inputs[input.array->name] = got->values;
    if (!is_planned) point.input_hashes.emplace_back(input.array->name, got->hash);
  }
  return errors.status();
}

Result<std::string> input_hash(const std::string& source, const Limits& limits) {
  if (is_input_program(source)) return input_program_hash(source);
  const Result<std::string> content = read_file(source, most_input_bytes, {}, limits);
  if (!content) return content.errors();
  Watch watch(limits);
  std::string hash = sha256(*content, &watch);
  if (watch.stopped()) return stopped_while(watch.stop(), fmt::format("reading '{}'", source));
  return hash;
}

} // namespace memlane::cli
