// Which lanes do what: divergence, loops, breaks, partial warps.
#include "program_builder.hpp"
#include "support/catch.hpp"

using namespace memlane;
using namespace memlane::test;

TEST_CASE("both paths of an if run, each for its lanes, then before else") {
  Setup s;
  const int a = s.array("a", {8}), order = s.array("order", {1});
  Code& k = s.kernel;
  const Register t = k.special(Special::thread), two = k.constant(2), zero = k.constant(0);
  const Register odd = k.op(Opcode::rem, t, two);
  // The else-path's write to `order` would be a race with the then-path's: allowed here, so that
  // the order itself can be seen.
  s.options.allow_races = true;
  k.if_else(
      odd,
      [&] {
        k.store(a, t, k.constant(1));
        k.store(order, zero, k.constant(7));
      },
      [&] {
        k.store(a, t, k.constant(2));
        k.store(order, zero, k.constant(8));
      });
  const Register all = k.constant(10);
  k.store(a, t, k.op(Opcode::add, all, k.load(a, t)));
  const RunResult r = s.run(4);
  CHECK(r.stop == Stop::none);
  CHECK(integers(r, "a") == std::vector<std::int64_t>{12, 11, 12, 11, 0, 0, 0, 0});
  CHECK(integers(r, "order") == std::vector<std::int64_t>{8});
  CHECK(r.races.races == 2); // the two even lanes
  CHECK(r.counts.global[0].requests == 6);
}

TEST_CASE("a path without lanes makes no request and takes no steps") {
  Setup s;
  const int a = s.array("a", {8});
  Code& k = s.kernel;
  const Register t = k.special(Special::thread), no = k.constant(0);
  k.if_else(
      no, [&] { k.store(a, t, t); }, [&] { k.store(a, t, k.constant(3)); });
  const RunResult r = s.run(4);
  CHECK(r.counts.global[0].requests == 1);
  // Host: two constants, the launch. Kernel: special, constant, if; constant, store, endif.
  CHECK(r.steps == 3 + 6);
}

TEST_CASE("lanes leave a loop at different times and wait for the others") {
  Setup s;
  const int a = s.array("a", {4});
  Code& k = s.kernel;
  const Register t = k.special(Special::thread), one = k.constant(1);
  const Register i = k.constant(0), sum = k.constant(0);
  k.loop_while([&] { return k.op(Opcode::lt, i, t); },
               [&] {
                 k.into(sum, Opcode::add, sum, t);
                 k.into(i, Opcode::add, i, one);
               });
  k.store(a, t, sum);
  const RunResult r = s.run(4);
  CHECK(integers(r, "a") == std::vector<std::int64_t>{0, 1, 4, 9});
  CHECK(r.counts.global[0].requests == 1); // together again
}

namespace {

/// A loop with a nested one; breaks out of both, from inside ifs. In plain C++, one thread at a
/// time, beside the same in instructions.
std::int64_t nested(std::int64_t t, std::int64_t n) {
  std::int64_t x = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      if ((i + j) % 3 == t % 3) {
        if (j > t) break;
        x += 1;
      } else {
        x += 10;
        if (x > 40 * t + 20) break;
      }
      x += 100;
    }
    if (x > 1000) break;
    x += 5;
  }
  return x;
}

void nested_code(Code& k, int a, std::int64_t n_value) {
  const Register t = k.special(Special::thread), n = k.constant(n_value), one = k.constant(1);
  const Register three = k.constant(3), x = k.constant(0), i = k.constant(0), j = k.fresh();
  const auto add = [&](std::int64_t by) { k.into(x, Opcode::add, x, k.constant(by)); };
  const auto break_if = [&](Register condition) {
    k.if_then(condition, [&] { k.emit(Opcode::break_); });
  };
  k.loop_while([&] { return k.op(Opcode::lt, i, n); },
               [&] {
                 k.emit(Opcode::constant, j);
                 k.loop_while([&] { return k.op(Opcode::lt, j, n); },
                              [&] {
                                const Register left =
                                    k.op(Opcode::rem, k.op(Opcode::add, i, j), three);
                                k.if_else(
                                    k.op(Opcode::eq, left, k.op(Opcode::rem, t, three)),
                                    [&] {
                                      break_if(k.op(Opcode::lt, t, j));
                                      add(1);
                                    },
                                    [&] {
                                      add(10);
                                      const Register limit =
                                          k.op(Opcode::add, k.op(Opcode::mul, t, k.constant(40)),
                                               k.constant(20));
                                      break_if(k.op(Opcode::lt, limit, x));
                                    });
                                add(100);
                                k.into(j, Opcode::add, j, one);
                              });
                 break_if(k.op(Opcode::lt, k.constant(1000), x));
                 add(5);
                 k.into(i, Opcode::add, i, one);
               });
  k.store(a, t, x);
}

} // namespace

