#include "arguments.hpp"

#include "memlane/show/text_table.hpp"
#include "memlane/support/suggest.hpp"
#include "memlane/support/text.hpp"

#include <boost/program_options.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace memlane::cli {
namespace {

namespace po = boost::program_options;

po::options_description description_of(const std::vector<Option>& options) {
  po::options_description description;
  for (const Option& option : options) {
    std::string names(option.name);
    if (option.letter != 0) names += fmt::format(",{}", option.letter);
    if (option.value.empty()) {
      description.add_options()(names.c_str(), "");
    } else {
      description.add_options()(names.c_str(), po::value<std::vector<std::string>>(), "");
    }
  }
  return description;
}

/// The nearest option, or the only one that begins like the word.
std::vector<std::string> option_meant(const std::string& word, const std::vector<Option>& options) {
  std::vector<std::string> known, longer;
  for (const Option& option : options) {
    known.push_back(fmt::format("--{}", option.name));
    if (known.back().compare(0, word.size(), word) == 0) longer.push_back(known.back());
  }
  if (longer.size() == 1) return {fmt::format("did you mean '{}'?", longer.front())};
  return did_you_mean(word, known);
}

Diagnostic unknown_option(const std::string& given, const std::vector<Option>& options,
                          const std::vector<OptionHint>& hints) {
  const bool is_long = given.compare(0, 2, "--") == 0;
  const std::string word = given.substr(0, is_long ? given.find('=') : 2);
  std::vector<std::string> help;
  for (const OptionHint& hint : hints) {
    const bool means_it = is_long ? word == "--" + hint.name : word.back() == hint.letter;
    if (help.empty() && means_it) help = {hint.help};
  }
  if (help.empty() && is_long) help = option_meant(word, options);
  return error_in("", fmt::format("unknown option '{}'", word), help);
}

const Option* option_named(const std::vector<Option>& options, std::string_view name) {
  const auto found = std::find_if(options.begin(), options.end(),
                                  [&](const Option& option) { return option.name == name; });
  return found == options.end() ? nullptr : &*found;
}

/// The library's own words for the other mistakes are good, except the case of their first letter.
Diagnostic wrong_syntax(const po::error& error) { return error_in("", error.what()); }

Result<Arguments> collect(const po::parsed_options& parsed, const std::vector<Option>& options) {
  Arguments arguments;
  ErrorCollector errors;
  for (const auto& given : parsed.options) {
    if (given.position_key >= 0) {
      arguments.words.insert(arguments.words.end(), given.value.begin(), given.value.end());
      continue;
    }
    const Option* option = option_named(options, given.string_key);
    if (option && !option->many && arguments.has(option->name)) {
      errors.add(error_in("", fmt::format("option --{} is given twice", option->name)));
    }
    const bool empty = given.value.empty() || given.value.front().empty();
    if (option && option->value.starts_with("FILE") && empty)
      errors.add(error_in(fmt::format("--{}", option->name), "the name of the file is empty",
                          {"name a file, or leave the option out"}));
    arguments.given_options.emplace_back(given.string_key,
                                         given.value.empty() ? std::string() : given.value.front());
  }
  if (!errors.ok()) return errors.errors();
  return arguments;
}

/// Digits alone. Nothing if there are others or the number is beyond 64 bits.
std::optional<std::int64_t> whole_number(std::string_view text) {
  return text.substr(0, 1) == "-" ? std::nullopt : number_of<std::int64_t>(text);
}

} // namespace

bool Arguments::has(std::string_view name) const { return value(name).has_value(); }

std::optional<std::string> Arguments::value(std::string_view name) const {
  for (const auto& [option, value] : given_options) {
    if (option == name) return value;
  }
  return std::nullopt;
}

std::vector<std::string> Arguments::values(std::string_view name) const {
  std::vector<std::string> all;
  for (const auto& [option, value] : given_options) {
    if (option == name) all.push_back(value);
  }
  return all;
}

Result<Arguments> read_arguments(const std::vector<std::string>& words,
                                 const std::vector<Option>& options,
                                 const std::vector<OptionHint>& hints) {
  const po::options_description description = description_of(options);
  // Options cut short (`--lay`) are refused: they would change their meaning with the next option.
  const int style =
      po::command_line_style::unix_style & ~int{po::command_line_style::allow_guessing};
  try {
    return collect(po::command_line_parser(words).options(description).style(style).run(), options);
  } catch (const po::unknown_option& error) {
    return unknown_option(error.get_option_name(), options, hints);
  } catch (const po::error& error) {
    return wrong_syntax(error);
  }
}

