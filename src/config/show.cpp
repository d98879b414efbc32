#include "memlane/config/json.hpp"
#include "memlane/config/machine.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

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

/// The lines of a text as a list, or the text itself if it has one.
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
  case OriginKind::standard: break;
  }
  return "default";
}

/// Keys about the file and not the machine are shown only where they are written.
bool is_shown(const Setting& setting) {
  return setting.key->store || setting.origin.kind != OriginKind::standard ||
         setting.value.index() != 0;
}

/// Characters of a UTF-8 text: what a column of a table is wide.
std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

/// The widest value that config_text shows whole.
constexpr std::size_t widest = 40;

/// A value on one line; of long ones, which are names, paths and notes, the beginning.
std::string value_text(const Setting& setting) {
  const std::string whole = shown(setting.value);
  std::string text = whole.substr(0, whole.find('\n'));
  if (text.size() == whole.size() && characters(text) <= widest) return text;
  std::size_t end = 0;
  for (std::size_t count = 0; end < text.size(); ++end) {
    const bool starts = (static_cast<unsigned char>(text[end]) & 0xc0) != 0x80;
    if (starts && count++ == widest - 2) break;
  }
  return text.substr(0, end) + " …";
}

std::string padded_to(std::size_t width, const std::string& text) {
  const std::size_t length = characters(text);
  return text + std::string(length < width ? width - length : 0, ' ');
}

} // namespace

std::string config_text(const LoadedMachine& machine, const Sources& sources) {
  std::size_t keys = 0, values = 0;
  for (const Setting& setting : machine.settings) {
    if (!is_shown(setting)) continue;
    keys = std::max(keys, setting.key->path.size());
    values = std::max(values, characters(value_text(setting)));
  }
  std::string text;
  for (const Setting& setting : machine.settings) {
    if (!is_shown(setting)) continue;
    text += fmt::format("{}  {}  {}\n", padded_to(keys, std::string(setting.key->path)),
                        padded_to(values, value_text(setting)), origin_text(setting, sources));
  }
  return text;
}

nlohmann::ordered_json config_json(const LoadedMachine& machine, const Sources& sources) {
  auto values = nlohmann::ordered_json::object();
  for (const Setting& setting : machine.settings) {
    if (!is_shown(setting)) continue;
    nlohmann::ordered_json entry = {{"value", json_of(*setting.key, setting.value)}};
    const Span span = setting.origin.span;
    if (setting.origin.kind == OriginKind::file) {
      const Position position = sources.begin(span);
      entry["from"] = "file";
      entry["file"] = sources.path(span.file);
      entry["line"] = position.line;
      entry["column"] = position.column;
    } else if (setting.origin.kind == OriginKind::option) {
      entry["from"] = "--set";
      entry["text"] = sources.text(span.file);
    } else {
      entry["from"] = "default";
    }
    values[std::string(setting.key->path)] = std::move(entry);
  }
  return {{"path", machine.path}, {"values", std::move(values)}};
}

nlohmann::ordered_json to_json(const MachineSpec& machine) {
  auto out = nlohmann::ordered_json::object();
  for (const MachineKey& key : machine_keys()) {
    if (!key.fetch || !contains(key.models, machine.model)) continue;
    const KeyValue value = key.fetch(machine);
    const auto* text = std::get_if<std::string>(&value);
    if (text && text->empty()) continue; // no name, no notes
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
