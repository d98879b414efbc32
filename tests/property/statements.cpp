// The statements of a kernel that cost (configs/README.md section 6), as its instructions name
// them.
#include "compiling.hpp"
#include "support/catch.hpp"

namespace memlane::test {
namespace {

/// The costed statements in order of the code: their texts, with the mark of what each execution
/// performs: ! a counted operator or access to a memory array, ? depends on the lanes, - neither.
std::vector<std::string> costed(const std::string& statements, const std::string& declared = "") {
  const std::string text = "memory a[16], c[16]: int = index\n" + declared +
                           "kernel k() {\n  shared s[16]: int\n" + statements +
                           "\n}\nmain { launch k() }\nverify { assert true }\n";
  Sources sources;
  const auto code = compiled(sources, text, machine_of_8(Model::hmm));
  if (!code) FAIL(render(code.errors(), sources));
  std::vector<std::string> found;
  for (const ir::Statement& s :
       code->functions[static_cast<std::size_t>(code->kernels[0])].statements)
    found.push_back(std::string(1, "-!?"[static_cast<int>(s.performs)]) +
                    text.substr(s.span.begin, s.span.end - s.span.begin));
  return found;
}

using Texts = std::vector<std::string>;

} // namespace

TEST_CASE("costed statements read or assign data or make a request") {
  CHECK(costed("var x = 1  let y = a[lane]  x = y  x += 1  let z = lane*2  s[z] = 0") ==
        Texts{"!let y = a[lane]", "-x = y", "!x += 1", "-s[z] = 0"});
  CHECK(costed("if lane < 3 { }  if s[lane] < 3 { }  while a[lane] < 0 { }") ==
        Texts{"-s[lane] < 3", "!a[lane] < 0"});
  CHECK(costed("for i = s[0] to a[1] + 2 { }  forall i in 0..a[2] { c[i] = 0 }") ==
        Texts{"-s[0]", "!a[1] + 2", "!a[2]", "!c[i] = 0"});
  CHECK(
      costed("p(c[s[0]..a[1]], a[2], lane)", "proc p(X[_]: int, x: int, y: int) { X[y] = x }\n") ==
      Texts{"-s[0]", "!a[1]", "!a[2]", "!X[y] = x"});
}

TEST_CASE("costed statements in blocks of fns are separate statements") {
  const std::string f = "fn f(x) { let y = x + 1  if y > 2 { return y }  return 0 }\n";
  CHECK(costed("s[lane] = f(a[lane])", f) ==
        Texts{"!s[lane] = f(a[lane])", "!let y = x + 1", "-return y"});
}

TEST_CASE("costed statements whose operators only some executions perform") {
  CHECK(costed("s[lane] = if lane < 2 then a[lane] else 0") ==
        Texts{"?s[lane] = if lane < 2 then a[lane] else 0"});
  CHECK(costed("s[lane] = a[0] + (if lane < 2 then a[lane] else 0)") ==
        Texts{"!s[lane] = a[0] + (if lane < 2 then a[lane] else 0)"});
  CHECK(costed("let g = lane < 2 and a[lane] > 0  if g or s[lane] > 1 { s[lane] = 3 }") ==
        Texts{"!let g = lane < 2 and a[lane] > 0", "-g or s[lane] > 1", "-s[lane] = 3"});
}

} // namespace memlane::test
