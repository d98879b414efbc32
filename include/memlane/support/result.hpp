// A value or errors (std::expected is C++23).
#pragma once

#include "memlane/support/diagnostic.hpp"

#include <cassert>
#include <utility>
#include <variant>

namespace memlane {

template <class T>
class [[nodiscard]] Result {
public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Result(Diagnostics errors) : content_(std::in_place_index<1>, std::move(errors)) {}
  Result(Diagnostic error) : Result(Diagnostics{std::move(error)}) {}

  bool ok() const { return content_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& operator*() {
    assert(ok());
    return *std::get_if<0>(&content_);
  }
  const T& operator*() const {
    assert(ok());
    return *std::get_if<0>(&content_);
  }
  T* operator->() { return &**this; }
  const T* operator->() const { return &**this; }

  const Diagnostics& errors() const {
    assert(!ok());
    return *std::get_if<1>(&content_);
  }

private:
  std::variant<T, Diagnostics> content_;
};

/// Success without a value.
struct Done {};
using Status = Result<Done>;

/// The errors of independent steps, to be shown together.
class ErrorCollector {
public:
  void add(const Diagnostics& errors) {
    errors_.insert(errors_.end(), errors.begin(), errors.end());
  }
  void add(Diagnostic error) { errors_.push_back(std::move(error)); }
  /// Keeps the step's errors; true if it has none.
  template <class T>
  bool check(const Result<T>& result) {
    if (!result) add(result.errors());
    return result.ok();
  }
  /// Moves the step's value into `into`, or keeps its errors and leaves `into` as it is.
  template <class T>
  bool take(Result<T> result, T& into) {
    if (check(result)) into = std::move(*result);
    return result.ok();
  }

  bool ok() const { return errors_.empty(); }
  const Diagnostics& errors() const { return errors_; }
  Status status() const { return ok() ? Status(Done{}) : Status(errors_); }

private:
  Diagnostics errors_;
};

} // namespace memlane
