// Initial values, layouts, storage, host code.
#include "program_builder.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"

#include <algorithm>
#include <cmath>

using namespace memlane;
using namespace memlane::test;

namespace {

/// A function of special `index` whose register 0 is its result.
template <class Body>
std::int32_t element_function(Setup& s, Body body, Scalar type = Scalar::int32) {
  Code code("f", 0);
  code.type = type;
  const Register result = code.fresh();
  const Register index = code.special(Special::index);
  body(code, result, index);
  return s.add(code.finish());
}

std::int32_t random_digits(Setup& s) {
  return element_function(s, [](Code& c, Register d, Register) {
    c.emit(Opcode::random, d, c.constant(0), c.constant(9));
  });
}

} // namespace

TEST_CASE("initial values come from a function of the index, run for many elements at a time") {
  Setup s;
  const std::int64_t n = 3000; // more than one batch, the last one partial
  s.array("a", {n});
  s.program.arrays[0].initial = element_function(s, [](Code& c, Register d, Register i) {
    c.if_else(
        c.op(Opcode::eq, c.op(Opcode::rem, i, c.constant(3)), c.constant(0)),
        [&] { c.into(d, Opcode::mul, i, i); }, [&] { c.into(d, Opcode::neg, i); });
  });
  const RunResult r = s.run(4);
  const auto a = integers(r, "a");
  REQUIRE(a.size() == 3000);
  for (std::int64_t i = 0; i < n; ++i)
    REQUIRE(a[static_cast<std::size_t>(i)] == (i % 3 == 0 ? i * i : -i));
  CHECK(r.counts.time.value == 0);
  CHECK(r.steps == 3); // initial values are charged to nobody
}

TEST_CASE("random initial values depend on seed, array and index alone") {
  const auto values = [](std::uint64_t seed, std::int64_t n) {
    Setup s;
    s.options.seed = seed;
    s.array("a", {n});
    s.array("b", {n});
    const auto f = random_digits(s);
    s.program.arrays[0].initial = s.program.arrays[1].initial = f;
    const RunResult r = s.run(4);
    return std::pair(integers(r, "a"), integers(r, "b"));
  };
  const auto [a, b] = values(1, 2000);
  CHECK(values(1, 2000).first == a);
  CHECK(a != b);
  CHECK(values(2, 2000).first != a);
  auto shorter = values(1, 100).first;
  CHECK(std::equal(shorter.begin(), shorter.end(), a.begin()));
  for (std::int64_t digit = 0; digit <= 9; ++digit)
    CHECK(std::count(a.begin(), a.end(), digit) > 100);
  CHECK(*std::min_element(a.begin(), a.end()) == 0);
  CHECK(*std::max_element(a.begin(), a.end()) == 9);
}

TEST_CASE("words keep their own type") {
  Setup s;
  for (Scalar type : {Scalar::int32, Scalar::int64, Scalar::float32, Scalar::float64})
    s.array(std::string(ir::name_of(type)), {2}, ir::Space::memory, type);
  Code& m = s.main;
  m.store(0, m.constant(1), m.constant(INT32_MIN));
  m.store(1, m.constant(1), m.constant(INT64_MIN));
  m.store(2, m.constant(1), m.real(-0.5));
  m.store(3, m.constant(1), m.real(0.1));
  const RunResult r = s.run(4);
  CHECK(integers(r, "int") == std::vector<std::int64_t>{0, INT32_MIN});
  CHECK(integers(r, "long") == std::vector<std::int64_t>{0, INT64_MIN});
  CHECK(r.outputs.at("float")[1].real() == -0.5);
  CHECK(r.outputs.at("double")[1].real() == 0.1);
  CHECK(r.host_words == 4);
  CHECK(r.global_words == 8);
}

TEST_CASE("inputs replace initial values") {
  Setup s;
  s.array("a", {3});
  s.program.arrays[0].initial = random_digits(s);
  s.input("a", {Value::of(std::int64_t{7}), Value::of(std::int64_t{8}), Value{}});
  CHECK(integers(s.run(4), "a") == std::vector<std::int64_t>{7, 8, 0});
}

