// Texts made to break a parser.
#include "support/catch.hpp"
#include "texts.hpp"

#include "memlane/lang/check.hpp"

namespace {

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int k = 0; k < times; ++k) result += text;
  return result;
}

bool says(const Parsed& parsed, const std::string& message) {
  return parsed.messages().find(message) != std::string::npos;
}

} // namespace

TEST_CASE("deep nesting is one clear error") {
  for (const char* nest :
       {"(", "-", "~", "not ", "f(", "a[", "if ", "2^", "1 + (", "if 1 then 2 else "}) {
    const Parsed t("const x = " + repeated(nest, 20000));
    INFO(nest);
    REQUIRE_FALSE(t.ok());
    CHECK(says(t, "nested too deeply"));
    CHECK(t.result.errors().size() == 1);
  }
  CHECK(Parsed("const x = " + repeated("(", 60) + "1" + repeated(")", 60)).ok());
}

TEST_CASE("a chain makes a high tree without any nesting: an error as well") {
  for (const char* chain : {"1 + ", "1 * ", "1 and ", "1 or "})
    CHECK(says(Parsed("const x = " + repeated(chain, 20000) + "1"), "too long"));
  for (const char* less : {"1 < ", "a <= ", "1 == "})
    CHECK(says(Parsed("const x = " + repeated(less, 8000) + "1"), "too long"));
  CHECK(says(Parsed("const x = a" + repeated("[0]", 20000)), "too long"));
  CHECK(says(Parsed("const x = a" + repeated(".b", 20000)), "too long"));
  CHECK(Parsed("const x = " + repeated("1 + ", 300) + "1").ok());
  CHECK(Parsed("const x[20001]: int = [0" + repeated(", 0", 20000) + "]").ok());
}

TEST_CASE("calls, views and types nest as deep as they are declared: an error as well") {
  const auto chain = [](const std::string& first, auto link, const std::string& body) {
    std::string text = "memory a[8]: int\n" + first;
    for (int i = 1; i < 3000; ++i) text += link(std::to_string(i), std::to_string(i - 1));
    return text + "kernel k() { " + body + " }\nmain { launch k() }\nverify { }\n";
  };
  using std::string;
  for (const string& text :
       {chain(
            "fn f0(x) = x\n",
            [](string i, string j) { return "fn f" + i + "(x) = f" + j + "(x) + 1\n"; },
            "a[0] = f2999(a[1])"),
        chain(
            "fn f0 = 0\n", [](string i, string j) { return "fn f" + i + " = f" + j + " + 1\n"; },
            "a[0] = f2999"),
        chain(
            "proc f0() { }\n",
            [](string i, string j) { return "proc f" + i + "() { f" + j + "() }\n"; }, "f2999()"),
        chain(
            "view v0 = a\n",
            [](string i, string j) { return "view v" + i + " = v" + j + "[0 .. 8]\n"; },
            "v2999[0] = 1"),
        chain(
            "type t2999 = int\n",
            [](string i, string j) { return "type t" + j + " = t" + i + "\n"; }, "a[0] = t0(1)")}) {
    Parsed t(text);
    INFO(text.substr(0, 100));
    REQUIRE(t.ok());
    const auto checked = memlane::lang::check(t.sources, *t.result);
    REQUIRE_FALSE(checked.ok());
    CHECK(checked.errors().size() == 1);
    CHECK(checked.errors().front().message.find("nested too deeply") != std::string::npos);
  }
}

TEST_CASE("min and max take a thousand arguments") {
  const auto with = [](int count) {
    Parsed t("memory a[8]: int\nkernel k() { a[0] = min(a[1]" + repeated(", a[1]", count - 1) +
             ") }\nmain { launch k() }\nverify { }\n");
    REQUIRE(t.ok());
    const auto checked = memlane::lang::check(t.sources, *t.result);
    return checked.ok() ? std::string() : checked.errors().front().message;
  };
  CHECK(with(1000).empty());
  CHECK(with(1001) == "'min' takes at most 1000 arguments, 1001 arguments are given");
}

TEST_CASE("blocks without end") {
  for (const char* nest :
       {"while 1 {", "{", "forall i in 0..n {", "if 1 { } else ", "x ) {", "if 1 { } else if 1 "}) {
    const Parsed t("main {" + repeated(nest, 20000));
    INFO(nest);
    REQUIRE_FALSE(t.ok());
    CHECK(t.result.errors().size() <= 101);
  }
}

TEST_CASE("many errors end in one line that says so") {
  const Parsed t("main {\n" + repeated("x = )\n", 1000) + "}\n");
  REQUIRE_FALSE(t.ok());
  CHECK(t.result.errors().size() == 101);
  CHECK(t.result.errors().back().message == "too many errors; later ones are not shown");
  CHECK(Parsed(std::string(300000, '$')).result.errors().size() == 1);
  CHECK(Parsed(repeated("! $", 20000)).result.errors().size() <= 101);
  CHECK(Parsed(repeated("f(a[", 20000)).result.errors().size() <= 101);
  CHECK(Parsed("main { " + repeated("f(a[\n", 20000)).result.errors().size() <= 101);
  CHECK(says(Parsed(std::string(5 << 20, ' ')), "larger than 4 MiB"));
}

TEST_CASE("a very long word stays a short message") {
  CHECK(Parsed(std::string(200000, 'k')).messages().size() < 1000);
  CHECK(Parsed("main { " + std::string(200000, 'k') + " }").messages().size() < 1000);
  CHECK(Parsed("param n: int = 4" + std::string(200000, 'k')).messages().size() < 1000);
}

TEST_CASE("bytes that are no text") {
  const std::string no_text = "this is not UTF-8 text: unexpected byte ";
  CHECK(says(Parsed(std::string("param\0n", 7)), no_text + "0x00"));
  CHECK(says(Parsed("param \xFF"), no_text + "0xff"));
  CHECK(says(Parsed("// \xC0\xAF"), no_text + "0xc0"));
  CHECK(says(Parsed("// \xED\xA0\x80"), no_text + "0xed"));
  CHECK(says(Parsed("main { assert 1 \"\xE2\x88\" }"), no_text + "0xe2"));
  // Whatever else such a file holds, it is the only error.
  CHECK(Parsed(repeated(std::string("}\x7f$ELF\0\xFF\n", 9), 1000)).result.errors().size() == 1);
  CHECK(Parsed(repeated("x = ) // \xE4\n", 1000)).result.errors().size() == 1);
  CHECK(says(Parsed("param \xC3\xA9: int = 1"), "unexpected character '\xC3\xA9'"));
  CHECK(Parsed("// \xC3\xA9 \xF0\x9F\x98\x80\nmain { }").ok());
}
