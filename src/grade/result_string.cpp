#include "memlane/grade/result_string.hpp"

#include "memlane/points/packed_text.hpp"
#include "memlane/support/json_record.hpp"
#include "memlane/support/sha256.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace memlane::grade {
namespace {

constexpr std::string_view format_number = "1";
constexpr std::size_t most_program_bytes = std::size_t{1} << 20, most_head_bytes = 4096;
constexpr std::size_t most_letters = std::size_t{2} << 20; // deflated or not, a program fits
constexpr std::size_t digits_of_hash = 8;

const Record<ClaimedGrade>& claimed_record() {
  using C = ClaimedGrade;
  static const Record<C> record = {
      "result",
      "a result",
      {{"memlane", "the version that graded", kinds::line(), &C::version, required},
       {"exercise", "its name", kinds::line(), &C::exercise, required},
       {"seed", "as --seed", kinds::whole(0, INT64_MAX / 2), &C::more_seed, required},
       {"status", "the verdict", kinds::choice_up_to(GradeStatus::stopped), &C::status, required},
       {"points", "of the program", kinds::whole(0), &C::points, required},
       {"most_points", "of the exercise", kinds::whole(0), &C::most_points, required}}};
  return record;
}

std::string hash_of(const std::string& text) { return sha256(text).substr(0, digits_of_hash); }

Diagnostic cut_off() {
  return error_in("", "the result string is damaged, or a part of it is missing",
                  {"copy the whole line again; 'memlane grade FILE --result' prints it"});
}

/// The packed letters of a line, and the hash behind them.
Result<std::pair<std::string_view, std::string_view>> letters_of(std::string_view line) {
  if (line.size() > most_letters)
    return error_in("", fmt::format("the result string has more than {} letters", most_letters),
                    {"one that memlane prints is shorter"});
  if (!line.starts_with(result_word))
    return error_in("", "this is no result string",
                    {fmt::format("'memlane grade FILE --result' prints one; it begins with {}{}.",
                                 result_word, format_number)});
  const std::size_t number_end = line.find('.'), hash = line.rfind('.');
  if (number_end == std::string_view::npos || number_end == hash) return cut_off();
  const std::string_view number = line.substr(result_word.size(), number_end - result_word.size());
  if (number != format_number)
    return error_in("",
                    fmt::format("the result string has format {}, this memlane reads {}",
                                in_quotes(number.substr(0, 20)), format_number),
                    {"check it with the memlane that printed it"});
  return std::pair(line.substr(number_end + 1, hash - number_end - 1), line.substr(hash + 1));
}

} // namespace

Result<ResultParts> result_parts(const GradeResult& result, std::string_view version) {
  if (result.graded.empty())
    return error_in(result.file, "there is no result string: nothing was graded");
  if (result.graded.size() > most_program_bytes)
    return error_in(result.file, fmt::format("a result string holds programs of up to {} bytes",
                                             most_program_bytes));
  const nlohmann::ordered_json head = {
      {"memlane", version},        {"exercise", result.exercise},
      {"seed", result.more_seed},  {"status", name_of(result.status)},
      {"points", result.points()}, {"most_points", result.most_points()}};
  const std::string text =
      head.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n' +
      result.graded;
  return ResultParts{fmt::format("{}{}.", result_word, format_number), text, '.' + hash_of(text)};
}

Result<std::string> result_string(const GradeResult& result, std::string_view version) {
  const Result<ResultParts> parts = result_parts(result, version);
  if (!parts) return parts.errors();
  return parts->head + sweep::packed(parts->text) + parts->tail;
}

Result<ClaimedGrade> read_result(std::string_view line, std::string_view version,
                                 Sources& sources) {
  const auto found = letters_of(line);
  if (!found) return found.errors();
  const auto& [letters, hash] = *found;
  Result<std::string> text = sweep::unpacked(letters, most_head_bytes + most_program_bytes);
  if (!text) {
    Diagnostics errors = text.errors();
    errors.front().message = "the result string: " + errors.front().message;
    errors.front().help.emplace_back("one that 'memlane grade FILE --result' prints can be read");
    return errors;
  }
  const std::size_t head_end = text->find('\n');
  if (head_end == std::string::npos || hash != hash_of(*text)) return cut_off();
  const std::int32_t file = sources.add("the result string", text->substr(0, head_end));
  Result<ClaimedGrade> claimed = read_record(sources, file, claimed_record(), ClaimedGrade{});
  if (!claimed) return claimed.errors();
  if (claimed->version != version)
    return error_in("",
                    fmt::format("the result string is of memlane {}, this is memlane {}",
                                claimed->version, version),
                    {"check it with that version: exercises and grades may differ"});
  claimed->program = text->substr(head_end + 1);
  return claimed;
}

std::string grade_in_words(GradeStatus status, std::int64_t points, std::int64_t most_points) {
  return fmt::format("{}, {} of {}", name_of(status), points, counted(most_points, "point"));
}

} // namespace memlane::grade
