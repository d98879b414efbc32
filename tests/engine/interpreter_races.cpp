// Races of each kind, and what comes near to one and is none.
#include "program_builder.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"

#include <map>
#include <random>

using namespace memlane;
using namespace memlane::test;

namespace {

/// Runs a kernel body on one array a[2, 4] of four-lane warps.
template <class Body>
RunResult race_run(std::int64_t threads, bool allow, Body body, std::string* text = nullptr) {
  Setup s;
  s.options.allow_races = allow;
  const int a = s.array("a", {2, 4});
  body(s.kernel, a);
  RunResult r = s.run(threads);
  if (text) *text += text_of(r, s.sources) + "\n";
  return r;
}

template <class Body>
std::int64_t races_of(std::int64_t threads, Body body) {
  const RunResult strict = race_run(threads, false, body);
  const RunResult allowed = race_run(threads, true, body);
  CHECK((strict.stop == Stop::error) == (allowed.races.races > 0));
  CHECK(allowed.stop == Stop::none);
  return allowed.races.races;
}

void write_own(Code& k, int a) {
  const Register t = k.special(Special::thread);
  k.store(a, t, t);
}
Register neighbour(Code& k, std::int64_t by) {
  const Register t = k.special(Special::thread);
  return k.op(Opcode::rem, k.op(Opcode::add, t, k.constant(by)), k.constant(8));
}

} // namespace

TEST_CASE("messages of races", "[golden]") {
  std::string text;
  race_run(
      8, false,
      [](Code& k, int a) {
        write_own(k, a);
        k.load(a, neighbour(k, 4));
      },
      &text);
  race_run(
      8, false, [](Code& k, int a) { k.store(a, k.constant(5), k.constant(1)); }, &text);
  race_run(
      4, false,
      [](Code& k, int a) { k.forall(8, [&](Register i) { k.store(a, k.constant(6), i); }); },
      &text);
  race_run(
      4, false,
      [](Code& k, int a) {
        k.forall(4, [&](Register i) {
          k.load(a, neighbour(k, 1));
          k.store(a, i, i);
        });
      },
      &text);
  race_run(
      4, false,
      [](Code& k, int a) {
        const Register low = k.op(Opcode::lt, k.special(Special::thread), k.constant(1));
        const Register seven = k.constant(7);
        k.if_else(
            low, [&] { k.load(a, seven); }, [&] { k.store(a, seven, seven); });
      },
      &text);
  CHECK(text == golden("engine/races.txt", text));
}

TEST_CASE("two warps that meet at a written word race, unless a barrier lies between") {
  const auto with = [](bool barrier, std::int64_t by) {
    return races_of(8, [=](Code& k, int a) {
      write_own(k, a);
      if (barrier) k.emit(Opcode::barrier);
      k.load(a, neighbour(k, by));
    });
  };
  CHECK(with(false, 4) == 8); // both warps have written before either reads
  CHECK(with(true, 4) == 0);
  CHECK(with(false, 0) == 0);
  CHECK(with(true, 1) == 0);
  CHECK(with(false, 1) == 2); // threads 3 and 7
}

TEST_CASE("reading together is no race, nor is what one warp does in order") {
  CHECK(races_of(8, [](Code& k, int a) {
          k.load(a, k.constant(3));
          k.load(a, neighbour(k, 4));
        }) == 0);
  CHECK(races_of(4, [](Code& k, int a) {
          write_own(k, a);
          k.load(a, neighbour(k, 1));
          k.store(a, k.constant(0), k.special(Special::lane)); // a concurrent write
          k.store(a, k.constant(0), k.special(Special::lane));
        }) == 0);
}

TEST_CASE("a write races with an earlier reader, even if others read since") {
  CHECK(races_of(12, [](Code& k, int a) {
          const Register t = k.special(Special::thread);
          k.load(a, k.constant(0));                     // by all three warps
          k.if_then(k.op(Opcode::lt, t, k.constant(4)), // the first writes
                    [&] { k.store(a, k.constant(0), t); });
        }) > 0);
}

