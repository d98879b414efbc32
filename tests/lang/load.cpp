#include "support/catch.hpp"
#include "texts.hpp"

#include "memlane/lang/check.hpp"

#include <map>

using namespace memlane;
using namespace memlane::lang;

namespace {

/// Programs by name, and replacements, as a command line would give them.
struct Load {
  std::map<std::string, std::string> files;
  std::vector<std::string> fns = {}, types = {}, layouts = {};
  Sources sources = {};
  std::string messages = {};

  std::vector<std::int32_t> add(const std::string& option, const std::vector<std::string>& texts) {
    std::vector<std::int32_t> result;
    for (const auto& text : texts) result.push_back(sources.add(option, text));
    return result;
  }

  Program operator()() {
    const auto loader = [&](const Name& program, const std::string&) -> Result<std::int32_t> {
      const auto found = files.find(program.text);
      if (found == files.end()) return error_in("", "no file " + program.text + ".lane");
      return sources.add(found->first + ".lane", found->second);
    };
    const auto file = sources.add("top.lane", files["top"]);
    const Replacements replacements{add("--fn", fns), add("--type", types),
                                    add("--layout", layouts)};
    auto result = load_program(sources, file, loader, replacements);
    if (result) return *result;
    messages = render(result.errors(), sources);
    return {};
  }
};

template <class Decls>
std::string names(const Decls& decls) {
  std::string result;
  for (const auto& decl : decls) result += decl.name.text + " ";
  return result;
}

std::string arrays(const Program& program) {
  std::string result;
  for (const auto& decl : program.arrays)
    for (const auto& array : decl.arrays)
      result += array.name.text + "[" + shape(array.extents[0]) + "]" +
                (decl.layout ? " " + decl.layout->name.text : "") + " ";
  return result;
}

} // namespace

TEST_CASE("a used program's declarations come first, but not its claims") {
  Load load{{{"top", "use base\nparam k: int = 1\nclaim time == 1 \"mine\""},
             {"base", "/// Base\nparam n: int = 2\nmain { }\nclaim time == 2 \"its\""}}};
  const Program p = load();
  INFO(load.messages);
  CHECK(names(p.params) == "n k ");
  REQUIRE(p.claims.size() == 1);
  CHECK(p.claims[0].source == "mine");
  CHECK(p.hosts.size() == 1);
  CHECK(p.path == "top.lane");
  CHECK(p.doc.empty());
  CHECK(p.uses.size() == 1);
}

TEST_CASE("a fn that only the claims of a used program call does not stand in the way") {
  Load load{{{"top", "use base\nmain { launch k() }\nverify { assert true }"},
             {"base", "memory a[8]: int\nfn rounds = p/w + L - 1\n"
                      "kernel k() { forall i in 0..8 { a[i] = i } }\n"
                      "claim time <= 9*rounds \"its\""}}};
  const Program program = load();
  REQUIRE(load.messages.empty());
  const auto checked = check(load.sources, program);
  CHECK((checked ? "" : render(checked.errors(), load.sources)) == "");
  load.files["base"] += "\nfn typo = roundz";
  load.files["top"] += "\nfn mine = roundz";
  const auto wrong = check(load.sources, load());
  REQUIRE(!wrong);
  const std::string message = render(wrong.errors(), load.sources);
  CHECK(message.find("top.lane:4:11: error: unknown name 'roundz'\n") == 0);
  CHECK(message.find("base.lane") == std::string::npos);
}

TEST_CASE("what the user declares stands in the place of its namesake") {
  Load load{{{"top", "use base\nfn g = 7\nparam n: int = 9\nmemory b[9]: int\nmemory z[1]: int\n"
                     "main { x = 1 }\nkernel k() { barrier }\ntype t = float"},
             {"base", "param n: int = 2\nparam m: int = 3\nfn f = 1\nfn g = 2\nfn h = 3\n"
                      "memory a[1], b[2], c[3]: int layout rows\nmain { }\nverify { }\n"
                      "proc k() { }\ntype t = int"}}};
  const Program p = load();
  INFO(load.messages);
  CHECK(names(p.params) == "n m ");
  REQUIRE(p.params.size() == 2);
  CHECK(shape(p.params[0].value) == "9");
  CHECK(names(p.fns) == "f g h ");
  CHECK(shape(p.fns[1].body) == "7");
  CHECK(arrays(p) == "a[1] rows b[9] c[3] rows z[1] ");
  REQUIRE(p.hosts.size() == 2);
  CHECK(p.hosts[0].body.size() == 1);
  REQUIRE(p.kernels.size() == 1);
  CHECK_FALSE(p.kernels[0].proc);
  CHECK(p.types[0].alias->text == "float");
}

