#include "compare_arrays.hpp"

#include "memlane/study/compare/comparison.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace memlane::sweep {
namespace {

std::string extents_text(const std::vector<std::int64_t>& extents) {
  return fmt::format("[{}]", fmt::join(extents, ", "));
}

/// `a[3, 4]` of a row-major number.
std::string element_text(const ir::Array& array, std::int64_t element) {
  std::vector<std::int64_t> indices(array.extents.size());
  for (std::size_t k = array.extents.size(); k-- > 0;) {
    indices[k] = element % array.extents[k];
    element /= array.extents[k];
  }
  return array.name + extents_text(indices);
}

/// Two sizes of one array, or nothing if they are equal.
std::string two_sizes(const ir::Array& first, const std::string& first_name, const ir::Array& other,
                      const std::string& other_name) {
  if (first.extents == other.extents) return "";
  return fmt::format("{} is {}{} in {} and {}{} in {}", first.name, first.name,
                     extents_text(first.extents), first_name, other.name,
                     extents_text(other.extents), other_name);
}

double real_of(const ir::Array& array, ir::Value value) {
  return ir::is_integer(array.type) ? static_cast<double>(value.integer()) : value.real();
}

bool same(const Contents& x, const Contents& y, std::size_t i, double tolerance) {
  const ir::Value a = (*x.values)[i], b = (*y.values)[i];
  if (ir::is_integer(x.array->type) && ir::is_integer(y.array->type)) {
    return a.integer() == b.integer();
  }
  const double p = real_of(*x.array, a), q = real_of(*y.array, b);
  if (std::isnan(p) || std::isnan(q)) return std::isnan(p) && std::isnan(q);
  if (p == q) return true;
  return std::isfinite(p) && std::isfinite(q) &&
         std::abs(p - q) <= tolerance * std::max(std::abs(p), std::abs(q));
}

} // namespace

const ir::Array* memory_array_of(const ir::Program& code, const std::string& name) {
  for (const ir::Array& array : code.arrays) {
    if (array.space == ir::Space::memory && array.name == name) return &array;
  }
  return nullptr;
}

CommonArrays common_arrays(const std::vector<NamedCode>& programs) {
  CommonArrays common;
  if (programs.empty()) return common;
  for (const ir::Array& array : programs.front().code->arrays) {
    if (array.space != ir::Space::memory) continue;
    bool everywhere = true;
    std::string sizes;
    for (const NamedCode& other : programs) {
      const ir::Array* namesake = memory_array_of(*other.code, array.name);
      everywhere = everywhere && namesake != nullptr;
      if (namesake && sizes.empty()) {
        sizes = two_sizes(array, programs.front().name, *namesake, other.name);
      }
    }
    if (!everywhere) continue;
    if (sizes.empty()) {
      common.names.push_back(array.name);
    } else {
      common.remarks.push_back(sizes);
    }
  }
  return common;
}

Result<CommonArrays> asked_arrays(const std::vector<std::string>& names,
                                  const std::vector<NamedCode>& programs) {
  Diagnostics errors;
  for (const std::string& name : names) {
    const ir::Array* first = nullptr;
    for (const NamedCode& program : programs) {
      const ir::Array* array = memory_array_of(*program.code, name);
      if (!array) {
        std::vector<std::string> known;
        for (const ir::Array& one : program.code->arrays) {
          if (one.space == ir::Space::memory) known.push_back(one.name);
        }
        errors.push_back(error_in("--arrays",
                                  fmt::format("{} uses no memory array '{}'", program.name, name),
                                  did_you_mean(name, known)));
        break;
      }
      if (!first) first = array;
      const std::string sizes = two_sizes(*first, programs.front().name, *array, program.name);
      if (!sizes.empty()) {
        errors.push_back(error_in("--arrays", sizes));
        break;
      }
    }
  }
  if (!errors.empty()) return errors;
  return CommonArrays{names, {}};
}

std::optional<std::string> difference(const Contents& expected, const Contents& found,
                                      double tolerance) {
  std::size_t first = 0, count = 0;
  for (std::size_t i = 0; i < expected.values->size(); ++i) {
    if (same(expected, found, i, tolerance)) continue;
    if (count == 0) first = i;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return fmt::format("{} is {} and not {} ({} of {} elements differ)",
                     element_text(*found.array, static_cast<std::int64_t>(first)),
                     to_string(found.array->type, (*found.values)[first]),
                     to_string(expected.array->type, (*expected.values)[first]), count,
                     expected.values->size());
}

} // namespace memlane::sweep
