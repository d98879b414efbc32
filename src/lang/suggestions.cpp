#include "suggestions.hpp"

#include <array>

namespace memlane::lang {
namespace {

struct Suggestion {
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

constexpr std::array statement_suggestions{
    Suggestion{"int", typed_var},
    Suggestion{"long", typed_var},
    Suggestion{"float", typed_var},
    Suggestion{"double", typed_var},
    Suggestion{"bool", typed_var},
    Suggestion{"auto", typed_var},
    Suggestion{"unsigned", typed_var},
    Suggestion{"const", "write 'let x = …'"},
    Suggestion{"do", loops},
    Suggestion{"loop", loops},
    Suggestion{"repeat", loops},
    Suggestion{"until", loops},
    Suggestion{"foreach", sequence},
    Suggestion{"parallel", sequence},
    Suggestion{"elif", choices},
    Suggestion{"elsif", choices},
    Suggestion{"elseif", choices},
    Suggestion{"switch", choices},
    Suggestion{"case", choices},
    Suggestion{"goto", loops},
    Suggestion{"begin", "a block is '{ … }'"},
    Suggestion{"end", "a block ends with '}'"},
    Suggestion{"printf", output},
    Suggestion{"println", output},
    Suggestion{"function", functions},
    Suggestion{"def", functions},
    Suggestion{"void", functions},
    Suggestion{"set", "write 'x = …'"},
    Suggestion{"call", "write 'f(…)' for a proc, 'launch f(…)' for a kernel"},
    Suggestion{"wait", "write 'barrier'"},
    Suggestion{"synchronize", "write 'barrier'"},
    Suggestion{"__syncthreads", "write 'barrier'"},
    Suggestion{"__shared__", "write 'shared s[n]: int'"},
    Suggestion{"local", typed_var},
    Suggestion{"global", global_arrays},
};

constexpr std::array declaration_suggestions{
    Suggestion{"function", functions},
    Suggestion{"func", functions},
    Suggestion{"def", functions},
    Suggestion{"void", functions},
    Suggestion{"__global__", "write 'kernel f() { … }'"},
    Suggestion{"__device__", "write 'proc f() { … }'"},
    Suggestion{"import", "write 'use scan' for the file scan.lane"},
    Suggestion{"include", "write 'use scan' for the file scan.lane"},
    Suggestion{"global", global_arrays},
    Suggestion{"array", global_arrays},
    Suggestion{"int", global_arrays},
    Suggestion{"long", global_arrays},
    Suggestion{"float", global_arrays},
    Suggestion{"double", global_arrays},
    Suggestion{"struct", "write 'type pair = (first: int, second: int)'"},
    Suggestion{"record", "write 'type pair = (first: int, second: int)'"},
    Suggestion{"host", "the host part is 'main { … }'"},
    Suggestion{"parameter", "write 'param n: int = 1024'"},
};

/// Calls of other languages' fns and procs.
constexpr std::array call_suggestions{
    Suggestion{"log", "the logarithm is log2(x), to the base 2"},
    Suggestion{"ln", "the logarithm is log2(x), to the base 2"},
    Suggestion{"log10", "the logarithm is log2(x), to the base 2"},
    Suggestion{"pow", "a power is x^y"},
    Suggestion{"len", extents},
    Suggestion{"length", extents},
    Suggestion{"size", extents},
    Suggestion{"sizeof", extents},
    Suggestion{"ceil", "`ceil` stands in claims only; in code write ceil_div(a, b) or a / b"},
    Suggestion{"floor", "`floor` stands in claims only; in code write ceil_div(a, b) or a / b"},
    Suggestion{"printf", output},
    Suggestion{"println", output},
    Suggestion{"syncthreads", barriers},
    Suggestion{"__syncthreads", barriers},
    Suggestion{"__syncwarp", "the lanes of a warp go together: nothing is needed within a warp"},
    Suggestion{"sync", barriers},
    Suggestion{"wait", barriers},
    Suggestion{"shfl", no_shuffle},
    Suggestion{"shfl_down", no_shuffle},
    Suggestion{"shfl_up", no_shuffle},
    Suggestion{"shfl_xor", no_shuffle},
    Suggestion{"__shfl_sync", no_shuffle},
    Suggestion{"__shfl_down_sync", no_shuffle},
    Suggestion{"__shfl_up_sync", no_shuffle},
    Suggestion{"__shfl_xor_sync", no_shuffle},
    Suggestion{"atomicAdd", no_atomics},
    Suggestion{"atomicSub", no_atomics},
    Suggestion{"atomicMin", no_atomics},
    Suggestion{"atomicMax", no_atomics},
    Suggestion{"atomicExch", no_atomics},
    Suggestion{"atomicCAS", no_atomics},
    Suggestion{"atomic_add", no_atomics},
};

/// Values that other languages have by these names.
constexpr std::array name_suggestions{
    Suggestion{"threadIdx", "write thread: this thread's number in its block"},
    Suggestion{"blockIdx", "write block: this block's number"},
    Suggestion{"blockDim", "write threads: the threads of a block"},
    Suggestion{"gridDim", "write blocks: the blocks of the launch"},
    Suggestion{"warpSize", "write width"},
    Suggestion{"laneId", "write lane: the place in the warp"},
};

template <class Suggestions>
std::vector<std::string> look_up(const Suggestions& suggestions, std::string_view word) {
  for (const Suggestion& suggestion : suggestions)
    if (suggestion.word == word) return {std::string(suggestion.help)};
  return {};
}

} // namespace

std::vector<std::string> statement_suggestion(std::string_view word) {
  return look_up(statement_suggestions, word);
}

std::vector<std::string> call_suggestion(std::string_view word) {
  return look_up(call_suggestions, word);
}

std::vector<std::string> name_suggestion(std::string_view word) {
  return look_up(name_suggestions, word);
}

std::vector<std::string> declaration_suggestion(std::string_view word) {
  return look_up(declaration_suggestions, word);
}

} // namespace memlane::lang