TEST_CASE("names of other kinds, and doubles of one file, are left to the checker") {
  Load load{{{"top", "use base\nfn n = 1\nfn f = 2\nfn f = 3"}, {"base", "param n: int = 2"}}};
  const Program p = load();
  CHECK(names(p.params) == "n ");
  CHECK(names(p.fns) == "n f f ");
}

TEST_CASE("a program used twice is taken in once") {
  Load load{{{"top", "use left\nuse right\nuse left"},
             {"left", "use base\nfn f = 2"},
             {"right", "use base\nfn g = 3"},
             {"base", "fn f = 1\nfn g = 1\nfn h = 1"}}};
  const Program p = load();
  INFO(load.messages);
  REQUIRE(names(p.fns) == "f g h ");
  CHECK(shape(p.fns[0].body) == "2");
  CHECK(shape(p.fns[1].body) == "3");
}

TEST_CASE("two used programs keep their namesakes until the user replaces both") {
  Load load{{{"top", "use left\nuse right"}, {"left", "fn f = 1"}, {"right", "fn f = 2"}}};
  CHECK(names(load().fns) == "f f ");
  load = {{{"top", "use left\nuse right\nfn f = 3"}, {"left", "fn f = 1"}, {"right", "fn f = 2"}}};
  const Program p = load();
  REQUIRE(names(p.fns) == "f ");
  CHECK(shape(p.fns[0].body) == "3");
}

TEST_CASE("circles of use") {
  Load self{{{"top", "use top"}}};
  self();
  CHECK(self.messages == "top.lane:1:5: error: a program cannot use itself\n"
                         "    use top\n        ^^^\n");
  Load circle{{{"top", "use a"}, {"a", "use b"}, {"b", "\nuse a"}}};
  circle();
  CHECK(circle.messages == "b.lane:2:5: error: programs use each other in a cycle\n"
                           "    use a\n        ^\n"
                           "a.lane:1:5: note: through this 'use'\n"
                           "    use b\n        ^\n");
}

TEST_CASE("missing and broken used programs are told together") {
  Load load{{{"top", "use none\nuse broken\nparam n int = 3"}, {"broken", "fn = 3"}},
            {"nothing = 3"}};
  load();
  CHECK(load.messages == "top.lane:1:5: error: no file none.lane\n"
                         "    use none\n        ^^^^\n"
                         "top.lane:3:9: error: expected ':', found 'int'\n"
                         "    param n int = 3\n            ^^^\n"
                         "  help: a parameter is 'param n: int = 1024'\n"
                         "broken.lane:1:4: error: expected a name for the fn, found '='\n"
                         "    fn = 3\n       ^\n");
}

TEST_CASE("an endless chain of programs ends") {
  Sources sources;
  const auto file = sources.add("0", "use next");
  int made = 0;
  const auto loader = [&](const Name&, const std::string&) -> Result<std::int32_t> {
    return sources.add(std::to_string(++made), "use next");
  };
  const auto result = load_program(sources, file, loader, {});
  REQUIRE_FALSE(result);
  CHECK(result.errors()[0].message == "programs use each other more than 64 files deep");
}

