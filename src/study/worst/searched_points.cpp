#include "memlane/study/worst/searched_points.hpp"

#include "memlane/lang/walk.hpp"
#include "memlane/support/suggest.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::sweep {
namespace {

constexpr std::string_view option = "--vary";

/// The symbol of a memory array. An array of records is one array for each field: `a.sum`.
const lang::ArraySymbol* symbol_of(const lang::Checked& checked, const std::string& array) {
  const std::string name = array.substr(0, array.find('.'));
  for (const lang::ArraySymbol& symbol : checked.arrays)
    if (symbol.top_level && symbol.name == name) return &symbol;
  return nullptr;
}

bool is_random(const lang::ArraySymbol* symbol) {
  return symbol && std::any_of(symbol->initial.begin(), symbol->initial.end(),
                               [](const lang::TExpr& value) { return lang::draws(value); });
}

/// lo and hi where every element is random(lo, hi), whole numbers.
std::optional<std::pair<std::int64_t, std::int64_t>>
range_of(const lang::ArraySymbol* symbol, const ir::Array& array, const SearchedPoint& point) {
  if (!ir::is_integer(array.type) || !symbol || symbol->initial.size() != 1) return std::nullopt;
  const lang::TExpr* value = &symbol->initial.front();
  if (value->kind == lang::TExprKind::convert) value = &value->operands[0];
  if (value->kind != lang::TExprKind::random) return std::nullopt;
  const Point& run = point.planned.point;
  const ClaimInputs inputs{run.code.get(), &run.machine, nullptr, &run.options.limits};
  const auto lo = whole_value(run.program->checked, value->operands[0], inputs);
  const auto hi = whole_value(run.program->checked, value->operands[1], inputs);
  if (!lo || !hi || *lo > *hi) return std::nullopt;
  return std::pair(*lo, *hi);
}

/// An array and how it is varied, as --vary writes them.
struct Varied {
  const ir::Array* array = nullptr;
  std::optional<std::string> how; ///< none: as the program says
};

Result<Varied> varied_of(const std::string& text, const ir::Program& code) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  std::vector<std::string> known;
  for (const ir::Array& array : code.arrays) {
    if (array.space != ir::Space::memory) continue;
    known.push_back(array.name);
    if (array.name == name)
      return Varied{&array, equals == std::string::npos ? std::optional<std::string>()
                                                        : text.substr(equals + 1)};
  }
  std::vector<std::string> help = did_you_mean(name, known);
  help.push_back(known.empty() ? "the program has no memory arrays"
                               : fmt::format("memory arrays: {}", fmt::join(known, ", ")));
  return error_in(std::string(option), fmt::format("the program has no memory array '{}'", name),
                  std::move(help));
}

Result<std::vector<Varied>> varied_arrays(const std::vector<std::string>& vary,
                                          const ir::Program& code, const lang::Checked& checked) {
  std::vector<Varied> all;
  if (vary.empty()) {
    std::vector<std::string> others;
    for (const ir::Array& array : code.arrays) {
      if (array.space != ir::Space::memory) continue;
      if (is_random(symbol_of(checked, array.name)))
        all.push_back({&array, {}});
      else
        others.push_back(array.name);
    }
    if (!all.empty()) return all;
    return error_in("", "the program has no memory array with random initial values to search",
                    {others.empty() ? "its result has no input: there is nothing to search"
                                    : fmt::format("choose one: {}", fmt::join(others, ", ")),
                     "--vary a rearranges its content, --vary a=0..99 searches values"});
  }
  for (const std::string& text : vary) {
    const Result<Varied> one = varied_of(text, code);
    if (!one) return one.errors();
    if (std::any_of(all.begin(), all.end(),
                    [&](const Varied& known) { return known.array == one->array; }))
      return error_in(std::string(option), fmt::format("{} is given twice", one->array->name),
                      {"leave one out"});
    all.push_back(*one);
  }
  return all;
}

