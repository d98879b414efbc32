// Kernels of PTX that a page launches.
#include "question.hpp"

#include "memlane/kernels/device_arrays.hpp"
#include "memlane/kernels/kernel_timeline.hpp"
#include "memlane/kernels/priced_run.hpp"
#include "memlane/ptx/names.hpp"
#include "memlane/show/json_parts.hpp"
#include "memlane/support/sha256.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace memlane::web {
namespace {

constexpr const char* usual_machine = "hmm-titan-plain"; // warps of 32 threads
constexpr std::int64_t most_charted = 20000;             // requests: a time chart runs them again

/// The text without the lines of CUDA sources, which a page does not have: its own lines remain.
std::string own_lines(std::string text) {
  for (std::size_t line = 0; line < text.size();
       line = std::min(text.find('\n', line), text.size() - 1) + 1) {
    const std::size_t word = text.find_first_not_of(" \t", line);
    if (word == text.npos) break;
    if (text.compare(word, 5, ".loc\t") != 0 && text.compare(word, 5, ".loc ") != 0) continue;
    text.replace(word, 2, "//");
  }
  return text;
}

/// `scale<<<4, 256>>>(a: float[1024] = random, 1024)`: pointers are arrays of floats, whole numbers
/// their length.
std::string first_launch(const ptx::KernelInfo& kernel) {
  std::vector<std::string> arguments;
  for (const ptx::KernelParameter& parameter : kernel.parameters)
    arguments.push_back(is_float(parameter.type) ? "1.5"
                        : parameter.bytes == 8   ? fmt::format("{}: float[1024] = random",
                                                               char('a' + arguments.size() % 26))
                                                 : "1024");
  return fmt::format("{}<<<4, 256>>>({})", ptx::source_name(kernel.name),
                     fmt::join(arguments, ", "));
}

Json kernels_json(const ptx::Device& device) {
  Json all = Json::array();
  for (std::int32_t k = 0; k < device.kernels(); ++k) {
    const ptx::KernelInfo& kernel = device.kernel({k});
    all.push_back({{"name", ptx::source_name(kernel.name)}, {"launch", first_launch(kernel)}});
  }
  return all;
}

/// A device with the module, its arrays, and what its launches cost.
struct Launched {
  ptx::Device device;
  std::optional<ptx::Pricing> pricing;
  std::optional<DeviceArrays> arrays;
  std::string printed;
  Diagnostics faults; ///< at places of the device's sources
  bool ended = true;  ///< no fault ended a launch
};

using Texts = std::vector<LaunchText>;

/// Errors: of the launches, at places of the question's sources.
Status run_all(Launched& launched, const Question& question, const Texts& texts,
               Observer* observer) {
  ptx::PriceOptions options;
  options.limits = question.recipe.limits;
  launched.pricing.emplace(question.machine.spec, options, nullptr, observer);
  launched.arrays.emplace(launched.device, question.recipe.limits, question.recipe.seed,
                          [](const DeviceArray& array) -> Status {
                            return error_at(array.text.span, "a page reads no files",
                                            {"fill the array with numbers: = random, = 0.., = 1"});
                          });
  const Result<std::vector<ptx::Launch>> launches =
      launches_of(texts, launched.device, *launched.arrays, *launched.pricing, 0);
  if (!launches) return launches.errors();
  for (const ptx::Launch& one : *launches) {
    const ptx::LaunchResult result = launched.device.run(one);
    if (!result.unfit.empty()) return result.unfit;
    launched.printed += result.printed;
    for (const ptx::LaunchFault& fault : result.faults) {
      Diagnostic& said = launched.faults.emplace_back(fault.said);
      std::erase_if(said.help, [](const std::string& way) { return way.starts_with("--"); });
    }
    launched.ended = result.fatal() == nullptr;
    if (!launched.ended || launched.pricing->stop() != Stop::none) break;
  }
  return Done{};
}

/// The time chart of the first requests, from a run of its own; null: there is none.
Json chart_json(const Shipped& shipped, const Json& asked, const Question& question,
                const ptx::PtxText& text, const Texts& texts, const RunReport& report) {
  TimelineWindow window;
  constexpr std::int64_t usual_requests = 2000;
  window.most_requests = number_in(asked, "requests", usual_requests);
  KernelTimeline chart(question.machine.spec, window);
  Launched again;
  again.device.set_limits(question.recipe.limits);
  if (!again.device.load({text})) return nullptr;
  if (!run_all(again, question, texts, &chart)) return nullptr;
  Result<TimelineReport> taken = chart.take(*again.pricing, report, [&](std::uint64_t address) {
    return again.arrays->memory_at(address);
  });
  if (!taken) return nullptr;
  taken->version = shipped.version;
  return timeline_json(*taken, again.pricing->sources());
}

RunReport report_of(const Shipped& shipped, const Question& question, const ptx::PtxText& text,
                    const ptx::Pricing& pricing) {
  RunReport report = priced_report(pricing, question.machine.spec, text.path, sha256(text.text));
  report.version = shipped.version;
  report.machine_path = question.machine.path;
  report.standard_machine = !question.recipe.machine.chosen;
  report.seed = question.recipe.seed;
  report.host = shipped.host;
  return report;
}

std::string terminal_command(const Shipped& shipped, const Json& asked, const Question& question) {
  const std::string name =
      name_in_terminal(shipped, question.recipe.program.name, text_in(asked, "text"));
  std::string command = "memlane ptx " + shell_word(name);
  if (question.recipe.machine.chosen) command += " -m " + shell_word(question.recipe.machine.name);
  for (const std::string& value : question.recipe.machine.overrides)
    command += " --set " + shell_word(value);
  for (const std::string& text : texts_in(asked, "launches"))
    command += " --launch " + shell_word(text);
  return command;
}

void add_run(const Shipped& shipped, const Json& asked, const Question& question,
             const ptx::PtxText& text, const Texts& texts, const Launched& launched, Json& answer) {
  const ptx::Pricing& pricing = *launched.pricing;
  const RunReport report = report_of(shipped, question, text, pricing);
  const auto add_errors = [&answer](const Diagnostics& errors, const Sources& sources) {
    for (Json& error : errors_json(errors, sources)) answer["errors"].push_back(std::move(error));
  };
  if (report.run.stop == Stop::error)
    add_errors(report.run.errors, pricing.sources());
  else if (report.run.stop != Stop::none)
    add_errors({stop_error(report.run.stop, "", asked)}, pricing.sources());
  add_errors(launched.faults, launched.device.sources());
  answer["printed"] = launched.printed;
  if (!launched.ended || !has_counted(report.run)) return;
  answer["command"] = terminal_command(shipped, asked, question);
  answer["run"] = run_json(report, pricing.sources());
  const Account account = account_of(report.machine, report.run, pricing.sources());
  answer["account"] = account_json(account);
  answer["costs"] = lines_json(account, report.machine, report.run, 0);
  std::int64_t requests = 0;
  for (const AccessCounts& access : report.run.accesses) requests += access.requests;
  answer["timeline"] = requests <= most_charted
                           ? chart_json(shipped, asked, question, text, texts, report)
                           : Json(nullptr);
}

} // namespace

