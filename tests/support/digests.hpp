#ifndef TPUPLAN_TESTS_SUPPORT_DIGESTS_HPP
#define TPUPLAN_TESTS_SUPPORT_DIGESTS_HPP

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <support/call.hpp>
#include <support/golden.hpp>
#include <tpuplan/base/error.hpp>
#include <vector>

/// What is said of many files or questions, as a golden file: each group is one line, with how many were answered, how
/// many refused, and a digest of all that was said. Where a line changes without being meant to, FILE.whole of two
/// builds shows which answer did.
class digests {
 public:
  /// One file of a group: what `read` says of it, or how it is refused.
  void add(const std::string& group, const std::string& file, const plain_call<std::string()>& read) {
    line& of = lines_[group];
    std::string said = file + ": ";
    try {
      said += read();
      ++of.read;
    } catch (const tpuplan::error& refusal) {
      said += refusal.what();
      ++of.refused;
    }
    for (const char c : said + '\n') of.digest = (of.digest ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    whole_ += group + ' ' + said + '\n';
  }
  /// The first line that is not as in tests/golden/NAME: "" where all are.
  [[nodiscard]] std::string problem(const std::string& name) const {
    std::string text;
    for (const auto& [group, of] : lines_) {
      char digest[20];
      std::snprintf(digest, sizeof(digest), "%016llx", static_cast<unsigned long long>(of.digest));
      text += group + ": " + std::to_string(of.read) + " read, " + std::to_string(of.refused) + " refused, digest_" +
              digest + '\n';
    }
    const std::string found = golden_problem(name, text);
    if (!found.empty()) std::ofstream(name + ".whole") << whole_;
    return found;
  }

 private:
  struct line {
    int read = 0, refused = 0;
    std::uint64_t digest = 14695981039346656037ULL;
  };
  std::map<std::string, line> lines_;
  std::string whole_;
};

/// Values in place of one: edges, and others of its kind. Of numbers three by
/// turns.
inline std::vector<nlohmann::json> others_than(const nlohmann::json& value, std::size_t turn) {
  using nlohmann::json;
  if (value.is_boolean()) return {!value.get<bool>()};
  if (value.is_number_integer()) {
    const std::int64_t edges[] = {0, 1, value.get<std::int64_t>() + 1, 65536, 65537, 16777216, 16777217};
    const auto edge = [&](std::size_t place) { return edges[place % std::size(edges)]; };
    return {edge(turn), edge(turn + 2), edge(turn + 4)};
  }
  if (value.is_number()) return {turn % 2 == 0 ? 0 : value.get<double>() * 2};
  if (value.is_string()) return {"other"};
  if (value.is_array() && !value.empty()) {
    json shorter = value;
    shorter.erase(shorter.size() - 1);
    std::vector<json> others = {shorter};
    if (value[0].is_number_integer()) {
      json larger = value;
      larger[0] = turn % 2 == 0 ? 65536 : 65537;
      others.push_back(larger);
      larger = value;
      larger.back() = turn % 2 == 0 ? 0 : 65537;
      others.push_back(larger);
    }
    return others;
  }
  return {};
}

/// Asks of a file without each value, and with another in its place.
template <class Ask>
void each_change(nlohmann::json& place, const std::string& path, std::size_t& turn, const Ask& ask) {
  std::vector<std::string> keys;
  for (const auto& entry : place.items()) keys.push_back(entry.key());
  for (const std::string& key : keys) {
    if (key == "model_type" || key == "architectures") continue;
    const nlohmann::json before = place[key];
    if (before.is_object()) each_change(place[key], path + key + '.', turn, ask);
    for (const nlohmann::json& other : others_than(before, turn++)) {
      place[key] = other;
      ask(path + key + '=' + other.dump());
    }
    place.erase(key);
    ask(path + key + " absent");
    place[key] = before;
  }
}

#endif
