// Products of tiles: random programs give the sums of a plain loop, and the fast engine and runs
// without data have the reference engine's time, counts and steps.
#include "compiling.hpp"
#include "difference.hpp"
#include "random_text.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"

#include "memlane/count/simulate.hpp"
#include "memlane/ir/without_data.hpp"
#include "memlane/support/diagnostic.hpp"

#include <fmt/format.h>

namespace memlane::test {
namespace {

constexpr std::uint64_t tensor_programs = sanitized ? 10 : 100;

/// c = c + a * b or c = a * b by tiles, each by one warp: of arrays of two dimensions, of b's tiles
/// one after the other, through shared memory, with sums in registers.
class Tiles : RandomText {
public:
  Tiles(std::uint64_t seed, bool shared) : RandomText(seed, 31), shared_(shared) {}

  std::string program() {
    static const char* const types[] = {"int", "long", "float", "double"};
    const std::string type = types[pick(4)];
    const bool in_a_row = pick(3) == 0, adds = pick(3) > 0;
    std::string text = fmt::format(
        "const s = tensor_size\nconst R = {}\nconst K = {}\nconst C = {}\n"
        "memory a[R*s, K*s]: {type} = random(-9, 9)\nmemory b[{}]: {type} = random(-9, 9)\n"
        "memory c[R*s, C*s]: {type}{layout} = random(-9, 9)\n"
        "fn number(i, j) = ((i / s)*C + j / s)*s*s + (i % s)*s + j % s\n"
        "kernel multiply() {{\n",
        1 + pick(3), 1 + pick(3), 1 + pick(3), in_a_row ? "K*C*s*s" : "K*s, C*s",
        fmt::arg("type", type), fmt::arg("layout", pick(4) == 0 ? " layout padded(1)" : ""));
    if (shared_) text += "  shared sa[warps_of(threads)*s, s]: " + type + "\n";
    text += "  for tile = block*warps + warp to R*C - 1 step blocks*warps {\n"
            "    let i = tile / C * s\n    let j = tile % C * s\n";
    const std::string right = in_a_row ? "b[(k*C + j / s)*s*s]" : "b[k*s, j]";
    std::string left = "a[i, k*s]";
    std::string before;
    if (shared_ && pick(2) == 0) {
      left = "sa[warp*s, 0]";
      before =
          "      for t = lane to s*s - 1 step w { sa[warp*s + t / s, t % s] = a[i + t / s, k*s + t "
          "% s] }\n";
    }
    const bool registers = pick(2) == 0;
    if (registers)
      text += "    var sums[ceil_div(s*s, w)]: " + type + "\n" +
              (adds ? each_entry("sums[e] = c[i + t / s, j + t % s]") : "");
    text += fmt::format("    for k = 0 to K - 1 {{\n{}      ", before);
    if (registers)
      text += fmt::format("tensor sums += {} * {}\n", left, right);
    else if (adds)
      text += fmt::format("tensor c[i, j] += {} * {}\n", left, right);
    else
      text +=
          fmt::format("if k == 0 {{ tensor c[i, j] = {0} * {1} }} else {{ tensor c[i, j] += {0} * "
                      "{1} }}\n",
                      left, right);
    text += "    }\n" + (registers ? each_entry("c[i + t / s, j + t % s] = sums[e]") : "") +
            fmt::format("  }}\n}}\nfn warps_of(t) = ceil_div(t, w)\n"
                        "main {{ launch multiply() blocks={} threads={} }}\nverify {{\n",
                        1 + pick(4), pick(2) == 0 ? "w" : "p");
    text +=
        fmt::format("  for i = 0 to R*s - 1 {{ for j = 0 to C*s - 1 {{\n"
                    "    var sum: {} = {}\n    for k = 0 to K*s - 1 {{ sum += a[i, k] * b[{}] }}\n"
                    "    assert c[i, j] == sum\n  }} }}\n}}\n",
                    type, adds ? "initial(c)[i, j]" : "0", in_a_row ? "number(k, j)" : "k, j");
    return text + "claim tensor_operations == R*K*C \"a product for each three tiles\"\n"
                  "claim tensor_busy == R*K*C * s^2 \"a unit takes one at a time\"\n";
  }

private:
  static std::string each_entry(const std::string& statement) {
    return "    for e = 0 to ceil_div(s*s, w) - 1 {\n      let t = e*w + lane\n"
           "      if t < s*s { " +
           statement + " }\n    }\n";
  }

  bool shared_;
};

MachineSpec with_tensor_unit(MachineSpec machine, std::uint64_t seed) {
  machine.lockstep = false;
  machine.instruction_cost = Cycles{0};
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = 1; size <= 2 * machine.width; ++size)
    if (machine.width % size == 0 || size % machine.width == 0) sizes.push_back(size);
  machine.tensor_size =
      sizes[static_cast<std::size_t>(random_integer(seed, 32, 0, 0, std::ssize(sizes) - 1))];
  machine.tensor_latency = Cycles{random_integer(seed, 32, 1, 0, 30)};
  if (machine.shared) machine.shared->capacity.reset();
  for (OperationUnit& unit : machine.operations)
    unit.stages[static_cast<std::size_t>(OperationClass::tensor)] = 0;
  derive_values(machine);
  return machine;
}

} // namespace

