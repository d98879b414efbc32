// The explanation of a run in sentences. Numbers come from the explanation alone.
#include "explained_cuda.hpp"

#include "memlane/show/explanation.hpp"
#include "memlane/show/json_parts.hpp"
#include "memlane/show/run_words.hpp"
#include "memlane/show/text_table.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace memlane {

namespace {

/// What a suggestion changes, in numbers.
std::string effect_of(const Suggestion& suggestion) {
  std::string text;
  const auto add = [&](std::string_view what, const std::int64_t(&numbers)[2]) {
    if (numbers[0] == numbers[1]) return;
    text += fmt::format("{}{} {} from {} to {}", text.empty() ? " " : ", ", what,
                        numbers[1] < numbers[0] ? "fall" : "rise", numbers[0], numbers[1]);
  };
  add("requests", suggestion.requests);
  add("extra stages", suggestion.extra_stages);
  add("time units idle for latency", suggestion.latency);
  if (text.empty()) return "";
  text[1] = static_cast<char>(text[1] - 'a' + 'A');
  return text + '.';
}

/// `3 changes were simulated (threads=64, 128; layout t=diagonal)`.
std::string simulated_changes(const Advice& advice) {
  std::string list;
  const Change* before = nullptr;
  for (const Change& change : advice.simulated) {
    const bool same = before && before->kind == change.kind && before->name == change.name;
    list += same ? ", " + change.value : (before ? "; " : "") + change.text();
    before = &change;
  }
  return fmt::format(
      "{} simulated{}",
      counted(static_cast<std::int64_t>(advice.simulated.size()), "change was", "changes were"),
      list.empty() ? "" : fmt::format(" ({})", on_one_line(list, 300)));
}

/// `s=8 would take 16788 time units, but ends with other contents in part.`
std::string sentence_of(const OtherResult& other) {
  return fmt::format(
      " {} would take {}, but {}.", other.change.text(), counted(other.predicted_time, "time unit"),
      other.array.empty() ? "verify fails"
                          : fmt::format("ends with other contents in {}", other.array));
}

/// `9886 time units instead of 11603, 1.17 times as fast`.
std::string times_of(const Suggestion& suggestion, std::int64_t run_time) {
  const auto compared = [](std::int64_t after, std::int64_t before) {
    return fmt::format("{} instead of {}, {} times as fast", counted(after, "time unit"), before,
                       times_as_fast(before, after));
  };
  const std::string of_run = compared(suggestion.predicted_time, run_time);
  if (suggestion.kernel_time.value_or(run_time) == run_time) return of_run;
  const std::int64_t before = *suggestion.kernel_time;
  return fmt::format("{} (the run: {})", compared(before - suggestion.predicted_gain, before),
                     of_run);
}

/// Whether a unit idles while warps wait for requests.
bool waits(const Explanation& explanation) {
  return std::any_of(explanation.units.begin(), explanation.units.end(),
                     [](const ExplainedUnit& unit) {
                       return unit.time[static_cast<std::size_t>(Cause::latency)] > 0;
                     });
}

ExplainedPart advice_part(const Explanation& explanation) {
  const Advice& advice = explanation.advice;
  ExplainedPart part{"what would help", {}};
  std::size_t number = 0;
  for (const Suggestion& suggestion : advice.suggestions) {
    part.paragraphs.push_back(
        {fmt::format("{}. {}: {}.{}", ++number,
                     suggestion.words.empty() ? suggestion.change.text() : suggestion.words,
                     times_of(suggestion, explanation.time.value), effect_of(suggestion))});
    if (!suggestion.command.empty()) part.paragraphs.push_back({suggestion.command, true});
  }
  if (advice.conflict_free)
    part.paragraphs.push_back({fmt::format(
        "Without the {} of line {} the run would take {} ({} less){}.",
        counted(advice.conflict_free->extra_stages, "extra stage"), advice.conflict_free->number,
        counted(advice.conflict_free->predicted_time, "time unit"),
        advice.conflict_free->predicted_gain,
        explanation.reuses ? ", if its blocks could still reuse the same address groups"
                           : fmt::format(": so much {} can gain there",
                                         explanation.cuda ? "other addresses" : "a layout"))});
  std::string of_what = explanation.cuda && explanation.cuda->kernels.size() > 1
                            ? "the time of the run, or of the kernel that is changed"
                            : "the time";
  if (std::any_of(explanation.units.begin(), explanation.units.end(),
                  [](const ExplainedUnit& unit) {
                    return unit.time[static_cast<std::size_t>(Cause::launch)] > 0;
                  }))
    of_what += ", beside the cost of launches";
  std::string text;
  if (explanation.stop != Stop::none) {
    text = "Nothing was tried: the run did not come to its end.";
  } else if (explanation.cuda && !explanation.cuda->untried.empty()) {
    text = explanation.cuda->untried;
  } else if (advice.simulated.empty() && advice.too_long == 0 && advice.not_run == 0) {
    text = explanation.mmm
               ? "Nothing was tried: the program has no parameter whose change could be compared."
           : explanation.cuda
               ? "Nothing was tried: of kernels, memlane changes only spare words in shared memory"
                 ", how many blocks a multiprocessor holds and how many requests a warp may have "
                 "on their way, and none of these can gain here."
           : waits(explanation)
               ? "Nothing was tried: no request has extra stages, and more threads or resident "
                 "blocks would hide no more latency."
               : "Nothing was tried: no warp waits for latency, and no request has "
                 "extra stages.";
  } else if (advice.suggestions.empty()) {
    text = fmt::format("{}; none{} saves 5 % of {}.", simulated_changes(advice),
                       advice.other_results.empty() ? "" : " with the same result", of_what);
  } else {
    text = fmt::format("{}; these are the best of those that save at least 5 % of {}.",
                       simulated_changes(advice), of_what);
  }
  for (const OtherResult& other : advice.other_results) text += sentence_of(other);
  if (advice.too_long > 0)
    text += fmt::format(" {} given up after {} times the work of the run.",
                        counted(advice.too_long, "change was", "changes were"), most_work);
  if (advice.not_run > 0)
    text += fmt::format(" {} not simulated to the end: a limit of the command came first.",
                        counted(advice.not_run, "change was", "changes were"));
  part.paragraphs.push_back({std::move(text)});
  return part;
}

} // namespace