namespace {

/// Time of one warp that walks down column 0 of a 4 x 4 array on a DMM with w = 4, l = 5.
std::int64_t column_time(const std::function<void(Setup&, ir::Array&)>& change,
                         std::int64_t* words = nullptr) {
  Setup s;
  s.machine = Setup::dmm(4, 5, 16);
  s.array("a", {4, 4});
  change(s, s.program.arrays[0]);
  Code& k = s.kernel;
  const Register t = k.special(Special::thread);
  k.store(0, k.op(Opcode::mul, t, k.constant(4)), t);
  const RunResult r = s.run(4);
  CHECK(text_of(r, s.sources) == "");
  // Whatever the layout, the elements hold what was written to them.
  CHECK(integers(r, "a") ==
        std::vector<std::int64_t>{0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0});
  if (words) *words = r.global_words;
  return r.counts.time.value;
}

} // namespace

TEST_CASE("layouts decide the banks, not the values") {
  std::int64_t words = 0;
  CHECK(column_time([](Setup&, ir::Array&) {}, &words) == 8);
  CHECK(words == 16);
  CHECK(column_time(
            [](Setup&, ir::Array& a) {
              a.layout = LayoutKind::padded;
              a.padding = 1;
            },
            &words) == 5);
  CHECK(words == 20);
  CHECK(column_time([](Setup&, ir::Array& a) { a.layout = LayoutKind::diagonal; }) == 5);
  CHECK(column_time([](Setup&, ir::Array& a) { a.layout = LayoutKind::random_permute; }) == 5);
  const auto shifted =
      column_time([](Setup&, ir::Array& a) { a.layout = LayoutKind::random_shift; });
  CHECK(shifted >= 5);
  CHECK(shifted <= 8);
  CHECK(column_time([](Setup& s, ir::Array& a) { // the transposed array
          a.layout = LayoutKind::function;
          a.layout_name = "transposed";
          a.layout_function = element_function(s, [](Code& c, Register d, Register i) {
            const Register four = c.constant(4);
            c.into(d, Opcode::mul, c.op(Opcode::rem, i, four), four);
            c.into(d, Opcode::add, d, c.op(Opcode::div, i, four));
          });
        }) == 5);
}

TEST_CASE("messages of layouts and initial values", "[golden]") {
  std::string text;
  const auto run = [&](std::vector<std::int64_t> extents, bool layout, auto body) {
    Setup s;
    s.array("a", std::move(extents));
    ir::Array& a = s.program.arrays[0];
    const auto f = element_function(s, body, Scalar::int64);
    if (layout) {
      a.layout = LayoutKind::function;
      a.layout_name = "mine";
      a.layout_function = f;
    } else {
      a.initial = f;
    }
    const RunResult r = s.run(4);
    CHECK(r.stop == Stop::error);
    text += text_of(r, s.sources) + "\n";
  };
  run({4, 4}, true,
      [](Code& c, Register d, Register i) { c.into(d, Opcode::rem, i, c.constant(10)); });
  run({16}, true,
      [](Code& c, Register d, Register i) { c.into(d, Opcode::sub, i, c.constant(1)); });
  run({16}, true, [](Code& c, Register d, Register i) {
    c.into(d, Opcode::mul, i, c.constant(std::int64_t{1} << 50));
  });
  run({2000, 2}, false, [](Code& c, Register d, Register i) {
    c.into(d, Opcode::div, i, c.op(Opcode::sub, i, c.constant(3001)));
  });
  CHECK(text == golden("engine/layouts.txt", text));
}

TEST_CASE("arrays begin at multiples of the width, shared copies behind them on a DMM") {
  struct Addresses : Observer, TimeObserver {
    TimeObserver* times() override { return this; }
    void dispatched(const Dispatch& d) override { seen.push_back(d.request->addresses); }
    std::vector<std::vector<std::int64_t>> seen;
  };
  Setup s;
  s.machine = Setup::dmm(4, 5, 16);
  s.array("a", {5});
  s.array("b", {3});
  s.array("x", {2}, ir::Space::shared);
  s.array("y", {1}, ir::Space::shared);
  Code& k = s.kernel;
  const Register zero = k.constant(0);
  for (int array = 0; array < 4; ++array) k.store(array, zero, zero);
  ir::LaunchSite site;
  site.kernel = s.add(k.finish());
  site.threads = s.main.constant(1);
  s.program.launches.push_back(site);
  s.main.emit(Opcode::launch);
  s.program.main = s.add(s.main.finish());
  Addresses addresses;
  const RunResult r = simulate(s.program, s.machine, s.options, s.sources, addresses);
  CHECK(addresses.seen ==
        std::vector<std::vector<std::int64_t>>{
            {0, -1, -1, -1}, {8, -1, -1, -1}, {12, -1, -1, -1}, {16, -1, -1, -1}});
  CHECK(r.counts.shared_words == 3);
  CHECK(r.global_words == 8);
}

