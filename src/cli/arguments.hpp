// A command's options. A row says what an option is called, how help shows it, what its value is
// and what receives it; parsing, errors, help and the completion of shells read the rows.
#pragma once

#include "memlane/points/definitions.hpp"
#include "memlane/support/result.hpp"
#include "memlane/support/text.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace memlane::cli {

using sweep::name_and_value;
using NameAndValue = sweep::NameAndText;

struct Option;

/// What an option's value is: how its text is read, and where to. Errors are collected, and what
/// receives the value then has its default.
struct OptionValue {
  using Read = std::function<void(const Option&, const std::string& text, ErrorCollector&)>;

  OptionValue(Read its_read, bool is_many = false, std::vector<std::string> its_choices = {})
      : read(std::move(its_read)), many(is_many), choices(std::move(its_choices)) {}
  // Any text. What receives it outlives the option, here and below.
  OptionValue(std::string* into);
  OptionValue(std::optional<std::string>* into);
  OptionValue(std::vector<std::string>* into);
  OptionValue(std::vector<NameAndValue>* into); ///< `A=B`

  Read read;
  bool many = false;                     ///< may be given more than once
  std::vector<std::string> choices = {}; ///< the values that it takes, if they are few
};

/// One option of a command.
struct Option {
  std::string_view name;
  char letter = 0;           ///< 0: none
  std::string_view argument; ///< what help calls its value; empty: a switch
  std::string_view help;
  OptionValue value;
};

/// Advice for an option that a command does not have.
struct OptionHint {
  std::string name; ///< of the option
  char letter = 0;  ///< 0: none
  std::string help;
};

/// What was given, in its order.
struct Arguments {
  std::vector<std::string> words;
  std::vector<std::pair<std::string, std::string>>
      given_options; ///< name and value ("" of a switch)

  bool has(std::string_view name) const { return value(name).has_value(); }
  std::optional<std::string> value(std::string_view name) const; ///< the first
};

/// Arguments that a command's request is filled from, and the errors so far.
class OptionReader : public ErrorCollector, public Arguments {
public:
  explicit OptionReader(Arguments arguments) : Arguments(std::move(arguments)) {}

  /// Adds an error about an option, with a way out.
  void fail(std::string option, std::string message, std::string help) {
    add(error_in(std::move(option), std::move(message), {std::move(help)}));
  }
};

/// How many words a command takes, and what receives them.
struct TakenWords {
  std::string_view noun = "word"; ///< `program`
  std::size_t least = 0, most = 0;
  std::function<void(const std::vector<std::string>&)> receive = {}; ///< of so many
  std::string_view except = {}; ///< with this option, any number of words is right
  std::string_view hint = {};   ///< beside the usage, for another number
  /// The first word names a program, which has all that follows, options too.
  bool passes_on = false;
};

/// The options and words of a command, or a part of them.
struct Options {
  using Check = std::function<void(OptionReader&, Sources&)>;

  std::vector<Option> rows;
  TakenWords words;
  std::vector<Check> checks;

  /// `names`: `define,D` has a letter.
  void add(std::string_view names, std::string_view argument, OptionValue value,
           std::string_view help);
  /// A switch. Given, it makes the opposite of what is there.
  void flag(std::string_view name, bool* into, std::string_view help);
  /// Called behind earlier ones when all values are received: for what options say together.
  void then(Check check) { checks.push_back(std::move(check)); }
  void take_word(std::string_view noun, std::string* into, std::string_view except = {});
  void take_words(std::string_view noun, std::size_t least, std::vector<std::string>* into);

  const Option* find(std::string_view name) const;
  /// The options as help shows them.
  std::string help() const;
  /// Reads the words behind a command's name. Errors: an unknown option (with its hint, else the
  /// nearest), a missing or an unwanted value, an option given twice that may be given once.
  Result<Arguments> parse(const std::vector<std::string>& line,
                          const std::vector<OptionHint>& hints = {}) const;
  /// Hands words and values over. Options that are not among the rows are another table's.
  void receive(OptionReader& given, Sources& sources) const;
};

// --- What values are.

/// `a,b,c` cut at its commas.
std::vector<std::string> split_list(const std::string& list);

OptionValue whole_number(std::function<void(std::int64_t)> into, std::int64_t least,
                         std::int64_t most);
/// Digits alone, a number from `least` to `most`.
template <class Number>
OptionValue whole(Number* into, std::int64_t least, std::int64_t most = INT64_MAX) {
  return whole_number([into](std::int64_t number) { *into = static_cast<Number>(number); }, least,
                      most);
}
/// A number of bytes, with an optional suffix K, M or G (powers of 1024).
OptionValue bytes(std::int64_t* into);
/// `a,b,c`.
template <class Names>
OptionValue list(Names* into) {
  return {[into](const Option&, const std::string& text, ErrorCollector&) {
    *into = split_list(text);
  }};
}

/// Calls with the index of one of the words. Errors call them `noun`, and add `hint` if there is
/// one.
OptionValue one_of_words(std::function<void(std::size_t)> into, std::string_view noun,
                         std::vector<std::string> words, std::string hint = {});
/// A word for each value.
template <class V>
OptionValue one_of(V* into, std::string_view noun,
                   std::vector<std::pair<std::string, std::type_identity_t<V>>> values,
                   std::string hint = {}) {
  std::vector<std::string> words;
  for (const auto& [word, value] : values) words.push_back(word);
  return one_of_words([into, values](std::size_t k) { *into = values[k].second; }, noun, words,
                      std::move(hint));
}

/// What a function makes of the text.
template <class V>
OptionValue parsed(V* into,
                   std::type_identity_t<std::function<Result<V>(const std::string&)>> read) {
  return {
      [into, read = std::move(read)](const Option&, const std::string& text,
                                     ErrorCollector& errors) { errors.take(read(text), *into); }};
}

} // namespace memlane::cli
