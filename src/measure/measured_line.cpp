#include "measured_line.hpp"

#include "memlane/support/nesting.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace memlane::measure {
namespace {

/// What stands where JSON stops, in words that help.
std::vector<std::string> help_for_text(std::string_view text) {
  if (text.find("NaN") != std::string_view::npos || text.find("nan") != std::string_view::npos ||
      text.find("nfinity") != std::string_view::npos) {
    return {"JSON has no NaN and no infinity: a point without a time is written with "
            "\"skipped\": \"why\""};
  }
  return {"every line is one JSON object by itself; measure the point again or delete the line"};
}

} // namespace

std::string shown_json(const MeasuredLine::Json& value) {
  if (value.is_array()) return fmt::format("an array of {}", value.size());
  if (value.is_object()) return "an object";
  const std::string text = value.dump(-1, ' ', true, MeasuredLine::Json::error_handler_t::replace);
  return text.size() > 40 ? text.substr(0, 37) + "..." : text;
}

MeasuredLine::MeasuredLine(std::string_view text, std::int32_t file, std::size_t begin, bool last,
                           std::optional<Diagnostic>& problem)
    : text_(text), file_(file), begin_(begin), problem_(problem) {
  read_object(last);
}

void MeasuredLine::read_object(bool last) {
  const std::string_view text = text_;
  if (text.find_first_not_of(" \t\r") == std::string_view::npos) {
    return fail(whole(), "the line is empty; each line is a JSON object", {"delete the line"});
  }
  if (const auto deep = nested_too_deep(text))
    return fail(span(*deep, *deep + 1), fmt::format("nested more than {} deep", deepest_json),
                help_for_text(text));
  try {
    object_ = Json::parse(text);
  } catch (const Json::parse_error& error) {
    const std::size_t at = std::min(error.byte > 0 ? error.byte - 1 : 0, text.size());
    const bool cut = last && at >= text.size();
    return fail(span(at, std::min(at + 1, text.size())),
                cut ? "the last line is cut off: it is no whole JSON object" : "not JSON from here",
                cut ? std::vector<std::string>{"the measurement was interrupted while it wrote: "
                                               "measure the point again"}
                    : help_for_text(text));
  } catch (const Json::exception&) {
    return fail(whole(), "a number is too large for any computer",
                {"times are nanoseconds, at most 1e18"});
  }
  if (!object_.is_object()) {
    const std::string what = shown_json(object_);
    object_ = Json::object();
    return fail(whole(), fmt::format("the line is {}, not a JSON object", what),
                help_for_text(text));
  }
  read_members(0);
}

MeasuredLine::MeasuredLine(const MeasuredLine& outer, std::string_view key)
    : text_(outer.text_), file_(outer.file_), begin_(outer.begin_),
      prefix_(outer.prefix_ + std::string(key) + "."), problem_(outer.problem_) {}

MeasuredLine MeasuredLine::inside(std::string_view key) {
  MeasuredLine inner(*this, key);
  const Json* value = find(key);
  if (!value) return inner;
  if (!value->is_object()) {
    fail_at(key, fmt::format("is {}, not an object", shown_json(*value)));
    return inner;
  }
  inner.object_ = *value;
  if (const JsonMember* place = place_of(key)) inner.read_members(place->begin);
  return inner;
}

/// Of a key given twice, the parser by itself would drop a value.
void MeasuredLine::read_members(std::size_t at) {
  members_ = members_at(text_, at);
  std::set<std::string_view> keys;
  for (const JsonMember& member : members_) {
    if (keys.insert(member.key).second) continue;
    fail(span(member.key_begin, member.key_end),
         fmt::format("\"{}{}\" is given twice", prefix_, member.key), {"delete one of them"});
  }
}

Span MeasuredLine::span(std::size_t from, std::size_t to) const {
  return {file_, static_cast<std::uint32_t>(begin_ + from),
          static_cast<std::uint32_t>(begin_ + to)};
}

Span MeasuredLine::whole() const { return span(0, 0); }

void MeasuredLine::fail(Span span, std::string message, std::vector<std::string> help) {
  if (problem_) return;
  problem_ = error_at(span, std::move(message), std::move(help));
  problem_->severity = Severity::warning;
}

const JsonMember* MeasuredLine::place_of(std::string_view key) const {
  const auto found = std::find_if(members_.begin(), members_.end(),
                                  [&](const JsonMember& member) { return member.key == key; });
  return found == members_.end() ? nullptr : &*found;
}

void MeasuredLine::fail_at(std::string_view key, std::string message,
                           std::vector<std::string> help) {
  const JsonMember* place = place_of(key);
  fail(place ? span(place->begin, place->end) : whole(),
       fmt::format("\"{}\" {}", named(key), message), std::move(help));
}

void MeasuredLine::fail_at_item(std::string_view key, std::size_t item, std::string message,
                                std::vector<std::string> help) {
  const JsonMember* place = place_of(key);
  const auto found = place ? item_at(text_, place->begin, item) : std::nullopt;
  fail(found ? span(found->begin, found->end) : whole(),
       fmt::format("\"{}\", item {}, {}", named(key), item, message), std::move(help));
}

const MeasuredLine::Json* MeasuredLine::find(std::string_view key) {
  if (!ok()) return nullptr;
  const auto found = object_.find(key);
  if (found != object_.end()) return &*found;
  std::vector<std::string> keys;
  for (const auto& [known, value] : object_.items()) keys.push_back(known);
  std::vector<std::string> help;
  if (const auto near = nearest(key, keys)) {
    help.push_back(fmt::format("\"{}\" is there: is that the key?", *near));
  }
  help.emplace_back("measure the point again, or delete the line");
  fail(whole(), fmt::format("the line has no \"{}\"", named(key)), std::move(help));
  return nullptr;
}

} // namespace memlane::measure
