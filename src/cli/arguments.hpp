// A command's option table, and the arguments that were given.
#pragma once

#include "memlane/support/result.hpp"
#include "memlane/support/text.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memlane::cli {

/// One option of a command.
struct Option {
  std::string_view name;
  char letter = 0;        ///< 0: none
  std::string_view value; ///< what help calls its value; empty: a switch
  bool many = false;      ///< may be given more than once
  std::string_view help;
  std::vector<std::string> choices = {}; ///< the values that it takes, if they are few
};

/// Several option tables as one.
std::vector<Option> join_options(const std::vector<std::vector<Option>>& tables);

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

  bool has(std::string_view name) const;
  std::optional<std::string> value(std::string_view name) const; ///< the first
  std::vector<std::string> values(std::string_view name) const;
};

/// Reads the words behind a command's name. Errors: an unknown option (with its hint, else the
/// nearest), a missing or an unwanted value, an option given twice that may be given once.
Result<Arguments> read_arguments(const std::vector<std::string>& words,
                                 const std::vector<Option>& options,
                                 const std::vector<OptionHint>& hints = {});

/// How many of the words are options with their values, up to the first word that is none: a
/// command that runs a program leaves the others to it. A `--` ends the options, too.
std::size_t words_of_command(const std::vector<std::string>& words,
                             const std::vector<Option>& options);

/// The arguments as a command line for a shell, options behind the words.
std::string command_line(std::string_view command, const Arguments& arguments,
                         const std::vector<Option>& options);

/// `a=b`.
using NameAndValue = std::pair<std::string, std::string>;
/// The text cut at its first `=`; an error if there is none or nothing before it.
Result<NameAndValue> name_and_value(std::string_view option, std::string_view form,
                                    const std::string& text);
/// `a,b,c` cut at its commas.
std::vector<std::string> split_list(const std::string& list);

/// Reads arguments into a command's typed request. Every error is collected, and the value is then
/// the standard one.
class OptionReader : public ErrorCollector, public Arguments {
public:
  explicit OptionReader(Arguments arguments) : Arguments(std::move(arguments)) {}

  std::string text(std::string_view name, std::string_view standard = "") const;
  /// `--seed N`: digits alone, in lo..hi.
  std::int64_t integer(std::string_view name, std::int64_t lo, std::int64_t hi,
                       std::int64_t standard);
  /// A number of bytes, with an optional suffix K, M or G (powers of 1024).
  std::int64_t bytes(std::string_view name, std::int64_t standard);
  /// Every `--name A=B`; `form` is what errors call that.
  std::vector<NameAndValue> pairs(std::string_view name, std::string_view form);
};

/// The options as help shows them.
std::string options_text(const std::vector<Option>& options);

} // namespace memlane::cli