TEST_CASE("breaks out of nested loops agree with one thread at a time") {
  for (std::int64_t n : {0, 1, 3, 7}) {
    Setup s;
    const int a = s.array("a", {13});
    nested_code(s.kernel, a, n);
    const RunResult r = s.run(13);
    REQUIRE(text_of(r, s.sources) == "");
    std::vector<std::int64_t> expected;
    for (std::int64_t t = 0; t < 13; ++t) expected.push_back(nested(t, n));
    CHECK(integers(r, "a") == expected);
  }
}

TEST_CASE("a loop that all lanes break out of ends") {
  Setup s;
  const int a = s.array("a", {4});
  Code& k = s.kernel;
  const Register t = k.special(Special::thread), one = k.constant(1), x = k.constant(0);
  k.emit(Opcode::loop);
  const std::size_t top = k.here();
  k.into(x, Opcode::add, x, one);
  k.if_then(k.op(Opcode::lt, t, x), [&] { k.emit(Opcode::break_); });
  const std::size_t leave = k.here();
  k.emit(Opcode::exit);
  k.emit(Opcode::again, -1, -1, -1, -1, static_cast<std::int64_t>(top));
  k.patch(leave);
  k.emit(Opcode::endloop);
  k.store(a, t, x);
  CHECK(integers(s.run(4), "a") == std::vector<std::int64_t>{1, 2, 3, 4});
}

TEST_CASE("the missing threads of a partial warp are never active") {
  Setup s;
  const int a = s.array("a", {16});
  Code& k = s.kernel;
  const Register t = k.special(Special::thread), one = k.constant(1);
  k.store(a, t, k.op(Opcode::add, t, one));
  const RunResult r = s.run(6);
  CHECK(integers(r, "a") ==
        std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("the highest-numbered thread wins a concurrent write") {
  Setup s;
  const int a = s.array("a", {1});
  Code& k = s.kernel;
  k.store(a, k.constant(0), k.special(Special::thread));
  const RunResult r = s.run(4);
  CHECK(integers(r, "a") == std::vector<std::int64_t>{3});
  CHECK(r.counts.global[0].concurrent_writes == 1);
  CHECK(r.races.races == 0);
}

TEST_CASE("special registers") {
  Setup s;
  const int a = s.array("a", {8, 6});
  Code& k = s.kernel;
  const Register t = k.special(Special::thread), six = k.constant(6);
  const Register row = k.op(Opcode::mul, t, six);
  int column = 0;
  for (Special which : {Special::threads, Special::block, Special::blocks, Special::lane,
                        Special::warp, Special::warps})
    k.store(a, k.op(Opcode::add, row, k.constant(column++)), k.special(which));
  const RunResult r = s.run(7);
  const auto v = integers(r, "a");
  CHECK(std::vector<std::int64_t>(v.begin(), v.begin() + 6) ==
        std::vector<std::int64_t>{7, 0, 1, 0, 0, 2});
  CHECK(std::vector<std::int64_t>(v.begin() + 36, v.begin() + 42) ==
        std::vector<std::int64_t>{7, 0, 1, 2, 1, 2});
}

TEST_CASE("counted operators are a step of their own before the next request or end") {
  Setup s;
  s.machine.instruction_cost = Cycles{10};
  const int a = s.array("a", {4});
  Code& k = s.kernel;
  const Register t = k.special(Special::thread), x = k.load(a, t);
  const Register y = k.op(Opcode::add, x, x);
  k.counted();
  k.store(a, t, y);
  k.op(Opcode::mul, y, y);
  k.counted();
  const RunResult r = s.run(4);
  CHECK(r.counts.instructions == 2);
  CHECK(r.counts.time.value == 5 + 10 + 5 + 10);
}

TEST_CASE("deferred stores wait for the drain, a request each, in order") {
  Setup s;
  const int a = s.array("a", {8});
  Code& k = s.kernel;
  const Register one = k.constant(1);
  k.forall(
      8,
      [&](Register i) {
        const Register x = k.load(a, k.op(Opcode::rem, k.op(Opcode::add, i, one), k.constant(8)));
        k.emit(Opcode::defer, -1, i, k.op(Opcode::add, x, i), -1, a);
      },
      true);
  k.emit(Opcode::drain);
  k.emit(Opcode::barrier);
  const RunResult r = s.run(4);
  REQUIRE(text_of(r, s.sources) == "");
  CHECK(integers(r, "a") == std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(r.counts.global[0].reads == 2);
  CHECK(r.counts.global[0].writes == 2);
  CHECK(r.counts.barriers == 2);
}

TEST_CASE("calls of fns are counted in threads and in steps of warps") {
  Setup s;
  s.program.fns = {"combine", "unused"};
  Code& k = s.kernel;
  s.array("a", {1});
  const Register t = k.special(Special::thread);
  k.emit(Opcode::call);
  k.if_then(k.op(Opcode::lt, t, k.constant(2)), [&] { k.emit(Opcode::call); });
  s.main.emit(Opcode::call); // the host's do not count
  const RunResult r = s.run(6);
  CHECK(r.fns.at("combine").calls == 6 + 2);
  CHECK(r.fns.at("combine").steps == 2 + 1);
  CHECK(r.fns.at("unused").calls == 0);
}
