#ifndef TPUPLAN_TESTS_SUPPORT_COMMANDS_HPP
#define TPUPLAN_TESTS_SUPPORT_COMMANDS_HPP

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// How a command breaks the flags that it is documented to take; "" if it does not. `commands` maps the words of a
/// command to the flags that it needs and may have; `names_needed` is the number of words that are not flags.
inline std::string command_problem(const std::vector<std::string>& words, const std::string& program,
                                   const nlohmann::json& commands, std::size_t names_needed = 1) {
  if (words.empty() || words[0] != program) return "not " + program;
  std::string called;
  std::vector<std::string> flags;
  std::size_t names = 0;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i].compare(0, 2, "--") == 0) {
      flags.push_back(words[i].substr(0, words[i].find('=')));
      continue;
    }
    if (!flags.empty()) return "a name behind flags";
    if (commands.contains(called))
      ++names;
    else
      called += (called.empty() ? "" : " ") + words[i];
  }
  if (!commands.contains(called)) return "no command " + called;
  const nlohmann::json& command = commands.at(called);
  if (command.contains("least_names") ? names < command["least_names"].get<std::size_t>() : names != names_needed)
    return "not as many names";
  for (const nlohmann::json& needed : command.at("required")) {
    if (std::count(flags.begin(), flags.end(), needed.get<std::string>()) != 1) return "not once: " + needed.dump();
  }
  for (const std::string& flag : flags) {
    const auto among = [&](const char* list) {
      const nlohmann::json& known = command.at(list);
      return std::find(known.begin(), known.end(), flag) != known.end();
    };
    if (!among("required") && !among("flags")) return "no flag " + flag;
    if (std::count(flags.begin(), flags.end(), flag) != 1) return "twice: " + flag;
  }
  return "";
}

#endif
