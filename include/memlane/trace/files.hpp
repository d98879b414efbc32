// Files of text, plain or compressed by gzip.
#pragma once

#include "memlane/support/result.hpp"

#include <istream>
#include <memory>
#include <ostream>
#include <string>

namespace memlane {

/// Opens a file for reading, compressed or not, whatever its name. A damaged or cut-off file sets
/// the stream's badbit where it is found out.
Result<std::unique_ptr<std::istream>> open_text(const std::string& path);

/// A file being written. Errors set the badbit; the last ones show in `close`.
class OutputFile : public std::ostream {
public:
  explicit OutputFile(std::unique_ptr<std::streambuf> buffer);
  ~OutputFile() override;
  /// Writes what is left; whether everything has been written.
  bool close();

private:
  std::unique_ptr<std::streambuf> buffer_;
};

/// Writes to an open file and closes it; compressed if `path`, its name for people, ends in `.gz`.
Result<std::unique_ptr<OutputFile>> create_text(int descriptor, const std::string& path);

} // namespace memlane
