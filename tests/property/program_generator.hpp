// Random programs: small, terminating, with every index inside its array.
#pragma once

#include <cstdint>
#include <string>

namespace memlane::test {

/// The text of program number `seed`: kernels over memory arrays with foralls of every form, loops,
/// divergence, barriers, layouts, several launches and, on machines that have it, shared memory.
/// Threads race, so it must be run with races allowed.
std::string random_program(std::uint64_t seed, bool shared);

/// The text of program number `seed` of those that mostly do not race: arrays of all types,
/// records, layouts, slices, blocks; foralls of several forms and threads by name, loops and
/// divergence with conditions from memory, threads' own arrays, tables, fns. About one in ten does
/// race.
std::string race_free_program(std::uint64_t seed, bool shared);

/// The text of program number `seed` of those whose time does not depend on data: long loops of
/// every form inside each other, with indices, bounds and conditions from what grows in them.
std::string regular_program(std::uint64_t seed, bool shared);

/// The text of program number `seed` of those whose loops go through data: sums of what is loaded,
/// stores, divergence, inner loops and foralls, threads' own arrays, operations of a warp, and what
/// loads decide in between. Blocks write words of their own.
std::string data_loop_program(std::uint64_t seed, bool shared);

/// The text of program number `seed` of those whose blocks work for long on their own shared
/// memory.
std::string tiled_program(std::uint64_t seed);

/// The text of program number `seed` of those with many blocks, which mostly differ by nothing but
/// a shift of their addresses. Some go beyond their arrays.
std::string alike_program(std::uint64_t seed);

/// The text of program number `seed` of those whose work is in fns with blocks: loops, `continue`,
/// `break` and early returns, the same values computed before the run, by threads, by the host and
/// in claims, which must hold. For any machine.
std::string fn_program(std::uint64_t seed);

/// The text of program number `seed` of those with many blocks of one warp of so many threads or
/// fewer: rounds and barriers that depend on the block, divergence, words of its own and, on
/// machines that have them, shared ones.
std::string one_warp_program(std::uint64_t seed, std::int64_t width, bool shared);

/// The text of program number `seed` of those that go through tiles of two or three dimensions,
/// whose rows are shorter than a warp, divide it, or do not.
std::string folded_program(std::uint64_t seed, bool shared);

/// The text of program number `seed` of those whose work is in main and verify. One in three has
/// statements that may fail. For any machine.
std::string host_program(std::uint64_t seed);

/// The text of program number `seed` of those with atomics and operations of a warp. `ordered`:
/// they use old values, or mix atomics, so that results depend on the order.
std::string atomic_program(std::uint64_t seed, bool shared, bool ordered = true);

} // namespace memlane::test
