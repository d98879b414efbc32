// memlane verify: programs over a grid of parameters and machines, held against their claims.
#include "command.hpp"
#include "interrupt.hpp"
#include "options.hpp"
#include "program.hpp"
#include "progress.hpp"
#include "results.hpp"
#include "shipped_programs.hpp"
#include "version.hpp"

#include "memlane/machine/keys.hpp"
#include "memlane/points/sweep_options.hpp"
#include "memlane/study/results/point_results.hpp"
#include "memlane/study/verify/verification.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

namespace memlane::cli {
namespace {

using sweep::ClaimVerification;
using sweep::Verification;

struct VerifyRequest {
  std::vector<std::string> programs;
  ProgramSelection replacements; ///< in all of them
  sweep::GridRequest grid;
  bool verbose = false;
  std::vector<ResultTarget> targets;
  std::optional<std::string> store_path; ///< --store
  std::optional<PointWriter> store;
};

/// Of one name in --grid: a grid is for a few hundred runs, chosen from all combinations.
constexpr std::int64_t most_grid_values = 1000;

/// The values that the machine's key of this letter, if it is one, does not accept. An `M` depends
/// on the model.
Status check_letter_values(const sweep::NamedNumbers& given) {
  const auto path = key_of_letter(given.name, Model::hmm);
  if (!path || given.name == "M") return Done{};
  const MachineKey& key = *find_machine_key(*path);
  for (const std::int64_t value : given.values)
    if (value < key.minimum || value > key.maximum)
      return error_at(given.span, fmt::format("{}={}: a machine's {} is {}", given.name, value,
                                              *path, accepted_values(key)));
  return Done{};
}

void read_grid(const std::vector<std::string>& texts, std::map<std::string, GridValues>& axes,
               OptionReader& options, Sources& sources) {
  for (const std::string& text : texts) {
    const Result<sweep::NamedNumbers> given =
        sweep::read_named_numbers(sources, "--grid", text, most_grid_values);
    if (!options.check(given)) continue;
    options.check(check_letter_values(*given));
    GridValues& all = axes[given->name]; // given again, an option adds its values
    all.insert(all.end(), given->values.begin(), given->values.end());
  }
}

/// Without --model: those with time, and the AGPU and the MMM for programs with a claim about them.
/// Others are written for blocks of more threads, or launch without naming them.
std::vector<Model> models_for(const lang::Program& program) {
  std::vector<Model> models = {Model::dmm, Model::umm, Model::hmm};
  const auto claims_on = [&](Model model) {
    return std::any_of(
        program.claims.begin(), program.claims.end(), [&](const lang::ClaimDecl& claim) {
          return std::any_of(claim.machines.begin(), claim.machines.end(),
                             [&](const lang::Name& name) { return name.text == name_of(model); });
        });
  };
  for (const Model model : {Model::agpu, Model::mmm})
    if (claims_on(model)) models.push_back(model);
  return models;
}

void verify_options(Options& options, VerifyRequest& request) {
  sweep::GridRequest& grid = request.grid;
  options.take_words("program", 0, &request.programs);
  const auto axes = std::make_shared<std::vector<std::string>>();
  options.add("grid", "NAME=VALUES", axes.get(),
              "values of a parameter, or of w, p, l, d, L, Z, U, P, tensor_size,\n"
              "tensor_latency, instead of the standard ones: n=16,100, n=1..100,\n"
              "n=1..33:2 or n=2^4..2^12:pow2, at most 1000;\n"
              "repeated for one parameter, the option adds values");
  std::vector<std::string> models;
  for (const Model model : all_models()) models.emplace_back(name_of(model));
  OptionValue model = one_of_words(
      [&grid](std::size_t k) { grid.models.push_back(all_models()[k]); }, "model", models);
  model.many = true;
  options.add("model", "MODEL", model,
              "dmm, umm, hmm, agpu or mmm; if not given all that can run the program,\n"
              "an agpu or an mmm where a claim is about one");
  options.add("points", "N", whole(&grid.grid.points, 1, 100'000),
              "about N points for each model, with and without lockstep; 200 if\n"
              "not given. Lines through the greatest are added. More points also\n"
              "allow larger runs beyond the grid, which decide bounds");
  options.add("seeds", "N", whole(&grid.seeds, 1, 1'000'000),
              "runs at each point of a claim with ~; 8 if not given");
  add_replacements(options, request.replacements);
  add_races(options, request.replacements.allow_races);
  add_point_store(options, request.store_path);
  add_targets(options, request.targets);
  add_time_limits(options, grid.limits);
  add_engine(options, grid.engine);
  add_verbose(options, request.verbose);
  add_jobs(options, grid.jobs);
  options.then([&grid, axes](OptionReader& given, Sources& sources) {
    read_grid(*axes, grid.axes, given, sources);
    grid.grid.cost *= static_cast<double>(grid.grid.points) / 200;
  });
}

/// An array and a layout that a claim compares it with.
using ArrayLayout = std::pair<std::string, std::string>;

/// The comparisons of `array.layout` with a layout's name.
void collect_layouts(const lang::Expr& expr, std::vector<ArrayLayout>& layouts) {
  for (const lang::Expr& operand : expr.operands) collect_layouts(operand, layouts);
  if (expr.kind != lang::ExprKind::comparison || expr.operands.size() != 2) return;
  const lang::Expr& field = expr.operands[0];
  const lang::Expr& name = expr.operands[1];
  if (field.kind != lang::ExprKind::field || field.name != "layout" ||
      name.kind != lang::ExprKind::name)
    return;
  ArrayLayout layout{field.operands[0].name, name.name};
  if (std::find(layouts.begin(), layouts.end(), layout) == layouts.end())
    layouts.push_back(std::move(layout));
}

/// Arguments of a built-in layout, which are not in the claim. Without conflicts in the columns of
/// a w x w tile.
std::string arguments_of(const lang::Checked& checked, const std::string& layout) {
  const auto& fns = checked.program.fns;
  if (std::any_of(fns.begin(), fns.end(), [&](const auto& fn) { return fn.name.text == layout; }))
    return "";
  if (layout == "padded") return "(1)";
  if (layout == "swizzle") return "(max(1, log2(w)), 0, max(1, log2(w)))";
  return "";
}

/// Not those whose arguments say all about an array.
bool has_usual_arguments(const lang::Checked& checked, const std::string& layout) {
  const auto& fns = checked.program.fns;
  return (layout != "bits" && layout != "strides") ||
         std::any_of(fns.begin(), fns.end(),
                     [&](const auto& fn) { return fn.name.text == layout; });
}

/// Whether the program itself gives its arrays of this name the layout.
bool has_layout(const lang::Checked& checked, const ArrayLayout& layout) {
  const std::string &name = layout.first, &kind = layout.second;
  return arguments_of(checked, kind).empty() &&
         std::all_of(checked.arrays.begin(), checked.arrays.end(), [&](const auto& array) {
           return array.name != name || array.layout_name() == kind;
         });
}

/// The layouts that claims compare with (`t.layout == rows`) and the program does not have, as
/// --layout takes them: `t=rows`.
std::vector<std::string> other_layouts_in_claims(const lang::Checked& checked) {
  std::vector<ArrayLayout> layouts;
  for (const lang::ClaimDecl& claim : checked.program.claims)
    if (claim.when) collect_layouts(*claim.when, layouts);
  std::vector<std::string> options;
  for (const auto& layout : layouts)
    if (!has_layout(checked, layout) && has_usual_arguments(checked, layout.second))
      options.push_back(layout.first + "=" + layout.second + arguments_of(checked, layout.second));
  return options;
}

/// The program, and once more with each other layout in its claims, unless --layout chose.
Result<std::vector<CheckedProgram>> load_variants(Sources& sources, ProgramSelection selection) {
  Result<CheckedProgram> program = load_checked_program(sources, selection);
  if (!program) return program.errors();
  std::vector<CheckedProgram> variants;
  variants.push_back(std::move(*program));
  const auto& replaced = selection.replaced;
  if (!replaced.empty() && replaced.back().first == "layout") return variants;
  selection.replaced.emplace_back("layout", "");
  for (const std::string& layout : other_layouts_in_claims(variants.front().checked)) {
    selection.replaced.back().second = layout;
    Result<CheckedProgram> variant = load_checked_program(sources, selection);
    if (!variant) return variant.errors();
    variants.push_back(std::move(*variant));
  }
  return variants;
}

/// A failed check decides, even where other runs were stopped.
Exit exit_of(const Verification& verified) {
  if (verified.passed()) return Exit::done;
  const bool wrong = verified.failed_runs > 0 ||
                     std::any_of(verified.claims.begin(), verified.claims.end(), [](const auto& c) {
                       return !c.elsewhere && c.judgement.verdict == GridVerdict::fails;
                     });
  return (verified.stopped_runs > 0 || verified.limited()) && !wrong ? Exit::limit
                                                                     : Exit::check_failed;
}

/// A bound is tried along lines of the grid: with few points there are few of them, and short ones.
void warn_of_few_points(const std::vector<Verification>& all, std::size_t points,
                        Console& console) {
  const std::size_t standard = sweep::GridRequest().grid.points;
  const auto is_bound = [](const ClaimVerification& c) {
    return c.judgement.trend && c.judgement.verdict == GridVerdict::holds;
  };
  const bool bounds = std::any_of(all.begin(), all.end(), [&](const Verification& v) {
    return std::any_of(v.claims.begin(), v.claims.end(), is_bound);
  });
  if (points >= standard || !bounds) return;
  console.print_error(
      fmt::format("--points {}: with fewer points than the standard {} a wrong O, Omega or "
                  "Theta may seem to hold\n",
                  points, standard));
}

Result<Verification> verify_program(const ProgramSelection& selection, VerifyRequest& request,
                                    Sources& sources, const Console& console) {
  sources.set_limits(request.grid.limits);
  const auto variants = load_variants(sources, selection);
  if (!variants) return variants.errors();
  sweep::GridRequest grid = request.grid;
  if (grid.models.empty()) grid.models = models_for(variants->front().checked.program);
  grid.program = selection;
  std::atomic<std::int64_t> done = 0, left = 0;
  ProgressLine progress([&] {
    return fmt::format("{}: {} done, {} of this batch left", on_one_line(selection.name, 40),
                       counted(done, "run"), left.load());
  });
  progress.show_with(grid.limits);
  grid.progress = [&](std::size_t ended, std::size_t total) {
    done += 1;
    left = static_cast<std::int64_t>(total - ended);
    progress.show();
  };
  if (request.store)
    grid.see = [&](const sweep::Point& point, const sweep::PointResult& result) {
      const std::string command = sweep::command_at(grid, point, point.program->info.replaced);
      request.store->add(point, "", result, command, sources);
    };
  Result<Verification> verified = sweep::verify_over_grid(sources, *variants, grid);
  progress.erase();
  if (!verified) return verified;
  if (request.verbose)
    for (const auto& [text, runs] : verified->engines)
      console.print_error(lines_of_run(
          fmt::format("{}, {}", on_one_line(selection.name, 200), counted(runs, "run")), text));
  console.print_error(render(verified->failures, sources));
  console.print_error(render(verified->unused, sources));
  if (verified->stop != Stop::none)
    console.print_error(fmt::format("{} in {} after {}\n", sweep::stop_text(verified->stop),
                                    verified->program, counted(verified->runs, "run")));
  return verified;
}

Result<Exit> verify(VerifyRequest& request, Sources&, Console& console) {
  request.grid.machines = machine_files();
  if (request.programs.empty()) request.programs = shipped_program_names();
  if (request.store_path) {
    Result<PointWriter> store = PointWriter::open(*request.store_path, "verify", version);
    if (!store) return store.errors();
    request.store.emplace(std::move(*store));
  }
  const InterruptGuard guard;
  std::vector<Verification> all;
  Exit exit = Exit::done;
  for (const std::string& name : request.programs) {
    ProgramSelection selection = request.replacements;
    selection.name = name;
    Sources sources;
    Result<Verification> verified = verify_program(selection, request, sources, console);
    if (!verified) {
      exit = console.fail(verified.errors(), sources);
      continue;
    }
    const Stop stop = verified->stop;
    if (stop != Stop::none) {
      exit = exit_after(stop);
    } else if (exit == Exit::done) {
      exit = exit_of(*verified);
    }
    const bool nothing = verified->runs == 0 && (stop != Stop::none || verified->limited());
    if (!nothing) all.push_back(std::move(*verified));
    if (stop != Stop::none) break;
  }
  const Status written = write_results(
      [&](Format format, TableStyle) { return render_verifications(all, version, format); },
      request.targets, all.empty() || is_whole(all.back().stop), console);
  warn_of_few_points(all, request.grid.grid.points, console);
  if (!written) return written.errors();
  if (request.store)
    if (Status stored = request.store->finish(); !stored) return stored.errors();
  return exit;
}

} // namespace

Command verify_command() {
  return {
      "verify",
      "[PROGRAM...] [options]",
      "check programs against their claims over a grid of n, p, w, l",
      "Run programs, all shipped ones if none is named, over a grid of their parameters and of\n"
      "machines, with and without lockstep where a claim asks for it. Every result is checked.\n"
      "Claims with ==, <=, >= must hold at every point they apply to, those with ~ on the mean\n"
      "over seeds; for O, Omega and Theta the least and greatest ratio of count to formula are\n"
      "shown, and the claim fails if the ratio grows (vanishes) with some parameter\n"
      "('memlane explain claim PROGRAM' says how that is tested).",
      call_with(verify_options, verify),
      {"memlane verify sum", "memlane verify strided --model dmm --points 40",
       "memlane verify contiguous --grid n=64,128,1000,4096 --format csv",
       "memlane verify strided --model dmm --points 40 --store points.db"},
      {{"define", 'D',
        "values of a parameter are a grid's: --grid n=64, or several: --grid n=64,256"},
       {"machine", 'm',
        "the kind of machine is --model dmm, its numbers are --grid w=32 --grid l=20"},
       {"set", 0, "the machine's numbers are a grid's: --grid w=32 --grid p=64 --grid l=20,100"},
       {"seed", 0, "--seeds N tries N seeds at each point of a claim with ~"}}};
}

} // namespace memlane::cli
