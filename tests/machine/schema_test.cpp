// The JSON Schema and the loader, both made from one table, accept the same machine files.
#include "files.hpp"
#include "schema_check.hpp"
#include "support/catch.hpp"

#include "memlane/support/random.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

using namespace memlane;
using test::Json;

namespace {

const std::string root = MEMLANE_SOURCE_DIR;

/// Ignores the errors that a schema cannot express: numbers that are no multiple or divisor of
/// another key's, and keys that exclude or need each other.
bool loader_accepts(const std::string& text, const MachineFiles& base) {
  Sources sources;
  MachineFiles files = base;
  files.read = [&](const std::string& path) -> Result<std::string> {
    return path == "a.json" ? Result<std::string>(text) : base.read(path);
  };
  const auto machine = load_machine(sources, "a.json", {}, files);
  if (machine.ok()) return true;
  return std::all_of(machine.errors().begin(), machine.errors().end(), [](const Diagnostic& error) {
    const std::string_view beyond[] = {
        "multiple of width",     "divisor of width", "multiple of global.group",
        "needs global.own_port", "excludes ",        "must be 1, 2, 4 or 8",
        "must be 4, 8 or 16",    "needs tensor.size"};
    return std::any_of(std::begin(beyond), std::end(beyond), [&](std::string_view what) {
      return error.message.find(what) != std::string::npos;
    });
  });
}

void check_agreement(const std::string& text, const MachineFiles& base) {
  static const Json schema = Json::parse(machine_schema().dump());
  INFO(text);
  CHECK(test::valid(schema, Json::parse(text)) == loader_accepts(text, base));
}

const std::vector<std::string> bases = {
    R"({"model":"dmm","width":4,"threads":8,"latency":5})",
    R"({"model":"umm","width":4,"threads":8,"latency":5})",
    R"({"model":"hmm","width":4,"threads":8,"multiprocessors":2,"shared":{"latency":2},"global":{"latency":9}})",
    R"({"model":"agpu","width":4,"multiprocessors":2,"shared":{"capacity":64}})",
    R"({"model":"mmm","local_words":64,"transfer":3})"};

/// Values of every type, at and beyond every bound.
const std::vector<Json> values = [] {
  std::vector<Json> list = {nullptr,
                            true,
                            "text",
                            "",
                            "static",
                            "dynamic",
                            "umm",
                            "dmm",
                            1.5,
                            "a\nb",
                            Json::array({"a", "b"}),
                            Json::array({1}),
                            Json::object(),
                            "null"};
  for (const MachineKey& key : machine_keys()) {
    if (key.kind != KeyKind::integer) continue;
    for (std::int64_t number : {key.minimum - 1, key.minimum, key.maximum, key.maximum + 1}) {
      if (std::find(list.begin(), list.end(), Json(number)) == list.end()) list.push_back(number);
    }
  }
  return list;
}();

Json::json_pointer pointer_to(std::string_view path) {
  std::string pointer("/");
  for (char c : path) pointer += c == '.' ? '/' : c;
  return Json::json_pointer(pointer);
}

} // namespace

TEST_CASE("the shipped schema is up to date") {
  const std::string path = root + "/configs/machine.schema.json";
  const std::string text = machine_schema().dump(2) + "\n";
  if (std::getenv("MEMLANE_UPDATE_GOLDEN")) std::ofstream(path, std::ios::binary) << text;
  CHECK(test::text_of_file(path).value_or("(no such file)") == text);
}

TEST_CASE("schema and loader agree on a machine of every model") {
  for (const std::string& text : bases) {
    CHECK(test::valid(Json::parse(machine_schema().dump()), Json::parse(text)));
    check_agreement(text, test::files_of({}));
  }
  check_agreement("{}", test::files_of({}));
  check_agreement("[]", test::files_of({}));
  check_agreement("3", test::files_of({}));
}

