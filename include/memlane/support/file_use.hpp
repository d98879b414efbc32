// Which files this process has read, has open as stores, or will write: none of them may be written
// over by mistake. The only record of its kind, since no part of a command knows all its files.
#pragma once

#include "memlane/support/result.hpp"

#include <string>

namespace memlane {

/// Whether the names lead to one regular file, which need not exist yet. What is no regular file
/// (/dev/null) is as many files as there are users.
bool same_file(const std::string& a, const std::string& b);

/// Records that the process reads the file (`-`: standard input) or has it open as a store. An
/// error if the process is going to write over it. Any thread may call this and those below.
Status note_read(const std::string& path);

/// Records that the process will write the whole file. Errors: it reads that file, or has noted
/// already that it will write it.
Status note_written(const std::string& path);

/// The last check before a file of `note_written` takes its place: an error if the process has read
/// it since, or tried to.
Status check_written(const std::string& path);

/// The file is written, or will not be.
void forget_written(const std::string& path);

} // namespace memlane
