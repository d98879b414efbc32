// Errors at run time, with their exact messages, and the limits of a run.
#include "program_builder.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"

#include <climits>
#include <functional>

using namespace memlane;
using namespace memlane::test;

namespace {

/// The message of a run whose set-up is given.
std::string message_of(const std::function<void(Setup&)>& make, std::int64_t threads = 6,
                       std::int64_t blocks = 1) {
  Setup s;
  s.program.bounds = {{"a", 0, 1}, {"m", 1, 2}};
  s.array("a", {16});
  make(s);
  const RunResult r = s.run(threads, blocks);
  CHECK(r.stop == Stop::error);
  return text_of(r, s.sources) + "\n";
}

} // namespace

TEST_CASE("messages of errors at run time", "[golden]") {
  std::string text;
  const auto add = [&](const std::function<void(Setup&)>& make) { text += message_of(make); };
  const auto kernel_op = [&](Opcode op, std::int64_t a, std::int64_t b) {
    add([=](Setup& s) {
      const Register x = s.kernel.constant(a), y = s.kernel.constant(b);
      s.kernel.op(op, x, y);
    });
  };
  add([](Setup& s) { // thread 3 leaves the array
    Code& k = s.kernel;
    const Register t = k.special(Special::thread);
    const Register i = k.op(Opcode::add, t, k.constant(13));
    k.emit(Opcode::bound, -1, i, k.constant(16));
    k.load(0, i);
  });
  add([](Setup& s) {
    const Register i = s.kernel.constant(-1), n = s.kernel.constant(5);
    s.kernel.emit(Opcode::bound, -1, i, n, -1, 1);
  });
  for (const auto& [lo, hi] : {std::pair{3, 20}, std::pair{7, 5}, std::pair{-2, 3}})
    add([lo = lo, hi = hi](Setup& s) {
      Code& k = s.kernel;
      const Register a = k.constant(lo), b = k.constant(hi), c = k.constant(16);
      k.emit(Opcode::slice, -1, a, b, c);
    });
  add([](Setup& s) { // only where the mask lets it happen: thread 5
    Code& k = s.kernel;
    const Register t = k.special(Special::thread), five = k.constant(5);
    k.if_then(k.op(Opcode::eq, t, five), [&] { k.op(Opcode::div, t, k.op(Opcode::sub, t, five)); });
  });
  kernel_op(Opcode::mod, 3, 0);
  kernel_op(Opcode::shl, 1, 32);
  kernel_op(Opcode::pow, 2, -1);
  kernel_op(Opcode::log2, 0, 0);
  kernel_op(Opcode::invmod, 4, 6);
  add([](Setup& s) { // unwritten shared word
    s.machine = Setup::dmm(4, 5, 16);
    const int x = s.array("x", {2, 3}, ir::Space::shared);
    Code& k = s.kernel;
    const Register t = k.special(Special::thread);
    k.if_then(k.op(Opcode::lt, t, k.constant(2)), [&] { k.store(x, t, t); });
    k.load(x, t);
  });
  add([](Setup& s) { // asserts
    const auto m = s.message("thread < 4");
    Code& k = s.kernel;
    const Register t = k.special(Special::thread);
    const Register holds = k.op(Opcode::lt, t, k.constant(4));
    k.emit(Opcode::assert_, -1, holds, -1, -1, m);
  });
  add([](Setup& s) {
    s.kernel.emit(Opcode::trap, -1, -1, -1, -1, s.message("the step of a loop is at least 1"));
  });
  add([](Setup& s) { // host code has no thread
    s.main.op(Opcode::div, s.main.constant(1), s.main.constant(0));
  });
  add([](Setup& s) {
    s.main.function().locals.push_back({"x", Scalar::int32});
    s.main.emit(Opcode::local_new, -1, s.main.constant(3));
    s.main.emit(Opcode::local_load, s.main.fresh(), s.main.constant(3));
  });
  add([](Setup& s) {
    s.main.function().locals.push_back({"x", Scalar::int32});
    s.main.emit(Opcode::local_new, -1, s.main.constant(-3));
  });
  add([](Setup& s) {
    s.main.emit(Opcode::random, s.main.fresh(), s.main.constant(5), s.main.constant(4));
  });
  text += message_of([](Setup&) {}, 17);
  text += message_of([](Setup&) {}, 0);
  text += message_of([](Setup&) {}, 4, 0);
  add([](Setup& s) {
    s.machine = Setup::dmm(4, 5, 16);
    s.machine.shared->capacity = 20;
    s.array("x", {8}, ir::Space::shared);
  });
  add([](Setup& s) { s.array("x", {8}, ir::Space::shared); }); // on a UMM
  add([](Setup& s) { s.machine.global->capacity = 12; });
  add([](Setup& s) { s.machine.model = Model::mmm; });
  add([](Setup& s) { s.input("a", std::vector<Value>(15)); });
  add([](Setup& s) { s.input("aa", {}); });
  CHECK(text == golden("engine/errors.txt", text));
}

