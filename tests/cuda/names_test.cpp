// Names of programs that mean something else in C++, in the headers of C and CUDA, or in the rest
// of an emitted file.
#include "cli/shell.hpp"
#include "support/catch.hpp"

#include "memlane/lang/words.hpp"

#include <fmt/format.h>

#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace memlane::test {
namespace {

using Names = std::set<std::string>;

/// The names of a text of C++ without its comments and strings.
Names names_in(const std::string& text) {
  static const std::regex hidden("//[^\n]*|\"(\\\\.|[^\"\\\\\n])*\"");
  static const std::regex name("[A-Za-z_][A-Za-z_0-9]*");
  const std::string code = std::regex_replace(text, hidden, " ");
  Names names;
  for (std::sregex_iterator at(code.begin(), code.end(), name), end; at != end; ++at)
    names.insert(at->str());
  return names;
}

/// The names of the macros that a command prints.
Names macros_of(const Playground& playground, const std::string& command) {
  const Outcome printed = playground.run(command);
  INFO(printed.err);
  REQUIRE(printed.status == 0);
  Names names;
  for (const std::string& line : lines_of(printed.out))
    if (line.rfind("#define ", 0) == 0)
      names.insert(line.substr(8, line.find_first_of(" (", 8) - 8));
  REQUIRE(names.count("INT_MAX") == 1);
  return names;
}

/// Those that a program may give to all that has a name.
Names free_of(const Names& all) {
  Names names = all;
  for (const lang::Word& word : lang::words())
    if (word.kind != lang::WordKind::layout && word.kind != lang::WordKind::machine)
      names.erase(word.name);
  names.erase("_");
  return names;
}

/// A text for each name.
std::string each(const Names& names, const std::string& format) {
  std::string all;
  for (const std::string& name : names) all += fmt::format(fmt::runtime(format), name);
  return all;
}

const std::string last = "main { launch k_() }\nverify { assert true }\n";
const std::string one = "memory zz_[4]: long\nkernel k_() { zz_[0] = 1 }\n" + last;

/// Programs that give the names to parameters; to variables; to fns.
std::vector<std::string> values_named(const Names& names) {
  const std::string begin = "memory zz_[4]: long\nkernel k_() { var s_ = zz_[1]\n",
                    end = "zz_[0] = s_ }\n" + last;
  return {each(names, "param {}: int = 1\n") + one,
          begin + each(names, "let {0} = zz_[2]\ns_ += {0}\n") + end,
          each(names, "fn {0}(x) = x*x + 1\n") + begin + each(names, "s_ += {}(s_)\n") + end};
}

/// To types; to fields of a record.
std::vector<std::string> records_named(const Names& names) {
  return {each(names, "type {0} = ({0}: int, last_: double)\n") + one,
          "type t_ = (" + each(names, "{}: int, ") + "last_: int)\nmemory zz_[4]: t_\n" +
              "kernel k_() { zz_[0] = zz_[1] }\n" + last};
}

} // namespace

TEST_CASE("a program may have the names of macros and of all that emitted files declare",
          "[release]") {
  const Playground playground;
  spit(playground.folder() + "/plain.lane",
       "type pair = (u: int, v: double)\nmemory z[4]: pair\nmemory a[4]: int = random(0, 9)\n"
       "kernel k() { forall sync i in 0..4 { z[i] = z[3 - i] }  a[0] = warp_min(a[1]) }\n"
       "main { launch k() }\nverify { assert a[1] >= 0 }\n");
  const std::string emitted = playground.run("memlane emit-cuda plain.lane -m hmm-h200-plain").out;
  const std::string host = std::string(MEMLANE_HOST_COMPILER) +
                           " -std=c++20 -DMEMLANE_HOST -I" MEMLANE_SOURCE_DIR "/include -x c++ ";
  const Names declared = free_of(names_in(emitted));
  Names names = free_of(macros_of(playground, host + "-dM -E " MEMLANE_HOST_HEADERS));
  names.insert(declared.begin(), declared.end());
  std::vector<std::string> programs = values_named(names);
  for (std::string& program : records_named(declared)) programs.push_back(std::move(program));
  for (const std::string& program : programs) {
    spit(playground.folder() + "/named.lane", program);
    const Outcome outcome =
        playground.run("memlane emit-cuda named.lane -m hmm-h200-plain -o named.cu && " + host +
                       "-fsyntax-only -include " MEMLANE_HOST_HEADERS " named.cu");
    INFO(program.substr(0, 30) << "\n" << outcome.err.substr(0, 2000));
    CHECK(outcome.status == 0);
  }
}

