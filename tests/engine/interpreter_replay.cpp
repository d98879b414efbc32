// Races found from requests alone agree with those that the interpreter finds between warps.
#include "program_builder.hpp"
#include "support/catch.hpp"

#include "memlane/engine/replay_races.hpp"

using namespace memlane;
using namespace memlane::test;

TEST_CASE("races between warps are found from requests alone") {
  for (bool barrier : {false, true}) {
    for (bool shared : {false, true}) {
      Setup s;
      s.machine = Setup::dmm(4, 5, 16);
      s.options.allow_races = true;
      const int a = s.array("a", {8}, shared ? ir::Space::shared : ir::Space::memory);
      Code& k = s.kernel;
      const Register t = k.special(Special::thread), eight = k.constant(8);
      k.store(a, t, t);
      if (barrier) k.emit(Opcode::barrier);
      k.load(a, k.op(Opcode::rem, k.op(Opcode::add, t, k.constant(1)), eight));
      ir::LaunchSite site;
      site.kernel = s.add(k.finish());
      site.threads = s.main.constant(8);
      s.program.launches = {site};
      s.main.emit(Opcode::launch);
      s.main.emit(Opcode::launch); // a launch has nothing to do with the one before
      s.program.main = s.add(s.main.finish());
      ReplayRaces races(s.machine);
      const RunResult r = simulate(s.program, s.machine, s.options, s.sources, races);
      REQUIRE(r.stop == Stop::none);
      CHECK(races.counts().races == r.races.races);
      CHECK(races.counts().races == (barrier ? 0 : 4));
      CHECK(races.counts().pairs.size() == (barrier ? 0 : 1));
      if (!barrier)
        CHECK(races.counts().pairs[0].first.message ==
              "race at shared address 4: thread 3 of block 0 reads what thread 4 of block 0 wrote");
    }
  }
}
