#include "memlane/support/json_text.hpp"

#include "support/catch.hpp"

#include "memlane/support/random.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

using namespace memlane;

namespace {

std::optional<JsonValue> read(const std::string& text, Diagnostics& errors) {
  Sources sources;
  return read_json(sources, sources.add("a.json", text), "a machine", errors);
}

/// Converts to a value of the JSON library.
nlohmann::json as_library(const JsonValue& value) {
  switch (value.kind) {
  case JsonKind::null: return nullptr;
  case JsonKind::boolean: return value.boolean;
  case JsonKind::number: return nlohmann::json::parse(value.text, nullptr, false);
  case JsonKind::string: return value.text;
  case JsonKind::array: break;
  case JsonKind::object: {
    auto object = nlohmann::json::object();
    for (const JsonMember& member : value.members) object[member.key] = as_library(member.value);
    return object;
  }
  }
  auto array = nlohmann::json::array();
  for (const JsonValue& item : value.items) array.push_back(as_library(item));
  return array;
}

/// Whether a number overflows a double, which the library rejects and the grammar allows.
bool has_overflow(const JsonValue& value) {
  if (value.kind == JsonKind::number) {
    return nlohmann::json::parse(value.text, nullptr, false).is_discarded();
  }
  for (const JsonValue& item : value.items) {
    if (has_overflow(item)) return true;
  }
  for (const JsonMember& member : value.members) {
    if (has_overflow(member.value)) return true;
  }
  return false;
}

/// Reads a text and compares the result with that of the JSON library.
void compare(const std::string& text) {
  INFO(nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
  Diagnostics errors;
  const auto value = read(text, errors);
  REQUIRE(value.has_value() <=
          (errors.empty() || errors[0].message.find("twice") != std::string::npos));
  REQUIRE((value.has_value() || errors.size() >= 1));
  for (const Diagnostic& error : errors) {
    REQUIRE(error.span.begin <= error.span.end);
    REQUIRE(error.span.end <= text.size());
  }
  const bool mark = text.substr(0, 3) == "\xef\xbb\xbf"; // the library skips it
  const auto library = nlohmann::json::parse(text, nullptr, false);
  if (!value) {
    REQUIRE(
        (library.is_discarded() || mark || errors.back().message == "nested more than 64 deep"));
  } else if (!has_overflow(*value)) {
    REQUIRE_FALSE(library.is_discarded());
    if (errors.empty()) REQUIRE(as_library(*value) == library); // else a key is given twice
  }
}

} // namespace

TEST_CASE("values have their text and place") {
  const std::string text = "{ \"a\" : [ 1, -2.50e+3, \"x\\u00e4\\ud83d\\ude00\\n\" ], \"b\":{} }";
  Diagnostics errors;
  const auto value = read(text, errors);
  REQUIRE(value.has_value());
  REQUIRE(errors.empty());
  const auto written = [&](Span span) { return text.substr(span.begin, span.end - span.begin); };
  CHECK(written(value->span) == text);
  CHECK(written(value->members[0].key_span) == "\"a\"");
  const JsonValue& list = value->members[0].value;
  CHECK(written(list.span) == "[ 1, -2.50e+3, \"x\\u00e4\\ud83d\\ude00\\n\" ]");
  CHECK(list.items[1].text == "-2.50e+3");
  CHECK(written(list.items[1].span) == "-2.50e+3");
  CHECK(list.items[2].text == "x\xc3\xa4\xf0\x9f\x98\x80\n");
  CHECK(written(value->members[1].value.span) == "{}");
}

TEST_CASE("edge cases of the grammar agree with the JSON library") {
  for (const char* text : {"0",
                           "-0",
                           "-",
                           "00",
                           "01",
                           "1.",
                           ".1",
                           "1.0",
                           "1e5",
                           "1e",
                           "1e+",
                           "1E-05",
                           "+1",
                           "0x1",
                           "1_000",
                           "--1",
                           "1-",
                           "1 2",
                           "1e400",
                           "true",
                           "tru",
                           "truee",
                           "null",
                           "nul",
                           "\"\"",
                           "\"",
                           "\"\\",
                           "\"\\u12",
                           "\"\\u123g\"",
                           "\"\\ud800\"",
                           "\"\\ud800x\"",
                           "\"\\ud800\\u0041\"",
                           "\"\\udc00\"",
                           "\"\\ud800\\udc00\"",
                           "\"\\x\"",
                           "\"\x01\"",
                           "\"\x7f\"",
                           "\"\xc3\xa4\"",
                           "\"\xc3\"",
                           "\"\xc0\x80\"",
                           "\"\xed\xa0\x80\"",
                           "\"\xf4\x90\x80\x80\"",
                           "\"\xf5\"",
                           "[",
                           "[]",
                           "[1",
                           "[1,",
                           "[1,]",
                           "[,1]",
                           "[1 2]",
                           "[1,2]",
                           "]",
                           "{",
                           "{}",
                           "{\"a\"",
                           "{\"a\":",
                           "{\"a\":1",
                           "{\"a\":1,",
                           "{\"a\":1,}",
                           "{\"a\" 1}",
                           "{a:1}",
                           "{1:1}",
                           "{,}",
                           "}",
                           "{}{}",
                           "// x",
                           "/* x */ 1",
                           "1 // x",
                           "# x",
                           "\xef\xbb\xbf{}",
                           "NaN",
                           "Infinity",
                           "-Infinity",
                           "\f1",
                           "\v1",
                           "\xc2\xa0"
                           "1",
                           "'a'"}) {
    compare(text);
  }
  compare("");
  compare(" \t\r\n");
  compare(std::string("\"\0\"", 3));
}

TEST_CASE("a zero byte does not end the text, unlike in the JSON library") {
  Diagnostics errors;
  CHECK_FALSE(read(std::string("1\0", 2), errors).has_value());
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].message == "unexpected text after the end of the value");
}

