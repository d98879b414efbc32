// The arrays that --input and --output name: their files, and programs that make inputs.
#pragma once

#include "arguments.hpp"

#include "memlane/ir/program.hpp"
#include "memlane/points/plan.hpp"
#include "memlane/support/limits.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

namespace memlane::cli {

/// An array of --input or --output, and its file.
struct ArrayFile {
  const ir::Array* array = nullptr;
  std::string path;
};

/// The arrays of the program that every `ARRAY=FILE` of an option names. Errors: no such memory
/// array, a kind of file that cannot hold it, an array that is given twice.
Result<std::vector<ArrayFile>> array_files(const std::string& option,
                                           const std::vector<NameAndValue>& given,
                                           const ir::Program& code);

/// Whether the text of --input names a program: its ending is .lane, or it has none and no folder.
bool is_input_program(const std::string& source);

/// Files that --input names, each read once for every type and size of array, and programs that
/// make inputs, run for every point.
class InputFiles {
public:
  /// Texts that are read stay in `sources`, for errors about them.
  explicit InputFiles(Sources& sources) : sources_(&sources) {}
  /// With sources of its own: runs read those of a sweep meanwhile.
  InputFiles() : own_(std::make_unique<Sources>()), sources_(own_.get()) {}

  /// Fills in the content of the point's inputs, and their hashes if it has none. `code`: the
  /// point's, bound. Errors: no such memory array, an array that is given twice, a file that cannot
  /// be its content, a program that cannot make it. Any thread may call.
  Status add(const ir::Program& code, sweep::Point& point);

private:
  struct Content {
    std::shared_ptr<const std::vector<ir::Value>> values;
    std::string hash;
  };
  using Key = std::tuple<std::string, ir::Scalar, std::vector<std::int64_t>>;

  Result<Content> read(const std::string& path, const ir::Array& array, const Limits& limits);
  Result<Content> content(const std::string& source, const ir::Array& array,
                          const ir::Program& code, const sweep::Point& point);

  std::mutex mutex_;
  std::unique_ptr<Sources> own_;
  Sources* sources_;
  std::map<Key, Content> known_;
};

/// What --input names that decides an array's content, as part of a point's key: the SHA-256 of a
/// file's bytes, or of the texts of a program that makes it.
Result<std::string> input_hash(const std::string& source, const Limits& limits = {});

} // namespace memlane::cli
