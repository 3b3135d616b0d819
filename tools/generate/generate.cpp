#include "generate/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>

namespace generate {

const json& data_folder::operator[](const std::string& name) {
  const auto known = files_.find(name);
  if (known != files_.end()) return known->second;
  std::ifstream in(path_ + "/" + name);
  if (!in) throw std::runtime_error("data/" + name + " cannot be read");
  try {
    return files_[name] = json::parse(in);
  } catch (const json::exception& problem) {
    throw std::runtime_error("data/" + name + ": " + problem.what());
  }
}

std::vector<std::string> data_folder::chips() {
  std::vector<std::string> names;
  for (const json& chip : at((*this)["hardware.json"], "generations", "hardware.json"))
    names.push_back(at(chip, "id", "a generation"));
  return names;
}

const json& at(const json& object, const char* key, const std::string& owner) {
  if (!object.is_object() || !object.contains(key)) throw std::runtime_error(owner + " has no \"" + key + "\"");
  return object.at(key);
}

bool has(const json& list, std::string_view word) {
  return std::any_of(list.begin(), list.end(), [&](const json& each) { return each == word; });
}

std::string in_quotes(const std::string& text) { return json(text).dump(-1, ' ', true); }

std::string literal(bool value) { return value ? "true" : "false"; }

std::string literal(double value) {
  std::string digits = fmt::format("{:.15g}", value);
  if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  return digits;
}

std::string scaled(double value, double scale, const char* suffix) {
  return fmt::format("{:.15g}{}", value / scale, suffix);
}

std::string literal_bytes(std::int64_t value) {
  constexpr std::int64_t kib = 1024, mib = kib * 1024, gib = mib * 1024, gb = 1000000000;
  const auto whole = [value](std::int64_t unit) { return value != 0 && value % unit == 0; };
  if (whole(gib)) return std::to_string(value / gib) + "_GiB";
  if (whole(mib) && value < gib) return std::to_string(value / mib) + "_MiB";
  if (whole(kib) && value < mib) return std::to_string(value / kib) + "_KiB";
  if (whole(gb)) return std::to_string(value / gb) + "_GB";
  return std::to_string(value) + "_B";
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string packed(const std::vector<std::string>& rows) {
  std::string text;
  std::size_t column = 120;
  for (const std::string& row : rows) {
    if (column + row.size() + 2 > 120) {
      text += (text.empty() ? "    " : "\n    ");
      column = 4;
    } else {
      text += ' ';
      ++column;
    }
    text += row + ',';
    column += row.size() + 1;
  }
  return text + "\n";
}

std::string listed(const std::vector<std::string>& rows) {
  std::string text;
  for (const std::string& row : rows) text += "    " + row + ",\n";
  return text;
}

std::string unformatted(const std::string& lines) { return "// clang-format off\n" + lines + "// clang-format on\n"; }

}  // namespace generate
