#include "support/catch.hpp"

#include "memlane/support/files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

namespace memlane {

TEST_CASE("a pipe is read to its end, and a stop ends the waiting for its writer") {
  std::string folder = (std::filesystem::temp_directory_path() / "memlane-XXXXXX").string();
  REQUIRE(mkdtemp(folder.data()) != nullptr);
  const std::string pipe = folder + "/pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  std::array<char, 100> bytes{};
  {
    int left = 3;
    InputFile file(pipe);
    REQUIRE(file.is_open());
    CHECK(file.read(bytes.data(), bytes.size(),
                    [&] { return --left > 0 ? Stop::none : Stop::wall_clock; }) == -1);
    CHECK(file.stop() == Stop::wall_clock);
  }
  {
    InputFile file(pipe);
    std::thread writer([&] {
      std::FILE* const out = std::fopen(pipe.c_str(), "wb");
      std::fputs("some bytes", out);
      std::fclose(out);
    });
    std::string text;
    std::ptrdiff_t got = 0;
    while ((got = file.read(bytes.data(), bytes.size(), {})) > 0)
      text.append(bytes.data(), static_cast<std::size_t>(got));
    writer.join();
    CHECK(got == 0);
    CHECK(text == "some bytes");
  }
  CHECK(!InputFile(folder + "/none").is_open());
  std::filesystem::remove_all(folder);
}

} // namespace memlane
