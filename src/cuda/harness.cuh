// ---- The harness, the same in every file that memlane emits: memory mirrored on the host,
// launches, timing, and one JSON object. Compiled with -DMEMLANE_HOST, the program runs on the CPU,
// where the threads of a block are fibres.
#include "prelude.cuh"

// ---- Errors ----
#include "harness/errors.cuh"

// ---- The state of a run ----
#include "harness/state.cuh"

// ---- Random numbers: those of `memlane run` with the same seed ----
#include "harness/random.cuh"

// ---- Memory, and arrays in files ----
#include "harness/inputs.cuh"
#include "harness/memory.cuh"

// ---- Launches ----
#include "harness/launch.cuh"

// ---- Launches that are independent of each other ----
#include "harness/concurrent.cuh"

// ---- The command line ----
#include "harness/options.cuh"

// ---- The device ----
#include "harness/device.cuh"

// ---- Timing ----
#include "harness/hold.cuh"
#include "harness/statistics.cuh"
#include "harness/timing.cuh"

// ---- The result ----
#include "harness/result.cuh"

// ---- One run ----
#include "harness/run.cuh"
// ---- End of the harness ----