std::size_t words_of_command(const std::vector<std::string>& words,
                             const std::vector<Option>& options) {
  std::size_t at = 0;
  while (at < words.size() && words[at].size() > 1 && words[at][0] == '-') {
    const std::string& word = words[at++];
    if (word == "--") break;
    const bool is_long = word[1] == '-';
    const auto found = std::find_if(options.begin(), options.end(), [&](const Option& option) {
      return is_long ? word.substr(2) == option.name : word.size() == 2 && word[1] == option.letter;
    });
    // `--name=VALUE` and `-nVALUE` have it already.
    if (found != options.end() && !found->value.empty() && at < words.size()) ++at;
  }
  return at;
}

std::string OptionReader::text(std::string_view name, std::string_view standard) const {
  return value(name).value_or(std::string(standard));
}

std::int64_t OptionReader::integer(std::string_view name, std::int64_t lo, std::int64_t hi,
                                   std::int64_t standard) {
  const auto text = value(name);
  if (!text) return standard;
  const auto number = whole_number(*text);
  if (number && *number >= lo && *number <= hi) return *number;
  const std::string range =
      hi == INT64_MAX ? fmt::format("from {}", lo) : fmt::format("from {} to {}", lo, hi);
  add(error_in(fmt::format("--{}", name),
               fmt::format("an integer {} is needed, not '{}'", range, *text)));
  return standard;
}

std::int64_t OptionReader::bytes(std::string_view name, std::int64_t standard) {
  const auto text = value(name);
  if (!text) return standard;
  std::string_view digits = *text;
  const std::string_view suffixes = "KMG";
  const std::size_t suffix = digits.empty() ? std::string_view::npos : suffixes.find(digits.back());
  int shift = 0;
  if (suffix != std::string_view::npos) {
    shift = 10 * (static_cast<int>(suffix) + 1);
    digits.remove_suffix(1);
  }
  const auto number = whole_number(digits);
  if (number && *number <= INT64_MAX >> shift) return *number << shift;
  add(error_in(
      fmt::format("--{}", name),
      fmt::format("a number of bytes is needed, such as 4096, 64K, 100M or 2G, not '{}'", *text)));
  return standard;
}

std::vector<NameAndValue> OptionReader::pairs(std::string_view name, std::string_view form) {
  std::vector<NameAndValue> all;
  for (const std::string& text : values(name)) {
    NameAndValue pair;
    if (take(name_and_value(fmt::format("--{}", name), form, text), pair)) all.push_back(pair);
  }
  return all;
}

Result<NameAndValue> name_and_value(std::string_view option, std::string_view form,
                                    const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return error_in(std::string(option), fmt::format("{} is needed, not '{}'", form, text));
  }
  return NameAndValue(text.substr(0, equals), text.substr(equals + 1));
}

std::vector<std::string> split_list(const std::string& list) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    names.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

std::vector<Option> join_options(const std::vector<std::vector<Option>>& tables) {
  std::vector<Option> all;
  for (const auto& table : tables) all.insert(all.end(), table.begin(), table.end());
  return all;
}

std::string command_line(std::string_view command, const Arguments& arguments,
                         const std::vector<Option>& options) {
  std::string line = fmt::format("memlane {}", command);
  for (const std::string& word : arguments.words) line += " " + shell_word(word);
  for (const auto& given : arguments.given_options) {
    const auto& [name, value] = given;
    const auto option = std::find_if(options.begin(), options.end(),
                                     [&](const Option& one) { return one.name == given.first; });
    if (option == options.end()) continue; // such as --color, which every command has
    line += option->letter ? fmt::format(" -{}", option->letter) : fmt::format(" --{}", name);
    if (!option->value.empty()) line += " " + shell_word(value);
  }
  return line;
}

std::string options_text(const std::vector<Option>& options) {
  TextTable table({Align::left, Align::left});
  for (const Option& option : options) {
    std::string names = option.letter != 0 ? fmt::format("-{}, ", option.letter) : "    ";
    names += fmt::format("--{}", option.name);
    if (!option.value.empty()) names += fmt::format(" {}", option.value);
    std::string_view help = option.help;
    while (true) {
      const std::size_t end = std::min(help.find('\n'), help.size());
      table.add({names, std::string(help.substr(0, end))});
      names.clear();
      if (end == help.size()) break;
      help.remove_prefix(end + 1);
    }
  }
  return table.text(2);
}

} // namespace memlane::cli
