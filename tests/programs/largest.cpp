// Checks the index arithmetic of every row of `gpu measure`, and of every shipped program at the
// largest sizes that its parameters allow.
//
// Whole runs of such sizes take minutes. Instead, a test executes the first and the last block of a
// launch. If a block has billions of iterations, its threads execute a sample of iterations with
// distance `apart`. The run has no data (--timing-only): an index outside its array, or a launch
// that does not fit, stops it with an error. Programs whose indices depend on data run completely,
// at sizes that take less than a second.
#include "cli/shell.hpp"
#include "support/catch.hpp"
#include "support/machine_files.hpp"
#include "support/sanitized.hpp"
#include "support/shipped_programs.hpp"

#include "memlane/claim/claim.hpp"
#include "memlane/count/simulate.hpp"
#include "memlane/ir/flow.hpp"
#include "memlane/ir/without_data.hpp"
#include "memlane/lang/check.hpp"
#include "memlane/lang/lower.hpp"
#include "memlane/lang/parse.hpp"
#include "memlane/machine/machine.hpp"

#include <algorithm>
#include <iomanip>
#include <set>
#include <sstream>

namespace memlane::test {

namespace {

/// A parsed command line.
struct Request {
  std::string program, machine;
  std::vector<std::string> defines, layouts;
};

Result<ir::Program> compile(Sources& sources, const Request& request, const MachineSpec& machine) {
  const auto load = [&](const std::string& name) {
    const std::string path = path_of_shipped(name);
    return sources.add(path, slurp(path));
  };
  lang::Replacements replacements;
  for (const std::string& text : request.layouts)
    replacements.layouts.push_back(sources.add("--layout", text));
  auto program = lang::load_program(
      sources, load(request.program),
      [&](const lang::Name& name, const std::string&) -> Result<std::int32_t> {
        return load(name.text);
      },
      replacements);
  if (!program) return program.errors();
  const auto checked = lang::check(sources, std::move(*program), claim_counts());
  if (!checked) return checked.errors();
  lang::Bindings bindings{letters(machine), machine.name, {}};
  for (const std::string& define : request.defines) {
    const std::int32_t file = sources.add("-D", define);
    const std::size_t equals = define.find('=');
    auto value = lang::parse_expression(sources, file, static_cast<std::uint32_t>(equals + 1));
    if (!value) return value.errors();
    bindings.params.push_back({define.substr(0, equals), std::move(*value)});
  }
  return lang::lower(*checked, bindings, sources);
}

/// Inserts instructions at the start of a function.
void put_first(ir::Function& function, const std::vector<ir::Instruction>& first) {
  for (ir::Instruction& in : function.code)
    if (ir::operands(in.op).find('T') != std::string_view::npos)
      in.immediate += static_cast<std::int64_t>(first.size());
  function.code.insert(function.code.begin(), first.begin(), first.end());
  if (function.originals.empty()) return;
  std::vector<ir::OriginalInstruction> own;
  for (const ir::Instruction& in : first) own.push_back({in, false});
  function.originals.insert(function.originals.begin(), own.begin(), own.end());
}

ir::Instruction constant(ir::Register d, std::int64_t value) {
  ir::Instruction in;
  in.op = ir::Opcode::constant;
  in.type = ir::Scalar::int64;
  in.d = d;
  in.immediate = value;
  return in;
}

enum class Block { first, last };

/// Changes a program so that it launches only the first or the last block of each kernel, which
/// still sees the number of all blocks. `apart` > 0 replaces the number of threads.
ir::Program only_block(ir::Program program, Block which, std::int64_t apart) {
  for (const std::int32_t index : program.kernels) {
    ir::Function& kernel = program.functions[static_cast<std::size_t>(index)];
    const ir::Register blocks = kernel.registers++, one = kernel.registers++,
                       block = kernel.registers++;
    // The extents that follow the number of threads stay last.
    kernel.formals.insert(
        kernel.formals.end() - static_cast<std::ptrdiff_t>(kernel.launch_extents.size()), blocks);
    for (ir::Instruction& in : kernel.code) {
      if (in.op != ir::Opcode::special) continue;
      const auto special = static_cast<ir::Special>(in.immediate);
      if (special == ir::Special::threads && apart > 0) in = constant(in.d, apart);
      if (special != ir::Special::block && special != ir::Special::blocks) continue;
      in.op = ir::Opcode::move;
      in.type = ir::Scalar::int64;
      in.a = special == ir::Special::block ? block : blocks;
      in.immediate = 0;
    }
    ir::Instruction last = constant(block, 0);
    if (which == Block::last) {
      last.op = ir::Opcode::sub;
      last.a = blocks;
      last.b = one;
    }
    put_first(kernel, {constant(one, 1), last});
  }
  for (ir::LaunchSite& site : program.launches) {
    REQUIRE(site.blocks >= 0);
    site.actuals.push_back(site.blocks);
    site.blocks = program.functions[static_cast<std::size_t>(program.main)].registers;
  }
  ir::Function& main = program.functions[static_cast<std::size_t>(program.main)];
  put_first(main, {constant(main.registers++, 1)});
  return program;
}

MachineSpec machine_named(const std::string& words) {
  std::istringstream stream(words);
  std::string name, word;
  std::vector<std::string> settings;
  stream >> name;
  while (stream >> word)
    if (word != "--set") settings.push_back(word);
  Sources sources;
  const auto machine = load_machine(
      sources, name, settings, test::machine_files_on_disk(MEMLANE_SOURCE_DIR "/configs/machines"));
  REQUIRE(machine);
  return machine->spec;
}

std::string text_of(const Diagnostics& errors) {
  return errors.empty() ? "" : errors.front().message;
}

/// The error of a run at this size; "" if all indices are inside. Sets `timed` to false if the
/// program needs its data.
std::string fault(const Request& request, std::int64_t apart, bool& timed) {
  Sources sources;
  const MachineSpec machine = machine_named(request.machine);
  const Result<ir::Program> code = compile(sources, request, machine);
  if (!code) return text_of(code.errors());
  const Result<ir::Program> rest = ir::without_data(*code);
  timed = rest.ok();
  if (!timed) return "";
  for (const Block block : {Block::first, Block::last}) {
    RunOptions options;
    // Of local arrays, and of tables of layouts that are fns; contents would need more.
    options.limits.memory = 1 << 26;
    const RunResult run =
        simulate_timing(only_block(*rest, block, apart), machine, options, sources);
    if (run.stop != Stop::none) return run.errors.empty() ? run.reached : text_of(run.errors);
  }
  return "";
}

/// The command in the header of an emitted file.
Request request_of(const std::string& file, const std::vector<std::string>& defines) {
  const std::string text = slurp(file), command = "memlane emit-cuda ";
  const std::size_t at = text.find(command);
  REQUIRE(at != std::string::npos);
  std::istringstream words(text.substr(at + command.size(), text.find('\n', at) - at));
  Request request;
  std::string option, value, settings;
  words >> request.program;
  while (words >> option && option[0] == '-') {
    words >> std::quoted(value, '\'');
    if (option == "-m") request.machine = value;
    if (option == "--set") settings += " --set " + value;
    if (option == "-D") request.defines.push_back(value);
    if (option == "--layout") request.layouts.push_back(value);
  }
  REQUIRE(request.machine != "");
  request.machine += settings;
  request.defines.insert(request.defines.end(), defines.begin(), defines.end());
  return request;
}

/// A complete run with data and verify.
void check_whole(const Playground& playground, const Request& request) {
  std::string command = "memlane run " + request.program + " -m " + request.machine;
  for (const std::string& define : request.defines) command += " -D '" + define + "'";
  for (const std::string& layout : request.layouts) command += " --layout " + layout;
  const Outcome outcome = playground.run(command);
  INFO(command << "\n" << outcome.err);
  CHECK(outcome.status == 0);
}

} // namespace

TEST_CASE("the indices of every row of gpu measure are inside their arrays", "[release]") {
  const Playground playground;
  REQUIRE(playground.run("memlane emit-cuda --all -o $T/all").status == 0);
  int timed_rows = 0;
  std::size_t row = 0;
  std::set<std::string> seen, with_data;
  for (const std::string& line : lines_of(playground.run("memlane gpu measure --list").out)) {
    std::istringstream words(line);
    std::string file, program, variant, define;
    words >> file >> program >> variant;
    if (variant != "emitted") continue;
    if (!seen.insert(program).second && !has_turn(row++, 3)) continue;
    std::vector<std::string> defines;
    while (words >> define) defines.push_back(define);
    const Request request = request_of(playground.folder() + "/all/" + file + ".cu", defines);
    INFO(line);
    bool timed = false;
    CHECK(fault(request, 0, timed) == "");
    timed_rows += timed ? 1 : 0;
    if (timed) continue;
    // Its indices are data below n, and no index is a product of two values that grow with n.
    with_data.insert(program);
    const auto is_small = [](const std::string& define) {
      return std::count_if(define.begin(), define.end(),
                           [](char c) { return c >= '0' && c <= '9'; }) < 5;
    };
    const bool small = std::all_of(defines.begin(), defines.end(), is_small);
    if (small && (!defines.empty() || program == "congestion")) check_whole(playground, request);
  }
  CHECK(timed_rows > (every_case ? 100 : 50));
  CHECK(with_data == std::set<std::string>{"bfs",
                                           "column_prefix_sums",
                                           "column_sort",
                                           "compact",
                                           "congestion",
                                           "gcd",
                                           "gcd_naive",
                                           "gpu_warpsort",
                                           "heap_merge",
                                           "histogram",
                                           "histogram_sorted",
                                           "histogram_warps",
                                           "io_optimal_sort",
                                           "look_back",
                                           "merge_conflict_free",
                                           "merge_pairwise",
                                           "merge_sort",
                                           "permutation",
                                           "permutation_dmm",
                                           "permutation_hmm",
                                           "radix_sort",
                                           "radix_sort_match",
                                           "radix_sort_tiles",
                                           "segmented_scan",
                                           "sparse_multiply",
                                           "work_queue"});
}

namespace {

struct Largest {
  const char* program;
  const char* machine;
  std::vector<std::string> largest; ///< params
  std::vector<std::string> beyond;  ///< one step more
  const char* refusal;              ///< of `beyond`, by the program's `where` or the params' types
  std::int64_t apart = 0;
};

constexpr std::int64_t million = 1 << 20, billion = 1 << 30;
constexpr const char* broken = "breaks its condition";
constexpr const char* no_int = "int";
constexpr const char* no_memory = "larger than any memory";

const std::vector<Largest> largest_sizes = {
    // Indices that are written as int wrap every 2^32 numbers, and no period is longer.
    {"contiguous", "umm-w32", {"n=2^44"}, {"n=2^57"}, no_memory},
    {"contiguous", "dmm-w32", {"n=2^56", "reading=true"}, {"n=2^57"}, no_memory},
    {"strided", "umm-w32", {"n=2^25", "s=2^31"}, {"s=2^31+1"}, broken},
    {"strided", "dmm-w32", {"n=2^31-1", "s=2^24"}, {"n=2^31"}, no_int},
    {"sequential",
     "umm-w32",
     {"n=2^25", "f=2^25-1", "gap=62"},
     {"n=2^25", "f=2^25-1", "gap=64"},
     broken},
    {"figure_access", "dmm-w32", {}, {}, ""},
    {"example", "umm-w32", {"n=2^30"}, {"n=2^31"}, no_int},
    {"sum", "umm-w32", {"n=2^56"}, {"n=2^57"}, "larger than any memory"},
    {"sum_asynchronous", "umm-w32", {"n=2^30"}, {"n=2^30+1"}, broken, 16 * million},
    {"sum_hmm", "hmm-h200-plain", {"n=2^56"}, {"n=2^57"}, no_memory},
    {"reduction", "hmm-h200-plain", {"n=2^56"}, {"n=2^57"}, no_memory},
    {"reduction", "hmm-h200-plain", {"r=254200"}, {"r=254201"}, broken},
    {"reduction_cascading", "hmm-h200-plain", {"n=2^56", "r=254200"}, {"n=2^57"}, no_memory},
    {"reduction_tree", "hmm-h200-plain", {"n=2^44", "r=254200"}, {"n=2^57"}, no_memory},
    {"reduction_tree", "hmm-h200-plain", {"r=254200", "commutative=true"}, {"r=254201"}, broken},
    {"reduction_matrix", "hmm-h200-plain", {"n=2^44", "r=254200"}, {"n=2^57"}, no_memory},
    {"reduction_matrix", "hmm-h200-plain", {"r=254200"}, {"r=254201"}, broken},
    {"maximum_segment_sum", "hmm-titan-plain", {"n=2^56"}, {"n=2^57"}, no_memory},
    {"maximum_segment_sum_tree", "hmm-h200-plain", {"n=2^44", "r=254200"}, {"n=2^57"}, no_memory},
    {"count", "hmm-h200-plain", {"n=2^56", "r=254200"}, {"n=2^57"}, no_memory},
    {"map_reduce", "hmm-h200-plain", {"n=2^56"}, {"n=2^57"}, no_memory},
    {"figure_pipeline", "hmm-h200-plain", {"n=2^20"}, {}, ""},
    {"figure_coalescing", "hmm-h200-plain --set width=128", {}, {}, ""},
    {"prefix_sums", "umm-w32", {"n=2^55"}, {"n=2^56"}, no_memory},
    {"prefix_asynchronous", "umm-w32", {"n=2^22"}, {"n=2^29+1"}, broken},
    {"prefix_simple", "umm-w32", {"n=2^30"}, {"n=2^31"}, no_int, 16 * million},
    {"prefix_hmm", "hmm-h200-plain", {"n=2^30", "r=32"}, {"n=2^57"}, no_memory},
    {"prefix_hmm",
     "hmm-h200-plain --set shared.capacity=1073741824",
     {"n=2^20", "r=7943"},
     {"r=7944"},
     broken},
    {"scan_kogge_stone", "umm-w32", {"n=2^30"}, {"n=2^31"}, no_int, 16 * million},
    {"scan_brent_kung", "umm-w32", {"n=2^30"}, {"n=2^31"}, no_int},
    {"scan_brent_kung_padded", "dmm-w32", {"n=2^30"}, {"n=2^31"}, no_int},
    {"scan",
     "hmm-h200-plain",
     {"n=2^50", "r=8134407", "several=true", "alpha=32"},
     {"n=2^57"},
     "larger than any memory"},
    {"scan", "hmm-h200-plain", {"n=2^26", "commutative=false"}, {"r=8134408"}, broken},
    {"compact", "hmm-h200-plain", {"n=10000"}, {"n=2^31"}, broken},
    {"segmented_scan",
     "hmm-h200-plain",
     {"n=10000", "segments=999", "positions=true"},
     {"n=99", "segments=100", "positions=true"},
     broken},
    {"scan_blocks", "hmm-h200-plain", {"n=2^35"}, {"n=2^35+1"}, broken},
    {"scan_naive", "hmm-h200-plain", {"n=2048"}, {"n=2049"}, broken},
    {"copy_shared",
     "hmm-h200-plain --set shared.capacity=1099511627776",
     {"n=2^30"},
     {"n=2^30+1"},
     broken},
    {"copy_shared",
     "hmm-h200-plain",
     {"n=2^20", "m=32", "gap=65503"},
     {"n=2^20", "m=32", "gap=65504"},
     broken},
    {"transpose", "hmm-h200-plain", {"n=1482880"}, {"n=1482912"}, broken},
    {"transpose_direct", "hmm-h200-plain", {"n=2^28"}, {"n=2^28+32"}, "larger than any", billion},
    {"transpose_direct",
     "dmm-w32",
     {"n=2^28", "diagonal=true"},
     {"n=2^28+32"},
     "larger than any",
     billion* million},
    {"permutation", "hmm-h200-plain", {}, {"n=2^31"}, no_int},
    {"permutation_dmm", "dmm-w32", {"n=2^18+32"}, {"n=2^31"}, no_int},
    {"permutation_hmm", "hmm-h200-plain", {}, {"n=2^31"}, no_int},
    {"multiply", "hmm-h200-plain", {"n=46340", "m=1"}, {"n=46341", "m=1"}, broken},
    {"tensor_multiply", "hmm-tensor", {"n=741440"}, {"n=741456"}, broken},
    {"tensor_dft", "hmm-tensor", {"n=2^20"}, {"n=2^24"}, broken},
    {"tensor_scan", "hmm-tensor", {"n=2^23"}, {"n=2^23+1"}, broken},
    {"multiply_dmm", "dmm-w32", {"n=46340"}, {"n=2^28+1"}, "larger than any", billion},
    {"bitonic_sort", "hmm-h200-plain", {"n=2^30", "r=1985"}, {"n=2^30+1"}, broken},
    {"bitonic_sort", "hmm-h200-plain", {"n=2^30", "r=1985"}, {"r=1986"}, broken},
    {"heap_merge", "hmm-h200-plain", {"n=20000", "ways=8"}, {"n=2^30+1"}, broken},
    {"warpsort_merge", "hmm-h200-plain", {"n=20000"}, {"sequences=3"}, broken},
    {"io_optimal_sort", "hmm-h200-plain", {"n=20000", "r=2"}, {"n=2^30+1"}, broken},
    {"gpu_warpsort", "hmm-h200-plain", {"n=20000"}, {"ways=4"}, broken},
    {"radix_sort", "hmm-h200-plain", {"n=20000", "bits=8"}, {"n=2^30+1"}, broken},
    {"merge_sort", "hmm-h200-plain", {"n=20000", "r=2"}, {"n=2^30+1"}, broken},
    {"merge_pairwise", "hmm-h200-plain", {"n=15360"}, {"n=15*2^26"}, broken},
    {"merge_conflict_free", "hmm-h200-plain", {"n=15360"}, {"n=1921"}, broken},
    {"column_sort", "dmm-w32", {}, {"n=2^27"}, broken},
    {"radix_sort_tiles", "hmm-h200-plain", {"n=20000", "s=8"}, {"n=2^28+1"}, broken},
    {"division_naive", "hmm-h200-plain", {"n=2^30", "m=2^30-4"}, {"n=2^30+1"}, broken},
    {"division", "hmm-h200-plain", {"n=2^30", "m=2^30-4"}, {"m=2^30+1"}, broken},
    {"multiplication", "hmm-h200-plain", {"n=2^29", "m=4"}, {"n=2^29+1"}, broken},
    {"multiplication", "hmm-h200-plain", {"n=5", "m=2^29"}, {"m=2^29+1"}, broken},
    {"ntt", "hmm-h200-plain", {"n=2^22", "m=2^22"}, {"n=2^22+2", "m=2^22"}, broken},
    {"gcd_naive", "hmm-h200-plain", {"n=2000", "m=1500"}, {"n=2^30+1"}, broken},
    {"gcd", "hmm-h200-plain", {"n=2000", "m=1500"}, {"m=2^30+1"}, broken},
    {"convolution", "hmm-h200-plain", {"n=1482880"}, {"n=1482881"}, broken},
    {"convolution", "hmm-h200-plain", {"n=1482880", "v=32"}, {"v=33"}, broken},
    {"convolution_dmm", "dmm-w32", {"n=46338"}, {"n=46339"}, broken, 16 * million},
    {"signal_convolution", "hmm-h200-plain", {"n=2^30-8"}, {"n=2^30-7"}, broken},
    {"signal_convolution_dmm", "umm-w32", {"n=2^30-8"}, {"n=2^30-7"}, broken, 16 * million},
    {"summed_area", "umm-w32", {"n=16384"}, {"n=32768"}, broken, 16 * million},
    {"summed_area_2r2w", "hmm-h200-plain", {"n=46340"}, {"n=46341"}, broken},
    {"summed_area_2r1w", "hmm-h200-plain", {"n=46308"}, {"n=46309"}, broken},
    {"summed_area_1r1w", "hmm-h200-plain", {"n=8000"}, {"n=46309"}, broken},
    {"bulk_prefix_sums", "umm-w32", {"inputs=2^18", "n=1"}, {"inputs=2^30-31", "n=1"}, broken},
    {"bulk_triangulation", "umm-w32", {"inputs=2^12"}, {"inputs=2^24-31"}, broken},
    {"triangulation", "umm-w32", {"n=300"}, {"n=46341"}, broken, billion},
    {"triangulation_simple", "umm-w32", {"n=300"}, {"n=46341"}, broken, million},
    {"triangulation_hmm", "hmm-h200-plain", {"n=500"}, {"n=46309"}, broken},
    {"string_matching", "hmm-h200-plain", {"n=2^30", "m=16"}, {"n=2^30+1"}, broken},
    {"congestion", "dmm-w32 --set width=1024", {}, {}, ""},
    {"histogram", "hmm-h200-plain", {"n=20000"}, {"n=2^30+1"}, broken},
    {"histogram_warps", "hmm-h200-plain", {"n=20000"}, {"bins=2^12+1"}, broken},
    {"histogram_sorted", "hmm-h200-plain", {"n=20000"}, {"key_bits=17"}, broken},
    {"radix_sort_match", "hmm-h200-plain", {"n=20000"}, {"bits=9"}, broken},
    {"work_queue", "hmm-h200-plain", {"n=9"}, {"n=11"}, broken},
    {"sum_shuffle", "hmm-h200-plain", {"n=2^26"}, {"n=2^30+1"}, broken},
    {"look_back", "hmm-h200-plain", {"n=50000", "r=64"}, {"n=2^30+1"}, broken},
    {"column_prefix_sums", "umm-w32", {"n=2000", "m=64"}, {"n=2^15+1"}, broken},
    {"scan_shuffle", "hmm-h200-plain", {"n=2^18"}, {"n=2^20+1"}, broken},
    {"bfs", "hmm-h200-plain", {"n=2000"}, {"n=2^26+1"}, broken},
    {"cholesky", "umm-w32", {"n=64"}, {"n=4097"}, broken},
    {"sparse_multiply", "hmm-h200-plain", {"n=2000", "most=64"}, {"n=2^24+1"}, broken},
    {"product_tree", "hmm-h200-plain", {"levels=1", "degree=2^15"}, {"degree=2^12+1"}, broken},
    {"product_tree", "umm-w32", {"levels=9", "degree=2^7"}, {"modulus=2^31-3"}, broken},
};

} // namespace

TEST_CASE("the indices of every shipped program are inside at the largest sizes of its parameters",
          "[release]") {
  const Playground playground;
  std::set<std::string> shipped, tested;
  std::size_t untimed = 0;
  for (const ShippedProgram& program : shipped_programs()) shipped.insert(program.name);
  for (const Largest& size : largest_sizes) {
    tested.insert(size.program);
    INFO(size.program << " on " << size.machine << " "
                      << (size.largest.empty() ? "" : size.largest.front()));
    const Request request{size.program, size.machine, size.largest, {}};
    bool timed = false;
    CHECK(fault(request, size.apart, timed) == "");
    if (!timed && has_turn(untimed++, 3)) check_whole(playground, request);
    if (size.beyond.empty()) continue;
    bool ignored = false;
    const std::string refused =
        fault({size.program, size.machine, size.beyond, {}}, size.apart, ignored);
    CHECK(refused.find(size.refusal) != std::string::npos);
  }
  CHECK(tested == shipped);
}

TEST_CASE("a launch has no more blocks than an int can number") {
  const Playground playground;
  spit(playground.folder() + "/many.lane", "param n: long = 2^31 - 1\n"
                                           "memory a[1]: int\n"
                                           "kernel k() { if block < 0 { a[0] = 1 } }\n"
                                           "main { launch k() blocks=n }\n"
                                           "verify { assert a[0] == 0 }\n");
  const Outcome outcome = playground.run("memlane run many.lane -D n=2^31");
  CHECK(outcome.status == 2);
  CHECK(outcome.err.find("a launch has at most 2147483647 blocks, which an int can number; k gets "
                         "2147483648") != std::string::npos);
}

} // namespace memlane::test
