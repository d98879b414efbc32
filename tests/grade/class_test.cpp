// A teacher's kit: grades of a class, checks of exercises, what students get.
#include "exercise_fixture.hpp"

#include "memlane/support/sha256.hpp"

namespace memlane::test {
namespace {

/// A class of two, with files that are no exercises, hidden or links.
void write_class(const Playground& playground) {
  const std::string at = playground.folder() + "/class/";
  for (const char* const folder : {"ada", "bob/late", ".git"})
    std::filesystem::create_directories(at + folder);
  spit(at + "ada/01_map.lane", text_of_solution("01_map"));
  spit(at + "ada/02_zip.lane", text_of_skeleton("02_zip"));
  spit(at + "ada/notes.txt", "to do");
  spit(at + "bob/late/01_map.lane", "kernel \n");
  spit(at + "bob/mine.lane", text_of_solution("01_map"));
  spit(at + ".git/01_map.lane", "");
  std::filesystem::create_symlink("/etc/hostname", at + "bob/03_guards.lane");
}

} // namespace

TEST_CASE("a folder of a class is a row for each student's file") {
  const Playground playground;
  write_class(playground);
  for (const char* const jobs : {"1", "2"}) {
    const Outcome csv =
        playground.run(std::string("memlane grade class --format csv --jobs ") + jobs);
    CHECK(csv.status == 0);
    CHECK(csv.err ==
          "note: 1 symbolic link is not followed, since a link may lead to the file of another "
          "student: class/bob/03_guards.lane\n"
          "  help: 'cp -rL class COPY' makes a folder with files in place of links\n");
    CHECK(
        csv.out ==
        "file,exercise,status,points,most_points,lacks,says,sha256\n"
        "ada/01_map.lane,01_map,passed,10,10,,," +
            sha256(text_of_solution("01_map")) +
            "\n"
            "ada/02_zip.lane,02_zip,not yet,0,10,coalesced; near the bound,"
            "\"coalesced: global_stages == global_requests is required; umm-w32, n=10000: 9390 "
            "against "
            "960\"," +
            sha256(text_of_skeleton("02_zip")) +
            "\n"
            "bob/late/01_map.lane,01_map,error,0,10,,"
            "\"class/bob/late/01_map.lane:2:1: error: expected a name for the kernel, found the "
            "end of the text\"," +
            sha256("kernel \n") +
            "\n"
            "bob/mine.lane,,error,0,0,,bob/mine.lane: error: it is not named like an exercise,\n");
  }
  const Outcome all = playground.run("memlane grade class/bob -e map");
  CHECK(all.status == 0);
  CHECK(all.out.find("01_map    passed      10  10") != std::string::npos);
  const Outcome lines = playground.run("memlane grade class/ada --format jsonl");
  const auto first = nlohmann::json::parse(lines.out.substr(0, lines.out.find('\n')));
  CHECK(first.at("file") == "01_map.lane");
  CHECK(first.at("points") == 10);
}

TEST_CASE("the row of a file that reached a limit says which", "[release]") {
  const Playground playground;
  std::filesystem::create_directories(playground.folder() + "/class");
  spit(playground.folder() + "/class/01_map.lane",
       with(text_of_solution("01_map"), "launch map()", "while true { launch map() }"));
  const std::string csv = playground.run("memlane grade class --format csv").out;
  INFO(csv);
  CHECK(
      csv.find("01_map,stopped,0,10,,\"correct: not judged: a limit was reached; umm-w32, n=1: ") !=
      std::string::npos);
  CHECK(csv.find("more than 5000000 instructions") != std::string::npos);
}

TEST_CASE("copies of a file are for the exercise that the file is for") {
  const Playground playground;
  std::filesystem::create_directories(playground.folder() + "/class");
  for (const char* const name : {"01_map-2", "01_map (1)", "map-3", "01_map2", "-2", ")"})
    spit(playground.folder() + "/class/" + name + ".lane", text_of_solution("01_map"));
  const Outcome csv = playground.run("memlane grade class --format csv");
  for (const char* const row :
       {"01_map-2.lane,01_map,passed", "01_map (1).lane,01_map,passed", "map-3.lane,01_map,passed",
        "01_map2.lane,,error", "./-2.lane,,error", ").lane,,error"})
    CHECK(csv.out.find(std::string("\n") + row) != std::string::npos);
}

TEST_CASE("names of students' files are no formulas and no controls in a row") {
  const Playground playground;
  std::filesystem::create_directories(playground.folder() + "/class");
  for (const char* const name : {"=1+2.lane", "\x1b[2J.lane"})
    spit(playground.folder() + "/class/" + name, "kernel \n");
  const Outcome csv = playground.run("memlane grade class -e map --format csv --jobs 1");
  CHECK(csv.out.find("\n./=1+2.lane,01_map,error,") != std::string::npos);
  CHECK(csv.out.find("\n\\x1b[2J.lane,01_map,error,") != std::string::npos);
  CHECK(csv.out.find('\x1b') == std::string::npos);
}

TEST_CASE("what cannot be a class is said") {
  const Playground playground;
  std::filesystem::create_directories(playground.folder() + "/empty");
  const Outcome empty = playground.run("memlane grade empty --format csv");
  CHECK(empty.status == 2);
  CHECK(empty.out.empty());
  CHECK(empty.err.find("'empty' has no file .lane, .cu or .ptx") != std::string::npos);
  const std::string folder = playground.folder() + "/empty/";
  std::filesystem::create_symlink("../mine", folder + "folder");
  std::filesystem::create_symlink("nowhere.lane", folder + "01_map.lane");
  std::filesystem::create_symlink("notes.txt", folder + "notes.txt");
  std::filesystem::create_directories(playground.folder() + "/mine");
  const Outcome links = playground.run("memlane grade empty");
  CHECK(links.status == 2);
  CHECK(links.err.find("'empty' has no file to grade: 2 symbolic links are not followed") !=
        std::string::npos);
  CHECK(links.err.find("empty/01_map.lane, empty/folder\n  help: 'cp -rL empty COPY'") !=
        std::string::npos);
  const Outcome json = playground.run("memlane grade empty --format json");
  CHECK(json.status == 2);
  CHECK(json.err.find("--format jsonl") != std::string::npos);
  const Outcome unknown = playground.run("memlane grade . -e mop");
  CHECK(unknown.status == 2);
  CHECK(unknown.err.find("did you mean 'map'") != std::string::npos);
}

TEST_CASE("solutions pass, skeletons get nothing, false solutions lack what is said", "[release]") {
  const Playground playground;
  std::size_t false_solutions = 0;
  for (const bool cuda : {false, true})
    for (const std::string& name : shipped_exercises(cuda)) {
      const Outcome outcome = playground.run("memlane grade --check " + name);
      INFO(outcome.out << outcome.err);
      CHECK(outcome.status == 0);
      CHECK(outcome.out.ends_with("\nall as it should be\n"));
      for (std::size_t at = 0; (at = outcome.out.find("+ false solution", at)) != std::string::npos;
           ++at)
        ++false_solutions;
    }
  CHECK(false_solutions == 31 + 16);
}

TEST_CASE("an exercise that judges wrongly does not pass its check") {
  const Playground playground;
  const std::string folder = playground.folder() + "/mine/";
  std::filesystem::create_directories(folder);
  const std::string from = MEMLANE_SOURCE_DIR "/programs/exercises/01_map";
  spit(folder + "01_map.check.lane", slurp(from + ".check.lane"));
  spit(folder + "01_map.lane", text_of_solution("01_map")); // nothing is left to do
  const std::string slow =
      slurp(MEMLANE_SOURCE_DIR "/tests/exercises/false/01_map_one_thread.lane");
  spit(folder + "slow.lane", slow);
  spit(folder + "good.lane", text_of_solution("01_map"));
  auto json = nlohmann::ordered_json::parse(slurp(from + ".grade.json"));
  const auto checked = [&] {
    spit(folder + "01_map.grade.json", json.dump());
    return playground.run("memlane grade --check mine/01_map");
  };
  json["solution"] = "slow.lane";
  json["false_solutions"] = {{{"file", "good.lane"}, {"lacks", {"correct"}}},
                             {{"file", "slow.lane"}, {"lacks", {"no races"}}}};
  const Outcome wrong = checked();
  CHECK(wrong.status == 1);
  CHECK(wrong.out.find("  - solution") != std::string::npos);
  CHECK(wrong.out.find("it does not pass: near the bound") != std::string::npos);
  CHECK(wrong.out.find("it passes, so that nothing is left to do") != std::string::npos);
  CHECK(wrong.out.find("it lacks near the bound, not no races") != std::string::npos);
  CHECK(wrong.out.ends_with("\n4 of 4 programs not as they should be\n"));
  json["false_solutions"][0]["lacks"] = {"near the bond"};
  CHECK(checked().err.find("did you mean 'near the bound'") != std::string::npos);
  json["false_solutions"] =
      nlohmann::ordered_json::array({{{"file", "none.lane"}, {"lacks", {"correct"}}}});
  CHECK(checked().status == 2);
  json.erase("solution");
  CHECK(checked().err.find("the exercise names no solution") != std::string::npos);
}

TEST_CASE("students get what they complete and no solution") {
  const Playground playground;
  const Outcome all = playground.run("memlane handout -o out");
  CHECK(all.status == 0);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(playground.folder() + "/out")) {
    ++files;
    const std::string text = slurp(entry.path());
    INFO(entry.path());
    CHECK(text.find("solution") == std::string::npos);
    CHECK(text.find("tests/") == std::string::npos);
  }
  CHECK(files == 14 * 3 + 5 * 4);
  // They judge as before, and what was changed stays.
  CHECK(playground.run("memlane grade out/01_map.lane -e out/01_map").status == 1);
  spit(playground.folder() + "/out/01_map.lane", text_of_solution("01_map"));
  CHECK(playground.run("memlane grade out/01_map.lane -e out/01_map").status == 0);
  const Outcome again = playground.run("memlane handout map -o out");
  CHECK(again.status == 2);
  CHECK(again.err.find("this file is there, with another content") != std::string::npos);
  CHECK(slurp(playground.folder() + "/out/01_map.lane") == text_of_solution("01_map"));
  CHECK(playground.run("memlane handout 2 -o out").status == 0);
  CHECK(playground.run("memlane handout map").status == 2);
}

} // namespace memlane::test
