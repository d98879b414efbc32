#include "support/catch.hpp"

#include "memlane/points/progress_text.hpp"

namespace memlane::test {

TEST_CASE("progress names the launch, the share of its blocks, the time and what is left") {
  RunProgress progress;
  progress.begin_run();
  CHECK(progress_text(progress, 0) == "initial values and host code before the first launch");
  progress.begin_launch(8, 0);
  CHECK(progress_text(progress, 3) == "launch 1: 0 % of 8 blocks, 0 time units so far");
  progress.update_launch(500, 2);
  CHECK(progress_text(progress, 3) ==
        "launch 1: 25 % of 8 blocks, 500 time units so far; about 9 s left in this launch");
  progress.end_launch(2000);
  CHECK(progress_text(progress, 3) == "1 launch done, host code, 2000 time units so far");
  progress.begin_launch(1, 2000);
  progress.update_launch(1, 0);
  CHECK(progress_text(progress, 3) == "launch 2, 2001 time units so far");
  progress.begin_run();
  CHECK(progress_text(progress, 3) ==
        "start 2, initial values and host code before the first launch");
}

} // namespace memlane::test