TEST_CASE("replacements from outside") {
  Load load{{{"top", "use base\ntype value = int\nfn combine(x, y) = x + y\n"
                     "memory a[1], b[2], c[3]: value\n"
                     "kernel k() { if 1 { shared s[1], b[2]: int layout rows } }"},
             {"base", "fn identity = 0"}},
            {"combine(u, v) = u * v", "identity = 1"},
            {"value = (first: int, second: int)"},
            {"b=padded(1)", "s=diagonal"}};
  const Program p = load();
  INFO(load.messages);
  REQUIRE(names(p.fns) == "identity combine ");
  CHECK(shape(p.fns[0].body) == "1");
  CHECK(shape(p.fns[1].body) == "(u * v)");
  CHECK(p.types[0].fields.size() == 2);
  CHECK(arrays(p) == "a[1] b[2] padded c[3] ");
  const auto& inner = p.kernels[0].body[0].body;
  REQUIRE(inner.size() == 2);
  CHECK(inner[0].arrays->layout->name.text == "diagonal");
  CHECK(inner[1].arrays->layout->name.text == "padded");
  CHECK(shape(inner[1].arrays->layout->arguments[0]) == "1");
}

TEST_CASE("wrong replacements are errors with places") {
  const auto message = [](const std::string& fn, const std::string& type,
                          const std::string& layout) {
    Load load{{{"top", "fn combine(x, y) = x\nfn zero = 0\ntype value = int\n"
                       "memory table[3]: int"}}};
    if (!fn.empty()) load.fns = {fn};
    if (!type.empty()) load.types = {type, "value=int"};
    if (!layout.empty()) load.layouts = {layout, "table=rows"};
    load();
    return load.messages;
  };
  CHECK(message("combin(x, y) = x", "", "") ==
        "--fn:1:1: error: the program declares no fn 'combin'\n"
        "    combin(x, y) = x\n    ^^^^^^\n  help: did you mean 'combine'?\n"
        "  help: fns: combine, zero\n");
  CHECK(message("combine(x) = x", "", "") ==
        "--fn:1:1: error: 'combine' has 2 parameters, but its replacement has 1 parameter\n"
        "    combine(x) = x\n    ^^^^^^^\n"
        "top.lane:1:1: note: what it would replace\n"
        "    fn combine(x, y) = x\n    ^^^^^^^^^^^^^^^^^^^^\n");
  CHECK(message("zero(x) = x", "", "").find("has no parameters, but its replacement has 1") !=
        std::string::npos);
  CHECK(message("fn zero = 1", "", "").find("help: leave 'fn' out") != std::string::npos);
  CHECK(message("zero = 2 3", "", "").find("expected the end of the text, found '3'") !=
        std::string::npos);
  CHECK(message("", "valu=float", "").find("did you mean 'value'?") != std::string::npos);
  CHECK(message("", "x=float", "").find("help: types: value\n") != std::string::npos);
  CHECK(message("", "", "x=rows").find("help: arrays: table\n") != std::string::npos);
  CHECK(message("", "value=", "").find("--type:1:7: error: expected the name of a type") == 0);
  CHECK(message("", "value=long", "").find("'value' is replaced twice") != std::string::npos);
  CHECK(message("", "", "tabel=rows").find("did you mean 'table'?") != std::string::npos);
  CHECK(message("", "", "table rows").find("--layout:1:7: error: expected '='") == 0);
  CHECK(message("", "", "table=diagonal").find("'table' is replaced twice") != std::string::npos);
  CHECK(message("", "", "zero=rows").find("the program declares no array 'zero'") !=
        std::string::npos);
}

TEST_CASE("a number replaces a record together with the fns that use its fields") {
  const auto message = [](const std::string& type, const std::vector<std::string>& fns) {
    Load load{{{"top", "type item = int\ntype pair = (head: int, sum: item)\n"
                       "type other = (head: item, sum: item)\nfn zero = pair(0, 0)"}}};
    load.types = {type};
    load.fns = fns;
    load();
    return load.messages;
  };
  CHECK(message("pair=long", {}) ==
        "--type:1:6: error: 'pair' is a record with the fields head, sum: no number can replace "
        "it alone\n"
        "    pair=long\n         ^^^^\n"
        "  help: replace the fns that use its fields, too: --fn \"…\"\n"
        "  help: types of the program that are numbers: item\n"
        "top.lane:2:1: note: what it would replace\n"
        "    type pair = (head: int, sum: item)\n    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n");
  CHECK(message("pair=long", {"zero = 0"}).empty());
  CHECK(message("pair=other", {}).empty());
  CHECK(message("item=long", {}).empty());
  CHECK(message("pair = (head: long, sum: item)", {}).empty());
}