Json launch(const Shipped& shipped, const Json& asked, const std::function<Stop()>& check) {
  Question question;
  read_limits(asked, check, question);
  select_machine(asked, question);
  if (!question.recipe.machine.chosen) question.recipe.machine.name = usual_machine;
  question.recipe.program.name = text_in(asked, "path");
  if (question.recipe.program.name.empty()) question.recipe.program.name = "kernels.ptx";
  const ptx::PtxText text{question.recipe.program.name, own_lines(text_in(asked, "text"))};
  question.sources.add(text.path, text.text); // so that a launch's text is another file
  Json answer = {{"errors", Json::array()}};
  ErrorCollector errors;
  errors.check(read_machine(shipped, question));
  if (errors.ok()) {
    errors.check(ptx::Pricing::check(question.machine.spec));
    add_machine_json(answer, question);
  }
  Launched launched;
  launched.device.set_limits(question.recipe.limits);
  const Result<ptx::ModuleId> module = launched.device.load({text});
  if (!module) {
    answer["errors"] = errors_json(with_way_out(module.errors(), asked), launched.device.sources());
    return answer;
  }
  answer["kernels"] = kernels_json(launched.device);
  Texts texts;
  for (const std::string& written : texts_in(asked, "launches")) {
    Result<LaunchText> read =
        read_launch(question.sources, question.sources.add("launch", written));
    if (errors.check(read)) texts.push_back(std::move(*read));
  }
  if (errors.ok() && !texts.empty()) errors.check(run_all(launched, question, texts, nullptr));
  if (!errors.ok())
    answer["errors"] = errors_json(with_way_out(errors.errors(), asked), question.sources);
  else if (!texts.empty())
    add_run(shipped, asked, question, text, texts, launched, answer);
  return answer;
}

} // namespace memlane::web