/// `LO..HI`, both included.
Result<std::pair<std::int64_t, std::int64_t>> read_range(const Varied& varied) {
  const std::string& text = *varied.how;
  const ir::Array& array = *varied.array;
  const std::size_t dots = text.find("..");
  const auto lo = number_of<std::int64_t>(text.substr(0, dots));
  const auto hi =
      dots == std::string::npos ? std::nullopt : number_of<std::int64_t>(text.substr(dots + 2));
  if (!lo || !hi || *lo > *hi)
    return error_in(
        std::string(option),
        fmt::format("'permutation' or a range of whole numbers is needed, not '{}'", text),
        {fmt::format("{}=0..99: every element is a number from 0 to 99", array.name),
         fmt::format("{}=permutation: the numbers from 0, each once", array.name)});
  const bool fits = array.type == ir::Scalar::int64 ||
                    (array.type == ir::Scalar::int32 && *lo >= INT32_MIN && *hi <= INT32_MAX);
  if (!fits)
    return error_in(
        std::string(option),
        fmt::format("{} has elements of type {}, which do not have all values from {} to {}",
                    array.name, ir::name_of(array.type), *lo, *hi),
        {ir::is_integer(array.type)
             ? "choose a smaller range"
             : fmt::format("--vary {} rearranges the elements that it has", array.name)});
  return std::pair(*lo, *hi);
}

/// 0, 1, …, each once.
Status make_permutation(const Varied& varied, SearchedArray& searched) {
  if (!ir::is_integer(searched.type))
    return error_in(
        std::string(option),
        fmt::format("{} has elements of type {}, a permutation has whole numbers", searched.name,
                    ir::name_of(searched.type)),
        {fmt::format("--vary {} rearranges the elements that it has", varied.array->name)});
  for (std::size_t k = 0; k < searched.content.size(); ++k)
    searched.content[k] = ir::Value::of(static_cast<std::int64_t>(k));
  return Done{};
}

/// What arrays hold before main.
Result<std::map<std::string, std::vector<ir::Value>>>
first_contents(const SearchedPoint& point, const std::vector<Varied>& arrays,
               const Sources& sources) {
  RunOptions options = point.planned.point.options;
  for (const Varied& varied : arrays) options.outputs.push_back(varied.array->name);
  ir::Program before_main = *point.planned.point.code;
  before_main.main = before_main.verify = -1;
  RunResult run =
      simulate_on(Engine::fast, before_main, point.planned.point.machine, options, sources);
  if (run.stop == Stop::none) return std::move(run.outputs);
  if (run.stop == Stop::error) return run.errors;
  return stopped_while(run.stop, "filling the program's arrays");
}

} // namespace

Result<std::vector<SearchedArray>> searched_arrays(const SearchedPoint& point,
                                                   const std::vector<std::string>& vary,
                                                   const Sources& sources) {
  const Point& run = point.planned.point;
  const lang::Checked& checked = run.program->checked;
  const auto arrays = varied_arrays(vary, *run.code, checked);
  if (!arrays) return arrays.errors();
  auto contents = first_contents(point, *arrays, sources);
  if (!contents) return contents.errors();
  std::vector<SearchedArray> searched;
  for (const Varied& varied : *arrays) {
    const ir::Array& array = *varied.array;
    SearchedArray& one = searched.emplace_back();
    one.name = array.name;
    one.type = array.type;
    one.content = std::move(contents->at(array.name));
    if (varied.how == "permutation") {
      if (Status made = make_permutation(varied, one); !made) return made.errors();
    } else if (varied.how) {
      const auto range = read_range(varied);
      if (!range) return range.errors();
      one.range = *range;
      one.content = content_like(one, one.content);
    } else if (!run.options.inputs.contains(array.name)) {
      one.range = range_of(symbol_of(checked, array.name), array, point);
    }
  }
  return searched;
}

Point point_with(const SearchedPoint& point, const std::vector<SearchedArray>& arrays,
                 const SearchedInput& input) {
  Point with = point.planned.point;
  for (std::size_t k = 0; k < arrays.size(); ++k)
    with.options.inputs[arrays[k].name] = std::make_shared<const std::vector<ir::Value>>(input[k]);
  return with;
}

} // namespace memlane::sweep
