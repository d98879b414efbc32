#include "record.hpp"

#include "memlane/support/nesting.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace memlane {

namespace {

using nlohmann::json;

std::string quoted(const std::string& text) {
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string list(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += quoted(words[i]);
  }
  return text;
}

/// Thrown where the watch says that reading is to end: a line may be as long as a gigabyte.
struct Ended {};

/// Parses one object; of a key given twice, the parser by itself would drop a value.
json parse(const std::string& text, std::string& twice, Watch& limits) {
  std::vector<std::set<std::string>> keys;
  const auto watch = [&](int, json::parse_event_t event, json& parsed) {
    if (!limits.go_on()) throw Ended();
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys.back().insert(key).second && twice.empty()) twice = quoted(key);
    }
    return true;
  };
  return json::parse(text, watch);
}

} // namespace

std::string shown(const json& value) {
  // Of an array or object, only the beginning matters, and it may be long.
  if (value.is_array()) return fmt::format("an array of {}", value.size());
  if (value.is_object()) return "an object";
  const std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  return text.size() > 40 ? text.substr(0, 37) + "..." : text;
}

Record::Record(const std::string& text, std::string place, bool last, Watch& watch)
    : place_(std::move(place)) {
  if (text.find_first_not_of(" \t\r") == std::string::npos) {
    fail("the line is empty; each line of a trace is a JSON object");
    return;
  }
  if (const auto deep = nested_too_deep(text)) {
    fail(fmt::format("nested more than {} deep, from column {} on", deepest_json, *deep + 1));
    return;
  }
  try {
    std::string twice;
    object_ = parse(text, twice, watch);
    if (!object_.is_object()) {
      fail(fmt::format("the line is {}, not a JSON object", shown(object_)));
    } else if (!twice.empty()) {
      fail(fmt::format("{} is given twice", twice));
    }
  } catch (const json::parse_error& error) {
    const bool begun = text[text.find_first_not_of(" \t\r")] == '{';
    fail(last && begun ? "the last line is cut off: it is no whole JSON object"
                       : fmt::format("not JSON from column {} on", error.byte));
  } catch (const json::exception&) {
    fail("a number is too large");
  } catch (const Ended&) {
    fail("reading ended here");
  }
}

void Record::fail(std::string message, std::vector<std::string> help) {
  if (!error_) error_ = error_in(place_, std::move(message), std::move(help));
}

void Record::expect_keys(const char* what, const std::vector<std::string>& keys,
                         std::size_t required) {
  if (!ok()) return;
  for (const auto& [key, value] : object_.items()) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    std::vector<std::string> help = did_you_mean(key, keys);
    help.push_back(fmt::format("keys of {}: {}", what, fmt::join(keys, ", ")));
    return fail(fmt::format("unknown key {}", shown(key)), std::move(help));
  }
  for (std::size_t i = 0; i < required; ++i) {
    if (!object_.contains(keys[i])) {
      return fail(fmt::format("{} has no \"{}\"", what, keys[i]),
                  {fmt::format("keys of {}: {}", what, fmt::join(keys, ", "))});
    }
  }
}

std::int64_t Record::integer(const char* key, std::int64_t lo, std::int64_t hi) {
  if (!ok()) return lo;
  const json& value = object_.at(key);
  const bool whole = value.is_number_integer();
  const bool fits = whole && (!value.is_number_unsigned() ||
                              value.get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX));
  if (fits && value.get<std::int64_t>() >= lo && value.get<std::int64_t>() <= hi) {
    return value.get<std::int64_t>();
  }
  fail(hi == INT64_MAX ? fmt::format("\"{}\" is {}, not a whole number of at least {}{}", key,
                                     shown(value), lo, whole && !fits ? " that fits 63 bits" : "")
                       : fmt::format("\"{}\" is {}, not a whole number from {} to {}", key,
                                     shown(value), lo, hi));
  return lo;
}

std::size_t Record::word(const char* key, const std::vector<std::string>& words) {
  if (!ok()) return 0;
  const json& value = object_.at(key);
  if (value.is_string()) {
    const auto found = std::find(words.begin(), words.end(), value.get_ref<const std::string&>());
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  }
  fail(fmt::format("\"{}\" is {}, not {}", key, shown(value), list(words)),
       value.is_string() ? did_you_mean(value.get<std::string>(), words)
                         : std::vector<std::string>{});
  return 0;
}

} // namespace memlane
