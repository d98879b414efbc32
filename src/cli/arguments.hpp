// A command's option table, and the arguments that were given.
#pragma once

#include "memlane/support/result.hpp"

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
};

/// What to do in the place of an option that a command does not have.
struct Instead {
  std::string name; ///< of the option
  char letter = 0;  ///< 0: none
  std::string help;
};

/// What was given, in its order.
struct Arguments {
  std::vector<std::string> words;
  std::vector<std::pair<std::string, std::string>> options; ///< name and value ("" of a switch)

  bool has(std::string_view name) const;
  std::optional<std::string> value(std::string_view name) const; ///< the first
  std::vector<std::string> values(std::string_view name) const;
};

/// Reads the words behind a command's name. Errors: an unknown option (with what `instead` says of
/// it, else the nearest), a missing or an unwanted value, an option given twice that may be given
/// once.
Result<Arguments> read_arguments(const std::vector<std::string>& words,
                                 const std::vector<Option>& options,
                                 const std::vector<Instead>& instead = {});

/// `--seed N`: digits alone, in lo..hi; else an error that names the option. `standard` if absent.
Result<std::int64_t> integer_option(const Arguments& arguments, std::string_view name,
                                    std::int64_t lo, std::int64_t hi, std::int64_t standard);
/// As integer_option, with an optional suffix K, M or G (powers of 1024).
Result<std::int64_t> bytes_option(const Arguments& arguments, std::string_view name,
                                  std::int64_t standard);

/// `a=b` cut at the first `=`; an error if there is none or nothing before it.
Result<std::pair<std::string, std::string>>
name_and_value(std::string_view option, std::string_view form, const std::string& text);

/// The options as help shows them.
std::string options_text(const std::vector<Option>& options);

} // namespace memlane::cli