TEST_CASE("a failed verify has a verdict and a message, the run itself is whole") {
  Setup s;
  s.array("a", {4});
  s.program.messages = {"a[0] == 7"};
  s.kernel.store(0, s.kernel.special(Special::thread), s.kernel.constant(5));
  const Register zero = s.verify.constant(0), seven = s.verify.constant(7);
  const Register x = s.verify.load(0, zero);
  s.verify.emit(Opcode::assert_, -1, s.verify.op(Opcode::eq, x, seven));
  // verify's registers begin with main's: leave room for them.
  s.verify.function().registers += 2;
  const RunResult r = s.run(4);
  CHECK(r.stop == Stop::none);
  CHECK(r.verify == Verdict::failed);
  CHECK(r.counts.time.value == 5);
  REQUIRE(r.errors.size() == 1);
  CHECK(r.errors[0].message == "assert failed: a[0] == 7");
  CHECK(r.errors[0].help == std::vector<std::string>{"the compared values are 5 and 7"});
  CHECK(r.host_words == 0); // verify's reading is free and not counted
}

TEST_CASE("verify may not write, passes, or is left out") {
  for (int way : {0, 1, 2}) {
    Setup s;
    s.array("a", {4});
    const Register zero = s.verify.constant(0);
    if (way == 0) s.verify.store(0, zero, zero);
    if (way == 1) s.verify.emit(Opcode::assert_, -1, s.verify.constant(1));
    s.options.verify = way != 2;
    const RunResult r = s.run(4);
    CHECK(r.stop == (way == 0 ? Stop::error : Stop::none));
    CHECK(r.verify == (way == 1 ? Verdict::passed : Verdict::not_run));
  }
}

TEST_CASE("the limit of steps stops endless loops of kernels and of the host") {
  for (bool in_host : {false, true}) {
    Setup s;
    s.array("a", {4});
    Code& code = in_host ? s.main : s.kernel;
    const Register yes = code.constant(1), rounds = code.constant(0);
    code.loop_while([&] { return yes; }, [&] { code.into(rounds, Opcode::add, rounds, yes); });
    s.options.limits.steps = 1000;
    const RunResult r = s.run(4);
    CHECK(r.stop == Stop::steps);
    CHECK(r.steps == 1000);
    CHECK(r.verify == Verdict::none);
    CHECK(r.reached.rfind("1000 steps and 0 time units, in ", 0) == 0);
    CHECK(r.reached.find(in_host ? "main, at test.lane:2" : "kernel k, at test.lane:") !=
          std::string::npos);
  }
}

TEST_CASE("exactly as many steps as allowed are enough") {
  for (std::int64_t steps : {4, 5}) {
    Setup s;
    s.kernel.constant(1);
    s.kernel.constant(1);
    s.options.limits.steps = steps; // host: two constants, the launch
    CHECK(s.run(4).stop == (steps == 5 ? Stop::none : Stop::steps));
  }
}

TEST_CASE("the caller is asked in endless loops, too") {
  Setup s;
  const Register yes = s.kernel.constant(1), rounds = s.kernel.constant(0);
  s.kernel.loop_while([&] { return yes; },
                      [&] { s.kernel.into(rounds, Opcode::add, rounds, yes); });
  int asked = 0;
  s.options.limits.check = [&] { return ++asked > 3 ? Stop::interrupted : Stop::none; };
  CHECK(s.run(4).stop == Stop::interrupted);
}

