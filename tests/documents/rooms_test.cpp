// The rooms: what src/README.md says each may see, against what it includes and links.
#include "citations.hpp"
#include "cli/shell.hpp"
#include "markdown.hpp"
#include "support/catch.hpp"

#include <map>
#include <set>

namespace memlane::test {
namespace {

using Names = std::set<std::string>;

/// By room: what the table lets it see directly.
std::map<std::string, Names> listed_rooms() {
  const std::string text = slurp(std::string(MEMLANE_SOURCE_DIR) + "/src/README.md");
  std::map<std::string, Names> rooms;
  for (const Table& table : tables_of(text)) {
    if (table.front().front() != "room") continue;
    for (std::size_t row = 1; row < table.size(); ++row) {
      const auto name = matches_of(table[row].front(), R"re(`(\w+)`)re");
      REQUIRE(name.size() == 1);
      Names& sees = rooms[name.front()[1]];
      for (const auto& seen : matches_of(table[row].back(), R"re([a-z]+)re")) sees.insert(seen[0]);
    }
  }
  if (rooms["cli"] == Names{"all"}) {
    rooms["cli"].clear();
    for (const auto& [name, sees] : rooms)
      if (name != "cli") rooms["cli"].insert(name);
  }
  return rooms;
}

/// All that a room sees, through the rooms that it sees; itself included.
Names seen_from(const std::map<std::string, Names>& rooms, const std::string& room) {
  Names seen{room};
  for (const std::string& next : rooms.at(room)) {
    const Names more = seen_from(rooms, next);
    seen.insert(more.begin(), more.end());
  }
  return seen;
}

/// The room of a file of src or include, or empty.
std::string room_of(const std::string& path) {
  const auto match = matches_of(path, R"re(^(?:src|include/memlane)/(\w+)/)re");
  return match.empty() ? std::string() : match.front()[1];
}

/// By room: the rooms whose headers it includes, itself excepted.
std::map<std::string, Names> included_rooms() {
  std::map<std::string, Names> included;
  for (const ProjectFile& file : project_files()) {
    const std::string room = room_of(file.path);
    // src/pages is a part of chart, src/python has no C++.
    if (room.empty() || room == "pages" || room == "python") continue;
    Names& names = included[room];
    for (const auto& match : matches_of(file.text, R"re(#include "memlane/(\w+)/)re"))
      if (match[1] != room) names.insert(match[1]);
  }
  return included;
}

/// By room: what CMakeLists.txt links it to.
std::map<std::string, Names> linked_rooms() {
  const std::string text = slurp(std::string(MEMLANE_SOURCE_DIR) + "/CMakeLists.txt");
  std::map<std::string, Names> linked;
  for (const auto& match : matches_of(text, R"re(\nmemlane_room\((\w+)([^)]*)\))re")) {
    Names& names = linked[match[1]];
    for (const auto& room : matches_of(match[2], R"re(memlane_(\w+))re")) names.insert(room[1]);
  }
  return linked;
}

std::string joined(const Names& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

} // namespace

TEST_CASE("a room includes only what src/README.md says it may see", "[release]") {
  const auto rooms = listed_rooms();
  const auto included = included_rooms();
  CHECK(rooms.size() == included.size());
  for (const auto& [room, names] : included) {
    INFO(room << " includes headers of " << joined(names));
    REQUIRE(rooms.count(room) == 1);
    const Names seen = seen_from(rooms, room);
    for (const std::string& name : names) {
      INFO(name);
      CHECK(seen.count(name) == 1);
    }
  }
}

TEST_CASE("a room is listed with what it links, and links no room that it does not include",
          "[release]") {
  const auto rooms = listed_rooms();
  const auto included = included_rooms();
  const auto linked = linked_rooms();
  // The program `cli` is no library, and that of `cudart` is linked for two versions.
  CHECK(linked.size() + 2 == rooms.size());
  for (const auto& [room, names] : linked) {
    INFO(room << " links " << joined(names));
    REQUIRE(rooms.count(room) == 1);
    CHECK(joined(rooms.at(room)) == joined(names));
    for (const std::string& name : names) {
      INFO(name);
      CHECK(included.at(room).count(name) == 1);
    }
  }
}

TEST_CASE("a folder of the fast engine is included by its front header only", "[release]") {
  std::set<std::string> folders;
  for (const ProjectFile& file : project_files())
    for (const auto& match : matches_of(file.text, R"re(#include "(?:engine/)?fast/(\w+)/)re")) {
      INFO(file.path << " includes a header of fast/" << match[1]);
      CHECK(file.path == "src/engine/fast/" + match[1] + ".hpp");
      folders.insert(match[1]);
    }
  CHECK(joined(folders) == "races, time, vectors");
}

} // namespace memlane::test