TEST_CASE("products of tiles are sums of products, in the same time on both engines") {
  for (std::uint64_t seed = 1; seed <= tensor_programs; ++seed) {
    const MachineSpec machine =
        with_tensor_unit(seed % 2 == 0 ? random_machine(seed) : random_gpu(seed), seed);
    const std::string text = Tiles(seed, machine.shared.has_value()).program();
    INFO("program " << seed << ", tiles of " << *machine.tensor_size << ", warps of "
                    << machine.width << "\n"
                    << text);
    Sources sources;
    const auto code = compiled(sources, text, machine);
    if (!code) FAIL(render(code.errors(), sources));
    RunOptions options;
    options.outputs = {"c"};
    const TalliedRun reference = tallied_reference(*code, machine, options, sources);
    if (reference.result.stop != Stop::none) FAIL(render(reference.result.errors, sources));
    REQUIRE(reference.result.verify == Verdict::passed);
    const auto fast = tallied_fast(*code, machine, options, sources);
    REQUIRE(fast);
    CHECK(fast->result.outputs == reference.result.outputs);
    Difference difference;
    difference.compare_runs(*fast, reference);
    const Result<ir::Program> without = ir::without_data(*code);
    if (!without) FAIL(render(without.errors(), sources));
    options.verify = false; // which needs data
    options.outputs.clear();
    difference.compare_runs(tallied_timing(*without, machine, options, sources),
                            tallied_reference(*code, machine, options, sources));
    REQUIRE(difference.text() == "");
  }
}

/// By configs/README.md section 6 a product is one counted operator beside the requests that it
/// makes. Moves between registers are not counted.
TEST_CASE("on an AGPU a product costs one operator and its requests") {
  MachineSpec machine = with_tensor_unit(random_machine(2), 2);
  machine.width = 4;
  for (const std::int64_t size : {4, 8}) {
    machine.tensor_size = size;
    derive_values(machine);
    const auto time_of = [&](const std::string& declared, const std::string& body) {
      Sources sources;
      const auto code = compiled(sources,
                                 declared + "kernel k() {\n" + body +
                                     "\n}\nmain { launch k() threads=w }\nverify { }\n",
                                 machine);
      if (!code) FAIL(render(code.errors(), sources));
      Observer none;
      const RunResult run = simulate(*code, machine, {}, sources, none);
      REQUIRE(run.stop == Stop::none);
      CHECK(simulate_fast(*code, machine, {}, sources).counts.agpu.time == run.counts.agpu.time);
      return run.counts.agpu.time.value_or(-1);
    };
    const std::string arrays = "memory a[tensor_size, tensor_size], b[tensor_size, tensor_size]: "
                               "int = index\nmemory c[tensor_size, tensor_size]: int\n";
    const std::int64_t words = size * size / machine.width;
    CHECK(time_of(arrays, "tensor c[0, 0] = a[0, 0] * b[0, 0]") == 1 + 3 * words);
    CHECK(time_of(arrays, "tensor c[0, 0] += a[0, 0] * b[0, 0]") == 1 + 4 * words);
    CHECK(time_of(arrays, "var sums[ceil_div(tensor_size*tensor_size, w)]: int\n"
                          "tensor sums += a[0, 0] * b[0, 0]") == 1 + 2 * words);
  }
}

TEST_CASE("a product needs all lanes of its warp") {
  const MachineSpec machine = with_tensor_unit(random_machine(2), 2);
  const auto said = [&](const std::string& body, const std::string& threads) {
    Sources sources;
    const auto code = compiled(sources,
                               "memory c[tensor_size, tensor_size]: int\nkernel k() {\n" + body +
                                   "\n}\nmain { launch k() threads=" + threads +
                                   " }\nverify { assert c[0, 0] == 0 }\n",
                               machine);
    if (!code) FAIL(render(code.errors(), sources));
    return render(tallied_reference(*code, machine, {}, sources).result.errors, sources);
  };
  const std::string product = "tensor c[0, 0] += c[0, 0] * c[0, 0]";
  CHECK(said(product, "w") == "");
  const std::string lanes = "tensor takes all lanes of a warp";
  CHECK(said(product, "w - 1").find(lanes) != std::string::npos);
  CHECK(said("if lane > 0 { " + product + " }", "w").find(lanes) != std::string::npos);
  CHECK(said("tensor c[lane % 2, 0] = c[0, 0] * c[0, 0]", "w").find("name the same tile") !=
        std::string::npos);
  CHECK(said("tensor c[1, 0] = c[0, 0] * c[0, 0]", "w").find("index") != std::string::npos);
}

} // namespace memlane::test
