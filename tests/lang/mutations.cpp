// Laws of the parser under texts that nobody meant: it ends, and gives a program or messages, each
// with a place inside the text.
#include "support/catch.hpp"
#include "texts.hpp"

#include "memlane/support/random.hpp"

using namespace memlane;

namespace {

/// Draws of one test, in order.
class Draws {
public:
  explicit Draws(std::uint64_t stream) : stream_(stream) {}
  std::size_t below(std::size_t size) {
    return static_cast<std::size_t>(
        random_integer(2014, stream_, counter_++, 0, static_cast<std::int64_t>(size) - 1));
  }

private:
  std::uint64_t stream_;
  std::uint64_t counter_ = 0;
};

bool lawful(const Diagnostic& error, const std::string& text) {
  return error.span.known() && error.span.begin <= error.span.end &&
         error.span.end <= text.size() && !error.message.empty();
}

void check_law(const std::string& text) {
  const Parsed t(text);
  if (t.ok()) return;
  INFO(text);
  REQUIRE_FALSE(t.result.errors().empty());
  for (const Diagnostic& error : t.result.errors()) REQUIRE(lawful(error, text));
  REQUIRE_FALSE(t.messages().empty());
}

const std::vector<std::string> pieces{
    "use",        "param",   "where",   "const", "type", "memory",  "shared",  "var",    "layout",
    "view",       "fn",      "kernel",  "proc",  "main", "verify",  "claim",   "when",   "on",
    "races",      "allowed", "let",     "if",    "else", "while",   "for",     "to",     "downto",
    "concurrent", "step",    "forall",  "grid",  "sync", "chunked", "barrier", "break",  "assert",
    "launch",     "in",      "then",    "and",   "or",   "not",     "xor",     "true",   "initial",
    "==",         "!=",      "<=",      "<",     ">",    ">>",      "<<",      "+=",     "..",
    "=",          "+",       "-",       "*",     "/",    "%",       "&",       "|",      "~",
    "^",          ".",       ",",       ":",     ";",    "(",       ")",       "[",      "]",
    "{",          "}",       "x",       "n",     "O",    "blocks",  "threads", "12",     "1.5",
    "\"s\"",      "\"",      "\n",      "&&",    "!",    "4abc",    "/*",      "// c\n", "/// d\n",
    "\xFF",       "$",       "\xC3\xA9"};

} // namespace

TEST_CASE("random tokens give a program or messages with places") {
  Draws draws(1);
  for (int k = 0; k < 3000; ++k) {
    std::string text;
    for (std::size_t length = draws.below(60); length > 0; --length)
      text += pieces[draws.below(pieces.size())] + (draws.below(4) ? " " : "");
    check_law(text);
    check_law("main { " + text + " }");
    check_law("main { x = " + text + "\n}");
  }
}

TEST_CASE("random bytes give messages with places") {
  Draws draws(2);
  for (int k = 0; k < 2000; ++k) {
    std::string text;
    for (std::size_t length = draws.below(80); length > 0; --length)
      text += static_cast<char>(draws.below(256));
    check_law(text);
    check_law("main { " + text);
  }
}

TEST_CASE("a program cut short anywhere") {
  const std::string whole = everything;
  for (std::size_t size = 0; size < whole.size(); ++size) check_law(whole.substr(0, size));
}

TEST_CASE("a program with parts lost, doubled, swapped in") {
  const std::string whole = everything;
  Draws draws(3);
  for (int k = 0; k < 3000; ++k) {
    std::string text = whole;
    for (std::size_t changes = 1 + draws.below(3); changes > 0; --changes) {
      const std::size_t at = draws.below(text.size());
      switch (draws.below(4)) {
      case 0: text.erase(at, 1 + draws.below(8)); break;
      case 1: text.insert(at, pieces[draws.below(pieces.size())]); break;
      case 2: text.insert(at, text.substr(at, draws.below(40))); break;
      default: text[at] = static_cast<char>(draws.below(256));
      }
    }
    check_law(text);
  }
}