TEST_CASE("iterations of one forall race where they meet at a written word") {
  const auto forall = [](std::int64_t count, auto body) {
    return races_of(4,
                    [=](Code& k, int a) { k.forall(count, [&](Register i) { body(k, a, i); }); });
  };
  // One request of four lanes writes one word: a concurrent write. A second round: a race.
  CHECK(forall(4, [](Code& k, int a, Register i) { k.store(a, k.constant(0), i); }) == 0);
  CHECK(forall(8, [](Code& k, int a, Register i) { k.store(a, k.constant(0), i); }) == 4);
  // Reads of a word another iteration writes, before and after, in one warp.
  CHECK(forall(4, [](Code& k, int a, Register i) {
          k.load(a, k.op(Opcode::rem, k.op(Opcode::add, i, k.constant(1)), k.constant(4)));
          k.store(a, i, i);
        }) == 4);
  CHECK(forall(4, [](Code& k, int a, Register i) {
          k.store(a, i, i);
          k.load(a, k.op(Opcode::bit_xor, i, k.constant(1)));
        }) == 4);
  // An iteration may do with its own words what it likes.
  CHECK(forall(8, [](Code& k, int a, Register i) {
          k.store(a, i, i);
          k.load(a, i);
          k.store(a, i, i);
        }) == 0);
  // A concurrent write of all, then one of the writers reads: the others' writes count.
  CHECK(forall(4, [](Code& k, int a, Register i) {
          k.store(a, k.constant(0), i);
          k.if_then(k.op(Opcode::eq, i, k.constant(3)), [&] { k.load(a, k.constant(0)); });
        }) == 1);
}

TEST_CASE("iterations of different foralls have a barrier between them, or the warp's order") {
  CHECK(races_of(8, [](Code& k, int a) {
          k.forall(8, [&](Register i) { k.store(a, i, i); });
          k.forall(8, [&](Register) { k.load(a, neighbour(k, 3)); });
        }) == 0);
  CHECK(races_of(4, [](Code& k, int a) {
          k.forall(
              8, [&](Register i) { k.store(a, i, i); }, false);
          k.load(a, neighbour(k, 3));
        }) == 0);
}

TEST_CASE("deferred stores race with each other only, by iterations in different requests") {
  const auto sync = [](std::int64_t count, std::int64_t words) {
    return races_of(4, [=](Code& k, int a) {
      k.forall(count, [&](Register i) {
        const Register x = k.load(a, neighbour(k, 1));
        k.emit(Opcode::defer, -1, k.op(Opcode::rem, i, k.constant(words)), x, -1, a);
      });
      k.emit(Opcode::drain);
      k.emit(Opcode::barrier);
    });
  };
  CHECK(sync(8, 8) == 0);
  CHECK(sync(4, 1) == 0); // a concurrent write in one request
  CHECK(sync(8, 4) == 4);
}

TEST_CASE("the two paths of one if may not meet at a written word") {
  const auto paths = [](auto then, auto otherwise) {
    return races_of(4, [=](Code& k, int a) {
      const Register t = k.special(Special::thread);
      k.if_else(
          k.op(Opcode::lt, t, k.constant(2)), [&] { then(k, a); }, [&] { otherwise(k, a); });
    });
  };
  const auto store_0 = [](Code& k, int a) { k.store(a, k.constant(0), k.constant(1)); };
  const auto load_0 = [](Code& k, int a) { k.load(a, k.constant(0)); };
  CHECK(paths(store_0, store_0) == 2);
  CHECK(paths(load_0, store_0) == 2);
  CHECK(paths(store_0, load_0) == 2);
  CHECK(paths(load_0, load_0) == 0);
  CHECK(paths(write_own, write_own) == 0);
  // Nested: the inner if's paths are apart, the outer's meet.
  CHECK(paths(store_0, [&](Code& k, int a) {
          k.if_else(
              k.op(Opcode::eq, k.special(Special::thread), k.constant(2)), [&] { load_0(k, a); },
              [] {});
        }) == 1);
  // After the endif the lanes are together again; and a uniform if has one path only.
  CHECK(races_of(4, [&](Code& k, int a) {
          k.if_then(k.op(Opcode::lt, k.special(Special::thread), k.constant(2)),
                    [&] { store_0(k, a); });
          load_0(k, a);
          k.if_else(
              k.constant(1), [&] { store_0(k, a); }, [&] { load_0(k, a); });
        }) == 0);
}

