// Text files, plain or compressed by gzip.
#pragma once

#include "memlane/support/result.hpp"

#include <functional>
#include <istream>
#include <memory>
#include <ostream>
#include <string>

namespace memlane {

/// Opens a file for reading; detects compression by its content. The stream's badbit is set where a
/// file is damaged or cut off, and where `check` stopped the waiting for bytes of a pipe.
Result<std::unique_ptr<std::istream>> open_text(const std::string& path,
                                                std::function<Stop()> check = {});

/// Errors of writing set the badbit.
class OutputFile : public std::ostream {
public:
  explicit OutputFile(std::unique_ptr<std::streambuf> buffer);
  ~OutputFile() override;
  /// Writes the buffer and closes the file; whether all writes succeeded.
  bool close();

private:
  std::unique_ptr<std::streambuf> buffer_;
};

/// Takes ownership of an open file; compresses if its name `path` ends in `.gz`.
Result<std::unique_ptr<OutputFile>> create_text(int descriptor, const std::string& path);

} // namespace memlane
