// Result strings: what is printed holds; what is forged, damaged or hostile does not.
#include "exercise_fixture.hpp"

#include "memlane/grade/result_string.hpp"
#include "memlane/points/packed_text.hpp"
#include "memlane/support/sha256.hpp"

namespace memlane::test {
namespace {

const std::string version = "0.1.0";

/// What a file's `grade --result` prints.
std::string printed(const Playground& playground, const std::string& arguments, int status = 0) {
  const Outcome outcome = playground.run("memlane grade " + arguments + " --result");
  INFO(outcome.err);
  CHECK(outcome.status == status);
  CHECK(outcome.err.find("points") != std::string::npos);
  return outcome.out.substr(0, outcome.out.find('\n'));
}

Outcome verified(const Playground& playground, const std::string& line,
                 const std::string& options = "") {
  return playground.run("memlane grade --verify '" + line + "' " + options);
}

Outcome verified_lines(const Playground& playground, const std::string& lines,
                       const std::string& options = "") {
  spit(playground.folder() + "/lines", lines);
  return playground.run("memlane grade --verify - " + options + " < lines");
}

/// A string with points that `grade` has not given.
std::string forged(const std::string& exercise, std::int64_t points, const std::string& program,
                   const std::string& its_version = version) {
  grade::GradeResult result;
  result.exercise = exercise;
  result.status = grade::GradeStatus::passed;
  result.graded = program;
  result.criteria.resize(1);
  result.criteria[0].spec.points = points;
  result.criteria[0].fulfilled = true;
  const auto line = grade::result_string(result, its_version);
  REQUIRE(line);
  return *line;
}

/// With any text inside, and the right hash.
std::string enclosing(const std::string& text, const std::string& number = "1") {
  const std::string letters = sweep::packed(text);
  return "memlane-result-" + number + "." + letters + "." + sha256(text).substr(0, 8);
}

void check_refused(const Outcome& outcome, const std::string& part) {
  INFO(outcome.err);
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.find(part) != std::string::npos);
  CHECK(outcome.err.find("help: ") != std::string::npos);
}

} // namespace

TEST_CASE("a result string holds for the program in it, whatever its grade is") {
  const Playground playground;
  spit(playground.folder() + "/01_map.lane", text_of_solution("01_map"));
  const std::string right = printed(playground, "01_map.lane");
  CHECK(right.starts_with("memlane-result-1."));
  const Outcome outcome = verified(playground, right);
  CHECK(outcome.status == 0);
  CHECK(outcome.out == "true: 01_map: passed, 10 of 10 points\n");
  const auto json = nlohmann::json::parse(verified(playground, right, "--format json").out);
  CHECK(json.at("verdict") == "true");
  CHECK(json.at("program") == text_of_solution("01_map"));
  CHECK(json.at("sha256") == sha256(text_of_solution("01_map")));

  spit(playground.folder() + "/02_zip.lane", text_of_skeleton("02_zip"));
  const Outcome not_yet = verified(playground, printed(playground, "02_zip.lane", 1));
  CHECK(not_yet.status == 0);
  CHECK(not_yet.out == "true: 02_zip: not yet, 0 of 10 points\n");
  spit(playground.folder() + "/03_guards.lane", "kernel \n");
  const Outcome error = verified(playground, printed(playground, "03_guards.lane --seed 7", 2));
  CHECK(error.out == "true: 03_guards: error, 0 of 10 points\n");
  // Kernels are in it as PTX, which needs no nvcc.
  spit(playground.folder() + "/15_cuda_transpose.ptx",
       slurp(MEMLANE_SOURCE_DIR "/tests/exercises/15_cuda_transpose.ptx"));
  CHECK(verified(playground, printed(playground, "15_cuda_transpose.ptx")).status == 0);
}

TEST_CASE("a result string that claims something else is false, and says what is so") {
  const Playground playground;
  const std::string skeleton = text_of_skeleton("01_map");
  const Outcome points = verified(playground, forged("01_map", 10, skeleton));
  CHECK(points.status == 1);
  CHECK(points.out == "false: it says passed, 10 of 10 points; its program's grade is not yet, 0 "
                      "of 10 points\n");
  // Points that no exercise has.
  CHECK(verified(playground, forged("01_map", 1'000'000, text_of_solution("01_map"))).status == 1);
  const Outcome other =
      verified(playground, forged("01_map", 10, text_of_solution("01_map")), "--exercise 02_zip");
  CHECK(other.status == 1);
  CHECK(other.out == "false: it is for 01_map, not for 02_zip\n");
  const Outcome row = verified(playground, forged("01_map", 10, skeleton), "--format csv");
  CHECK(row.status == 1);
  CHECK(row.out == "from,verdict,exercise,status,points,most_points,claimed_status,claimed_points,"
                   "seed,says,sha256\n"
                   ",false,01_map,not yet,0,10,passed,10,0,\"it says passed, 10 of 10 points; its "
                   "program's grade is not yet, 0 of 10 points\"," +
                       sha256(skeleton) + "\n");
}

TEST_CASE("a program that knows the random data is found out by another seed") {
  const Playground playground;
  const std::string line = forged("01_map", 10, text_of_solution("01_map"));
  CHECK(verified(playground, line, "--seed 99").status == 0);
  const std::string cheat = with(text_of_solution("01_map"), "3 * a[i] + 1",
                                 "(if a[0] == -19 or n == 1 then 3 * a[i] + 1 else 0)");
  const Outcome fresh = verified(playground, forged("01_map", 10, cheat), "--seed 99");
  CHECK(fresh.status == 1);
  CHECK(fresh.out.find("not yet, 0 of 10 points") != std::string::npos);
}

