// Where a command writes: data to standard output, everything else to standard error.
#pragma once

#include "memlane/show/run_report.hpp"
#include "memlane/support/diagnostic.hpp"

#include <string>
#include <string_view>

namespace memlane::cli {

/// Exit statuses, as users and scripts rely on them.
enum class Exit : int { done = 0, check_failed = 1, error = 2, limit = 3, interrupted = 130 };
/// The exit status of work that this has stopped.
Exit exit_after(Stop stop);

enum class ColorChoice { automatic, always, never };

class Console {
public:
  /// `automatic`: colour on a terminal, unless NO_COLOR is set.
  void choose_color(ColorChoice choice) { color_ = choice; }
  /// For a file descriptor: 1, standard output, or 2.
  TableStyle style(int descriptor = 1) const;

  /// The word that started memlane, `build/release/memlane`: printed commands begin with it.
  void set_program(std::string_view word);
  /// A text for readers, with its commands as they can be typed here. JSON, CSV and stores always
  /// have `memlane …`.
  std::string with_commands(std::string text) const;

  /// From now on data goes to the end of a text, without colour, instead of standard output, and
  /// notes go nowhere: they are about a command that the reader has not given.
  void collect(std::string& text) { collected_ = &text; }
  /// Data. A failure to write is remembered for `finish`.
  void out(std::string_view text);
  /// Whether a write has failed: more of it is of no use.
  bool has_failed() const { return failure_ != 0; }
  /// Messages about the work, to standard error.
  void print_error(std::string_view text) const;
  /// Renders the messages; returns Exit::error for the caller to return.
  Exit fail(const Diagnostics& errors, const Sources& sources) const;
  Exit fail(const Diagnostic& error) const { return fail({error}, Sources()); }
  /// Everything written has arrived, or Exit::error and a message why not.
  Exit finish(Exit exit);

private:
  ColorChoice color_ = ColorChoice::automatic;
  std::string program_;              ///< empty: memlane
  std::string* collected_ = nullptr; ///< null: standard output
  int failure_ = 0;                  ///< errno of the first write that failed
};

} // namespace memlane::cli