TEST_CASE("random and damaged texts are accepted exactly if the JSON library accepts them") {
  const std::string whole = R"({ "model": "hmm", "width": 32, "t": [1, -2.5e3, true, null, false],
    "shared": { "latency": 2, "n": "\u00e4\ud83d\ude00 \\ \"" }, "global": { } })";
  const std::string letters = "{}[]\":,0123456789-+.eE \n\ttrufalsn\\u/#'\xc3\xa4\xf0\x80";
  std::uint64_t draw = 0;
  const auto next = [&](std::size_t size) {
    return static_cast<std::size_t>(
        random_integer(17, 4, draw++, 0, static_cast<std::int64_t>(size) - 1));
  };
  for (int round = 0; round < 6000; ++round) {
    std::string text = whole;
    for (std::size_t edits = 1 + next(3); edits > 0 && !text.empty(); --edits) {
      const std::size_t at = next(text.size());
      switch (next(4)) {
      case 0: text.erase(at, 1 + next(4)); break;
      case 1: text[at] = letters[next(letters.size())]; break;
      case 2: text.insert(at, 1, letters[next(letters.size())]); break;
      default: text.resize(at); break;
      }
    }
    compare(text);
  }
  for (int round = 0; round < 6000; ++round) {
    std::string text;
    for (std::size_t length = next(12); length > 0; --length) text += letters[next(letters.size())];
    compare(text);
  }
}

TEST_CASE("nesting is accepted up to its limit") {
  for (const auto& [open, close] : {std::pair{"[", "]"}, std::pair{"{\"a\":", "}"}}) {
    for (int depth : {64, 65, 100000}) {
      std::string text;
      for (int i = 0; i < depth; ++i) text += open;
      text += "1";
      for (int i = 0; i < depth; ++i) text += close;
      Diagnostics errors;
      CHECK(read(text, errors).has_value() == (depth == 64));
    }
  }
}

TEST_CASE("many keys, and many duplicate keys, are read in linear time") {
  std::string text = "{";
  for (int i = 0; i < 60000; ++i) text += "\"k" + std::to_string(i / 2) + "\":1,";
  text.back() = '}';
  Diagnostics errors;
  REQUIRE(read(text, errors).has_value());
  CHECK(errors.size() == 30000);
}

TEST_CASE("messages name values and keys on one line") {
  CHECK(in_quotes("a\nb\x1b[31m\"\\") == "\"a\\x0ab\\x1b[31m\\\"\\\\\"");
  CHECK(in_quotes("\xff\xc3\xa4") == "\"\\xff\xc3\xa4\"");
  CHECK(in_quotes(std::string(100, 'x')) == "\"" + std::string(60, 'x') + "…\"");
  CHECK(shown_key("shared") == "shared");
  CHECK(shown_key("") == "\"\"");
  CHECK(shown_key("two words") == "\"two words\"");
}
