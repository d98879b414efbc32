// memlane verify: programs over a grid of parameters and machines, held against their claims.
#include "command.hpp"
#include "interrupt.hpp"
#include "results.hpp"
#include "verification.hpp"

#include "memlane/config/keys.hpp"
#include "memlane/report/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace memlane::cli {
namespace {

Result<GridValues> candidates(const std::string& text) {
  GridValues values;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (;;) {
    std::int64_t value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    const bool separated = error == std::errc() && (next == end || *next == ',');
    if (!separated) {
      return error_in("--grid", fmt::format("'{}' is no list of whole numbers", text),
                      {"write it like n=16,64,256"});
    }
    values.push_back(value);
    if (next == end) return values;
    at = next + 1;
  }
}

Result<std::map<std::string, GridValues>> grid_axes(const Arguments& arguments) {
  std::map<std::string, GridValues> axes;
  for (const std::string& text : arguments.values("grid")) {
    const auto pair = name_and_value("--grid", "NAME=V,V,…", text);
    if (!pair) return pair.errors();
    const Result<GridValues> values = candidates(pair->second);
    if (!values) return values.errors();
    const auto path = key_of_letter(pair->first, Model::hmm);
    for (const std::int64_t value : *values) {
      if (!path || pair->first == "M") break;
      const MachineKey& key = *find_machine_key(*path);
      if (value >= key.least && value <= key.greatest) continue;
      return error_in("--grid", fmt::format("{}={}: a machine's {} is {}", pair->first, value,
                                            *path, accepted_values(key)));
    }
    GridValues& all = axes[pair->first]; // given again, an option adds its values
    all.insert(all.end(), values->begin(), values->end());
  }
  return axes;
}

/// What the options ask for. The models are those of --model, else all that this version runs.
Result<GridRequest> read_request(const Arguments& arguments) {
  GridRequest request;
  const Result<std::map<std::string, GridValues>> axes = grid_axes(arguments);
  if (!axes) return axes.errors();
  request.axes = *axes;
  for (const std::string& name : arguments.values("model")) {
    const auto models = {Model::dmm, Model::umm, Model::hmm};
    const auto* const model =
        std::find_if(models.begin(), models.end(), [&](Model m) { return name_of(m) == name; });
    if (model == models.end()) {
      return error_in("--model", fmt::format("unknown model '{}'", name), {"dmm, umm or hmm"});
    }
    request.models.push_back(*model);
  }
  if (request.models.empty()) request.models = {Model::dmm, Model::umm, Model::hmm};
  const Result<std::int64_t> points = integer_option(
      arguments, "points", 1, 100'000, static_cast<std::int64_t>(request.grid.points));
  if (!points) return points.errors();
  request.grid.points = static_cast<std::size_t>(*points);
  request.grid.cost *= static_cast<double>(*points) / 200;
  const Result<std::int64_t> seeds =
      integer_option(arguments, "seeds", 1, 1'000'000, request.seeds);
  if (!seeds) return seeds.errors();
  request.seeds = *seeds;
  Result<Limits> limits = read_limits(arguments);
  if (!limits) return limits.errors();
  request.limits = *limits;
  const Result<Engine> engine = read_engine(arguments);
  if (!engine) return engine.errors();
  request.engine = *engine;
  const Result<std::size_t> jobs = read_jobs(arguments);
  if (!jobs) return jobs.errors();
  request.jobs = *jobs;
  return request;
}

/// The comparisons of `array.layout` with a layout's name.
void collect_layouts(const lang::Expr& expr, std::vector<std::string>& layouts) {
  for (const lang::Expr& operand : expr.operands) collect_layouts(operand, layouts);
  if (expr.kind != lang::ExprKind::comparison || expr.operands.size() != 2) return;
  const lang::Expr& field = expr.operands[0];
  const lang::Expr& name = expr.operands[1];
  if (field.kind != lang::ExprKind::field || field.name != "layout" ||
      name.kind != lang::ExprKind::name)
    return;
  const std::string layout =
      fmt::format("{}={}{}", field.operands[0].name, name.name, name.name == "padded" ? "(1)" : "");
  if (std::find(layouts.begin(), layouts.end(), layout) == layouts.end()) layouts.push_back(layout);
}

/// The layouts that claims compare with (`t.layout == rows`), as --layout takes them: `t=rows`.
std::vector<std::string> layouts_in_claims(const lang::Program& program) {
  std::vector<std::string> layouts;
  for (const lang::ClaimDecl& claim : program.claims)
    if (claim.when) collect_layouts(*claim.when, layouts);
  return layouts;
}

/// The program, and once more with each layout that its claims speak of, unless --layout chose.
Result<std::vector<CheckedProgram>> load_variants(Sources& sources, const std::string& name,
                                                  const Arguments& arguments) {
  Result<CheckedProgram> program = load_checked_program(sources, name, arguments);
  if (!program) return program.errors();
  std::vector<CheckedProgram> variants;
  variants.push_back(std::move(*program));
  if (arguments.has("layout")) return variants;
  for (const std::string& layout : layouts_in_claims(variants.front().checked.program)) {
    Arguments with = arguments;
    with.options.emplace_back("layout", layout);
    Result<CheckedProgram> variant = load_checked_program(sources, name, with);
    if (!variant) return variant.errors();
    variants.push_back(std::move(*variant));
  }
  return variants;
}

/// A failed check is one, whatever was stopped beside it.
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
  const std::size_t standard = GridRequest().grid.points;
  const auto is_bound = [](const ClaimVerification& c) {
    return c.judgement.trend && c.judgement.verdict == GridVerdict::holds;
  };
  const bool bounds = std::any_of(all.begin(), all.end(), [&](const Verification& v) {
    return std::any_of(v.claims.begin(), v.claims.end(), is_bound);
  });
  if (points >= standard || !bounds) return;
  console.talk(
      fmt::format("--points {}: with fewer points than the standard {} a wrong O, Omega or "
                  "Theta may seem to hold\n",
                  points, standard));
}

Exit verify_all(const std::vector<std::string>& programs, const Arguments& arguments,
                const GridRequest& request, std::vector<ResultTarget>& targets, Console& console) {
  std::vector<Verification> all;
  Exit exit = Exit::done;
  for (const std::string& name : programs) {
    Sources sources;
    sources.set_limits(request.limits);
    const Result<std::vector<CheckedProgram>> variants = load_variants(sources, name, arguments);
    if (!variants) {
      exit = console.fail(variants.errors(), sources);
      continue;
    }
    GridRequest own = request;
    ProgramInfo info = variants->front().info;
    if (allow_races(arguments, info)) own.races_allowed = info.races_allowed;
    Result<Verification> verified = verify_over_grid(sources, name, *variants, own);
    if (!verified) {
      exit = console.fail(verified.errors(), sources);
      continue;
    }
    if (arguments.has("verbose")) {
      for (const auto& [text, runs] : verified->engines)
        console.talk(engine_text_of(
            fmt::format("{}, {}", on_one_line(name, 200), counted(runs, "run")), text));
    }
    console.talk(render(verified->failures, sources));
    console.talk(render(verified->unused, sources));
    if (exit == Exit::done) exit = exit_of(*verified);
    if (verified->runs == 0 && verified->limited()) continue;
    all.push_back(std::move(*verified));
    if (all.back().stop == Stop::none) continue;
    // What is finished is shown; the program under way has seen only a part of its grid.
    exit = all.back().stop == Stop::interrupted ? Exit::interrupted : Exit::limit;
    console.talk(fmt::format("{} in {} after {} runs\n", words_for(all.back().stop),
                             all.back().program, all.back().runs));
    all.pop_back();
    break;
  }
  const Status written =
      write_results([&](Format format, TableStyle) { return render_verifications(all, format); },
                    targets, console);
  warn_of_few_points(all, request.grid.points, console);
  return written ? exit : console.fail(written.errors(), Sources());
}

Exit verify(const Arguments& arguments, Console& console) {
  const Result<GridRequest> request = read_request(arguments);
  if (!request) return console.fail(request.errors(), Sources());
  Result<std::vector<ResultTarget>> targets = result_targets(arguments);
  if (!targets) return console.fail(targets.errors(), Sources());
  const InterruptGuard guard;
  const std::vector<std::string> programs =
      arguments.words.empty() ? shipped_programs() : arguments.words;
  return verify_all(programs, arguments, *request, *targets, console);
}

std::vector<Option> options_of_verify() {
  std::vector<Option> options = {
      {"grid", 0, "NAME=V,V,…", true,
       "values of a parameter, or of w, p, l, d, L, in the place of the\n"
       "standard ones; given again for one parameter, values are added"},
      {"model", 0, "MODEL", true, "dmm, umm or hmm; all that can run the program if not given"},
      {"points", 0, "N", false,
       "about so many points a model and clock; 200 if not given. Lines\n"
       "through the greatest come on top; with few points an O, Omega or\n"
       "Theta is not decided"},
      {"seeds", 0, "N", false, "runs at each point of a claim with ~; 8 if not given"},
      {"fn", 0, "TEXT", true, "replaces a fn"},
      {"type", 0, "NAME=TYPE", true, "replaces a type"},
      {"layout", 0, "ARRAY=LAYOUT", true, "replaces a layout"},
      {"allow-races", 0, "", false, "counts races and goes on"}};
  for (const Option& option : result_options()) options.push_back(option);
  for (const Option& option : limit_options()) options.push_back(option);
  for (const Option& option : engine_options()) options.push_back(option);
  for (const Option& option : verbose_options()) options.push_back(option);
  for (const Option& option : jobs_options()) options.push_back(option);
  return options;
}

} // namespace