TEST_CASE("main's variables and arrays reach verify, initial is the array as main found it") {
  Setup s;
  s.array("a", {4});
  s.program.arrays[0].snapshot = true;
  s.program.messages = {"a", "b", "c"};
  s.input("a", {Value::of(std::int64_t{5}), {}, {}, {}});
  const Register zero = s.main.constant(0), nine = s.main.constant(9); // registers 0 and 1
  s.main.function().locals.push_back({"x", Scalar::int32});
  s.main.emit(Opcode::local_new, -1, nine);
  s.main.emit(Opcode::local_store, -1, zero, nine);
  s.main.store(0, zero, nine);
  s.verify.function().locals.push_back({"x", Scalar::int32});
  s.verify.function().registers = 4; // main's two, and those of its launch
  const auto expect = [&](Register actual, std::int64_t value, std::int64_t message) {
    const Register same = s.verify.op(Opcode::eq, actual, s.verify.constant(value));
    s.verify.emit(Opcode::assert_, -1, same, -1, -1, message);
  };
  expect(nine, 9, 0);
  const Register x = s.verify.fresh(), before = s.verify.fresh();
  s.verify.emit(Opcode::local_load, x, zero);
  expect(x, 9, 1);
  s.verify.emit(Opcode::initial, before, zero);
  expect(before, 5, 2);
  const RunResult r = s.run(4);
  CHECK(text_of(r, s.sources) == "");
  CHECK(r.verify == Verdict::passed);
}

TEST_CASE("host random numbers are drawn one after the other") {
  Setup s;
  s.array("a", {100}, ir::Space::memory, Scalar::float32);
  Code& m = s.main;
  const Register i = m.constant(0), d = m.fresh(), zero = m.real(0), one = m.real(1);
  m.loop_while([&] { return m.op(Opcode::lt, i, m.constant(100)); },
               [&] {
                 m.type = Scalar::float32;
                 m.emit(Opcode::random, d, zero, one);
                 m.store(0, i, d);
                 m.type = Scalar::int32;
                 m.into(i, Opcode::add, i, m.constant(1));
               });
  const RunResult r = s.run(4);
  const auto& a = r.outputs.at("a");
  double sum = 0;
  for (Value v : a) {
    CHECK(v.real() >= 0);
    CHECK(v.real() < 1);
    sum += v.real();
  }
  CHECK(std::abs(sum - 50) < 12);
  CHECK(a[0].real() != a[1].real());
}

TEST_CASE("kernels keep counts of their own, launch by launch") {
  Setup s;
  s.array("a", {16});
  const Register t = s.kernel.special(Special::thread);
  s.kernel.store(0, t, s.kernel.op(Opcode::add, s.kernel.load(0, t), s.kernel.fresh()));
  const Register formal = s.kernel.function().registers - 1;
  (void)formal;
  ir::LaunchSite first; // a launch with the default shape
  first.kernel = 1;
  s.program.launches.push_back(first);
  s.main.emit(Opcode::launch);
  Code other("other", 0);
  s.add(other.finish()); // function 0; the kernel becomes number 1
  s.program.kernels.push_back(0);
  ir::LaunchSite site;
  site.kernel = s.add(s.kernel.finish());
  s.program.kernels.push_back(site.kernel);
  s.program.main = s.add(s.main.finish());
  Observer nobody;
  const RunResult r = simulate(s.program, s.machine, s.options, s.sources, nobody);
  CHECK(text_of(r, s.sources) == "");
  CHECK(r.counts.launches == 1);
  CHECK(r.kernels.at("k").time.value == r.counts.time.value);
  CHECK(r.kernels.at("k").global[0].requests == 8); // 16 threads, four warps
  CHECK(r.kernels.at("other").launches == 0);
}
