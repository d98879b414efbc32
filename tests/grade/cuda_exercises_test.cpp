// Exercises for CUDA: kernels in PTX, which need no nvcc here.
#include "exercise_fixture.hpp"

namespace memlane::test {

namespace {

const std::string cuda_exercise = "15_cuda_transpose";

std::string kernels_of(const std::string& folder) {
  return slurp(MEMLANE_SOURCE_DIR "/" + folder + "/exercises/" + cuda_exercise + ".ptx");
}

Grade grade_kernels(const Playground& playground, const std::string& ptx,
                    const std::string& more = "") {
  spit(playground.folder() + "/own.ptx", ptx);
  return grade(playground, "own.ptx --exercise " + cuda_exercise + more);
}

} // namespace

TEST_CASE(
    "kernels for CUDA are graded: a skeleton lacks its criterion, and earns nothing for that") {
  const std::map<std::string, std::string> lacks = {
      {"15_cuda_transpose", "no bank conflicts"},
      {"16_cuda_sum", "shared memory without conflicts"},
      {"17_cuda_stencil", "each word is read about once"},
      {"18_cuda_histogram", "a block adds once for each value"},
      {"19_cuda_shuffle", "no shared memory"}};
  const Playground playground;
  std::vector<std::string> names;
  for (const auto& [name, criterion] : lacks) {
    INFO(name);
    names.push_back(name);
    const Grade skeleton = grade(playground, "programs/exercises/" + name + ".ptx");
    CHECK(skeleton.status == 1);
    CHECK(skeleton.points() == 0);
    REQUIRE(!skeleton.missing().empty());
    CHECK(skeleton.missing().front() == criterion);
    const Grade solution =
        grade(playground, "tests/exercises/" + name + ".ptx --exercise " + name + " --seed 5");
    CHECK(solution.status == 0);
    CHECK(solution.missing().empty());
  }
  CHECK(names == shipped_exercises(true));
}

TEST_CASE("a criterion that neither skeleton nor file comes near gives no points") {
  // The skeleton of the shuffles makes requests to shared memory where none is allowed.
  const Playground playground;
  const std::string text = slurp(MEMLANE_SOURCE_DIR "/programs/exercises/19_cuda_shuffle.ptx");
  spit(playground.folder() + "/own.ptx", text + "// mine\n");
  CHECK(grade(playground, "own.ptx --exercise 19_cuda_shuffle").points() == 0);
}

TEST_CASE("a file that only does less than the skeleton has no points") {
  const Playground playground;
  const auto points = [&](const std::string& name) {
    return grade(playground, "tests/exercises/false/" + name + ".ptx --exercise 16").points();
  };
  // It makes none of the requests to shared memory that are required: this comes not near them.
  CHECK(points("16_cuda_sum_one_thread") == 0);
  // Each lacks one of the two criteria that the skeleton lacks.
  CHECK(points("16_cuda_sum_in_a_row") == 6);
  CHECK(points("16_cuda_sum_atomics") == 6);
}

TEST_CASE("kernels without shared memory have no bank conflicts") {
  const Playground playground;
  const Grade shuffles =
      grade(playground, "tests/exercises/17_cuda_stencil_shuffles.ptx --exercise 17");
  CHECK(shuffles.word() == "passed");
}

TEST_CASE("atomics in global memory are no sums in registers") {
  const Playground playground;
  const Grade atomics =
      grade(playground, "tests/exercises/false/19_cuda_shuffle_atomics.ptx --exercise 19");
  CHECK(atomics.missing() == std::vector<std::string>{"one lane writes each sum"});
}

TEST_CASE("kernels that are wrong, endless, named otherwise or no PTX are graded as that") {
  const Playground playground;
  const std::string right = kernels_of("tests");
  // A predicate leaves out a store.
  const Grade wrong = grade_kernels(
      playground, with(right, "st.global.f32 \t[%rd18]", "@%p1 st.global.f32 \t[%rd18]"));
  CHECK(wrong.status == 1);
  CHECK(wrong.criterion("correct").at("says") == "wrong in 2 of 2 runs");
  // A run that ends early does not show what races would follow.
  const Grade ended = grade_kernels(playground, with(right, "bar.sync \t0;", ""));
  CHECK(ended.status == 1);
  CHECK(ended.criterion("no races").at("says") == "not judged: an error ended a run");
  CHECK(ended.criterion("no races").at("judged") == false);
  CHECK(wrong.criterion("no races").at("says") == "none, but the result is wrong");
  const Grade endless =
      grade_kernels(playground, with(right, "\tret;", "FOREVER:\n\tbra FOREVER;"));
  CHECK(endless.status == 3);
  CHECK(endless.word() == "stopped");
  const auto said = [&](const std::string& ptx) {
    const Grade graded = grade_kernels(playground, ptx);
    CHECK(graded.status == 2);
    CHECK(graded.word() == "error");
    return graded.json.dump();
  };
  CHECK(said(with(right, ".entry transpose(", ".entry turn("))
            .find("there is no kernel 'transpose'") != std::string::npos);
  CHECK(said("no PTX").find("own.ptx") != std::string::npos);
  CHECK(said(with(right, "ld.global.f32", "ld.global.f33")).find("f33") != std::string::npos);
}

TEST_CASE("an exercise takes what it asks for, and says what is wrong with its launches") {
  const Playground playground;
  const auto error = [&](const std::string& words) {
    const Outcome outcome = playground.run("memlane grade " + words);
    CHECK(outcome.status == 2);
    return outcome.err;
  };
  CHECK(error("tests/exercises/14_transpose.lane --exercise 15").find("asks for CUDA kernels") !=
        std::string::npos);
  CHECK(error("programs/exercises/15_cuda_transpose.ptx --exercise 14")
            .find("asks for a program of the language") != std::string::npos);
  const std::string path = MEMLANE_SOURCE_DIR "/programs/exercises/" + cuda_exercise;
  const auto with_launch = [&](const std::string& launch) {
    spit(
        playground.folder() + "/my.grade.json",
        with(slurp(path + ".grade.json"), "transpose<<<(n/32, n/32), (32, 8)>>>(c, a, n)", launch));
    spit(playground.folder() + "/my.check.lane", slurp(path + ".check.lane"));
    spit(playground.folder() + "/my.ptx", kernels_of("tests"));
    return error("my.ptx --exercise ./my");
  };
  CHECK(with_launch("transpose<<<(n/32, n/32), (32, 8)>>>(c, b, n)")
            .find("the check program has no memory array b") != std::string::npos);
  CHECK(with_launch("transpose<<<(m/32, n/32), (32, 8)>>>(c, a, n)")
            .find("a number is needed here, not 'm'") != std::string::npos);
  CHECK(with_launch("transpose<<<(n/0, n/32), (32, 8)>>>(c, a, n)").find("divides by 0") !=
        std::string::npos);
  CHECK(with_launch("transpose<<<(n/64, n/32), (32, 8)>>>(c, a, n)").find("must be 1 to") !=
        std::string::npos);
}

} // namespace memlane::test
