// The shipped exercises: each skeleton fails for its reason, each solution has all points.
#include "exercise_fixture.hpp"

namespace memlane::test {

using Names = std::vector<std::string>;

TEST_CASE("every skeleton runs, and lacks what its exercise is about", "[release]") {
  const std::map<std::string, Names> lacks = {
      {"01_map", {"correct", "no races", "near the bound"}},
      {"02_zip", {"coalesced", "near the bound"}},
      {"03_guards", {"correct", "no races", "near the bound"}},
      {"04_two_dimensions", {"correct", "no races", "few stages", "near the bound"}},
      {"05_broadcast", {"near the bound"}},
      {"06_blocks", {"near the bound"}},
      {"07_shared_memory", {"near the bound"}},
      {"08_pooling", {"correct", "no races", "near the bound"}},
      {"09_dot_product", {"near the bound"}},
      {"10_convolution", {"few global requests", "near the bound"}},
      {"11_prefix_sum", {"correct", "no races", "near the bound"}},
      {"12_axis_sum", {"near the bound"}},
      {"13_matrix_multiplication", {"few global requests", "near the bound"}},
      {"14_transpose", {"coalesced", "no bank conflicts", "near the bound"}},
  };
  const Playground playground;
  Names names;
  for (const auto& [name, criteria] : lacks) {
    INFO(name);
    names.push_back(name);
    CHECK(playground.run("memlane check " + name).status == 0);
    const Grade graded = grade(playground, "programs/exercises/" + name + ".lane");
    CHECK(graded.status == 1);
    CHECK(graded.word() == "not yet");
    CHECK(graded.missing() == criteria);
    CHECK(graded.json.at("most_points") == 10);
    CHECK(graded.points() == 0);
    // As its students may hand it in: under another name, with a comment.
    CHECK(grade_text(playground, name, text_of_skeleton(name) + "// mine\n").points() == 0);
  }
  CHECK(names == shipped_exercises());
}

TEST_CASE("a file has points for what it does beyond the skeleton") {
  const Playground playground;
  const auto text = [&](const std::string& file) {
    return playground.run("memlane grade " + file + " -e broadcast").out;
  };
  const std::string skeleton = text("programs/exercises/05_broadcast.lane");
  CHECK(skeleton.find("  + correct         0 of 5  right in all 4 runs\n") != std::string::npos);
  CHECK(skeleton.find("\nThe exercise's skeleton fulfils as much.") != std::string::npos);
  CHECK(skeleton.ends_with("\nnot yet: 0 of 10 points\n"));
  // Half of the words are written in order: not near the bound, but twice as near.
  const std::string half = with(
      with(text_of_skeleton("05_broadcast"), "forall i in 0..m {", "forall i in 0..m, j in 0..2 {"),
      "for j = 0 to n - 1 { c[i, j] = a[i] * b[j] }",
      "for k = 0 to n / 2 - 1 { c[i, 2 * k + j] = a[i] * b[2 * k + j] }");
  const Grade better = grade_text(playground, "broadcast", half);
  CHECK(better.missing() == Names{"near the bound"});
  CHECK(better.criterion("near the bound").at("earned") == true);
  CHECK(better.points() == 6);
  CHECK(text("own.lane").find("skeleton") == std::string::npos);
}

TEST_CASE("hints are true of every reason why a program is slow") {
  const Playground playground;
  const auto hint = [&](const std::string& exercise, const std::string& text) {
    const Grade graded = grade_text(playground, exercise, text);
    CHECK(graded.missing() == Names{"near the bound"});
    return graded.criterion("near the bound").at("hint").get<std::string>();
  };
  // All threads work, but a warp's words lie apart.
  CHECK(hint("map", with(text_of_solution("01_map"), "forall i", "forall chunked i"))
            .find("each warp on w consecutive words") != std::string::npos);
  // The words of a warp are consecutive, but only n threads work.
  CHECK(hint("broadcast",
             with(text_of_skeleton("05_broadcast"), "forall i in 0..m {\n    for j = 0 to n - 1 {",
                  "forall j in 0..n {\n    for i = 0 to m - 1 {"))
            .find("let all threads work") != std::string::npos);
  // Words are read twice.
  CHECK(hint("zip", slurp(MEMLANE_SOURCE_DIR "/tests/exercises/false/02_zip_two_passes.lane"))
            .find("read each word once") != std::string::npos);
}

TEST_CASE("a race is judged as a race, and a run that it ends is not judged", "[release]") {
  const Playground playground;
  const std::string all =
      with(text_of_solution("01_map"), "forall i in 0..n {", "for i = 0 to n - 1 {");
  const Grade racy = grade_text(playground, "map", all);
  CHECK(racy.word() == "not yet");
  CHECK(racy.status == 1);
  CHECK(racy.points() == 0);
  const auto& runs = racy.json.at("runs");
  for (const auto& run : runs) {
    INFO(run.dump());
    CHECK(run.at("races") > 0);
    CHECK(run.at("judged") == run.at("correct"));
  }
  CHECK(runs.front().at("correct") == true);
  CHECK(runs.back().at("judged") == false);
  CHECK(runs.back().at("reason") ==
        "it was given up after 100000 instructions, because of its races");
  const auto correct = racy.criterion("correct"), bound = racy.criterion("near the bound");
  CHECK(correct.at("judged") == false);
  CHECK(correct.at("says") == "right in 2 of 4 runs, 2 not judged");
  CHECK(racy.criterion("no races").at("judged") == true);
  CHECK(bound.at("judged") == false);
  CHECK(bound.at("says") == "not judged: its races ended a run");
  // A race behind many instructions is found, too.
  const Grade late =
      grade(playground, MEMLANE_SOURCE_DIR
            "/tests/exercises/false/13_matrix_multiplication_one_barrier.lane -e 13");
  CHECK(late.criterion("correct").at("judged") == false);
  CHECK(late.criterion("no races")
            .at("details")
            .get<std::string>()
            .starts_with("lines 15 and 17: race at y[0, 0]"));
  // With a wrong run among the others, the result is wrong.
  const Grade wrong = grade_text(playground, "map", with(all, "{ c[i] = 3", "{ c[i] = 2"));
  CHECK(wrong.criterion("correct").at("judged") == true);
  CHECK(wrong.criterion("correct").at("says") == "wrong in 2 of 4 runs, 2 not judged");
  CHECK(wrong.criterion("near the bound").at("says") == "not judged: the result is wrong");
  // Races that end are races alone.
  const Grade twice = grade_text(
      playground, "map",
      with(text_of_solution("01_map"), "+ 1 }", "+ 1  if i > 0 { c[i - 1] = 3 * a[i - 1] + 1 } }"));
  CHECK(twice.missing().front() == "no races");
  CHECK(twice.criterion("correct").at("fulfilled") == true);
}

TEST_CASE("skeletons with races are told of the lines, others of a wrong element or an index") {
  const Playground playground;
  const Grade pooling = grade(playground, "08_pooling");
  CHECK(pooling.criterion("no races")
            .at("details")
            .get<std::string>()
            .starts_with("lines 19 and 17: race at s["));
  const Grade scan = grade(playground, "11_prefix_sum");
  CHECK(scan.criterion("no races")
            .at("details")
            .get<std::string>()
            .starts_with("line 13: race at x[1]"));
  CHECK(scan.json.at("runs").at(1).at("races") > 0);
  const Grade map = grade(playground, "01_map");
  CHECK(map.criterion("correct").at("details") ==
        "umm-w32, n=1: c[0] is -19, expected -56 (1 of 1 elements wrong)");
  const Grade guards = grade(playground, "03_guards");
  CHECK(guards.criterion("correct").at("details").get<std::string>().starts_with(
      "umm-w32, n=1000: line 13: index -1 is outside array a (0..1000)"));
}

TEST_CASE("every solution has all points, well within its bound", "[release]") {
  const Playground playground;
  std::vector<std::string> solved;
  for (const auto& entry :
       std::filesystem::directory_iterator(MEMLANE_SOURCE_DIR "/tests/exercises"))
    if (entry.path().extension() == ".lane") solved.push_back(entry.path().stem());
  std::sort(solved.begin(), solved.end());
  CHECK(solved == shipped_exercises());
  for (const std::string& name : solved) {
    INFO(name);
    const Grade graded = grade(playground, "tests/exercises/" + name + ".lane");
    CHECK(graded.status == 0);
    CHECK(graded.word() == "passed");
    CHECK(graded.missing().empty());
    CHECK(graded.points() == graded.json.at("most_points"));
    const auto bound = graded.criterion("near the bound");
    CHECK(bound.at("ratio").get<double>() < 0.95 * bound.at("factor").get<double>());
    // The solution's own check holds, too.
    CHECK(playground.run("memlane run tests/exercises/" + name + ".lane").status == 0);
  }
}

TEST_CASE("a right and slow program is told its factor") {
  const Playground playground;
  const Grade slow = grade_text(playground, "dot_product",
                                with(text_of_solution("09_dot_product"), "forall i in 0..n {",
                                     "for i = thread * (n/threads) to n - 1 {\n    if i / "
                                     "max(1, n/threads) != thread { break }\n   "));
  CHECK(slow.word() == "not yet");
  const Grade one_thread = grade(playground, "09_dot_product");
  CHECK(one_thread.points() == 0);
  CHECK(one_thread.criterion("near the bound").at("ratio").get<double>() > 400);
  CHECK(one_thread.criterion("near the bound").at("formula") == "n/w + l*(log2(n) + 1)");
  CHECK(one_thread.criterion("near the bound").at("run") == "umm-w32, n=4096");
  // A tile in rows, its conflicts on the other side.
  const std::string tile =
      slurp(MEMLANE_SOURCE_DIR "/tests/exercises/false/14_transpose_no_padding.lane");
  const Grade moved =
      grade_text(playground, "transpose",
                 with(with(tile, "{ t[i, j] = a", "{ t[j, i] = a"), "= t[j, i] }", "= t[i, j] }"));
  CHECK(moved.missing() == Names{"no bank conflicts", "near the bound"});
  CHECK(moved.criterion("no bank conflicts")
            .at("worst_line")
            .get<std::string>()
            .starts_with("line 10: 1056 stages for 64 requests"));
  // Without a layout: the diagonal by indices.
  const Grade diagonal = grade_text(playground, "14_transpose",
                                    with(with(tile, "{ t[i, j] = a", "{ t[i, (i + j) % w] = a"),
                                         "= t[j, i] }", "= t[j, (i + j) % w] }"));
  CHECK(diagonal.word() == "passed");
  // Without a tile there are no bank conflicts to avoid, and no points for it.
  const Grade direct = grade_text(playground, "14_transpose",
                                  with(with(tile, "{ t[i, j] = a[i0 + i, j0 + j] }", "{ }"),
                                       "= t[j, i] }", "= a[i0 + j, j0 + i] }"));
  CHECK(direct.criterion("correct").at("fulfilled") == true);
  CHECK(direct.missing() == Names{"coalesced", "no bank conflicts", "near the bound"});
  CHECK(direct.criterion("no bank conflicts").at("formula") == "4*n^2/w");
}

TEST_CASE("the time of a run on an AGPU is what its machine counts") {
  const Playground playground;
  const std::string folder = playground.folder() + "/mine/";
  std::filesystem::create_directories(folder);
  const std::string from = MEMLANE_SOURCE_DIR "/programs/exercises/01_map";
  spit(folder + "01_map.check.lane",
       with(slurp(from + ".check.lane"), "claim time = O(2*n/w + 2*l)", "claim time = O(n)"));
  spit(folder + "01_map.lane", slurp(from + ".lane"));
  spit(folder + "01_map.grade.json", with(slurp(from + ".grade.json"), "umm-w32", "agpu-teaching"));
  spit(playground.folder() + "/own.lane", text_of_solution("01_map"));
  const Grade graded = grade(playground, "own.lane --exercise mine/01_map");
  for (const auto& run : graded.json.at("runs")) {
    const Outcome outcome =
        playground.run("memlane run own.lane -m agpu-teaching --format json -D n=" +
                       std::to_string(run.at("parameters").at("n").get<std::int64_t>()));
    const auto counts = nlohmann::json::parse(outcome.out).at("counts");
    CHECK(run.at("time") == counts.at("time"));
    CHECK(run.at("time") > 0);
  }
}

TEST_CASE("exercises are no shipped programs, and the tools work on them") {
  const Playground playground;
  CHECK(playground.run("memlane list programs").out.find("01_map") == std::string::npos);
  CHECK(playground.run("memlane list programs exercises").status == 2);
  const std::string list = playground.run("memlane list exercises").out;
  CHECK(lines_of(list).size() == shipped_exercises().size() + shipped_exercises(true).size());
  for (const std::string& name : shipped_exercises())
    CHECK(list.find(name + ' ') != std::string::npos);
  for (const char* word : {"'*map'", "map", "1", "01"}) {
    INFO(word);
    const std::string one = playground.run(std::string("memlane list exercises ") + word).out;
    CHECK(one.starts_with("01_map  "));
    CHECK(lines_of(one).size() == 1);
  }
  CHECK(playground.run("memlane list exercises 99").status == 2);
  CHECK(playground.run("memlane list demos 7").out.starts_with("reduction  "));
  for (const char* way : {"programs/exercises/02_zip.lane", "02_zip", "zip"}) {
    const Outcome run = playground.run(std::string("memlane run ") + way);
    INFO(way << run.err);
    CHECK(run.status == 0);
    CHECK(run.out.find("verify passed") != std::string::npos);
  }
}

} // namespace memlane::test