Command verify_command() {
  return {
      "verify",
      "[PROGRAM...] [options]",
      "holds programs against their claims over a grid of n, p, w, l",
      "Runs programs, all shipped ones if none is named, over a grid of their parameters and of\n"
      "machines, with and without lockstep where a claim asks for it. Every result is checked.\n"
      "Claims with ==, <=, >= must hold at every point they apply to, those with ~ on the mean\n"
      "over seeds; for O, Omega and Theta the least and greatest ratio of count to formula are\n"
      "shown, and the claim fails if the ratio grows (vanishes) with some parameter\n"
      "('memlane explain claim PROGRAM' says how that is tested).",
      options_of_verify(),
      {"memlane verify sum", "memlane verify strided --model dmm --points 40",
       "memlane verify contiguous --grid n=64,128,1000,4096 --format csv"},
      verify,
      {{"define", 'D',
        "values of a parameter are a grid's: --grid n=64, or several: --grid n=64,256"},
       {"machine", 'm',
        "the kind of machine is --model dmm, its numbers are --grid w=32 --grid l=20"},
       {"set", 0, "the machine's numbers are a grid's: --grid w=32 --grid p=64 --grid l=20,100"},
       {"seed", 0, "--seeds N tries N seeds at each point of a claim with ~"}}};
}

} // namespace memlane::cli
