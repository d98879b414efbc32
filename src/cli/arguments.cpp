#include "arguments.hpp"

#include "memlane/show/text_table.hpp"
#include "memlane/support/suggest.hpp"
#include "memlane/support/text.hpp"

#include <boost/program_options.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace memlane::cli {
namespace {

namespace po = boost::program_options;

po::options_description description_of(const std::vector<Option>& rows) {
  po::options_description description;
  for (const Option& option : rows) {
    std::string names(option.name);
    if (option.letter != 0) names += fmt::format(",{}", option.letter);
    if (option.argument.empty()) {
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
  if (help.empty() && std::isdigit(static_cast<unsigned char>(word.back())))
    help = {"what begins with a minus needs parentheses, as in '(-6)*lane', or '--' before it"};
  return error_in("", fmt::format("unknown option '{}'", word), help);
}

/// The library's own words for the other mistakes are good, except the case of their first letter.
Diagnostic wrong_syntax(const po::error& error) { return error_in("", error.what()); }

Result<Arguments> collect(const po::parsed_options& parsed, const Options& options) {
  Arguments arguments;
  ErrorCollector errors;
  for (const auto& given : parsed.options) {
    if (given.position_key >= 0) {
      arguments.words.insert(arguments.words.end(), given.value.begin(), given.value.end());
      continue;
    }
    const Option& option = *options.find(given.string_key); // the parser refuses others
    if (!option.value.many && arguments.has(option.name))
      errors.add(error_in("", fmt::format("option --{} is given twice", option.name)));
    const std::string value = given.value.empty() ? "" : given.value.front();
    if (option.argument.starts_with("FILE") && value.empty())
      errors.add(error_in(fmt::format("--{}", option.name), "the name of the file is empty",
                          {"name a file, or leave the option out"}));
    arguments.given_options.emplace_back(given.string_key, value);
  }
  if (!errors.ok()) return errors.errors();
  return arguments;
}

/// Digits alone. Nothing if there are others or the number is beyond 64 bits.
std::optional<std::int64_t> digits(std::string_view text) {
  return text.substr(0, 1) == "-" ? std::nullopt : number_of<std::int64_t>(text);
}

/// About the value of an option.
Diagnostic wrong_value(const Option& option, std::string message,
                       std::vector<std::string> help = {}) {
  return error_in(fmt::format("--{}", option.name), std::move(message), std::move(help));
}

} // namespace

std::optional<std::string> Arguments::value(std::string_view name) const {
  for (const auto& [option, value] : given_options)
    if (option == name) return value;
  return std::nullopt;
}

// --- What values are.

OptionValue::OptionValue(std::string* into)
    : read([into](const Option&, const std::string& text, ErrorCollector&) { *into = text; }) {}

OptionValue::OptionValue(std::optional<std::string>* into)
    : read([into](const Option&, const std::string& text, ErrorCollector&) { *into = text; }) {}

OptionValue::OptionValue(std::vector<std::string>* into)
    : read([into](const Option&, const std::string& text, ErrorCollector&) {
        into->push_back(text);
      }),
      many(true) {}

OptionValue::OptionValue(std::vector<NameAndValue>* into)
    : read([into](const Option& option, const std::string& text, ErrorCollector& errors) {
        NameAndValue pair;
        const std::string shown = fmt::format("--{}", option.name);
        if (errors.take(name_and_value(shown, option.argument, text), pair)) into->push_back(pair);
      }),
      many(true) {}

OptionValue whole_number(std::function<void(std::int64_t)> into, std::int64_t least,
                         std::int64_t most) {
  return {[=](const Option& option, const std::string& text, ErrorCollector& errors) {
    const auto number = digits(text);
    if (number && *number >= least && *number <= most) return into(*number);
    const bool is_number =
        !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    const bool too_large = is_number && (!number || *number > most);
    const std::string range = most == INT64_MAX && !too_large
                                  ? fmt::format("from {}", least)
                                  : fmt::format("from {} to {}", least, most);
    errors.add(wrong_value(option, fmt::format("an integer {} is needed, not '{}'", range, text)));
  }};
}

OptionValue bytes(std::int64_t* into) {
  return {[into](const Option& option, const std::string& text, ErrorCollector& errors) {
    const std::size_t suffix =
        text.empty() ? std::string::npos : std::string_view("KMG").find(text.back());
    const bool has_suffix = suffix != std::string::npos;
    const int shift = has_suffix ? 10 * (static_cast<int>(suffix) + 1) : 0;
    const auto number = digits(std::string_view(text).substr(0, text.size() - has_suffix));
    if (number && *number <= INT64_MAX >> shift) {
      *into = *number << shift;
      return;
    }
    errors.add(wrong_value(
        option,
        fmt::format("a number of bytes is needed, such as 4096, 64K, 100M or 2G, not '{}'", text)));
  }};
}

OptionValue one_of_words(std::function<void(std::size_t)> into, std::string_view noun,
                         std::vector<std::string> words, std::string hint) {
  return {[=](const Option& option, const std::string& text, ErrorCollector& errors) {
            const auto found = std::find(words.begin(), words.end(), text);
            if (found != words.end()) return into(static_cast<std::size_t>(found - words.begin()));
            std::vector<std::string> help = did_you_mean(text, words);
            help.push_back(fmt::format("accepted: {}", fmt::join(words, ", ")));
            if (!hint.empty()) help.push_back(hint);
            errors.add(
                wrong_value(option, fmt::format("unknown {} '{}'", noun, text), std::move(help)));
          },
          false, words};
}

std::vector<std::string> split_list(const std::string& list) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= list.size();) {
    std::size_t end = at;
    for (int open = 0; end < list.size() && (list[end] != ',' || open > 0); ++end)
      open += list[end] == '(' ? 1 : list[end] == ')' ? -1 : 0;
    names.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

// --- Tables.

void Options::add(std::string_view names, std::string_view argument, OptionValue value,
                  std::string_view help) {
  const std::size_t comma = names.find(',');
  const char letter = comma == std::string_view::npos ? '\0' : names.back();
  rows.push_back({names.substr(0, comma), letter, argument, help, std::move(value)});
}

void Options::flag(std::string_view name, bool* into, std::string_view help) {
  const auto turn = [into](const Option&, const std::string&, ErrorCollector&) { *into = !*into; };
  add(name, "", {turn}, help);
}

void Options::take_word(std::string_view noun, std::string* into, std::string_view except) {
  const auto receive_one = [into](const auto& given) { *into = given.front(); };
  words = {noun, 1, 1, receive_one, except};
}

void Options::take_words(std::string_view noun, std::size_t least, std::vector<std::string>* into) {
  words = {noun, least, SIZE_MAX, [into](const auto& given) { *into = given; }};
}

const Option* Options::find(std::string_view name) const {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const Option& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

std::string Options::help() const {
  TextTable table({Align::left, Align::left});
  for (const Option& option : rows) {
    std::string names = option.letter != 0 ? fmt::format("-{}, ", option.letter) : "    ";
    names += fmt::format("--{}", option.name);
    if (!option.argument.empty()) names += fmt::format(" {}", option.argument);
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

/// How many of the words are options with their values, up to the first word that is none. A `--`
/// ends the options, too.
static std::size_t words_of_options(const std::vector<std::string>& line,
                                    const std::vector<Option>& rows) {
  std::size_t at = 0;
  while (at < line.size() && line[at].size() > 1 && line[at][0] == '-') {
    const std::string& word = line[at++];
    if (word == "--") break;
    const bool is_long = word[1] == '-';
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const Option& option) {
      return is_long ? word.substr(2) == option.name : word.size() == 2 && word[1] == option.letter;
    });
    // `--name=VALUE` and `-nVALUE` have it already.
    if (row != rows.end() && !row->argument.empty() && at < line.size()) ++at;
  }
  return at;
}

Result<Arguments> Options::parse(const std::vector<std::string>& line,
                                 const std::vector<OptionHint>& hints) const {
  if (words.passes_on) {
    const auto behind = line.begin() + static_cast<std::ptrdiff_t>(words_of_options(line, rows));
    Options own = *this;
    own.words.passes_on = false;
    Result<Arguments> arguments = own.parse({line.begin(), behind}, hints);
    if (arguments) arguments->words.insert(arguments->words.end(), behind, line.end());
    return arguments;
  }
  const po::options_description description = description_of(rows);
  // Options cut short (`--lay`) are refused: they would change their meaning with the next option.
  const int style =
      po::command_line_style::unix_style & ~int{po::command_line_style::allow_guessing};
  try {
    return collect(po::command_line_parser(line).options(description).style(style).run(), *this);
  } catch (const po::unknown_option& error) {
    return unknown_option(error.get_option_name(), rows, hints);
  } catch (const po::error& error) {
    return wrong_syntax(error);
  }
}

void Options::receive(OptionReader& given, Sources& sources) const {
  if (words.receive && given.words.size() >= words.least && given.words.size() <= words.most)
    words.receive(given.words);
  for (const auto& [name, text] : given.given_options)
    if (const Option* option = find(name)) option->value.read(*option, text, given);
  for (const Check& check : checks) check(given, sources);
}

} // namespace memlane::cli