std::vector<ExplainedPart> explained_parts(const Explanation& explanation) {
  std::vector<ExplainedPart> parts = account_parts(explanation);
  if (explanation.cuda)
    for (ExplainedPart& part : kernel_parts(explanation)) parts.push_back(std::move(part));
  parts.push_back(advice_part(explanation));
  return parts;
}

namespace {

std::string explanation_text(const Explanation& explanation, Format format, std::size_t columns) {
  std::string text;
  for (const ExplainedPart& part : explained_parts(explanation)) {
    text += text.empty() ? "" : "\n";
    if (format != Format::table) {
      text += paper_part(part, format);
      continue;
    }
    text += hanging_lines(part.heading, 2);
    for (const ExplainedPart::Paragraph& paragraph : part.paragraphs)
      text +=
          paragraph.code
              ? fmt::format("    {}\n", on_one_line(paragraph.text,
                                                    columns > 4 ? columns - 4 : std::string::npos))
              : paragraph_text(paragraph.text, 2);
  }
  if (explanation.cuda) text += explained_cuda_tables(explanation, format, columns);
  return text;
}

} // namespace

AddedPart explained_part(Explanation explanation) {
  const auto shared = std::make_shared<const Explanation>(std::move(explanation));
  return {[shared] { return explanation_json(*shared); },
          [shared](Format format, std::size_t columns) {
            return explanation_text(*shared, format, columns);
          }};
}

} // namespace memlane