TEST_CASE("an if in a loop starts its log afresh") {
  CHECK(races_of(4, [](Code& k, int a) {
          const Register t = k.special(Special::thread), i = k.constant(0);
          k.loop_while([&] { return k.op(Opcode::lt, i, k.constant(2)); },
                       [&] {
                         // Trip 0: lanes 0, 1 write word 0, the others word 1; then the reverse.
                         const Register low = k.op(Opcode::lt, t, k.constant(2));
                         k.if_else(
                             low, [&] { k.store(a, i, t); },
                             [&] { k.store(a, k.op(Opcode::sub, k.constant(1), i), t); });
                         k.into(i, Opcode::add, i, k.constant(1));
                       });
        }) == 0);
}

TEST_CASE("allowed races are told once a pair of lines") {
  const RunResult r = race_run(8, true, [](Code& k, int a) {
    const Register i = k.constant(0);
    k.loop_while([&] { return k.op(Opcode::lt, i, k.constant(5)); },
                 [&] {
                   k.store(a, i, i);
                   k.into(i, Opcode::add, i, k.constant(1));
                 });
  });
  CHECK(r.races.races == 20); // five words, four lanes of the later warp
  CHECK(r.races.pairs.size() == 1);
}

TEST_CASE("two readers and two writers a word are enough: against a log of everything") {
  // Random short kernels of one request a line, each lane on a random word of 0..3; a race must be
  // found exactly when the full log of accesses, in dispatch order, holds one.
  struct Log : Observer, TimeObserver {
    TimeObserver* times() override { return this; }
    struct Seen {
      std::int64_t warp, address, epoch;
      bool write;
    };
    void dispatched(const Dispatch& d) override {
      std::vector<Seen> now;
      for (std::int64_t address : d.request->addresses)
        if (address >= 0) now.push_back({d.warp.warp, address, epoch, writes(d.request->kind)});
      for (const Seen& x : now)
        for (const Seen& y : all)
          race |= x.address == y.address && x.epoch == y.epoch && x.warp != y.warp &&
                  (x.write || y.write);
      all.insert(all.end(), now.begin(), now.end());
    }
    void released(std::int64_t, std::int64_t) override { ++epoch; }
    std::vector<Seen> all;
    std::int64_t epoch = 0;
    bool race = false;
  };
  std::mt19937 random(7);
  int races = 0;
  for (int round = 0; round < 300; ++round) {
    Setup s;
    s.options.allow_races = true;
    const int a = s.array("a", {8});
    s.program.tables.push_back({"choice", Scalar::int32, {}});
    Code& k = s.kernel;
    const Register t = k.special(Special::thread);
    const auto lines = 2 + random() % 5;
    for (std::size_t line = 0; line < lines; ++line) {
      if (random() % 3 == 0) k.emit(Opcode::barrier);
      const auto first = static_cast<std::int64_t>(s.program.tables[0].values.size());
      for (int i = 0; i < 12; ++i)
        s.program.tables[0].values.push_back(Value::of(static_cast<std::int64_t>(random() % 8)));
      const Register at = k.op(Opcode::add, t, k.constant(first)), word = k.fresh();
      k.emit(Opcode::lookup, word, at);
      const Register active = k.op(Opcode::lt, word, k.constant(4)); // others sit out
      k.if_then(active, [&] {
        if (random() % 4 == 0) {
          k.store(a, word, t);
        } else {
          k.load(a, word);
        }
      });
    }
    ir::LaunchSite site;
    site.kernel = s.add(k.finish());
    site.threads = s.main.constant(12);
    s.program.launches.push_back(site);
    s.main.emit(Opcode::launch);
    s.program.main = s.add(s.main.finish());
    Log log;
    const RunResult r = simulate(s.program, s.machine, s.options, s.sources, log);
    REQUIRE(r.stop == Stop::none);
    CHECK((r.races.races > 0) == log.race);
    races += log.race ? 1 : 0;
  }
  CHECK(races > 50);
  CHECK(races < 280);
}
