// A part of a result, with the whole that its columns refer to.
#pragma once

#include <vector>

namespace memlane {

template <class T, class Whole>
struct PartOf {
  const T& part;
  const Whole& whole;

  const T& operator*() const { return part; }
  const T* operator->() const { return &part; }
};

/// Every part with the whole; both must outlive the list.
template <class T, class Whole>
std::vector<PartOf<T, Whole>> parts_of(const std::vector<T>& parts, const Whole& whole) {
  std::vector<PartOf<T, Whole>> all;
  for (const T& part : parts) all.push_back({part, whole});
  return all;
}

} // namespace memlane