TEST_CASE("schema and loader agree on every key with every kind of value, in every model",
          "[release]") {
  for (const std::string& text : bases) {
    for (const MachineKey& key : machine_keys()) {
      if (key.path == "extends" || key.path == "model") continue;
      for (const Json& value : values) {
        Json machine = Json::parse(text);
        machine[pointer_to(key.path)] = value;
        check_agreement(machine.dump(), test::files_of({}));
      }
    }
  }
}

TEST_CASE("schema and loader agree on missing keys, and on other models") {
  for (const std::string& text : bases) {
    for (const MachineKey& key : machine_keys()) {
      Json machine = Json::parse(text);
      const auto pointer = pointer_to(key.path);
      if (!machine.contains(pointer)) continue;
      machine[pointer.parent_pointer()].erase(pointer.back());
      check_agreement(machine.dump(), test::files_of({}));
    }
    for (const char* group : {"shared", "global", "tensor"}) {
      for (const Json& value : {Json::object(), Json(3), Json::object({{"banks", 4}})}) {
        Json machine = Json::parse(text);
        machine[group] = value;
        check_agreement(machine.dump(), test::files_of({}));
      }
    }
    for (const Json& model : {Json("dmm"), Json("umm"), Json("hmm"), Json("agpu"), Json("mmm"),
                              Json("pram"), Json(nullptr), Json(3)}) {
      Json machine = Json::parse(text);
      machine["model"] = model;
      check_agreement(machine.dump(), test::files_of({}));
    }
  }
}

TEST_CASE("schema and loader agree on files that extend another") {
  for (const std::string& base : bases) {
    const std::string model = Json::parse(base)["model"];
    const auto files = test::files_of({{"base.json", base}});
    check_agreement(R"({"extends":"base.json"})", files);
    check_agreement(R"({"extends":"base.json","model":")" + model + "\"}", files);
    check_agreement(R"({"extends":"base.json","width":0})", files);
    check_agreement(R"({"extends":"base.json","colour":0})", files);
    check_agreement(R"({"extends":3})", files);
    check_agreement(R"({"extends":""})", files);
  }
}

TEST_CASE("schema and loader agree on machines of random keys") {
  std::uint64_t draw = 0;
  const auto next = [&](std::size_t size) {
    return static_cast<std::size_t>(
        random_integer(23, 5, draw++, 0, static_cast<std::int64_t>(size) - 1));
  };
  for (int round = 0; round < 1500; ++round) {
    Json machine = Json::parse(bases[next(bases.size())]);
    for (std::size_t edits = 1 + next(4); edits > 0; --edits) {
      const MachineKey& key = machine_keys()[next(machine_keys().size())];
      if (key.path == "extends") continue;
      const auto pointer = pointer_to(key.path);
      const bool open = !machine.contains(pointer.parent_pointer()) ||
                        machine[pointer.parent_pointer()].is_object();
      if (!open) continue;
      const bool own = next(2) == 0 && key.kind == KeyKind::integer;
      machine[pointer] = own ? Json(key.minimum + 1) : values[next(values.size())];
    }
    check_agreement(machine.dump(), test::files_of({}));
  }
}

TEST_CASE("the schema accepts the shipped machines and rejects bad files") {
  const Json schema = Json::parse(machine_schema().dump());
  for (const auto& entry : std::filesystem::directory_iterator(root + "/configs/machines")) {
    INFO(entry.path());
    CHECK(test::valid(schema, Json::parse(*test::text_of_file(entry.path().string()))));
  }
  for (const char* name : {"unknown-key", "unknown-key-inside", "width-zero", "number-as-string",
                           "wrong-types", "null", "too-small", "too-large", "missing-keys",
                           "foreign-keys", "foreign-keys-hmm", "unknown-model", "empty-object"}) {
    INFO(name);
    const auto text = test::text_of_file(root + "/tests/golden/config/" + name + ".json");
    REQUIRE(text.has_value());
    CHECK_FALSE(test::valid(schema, Json::parse(*text)));
  }
}
