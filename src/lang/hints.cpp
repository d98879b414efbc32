#include "hints.hpp"

#include <array>

namespace memlane::lang {
namespace {

struct Hint {
  std::string_view word;
  std::string_view help;
};

constexpr std::string_view typed_var = "a variable is 'var x = 0' or 'var x: int = 0'";
constexpr std::string_view loops = "loops are 'for i = 0 to n - 1 { … }' and 'while c { … }'";
constexpr std::string_view sequence = "write 'for i = 0 to n - 1 { … }', or 'forall i in 0..n "
                                      "{ … }' for all at once";
constexpr std::string_view choices = "write 'if c { … } else if d { … } else { … }'";
constexpr std::string_view functions = "write 'kernel f() { … }', 'proc f() { … }', or, for a "
                                       "value, 'fn f(x) = …' or 'fn f(x) { … return y }'";
constexpr std::string_view global_arrays = "write 'memory a[n]: int'";
constexpr std::string_view output =
    "write 'print \"x =\", x'; --output a=FILE writes an array at the end";
constexpr std::string_view barriers = "write barrier: all threads of the block wait there";
constexpr std::string_view no_shuffle =
    "there are no shuffles: the lanes of a warp go together, so write x to a shared array and read "
    "the other lane's element in the next statement: s[thread] = x, then s[thread + 1]";
constexpr std::string_view no_atomics =
    "there are no atomic operations: add up in a tree as in sum.lane, or in a word for each thread";
constexpr std::string_view extents =
    "an extent is the number or param that declares it; a formal array names its own: x[size]: int";

constexpr std::array statement_hints{
    Hint{"int", typed_var},
    Hint{"long", typed_var},
    Hint{"float", typed_var},
    Hint{"double", typed_var},
    Hint{"bool", typed_var},
    Hint{"auto", typed_var},
    Hint{"unsigned", typed_var},
    Hint{"const", "write 'let x = …'"},
    Hint{"do", loops},
    Hint{"loop", loops},
    Hint{"repeat", loops},
    Hint{"until", loops},
    Hint{"foreach", sequence},
    Hint{"parallel", sequence},
    Hint{"elif", choices},
    Hint{"elsif", choices},
    Hint{"elseif", choices},
    Hint{"switch", choices},
    Hint{"case", choices},
    Hint{"goto", loops},
    Hint{"begin", "a block is '{ … }'"},
    Hint{"end", "a block ends with '}'"},
    Hint{"printf", output},
    Hint{"println", output},
    Hint{"function", functions},
    Hint{"def", functions},
    Hint{"void", functions},
    Hint{"set", "write 'x = …'"},
    Hint{"call", "write 'f(…)' for a proc, 'launch f(…)' for a kernel"},
    Hint{"wait", "write 'barrier'"},
    Hint{"synchronize", "write 'barrier'"},
    Hint{"__syncthreads", "write 'barrier'"},
    Hint{"__shared__", "write 'shared s[n]: int'"},
    Hint{"local", typed_var},
    Hint{"global", global_arrays},
};

constexpr std::array declaration_hints{
    Hint{"function", functions},
    Hint{"func", functions},
    Hint{"def", functions},
    Hint{"void", functions},
    Hint{"__global__", "write 'kernel f() { … }'"},
    Hint{"__device__", "write 'proc f() { … }'"},
    Hint{"import", "write 'use scan' for the file scan.lane"},
    Hint{"include", "write 'use scan' for the file scan.lane"},
    Hint{"global", global_arrays},
    Hint{"array", global_arrays},
    Hint{"int", global_arrays},
    Hint{"long", global_arrays},
    Hint{"float", global_arrays},
    Hint{"double", global_arrays},
    Hint{"struct", "write 'type pair = (first: int, second: int)'"},
    Hint{"record", "write 'type pair = (first: int, second: int)'"},
    Hint{"host", "the host part is 'main { … }'"},
    Hint{"parameter", "write 'param n: int = 1024'"},
};

/// Calls of other languages' fns and procs.
constexpr std::array call_hints{
    Hint{"log", "the logarithm is log2(x), to the base 2"},
    Hint{"ln", "the logarithm is log2(x), to the base 2"},
    Hint{"log10", "the logarithm is log2(x), to the base 2"},
    Hint{"pow", "a power is x^y"},
    Hint{"len", extents},
    Hint{"length", extents},
    Hint{"size", extents},
    Hint{"sizeof", extents},
    Hint{"ceil", "`ceil` stands in claims only; in code write ceil_div(a, b) or a / b"},
    Hint{"floor", "`floor` stands in claims only; in code write ceil_div(a, b) or a / b"},
    Hint{"printf", output},
    Hint{"println", output},
    Hint{"syncthreads", barriers},
    Hint{"__syncthreads", barriers},
    Hint{"__syncwarp", "the lanes of a warp go together: nothing is needed within a warp"},
    Hint{"sync", barriers},
    Hint{"wait", barriers},
    Hint{"shfl", no_shuffle},
    Hint{"shfl_down", no_shuffle},
    Hint{"shfl_up", no_shuffle},
    Hint{"shfl_xor", no_shuffle},
    Hint{"__shfl_sync", no_shuffle},
    Hint{"__shfl_down_sync", no_shuffle},
    Hint{"__shfl_up_sync", no_shuffle},
    Hint{"__shfl_xor_sync", no_shuffle},
    Hint{"atomicAdd", no_atomics},
    Hint{"atomicSub", no_atomics},
    Hint{"atomicMin", no_atomics},
    Hint{"atomicMax", no_atomics},
    Hint{"atomicExch", no_atomics},
    Hint{"atomicCAS", no_atomics},
    Hint{"atomic_add", no_atomics},
};

/// Values that other languages have by these names.
constexpr std::array name_hints{
    Hint{"threadIdx", "write thread: this thread's number in its block"},
    Hint{"blockIdx", "write block: this block's number"},
    Hint{"blockDim", "write threads: the threads of a block"},
    Hint{"gridDim", "write blocks: the blocks of the launch"},
    Hint{"warpSize", "write width"},
    Hint{"laneId", "write lane: the place in the warp"},
};

template <class Hints>
std::vector<std::string> look_up(const Hints& hints, std::string_view word) {
  for (const Hint& hint : hints)
    if (hint.word == word) return {std::string(hint.help)};
  return {};
}

} // namespace

std::vector<std::string> statement_hint(std::string_view word) {
  return look_up(statement_hints, word);
}

std::vector<std::string> call_hint(std::string_view word) { return look_up(call_hints, word); }

std::vector<std::string> name_hint(std::string_view word) { return look_up(name_hints, word); }

std::vector<std::string> declaration_hint(std::string_view word) {
  return look_up(declaration_hints, word);
}

} // namespace memlane::lang