TEST_CASE("arrays of one name in several kernels have random layouts of their own", "[release]") {
  const Playground playground;
  spit(
      playground.folder() + "/twice.lane",
      "memory x[64]: int = index\nmemory y[2, 32]: int layout random_shift\n"
      "kernel one() { shared s[2, 32]: int layout random_shift\n"
      "  forall i in 0..2, j in 0..32 { s[i, j] = x[32*i + j] }\n"
      "  forall i in 0..2, j in 0..32 { y[i, j] = s[1 - i, j] } }\n"
      "kernel two() { shared s[2, 32]: int layout random_permute\n"
      "  forall i in 0..2, j in 0..32 { s[i, j] = y[i, j] }\n"
      "  forall i in 0..2, j in 0..32 { y[i, j] = s[1 - i, j] } }\n"
      "kernel three() { shared y[2, 32]: int layout random_permute\n"
      "  forall i in 0..2, j in 0..32 { y[i, j] = x[32*i + j] }\n"
      "  forall i in 0..2, j in 0..32 { x[32*i + j] = y[1 - i, j] } }\n"
      "main { launch one() threads=64  launch two() threads=64  launch three() threads=64 }\n"
      "verify { for i = 0 to 63 { assert y[i/32, i % 32] == i  assert x[i] == (i + 32) % 64 } }\n");
  const std::string host = std::string(MEMLANE_HOST_COMPILER) +
                           " -std=c++20 -fwrapv -DMEMLANE_HOST -I" MEMLANE_SOURCE_DIR
                           "/include -x c++ -include " MEMLANE_HOST_HEADERS;
  const Outcome outcome =
      playground.run("memlane run twice.lane -m hmm-titan-plain >/dev/null && "
                     "memlane emit-cuda twice.lane -m hmm-titan-plain -o twice.cu && " +
                     host + " twice.cu -fsyntax-only");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
}

TEST_CASE("parameters have no option that all emitted files have") {
  const Playground playground;
  spit(playground.folder() + "/options.lane",
       "param n: int = 4\nparam seed: int = 4 where seed >= 1\nparam seed_: int = 4\n"
       "param samples: int = 4\nmemory a[n + seed + seed_]: int\n"
       "kernel k() { shared s[samples]: int\n  s[lane % samples] = lane\n  a[lane] = s[0] }\n"
       "main { launch k() threads=4 }\nverify { assert true }\n");
  const Outcome emitted = playground.run("memlane emit-cuda options.lane -m hmm-h200-plain");
  INFO(emitted.err);
  REQUIRE(emitted.status == 0);
  for (const char* part : {"take(\"n\", ", "take(\"seed_\", ", "take(\"seed__\", ",
                           "\"seed_\", \"seed >= 1\"", "member(\"seed\", "}) {
    INFO(part);
    CHECK(emitted.out.find(part) != std::string::npos);
  }
  CHECK(emitted.out.find("fixed(\"samples\"") == std::string::npos); // it is the harness's own
  CHECK(emitted.out.find("fixed(\"samples_\", \"samples\")") != std::string::npos);
}

#ifdef MEMLANE_NVCC
TEST_CASE("no name of a program is a macro of CUDA's headers in emitted files", "[release]") {
  const Playground playground;
  spit(playground.folder() + "/all.cu", "#include <cooperative_groups.h>\n#include <mma.h>\n");
  const Names macros = macros_of(playground, MEMLANE_NVCC " -std=c++20 -E -Xcompiler -dM all.cu");
  const auto emitted = [&](const std::string& program) {
    spit(playground.folder() + "/named.lane", program);
    return names_in(playground.run("memlane emit-cuda named.lane -m hmm-h200-plain").out);
  };
  const Names own = emitted(one);
  for (const std::string& name : emitted(values_named(free_of(macros))[0])) {
    INFO(name);
    CHECK((macros.count(name) == 0 || own.count(name) == 1));
  }
}
#endif

} // namespace memlane::test
