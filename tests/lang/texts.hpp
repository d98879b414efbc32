// Texts to parse, for the tests of this room.
#pragma once

#include "memlane/lang/parse.hpp"

#include <string>
#include <utility>

/// A text in sources of its own, parsed.
struct Parsed {
  explicit Parsed(std::string text)
      : file(sources.add("t.lane", std::move(text))),
        result(memlane::lang::parse_text(sources, file)) {}

  bool ok() const { return result.ok(); }
  const memlane::lang::Program& program() const { return *result; }
  std::string messages() const { return ok() ? std::string() : render(result.errors(), sources); }

  memlane::Sources sources;
  std::int32_t file;
  memlane::Result<memlane::lang::Program> result;
};

/// The tree of an expression, fully bracketed.
std::string shape(const memlane::lang::Expr& e);
/// The same of a text, or its messages.
std::string shape_of(const std::string& text);

/// A program with every construct of the language.
extern const char* const everything;
