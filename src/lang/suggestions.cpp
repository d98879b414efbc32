#include "suggestions.hpp"

#include <array>

namespace memlane::lang {
namespace {

struct Suggestion {
  std::string_view words; ///< separated by blanks
  std::string_view help;
};

constexpr std::string_view loops = "loops are 'for i = 0 to n - 1 { … }' and 'while c { … }'";
constexpr std::string_view functions = "write 'kernel f() { … }', 'proc f() { … }', or, for a "
                                       "value, 'fn f(x) = …' or 'fn f(x) { … return y }'";
constexpr std::string_view global_arrays = "write 'memory a[n]: int'";
constexpr std::string_view output =
    "write 'print \"x =\", x'; --output a=FILE writes an array at the end";

constexpr std::array statement_suggestions{
    Suggestion{"int long float double bool auto unsigned local",
               "a variable is 'var x = 0' or 'var x: int = 0'"},
    Suggestion{"const", "write 'let x = …'"},
    Suggestion{"do loop repeat until goto", loops},
    Suggestion{"foreach parallel", "write 'for i = 0 to n - 1 { … }', or 'forall i in 0..n "
                                   "{ … }' for all at once"},
    Suggestion{"elif elsif elseif switch case", "write 'if c { … } else if d { … } else { … }'"},
    Suggestion{"begin", "a block is '{ … }'"},
    Suggestion{"end", "a block ends with '}'"},
    Suggestion{"printf println", output},
    Suggestion{"function def void", functions},
    Suggestion{"set", "write 'x = …'"},
    Suggestion{"call", "write 'f(…)' for a proc, 'launch f(…)' for a kernel"},
    Suggestion{
        "async stream streams spawn fork",
        "launches that are independent of each other: 'concurrent { launch f()  launch g() }'"},
    Suggestion{"wait synchronize __syncthreads", "write 'barrier'"},
    Suggestion{"__shared__", "write 'shared s[n]: int'"},
    Suggestion{"global", global_arrays},
};

constexpr std::array declaration_suggestions{
    Suggestion{"function func def void", functions},
    Suggestion{"__global__", "write 'kernel f() { … }'"},
    Suggestion{"__device__", "write 'proc f() { … }'"},
    Suggestion{"import include", "write 'use scan' for the file scan.lane"},
    Suggestion{"global array int long float double", global_arrays},
    Suggestion{"struct record", "write 'type pair = (first: int, second: int)'"},
    Suggestion{"host", "the host part is 'main { … }'"},
    Suggestion{"parameter", "write 'param n: int = 1024'"},
};

/// Calls of other languages' fns and procs.
constexpr std::array call_suggestions{
    Suggestion{"log ln log10", "the logarithm is log2(x), to the base 2"},
    Suggestion{"pow", "a power is x^y"},
    Suggestion{"len length size sizeof", "an extent is the number or param that declares it; a "
                                         "formal array names its own: x[size]: int"},
    Suggestion{"ceil", "`ceil` is only allowed in claims; in code write ceil_div(a, b) or a / b"},
    Suggestion{"floor", "`floor` is only allowed in claims; in code write ceil_div(a, b) or a / b"},
    Suggestion{"printf println", output},
    Suggestion{"syncthreads __syncthreads sync wait",
               "write barrier: all threads of the block wait there"},
    Suggestion{"__syncwarp", "the lanes of a warp go together: nothing is needed within a warp"},
    Suggestion{"shfl shfl_down shfl_up shfl_xor __shfl_sync __shfl_down_sync __shfl_up_sync "
               "__shfl_xor_sync",
               "write shuffle(x, i), shuffle_down(x, k), shuffle_up(x, k) or shuffle_xor(x, k)"},
    Suggestion{
        "__ballot_sync __any_sync __all_sync __match_any_sync __reduce_add_sync",
        "write ballot(c), any(c), all(c), match(x), warp_sum(x): the active lanes take part"},
    Suggestion{"atomicAdd atomicSub atomicMin atomicMax atomicAnd atomicOr atomicXor atomic_add",
               "write atomic x[i] += e; also -=, min=, max=, &=, |=, xor="},
    Suggestion{"atomicExch atomicCAS", "write exchange(x[i], e), cas(x[i], expected, e)"},
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
  const std::string wanted = " " + std::string(word) + " ";
  for (const Suggestion& suggestion : suggestions)
    if ((" " + std::string(suggestion.words) + " ").find(wanted) != std::string::npos)
      return {std::string(suggestion.help)};
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
