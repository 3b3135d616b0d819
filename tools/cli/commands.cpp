#include "cli/commands.hpp"

#include <algorithm>

#include "cli/print.hpp"

namespace cli {

namespace {

bool is_about_output(std::string_view name) {
  return name == "--wide" || name == "--csv" || name == "--markdown" || name == "--svg" || name == "--html";
}

}  // namespace

std::string follow_up(const session& with, std::string_view other, const std::vector<follow_up_option>& own,
                      const std::vector<std::string_view>& dropped) {
  std::string line = "tpuplan " + std::string(with.own_data ? "--data-dir " + shell_quoted(with.data_dir) + " " : "");
  line += other;
  const auto same_one = [&](const command& one) { return one.name == other; };
  const command& target = *std::find_if(with.commands.begin(), with.commands.end(), same_one);
  const auto is_own = [&](const std::string& name) {
    return std::any_of(own.begin(), own.end(), [&](const follow_up_option& one) { return one.first == name; }) ||
           std::find(dropped.begin(), dropped.end(), name) != dropped.end();
  };
  for (const option& one : with.asked->options) {
    if (one.form == option::shape::argument && target.find(one.name) != nullptr && one.is_given())
      line += " " + shell_quoted(one.given.front());
  }
  for (const auto& [name, value] : own) line += " " + name + (value.empty() ? "" : " " + shell_quoted(value));
  for (const option& one : with.asked->options) {
    if (one.form == option::shape::argument || one.form == option::shape::arguments) continue;
    if (target.find(one.name) == nullptr || is_own(one.name) || is_about_output(one.name)) continue;
    for (const std::string& given : one.given)
      line += " " + one.name + (one.form == option::shape::flag ? "" : " " + shell_quoted(given));
  }
  return line;
}

}  // namespace cli
