#include "memlane/web/playground.hpp"

#include "question.hpp"

#include "memlane/show/json_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace memlane::web {
namespace {

Json with_errors(const Diagnostics& errors, const Sources& sources) {
  return {{"errors", errors_json(errors, sources)}};
}

Json answer_to(const Shipped& shipped, const Json& asked, const std::function<Stop()>& check) {
  const std::string ask = text_in(asked, "ask");
  if (ask == "list") return list(shipped);
  Question question;
  if (ask == "check") {
    const Status read = read_program(shipped, asked, check, question);
    return with_errors(read ? Diagnostics() : with_way_out(read.errors(), asked), question.sources);
  }
  if (ask == "launch") return launch(shipped, asked, check);
  if (ask == "grade") return grade_asked(shipped, asked, check);
  if (ask != "describe" && ask != "run")
    return with_errors({error_in("ask", fmt::format("'{}' is no question", ask),
                                 {"accepted: list, check, describe, run, launch, grade"})},
                       question.sources);
  const Status read = read_all(shipped, asked, check, question);
  if (!read) return with_errors(with_way_out(read.errors(), asked), question.sources);
  return ask == "describe" ? describe(question) : run(shipped, asked, question);
}

} // namespace

Playground::Playground(Shipped shipped, std::function<double()> clock)
    : shipped_(std::move(shipped)), clock_(std::move(clock)) {}

std::string Playground::answer(std::string_view question) const {
  const Json asked = Json::parse(question, nullptr, false);
  if (!asked.is_object())
    return with_errors({error_in("", "a question is a JSON object")}, {}).dump();
  const double end = clock_() + static_cast<double>(seconds_of(asked));
  const auto check = [&] { return clock_() < end ? Stop::none : Stop::wall_clock; };
  return json_text(answer_to(shipped_, asked, check), -1);
}

} // namespace memlane::web
