// Files that a signal must not leave behind.
#pragma once

#include <string>

namespace memlane::cli {

/// Until `forget_temporary`, a signal that ends the program removes the file first. Not for several
/// threads at once.
void remember_temporary(const std::string& path);
void forget_temporary(const std::string& path);

/// From now on SIGHUP, SIGINT, SIGQUIT and SIGTERM remove the temporary files before they end the
/// program, and writing to a closed pipe (SIGPIPE) or beyond the limit of a file's size (SIGXFSZ)
/// fails instead of ending it. Signals that the program was started with as ignored stay so.
void remove_temporaries_on_signals();

/// Removes the temporary files and lets the signal end the program, as if it had no handler. May be
/// called in a signal handler.
void end_by_signal(int signal);

} // namespace memlane::cli