TEST_CASE("the caller is asked between pieces of large arrays, their initial values and results") {
  constexpr std::int64_t words = std::int64_t{1} << 23; // 32 MiB: two pieces
  const auto stop_after = [&](int polls, int& asked) {
    Setup s;
    s.array("a", {words});
    s.kernel.constant(1);
    s.input("a", std::vector<ir::Value>(words, ir::Value::of(std::int64_t{7})));
    s.options.outputs = {"a"};
    s.options.limits.check = [&, polls] { return ++asked > polls ? Stop::wall_clock : Stop::none; };
    return s.run(4);
  };
  int asked = 0;
  CHECK(stop_after(INT_MAX, asked).stop == Stop::none);
  const int all = asked;
  CHECK(all >= 1 + 8 + 8);
  for (const int polls : {0, 4, all - 1}) {
    asked = 0;
    const RunResult r = stop_after(polls, asked);
    CHECK(r.stop == Stop::wall_clock);
    CHECK(r.outputs.empty());
    CHECK(r.reached == (polls == all - 1 ? "the end of main; the arrays' contents are not read"
                                         : "nothing yet: the arrays' initial values"));
  }
}

TEST_CASE("memory is limited before it is taken") {
  const auto stop = [](std::vector<std::int64_t> extents, std::int64_t limit, std::string reached) {
    Setup s;
    s.array("a", extents);
    s.options.limits.memory = limit;
    const RunResult r = s.run(4);
    CHECK(r.reached == reached);
    return r.stop;
  };
  // 4 threads have 8 bytes each: a register that stands for none.
  CHECK(stop({30}, 120 + 32, "") == Stop::none);
  CHECK(stop({30}, 120,
             "the arrays, and registers of the threads of kernel k, need 152 bytes, the limit is "
             "120") == Stop::memory);
  CHECK(stop({30}, 119, "the arrays need 120 bytes, the limit is 119") == Stop::memory);
  CHECK(stop({1 << 20, 1 << 20}, 1000, "the arrays need 4398046511104 bytes, the limit is 1000") ==
        Stop::memory);
  const std::int64_t big = std::int64_t{1} << 40;
  CHECK(stop({big, big, big}, 1000, "the arrays need more than 2^63 bytes, the limit is 1000") ==
        Stop::memory);
  CHECK(stop({big, big, big}, INT64_MAX,
             "the arrays need more than 2^63 bytes, the limit is 9223372036854775807") ==
        Stop::memory);
#ifndef MEMLANE_SANITIZED // AddressSanitizer ends the program where there is no memory
  CHECK(stop({big, 1 << 20}, INT64_MAX, "there is not enough memory for the arrays") ==
        Stop::memory);
#endif
}

TEST_CASE("copies for verify, shared arrays and local arrays need memory, too") {
  for (std::int64_t limit : {111, 112}) {
    Setup s;
    s.array("a", {10});
    s.program.arrays[0].snapshot = true;
    s.verify.constant(0);
    s.options.limits.memory = limit;
    CHECK(s.run(4).stop == (limit == 112 ? Stop::none : Stop::memory));
  }
  for (std::int64_t limit : {119, 120}) {
    Setup s;
    s.machine = Setup::dmm(4, 5, 16);
    s.array("a", {10});
    s.array("x", {12}, ir::Space::shared);
    s.options.limits.memory = limit;
    CHECK(s.run(4).stop == (limit == 120 ? Stop::none : Stop::memory));
  }
  for (std::int64_t size : {std::int64_t{100}, INT64_MAX, INT64_MAX / 8}) {
    Setup s;
    s.main.type = Scalar::int64;
    s.main.function().locals.push_back({"x", Scalar::int64});
    s.main.emit(Opcode::local_new, -1, s.main.constant(size));
    s.options.limits.memory = 799;
    CHECK(s.run(4).stop == Stop::memory);
  }
}
