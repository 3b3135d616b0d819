#include "cli/lifetimes.hpp"

#include <fmt/format.h>

#include <fstream>
#include <tpuplan/json.hpp>
#include <vector>

namespace cli {

namespace {

using namespace tpuplan;

/// How long one's own slices lasted: a line of JSON each.
std::vector<own_lifetime> load_lifetimes(const std::string& path) {
  std::ifstream file(path);
  if (!file) refuse("--lifetimes", path, "a file that can be read", errc::malformed_input);
  std::vector<own_lifetime> all;
  std::int64_t number = 0;
  for (std::string line; std::getline(file, line);) {
    const std::string where = fmt::format("{}:{}", path, ++number);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) continue;
    all.push_back(read_json<own_lifetime>(parse_json(line, where, {4096, 4}), {}, where));
    if (const double lasted = all.back().lasted.value(); !(lasted > 0 && lasted <= 3.2e9))
      refuse(where + ".lasted_s", fmt::format("{}", lasted), "above 0, to 3.2e9 s", errc::out_of_range);
  }
  if (all.empty()) refuse("--lifetimes", path, "one line or more", errc::malformed_input);
  return all;
}

}  // namespace

option& add_lifetimes_option(command& to, std::string& file) { return to.ask_file(market_rows, "--lifetimes", file); }

void take_lifetimes(const std::string& file, nlohmann::json& request) {
  if (!file.empty()) request["lifetimes"] = load_lifetimes(file);
}

}  // namespace cli