TEST_CASE("what is no result string, damaged, or of another memlane is refused with a way out") {
  const Playground playground;
  const std::string line = forged("01_map", 10, text_of_solution("01_map"));
  check_refused(verified(playground, "passed"), "this is no result string");
  check_refused(verified(playground, ""), "this is no result string");
  check_refused(verified(playground, "memlane-result-"), "damaged");
  check_refused(verified(playground, "memlane-result-1."), "damaged");
  check_refused(verified(playground, "memlane-result-1..e3b0c442"), "damaged");
  for (const std::size_t left :
       {line.size() - 1, line.size() - 9, line.size() / 2, std::size_t{30}})
    check_refused(verified(playground, line.substr(0, left)), "damaged");
  std::string changed = line;
  changed[40] = changed[40] == 'A' ? 'B' : 'A';
  check_refused(verified(playground, changed), "damaged");
  std::string foreign = line;
  foreign[40] = '+';
  check_refused(verified(playground, foreign), "damaged");
  check_refused(verified(playground, forged("01_map", 10, "x", "0.2.0")),
                "is of memlane 0.2.0, this is memlane 0.1.0");
  check_refused(verified(playground, enclosing("{}\n", "2")), "format \"2\", this memlane reads 1");
  check_refused(verified(playground, forged("01_mop", 10, "x")),
                "no shipped exercise is named \"01_mop\"");
  check_refused(verified(playground, forged("../exercises/01_map", 10, "x")),
                "no shipped exercise");
  check_refused(verified(playground, forged(playground.folder() + "/thirds", 10, "x")),
                "no shipped exercise");
}

TEST_CASE("a hostile result string costs little") {
  const Playground playground;
  check_refused(verified(playground, enclosing(std::string(std::size_t{8} << 20, 'a'))),
                "unpacks to more than");
  check_refused(verified(playground, enclosing("{\n")), "the result string:1:1");
  check_refused(verified(playground, enclosing("[]\n")), "must be an object");
  check_refused(verified(playground, enclosing("no line end")), "damaged");
  check_refused(verified(playground, enclosing(R"({"memlane":"0.1.0"})"
                                               "\n")),
                "exercise");
  const Outcome long_line =
      verified_lines(playground, "memlane-result-1." + std::string(std::size_t{3} << 20, 'A'));
  CHECK(long_line.status == 2);
  CHECK(long_line.out.find("more than 2097152 letters") != std::string::npos);
  const std::string endless = with(text_of_solution("01_map"),
                                   "c[i] =", "var k: long = 0  while k >= 0 { k += 1 }  c[i] =");
  const Outcome steps = verified(playground, forged("01_map", 10, endless));
  CHECK(steps.status == 1);
  CHECK(steps.out.find("stopped, 0 of 10 points") != std::string::npos);
}

TEST_CASE("lines of a class are rows, with what is before the strings") {
  const Playground playground;
  const std::string right = forged("01_map", 10, text_of_solution("01_map"));
  const std::string wrong = forged("02_zip", 10, text_of_skeleton("02_zip"));
  CHECK(right != wrong);
  for (const char* const jobs : {"1", "2"}) {
    const Outcome rows = verified_lines(playground,
                                        "ada," + right + "\r\n\r\n  \"bob\" : \"" + wrong +
                                            "\",2026\n  " + right + "  ",
                                        std::string("--format csv --jobs ") + jobs);
    INFO(rows.out);
    CHECK(rows.status == 1);
    const std::string& out = rows.out;
    CHECK(out.find("\nada,true,01_map,passed,10,10,passed,10,0,,") != std::string::npos);
    CHECK(out.find("\nbob,false,02_zip,not yet,0,10,passed,10,0,") != std::string::npos);
    CHECK(out.find("\nline 4,true,01_map,") != std::string::npos);
  }
  const Outcome refused = verified_lines(playground, "ada " + right + "\neve nothing\n");
  CHECK(refused.status == 2);
  CHECK(refused.out.find("line 2  refused") != std::string::npos);
  CHECK(verified_lines(playground, right + "\n" + right).status == 0);
  check_refused(verified_lines(playground, "\r\n \n"), "standard input has no result string");
  check_refused(verified_lines(playground, right, "--format json"), "--format jsonl");
}

TEST_CASE("a teacher's own exercise is named when its result string is checked") {
  const Playground playground;
  std::filesystem::create_directories(playground.folder() + "/mine");
  for (const char* const ending : {".lane", ".check.lane", ".grade.json"})
    spit(playground.folder() + "/mine/own" + ending,
         slurp(std::string(MEMLANE_SOURCE_DIR "/programs/exercises/01_map") + ending));
  spit(playground.folder() + "/hand-in.lane", text_of_solution("01_map"));
  const std::string line = printed(playground, "hand-in.lane --exercise mine/own");
  check_refused(verified(playground, line), "--exercise FOLDER/NAME");
  const Outcome outcome = verified(playground, line, "--exercise mine/own");
  CHECK(outcome.status == 0);
  CHECK(outcome.out == "true: own: passed, 10 of 10 points\n");
}

TEST_CASE("options that do not go with result strings are said") {
  const Playground playground;
  spit(playground.folder() + "/01_map.lane", text_of_solution("01_map"));
  std::filesystem::create_directories(playground.folder() + "/class");
  check_refused(playground.run("memlane grade class --result"), "--format csv");
  check_refused(playground.run("memlane grade 01_map.lane --result --format json"), "--format");
  check_refused(playground.run("memlane grade --verify x --check"), "--check");
  check_refused(playground.run("memlane grade --verify x --result"), "--verify");
  std::string large = text_of_solution("01_map") + "\n// ";
  large.append(std::size_t{2} << 20, 'x');
  spit(playground.folder() + "/01_map.lane", large);
  const Outcome outcome = playground.run("memlane grade 01_map.lane --result");
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
}

} // namespace memlane::test
