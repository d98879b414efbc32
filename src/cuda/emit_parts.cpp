#include "emit_parts.hpp"

#include "harness_text.hpp"

#include "memlane/cuda/emit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace memlane::cuda {
namespace {

/// The parts of the prelude: the names that they declare, and their text.
std::vector<std::pair<std::string, std::string>> prelude_parts() {
  std::vector<std::pair<std::string, std::string>> parts;
  const std::string text = prelude_text;
  const std::string mark = "//@ ";
  for (std::size_t at = text.find(mark); at != std::string::npos;) {
    const std::size_t line = text.find('\n', at);
    const std::size_t next = text.find("\n" + mark, line);
    const std::string names = text.substr(at + mark.size(), line - at - mark.size());
    parts.emplace_back(names,
                       text.substr(line + 1, next == std::string::npos ? next : next - line));
    at = next == std::string::npos ? next : next + 1;
  }
  return parts;
}

std::string without(std::string text, const std::string& piece) {
  if (const std::size_t at = text.find(piece); at != std::string::npos)
    text.erase(at, piece.size());
  return text;
}

std::string json_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", c);
    else
      out += c;
  }
  return out + "\"";
}

} // namespace

std::string prelude_of(const std::set<std::string>& called) {
  std::string text;
  for (const auto& [names, part] : prelude_parts()) {
    bool wanted = names == "includes";
    std::istringstream words(names);
    for (std::string name; words >> name;) wanted = wanted || called.count(name) > 0;
    if (wanted) text += part;
  }
  return text;
}

std::string harness_part() { return without(harness_text, "#include \"prelude.cuh\"\n\n"); }

std::string facts_json(const std::string& program, const std::string& sha256,
                       const std::string& variant,
                       const std::vector<std::pair<std::string, std::string>>& replaced,
                       const MachineSpec& machine, const std::string& problem) {
  std::string options;
  for (const auto& [option, text] : replaced)
    options += (options.empty() ? "" : ", ") + json_text(option + " " + text);
  const std::string computed =
      problem.empty() ? "" : fmt::format(R"("problem": {}, )", json_text(problem));
  return computed +
         fmt::format(
             R"("program": {}, "sha256": "{}", "variant": "{}", "replaced": [{}], )"
             R"("machine": {{"model": "{}", "width": {}, "multiprocessors": {}, "threads": {}}})",
             json_text(program), sha256, variant, options,
             name_of(machine.model == Model::agpu ? Model::hmm : machine.model), machine.width,
             machine.multiprocessors, machine.threads);
}

const std::vector<WrittenKernel>& written_kernels() {
  static const std::vector<WrittenKernel> kernels = {
      {"sum", "sum_hmm", "hand-written"},
      {"prefix_sums", "prefix_hmm", "hand-written"},
      {"transpose", "transpose", "hand-written"},
      {"multiply", "multiply", "hand-written"},
      {"convolution", "convolution", "hand-written"},
      {"cub_sum", "sum_hmm", "cub"},
      {"cub_prefix_sums", "prefix_hmm", "cub"},
      {"cub_sort", "permutation", "cub"},
  };
  return kernels;
}

std::string written_cuda(const WrittenKernel& kernel, const std::string& sha256,
                         const MachineSpec& machine, const std::string& problem) {
  const auto* const found =
      std::find_if(std::begin(kernel_texts), std::end(kernel_texts),
                   [&](const auto& text) { return kernel.name == text.first; });
  const std::string own = without(found->second, "#include \"harness.cuh\"\n");
  const bool dynamic = own.find("DYNAMIC_SHARED") != std::string::npos;
  std::set<std::string> parts;
  if (dynamic) parts.insert("DYNAMIC_SHARED");
  // Its first comment says what it is.
  const std::size_t code = own.find("\n\n") + 1;
  return own.substr(0, code) + "\n" + prelude_of(parts) + harness_part() +
         fmt::format("\n#define MEMLANE_FACTS R\"json({})json\"\n",
                     facts_json(kernel.program, sha256, kernel.variant, {}, machine, problem)) +
         own.substr(code);
}

std::string measure_script(const std::string& rows) {
  std::string text = measure_text;
  const std::string mark = "@ROWS@";
  const std::size_t end = rows.find_last_not_of('\n') + 1;
  text.replace(text.find(mark), mark.size(), rows.substr(0, end));
  return text;
}

} // namespace memlane::cuda
