#include "show.hpp"

#include "memlane/config/machine.hpp"
#include "memlane/support/json_table.hpp"
#include "memlane/support/json_text.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace memlane {
namespace {

nlohmann::ordered_json json_of(const KeyValue& value) {
  return std::visit(
      [](const auto& content) -> nlohmann::ordered_json {
        using Content = std::decay_t<decltype(content)>;
        if constexpr (std::is_same_v<Content, std::monostate>) {
          return nullptr;
        } else {
          return content;
        }
      },
      value);
}

/// A text of several lines as a list.
nlohmann::ordered_json json_of_lines(const KeyValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (!text || text->find('\n') == std::string::npos) return json_of(value);
  auto list = nlohmann::ordered_json::array();
  for (std::size_t begin = 0; begin <= text->size();) {
    const std::size_t end = std::min(text->find('\n', begin), text->size());
    list.push_back(text->substr(begin, end - begin));
    begin = end + 1;
  }
  return list;
}

nlohmann::ordered_json json_of(const MachineKey& key, const KeyValue& value) {
  return key.kind == KeyKind::lines ? json_of_lines(value) : json_of(value);
}

std::string place(Span span, const Sources& sources) {
  const Position position = sources.begin(span);
  return fmt::format("{}:{}:{}", sources.path(span.file), position.line, position.column);
}

std::string origin_text(const Setting& setting, const Sources& sources) {
  switch (setting.origin.kind) {
  case OriginKind::file: return place(setting.origin.span, sources);
  case OriginKind::option: return "--set " + sources.text(setting.origin.span.file);
  case OriginKind::default_value: break;
  }
  return "default";
}

/// Keys about the file are shown only if they have a value.
bool is_shown(const Setting& setting) {
  return setting.key->store || setting.origin.kind != OriginKind::default_value ||
         setting.value.index() != 0;
}

constexpr std::size_t max_value_columns = 40; ///< of a value in config_text

/// The first line of a value, cut at max_value_columns.
std::string value_text(const Setting& setting) {
  const std::string whole = text_of(setting.value);
  std::string text = whole.substr(0, whole.find('\n'));
  if (text.size() == whole.size() && display_width(text) <= max_value_columns) return text;
  std::size_t end = 0;
  for (std::size_t count = 0; end < text.size(); ++end) {
    const bool starts = (static_cast<unsigned char>(text[end]) & 0xc0) != 0x80;
    if (starts && count++ == max_value_columns - 2) break;
  }
  return text.substr(0, end) + " …";
}

std::string padded_to(std::size_t width, const std::string& text) {
  const std::size_t length = display_width(text);
  return text + std::string(length < width ? width - length : 0, ' ');
}

struct ShownSetting {
  const Setting& setting;
  const Sources& sources;

  bool in_file() const { return setting.origin.kind == OriginKind::file; }
  Position position() const { return sources.begin(setting.origin.span); }
};

std::string_view name_of(OriginKind origin) {
  constexpr std::array<std::string_view, 3> names = {"file", "--set", "default"};
  return names[static_cast<std::size_t>(origin)];
}

const schema::Table<ShownSetting>& setting_table() {
  using S = ShownSetting;
  const auto in_file = [](const S& s) { return s.in_file(); };
  static const schema::Table<S> table({
      {"value", schema::Json::object(),
       [](const S& s) { return json_of(*s.setting.key, s.setting.value); }},
      {"from",
       schema::word({name_of(OriginKind::file), name_of(OriginKind::option),
                     name_of(OriginKind::default_value)},
                    "its origin"),
       [](const S& s) { return name_of(s.setting.origin.kind); }},
      {"file", schema::text("the machine file"),
       [](const S& s) { return s.sources.path(s.setting.origin.span.file); }, in_file},
      {"line", schema::count("in the file", 1), [](const S& s) { return s.position().line; },
       in_file},
      {"column", schema::count("in the line", 1), [](const S& s) { return s.position().column; },
       in_file},
      {"text", schema::text("the option's text"),
       [](const S& s) { return s.sources.text(s.setting.origin.span.file); },
       [](const S& s) { return s.setting.origin.kind == OriginKind::option; }},
  });
  return table;
}

} // namespace

std::string config_text(const LoadedMachine& machine, const Sources& sources) {
  std::size_t keys = 0, values = 0;
  for (const Setting& setting : machine.settings) {
    if (!is_shown(setting)) continue;
    keys = std::max(keys, setting.key->path.size());
    values = std::max(values, display_width(value_text(setting)));
  }
  std::string text;
  for (const Setting& setting : machine.settings) {
    if (!is_shown(setting)) continue;
    text += fmt::format("{}  {}  {}\n", padded_to(keys, std::string(setting.key->path)),
                        padded_to(values, value_text(setting)), origin_text(setting, sources));
  }
  return text;
}

nlohmann::ordered_json setting_schema() { return setting_table().schema("a key"); }

nlohmann::ordered_json config_json(const LoadedMachine& machine, const Sources& sources) {
  auto values = nlohmann::ordered_json::object();
  for (const Setting& setting : machine.settings) {
    if (!is_shown(setting)) continue;
    values[std::string(setting.key->path)] = setting_table().json({setting, sources});
  }
  return {{"path", machine.path}, {"values", std::move(values)}};
}

nlohmann::ordered_json to_json(const MachineSpec& machine) {
  auto out = nlohmann::ordered_json::object();
  for (const MachineKey& key : machine_keys()) {
    if (!key.fetch || !contains(key.models, machine.model)) continue;
    const KeyValue value = key.fetch(machine);
    const auto* text = std::get_if<std::string>(&value);
    if (text && text->empty()) continue; // name or notes
    const std::size_t dot = key.path.find('.');
    if (dot == std::string_view::npos) {
      out[std::string(key.path)] = json_of(key, value);
    } else {
      out[std::string(key.path.substr(0, dot))][std::string(key.path.substr(dot + 1))] =
          json_of(key, value);
    }
  }
  return out;
}

} // namespace memlane
