#include "relations/ask.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "capi/tpuplan.h"

namespace relations {

const std::string& scratch() {
  static const std::string folder = TPUPLAN_SCRATCH_DIR;
  std::filesystem::create_directories(folder);
  return folder;
}

std::string file_text(const std::string& path) {
  std::ifstream file(path[0] == '/' ? path : std::string(TPUPLAN_SOURCE_DIR) + "/" + path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

const std::vector<model>& models() {
  static const std::vector<model> all = [] {
    std::vector<model> list;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(TPUPLAN_SOURCE_DIR) + "/data/models")) {
      const std::string name = entry.path().stem().string();
      if (name == "sources") continue;
      model& one = list.emplace_back();
      one.name = name;
      one.path = "data/models/" + name + ".json";
      one.config = json::parse(file_text(one.path));
      if (!one.config.contains("_name_or_path")) one.config["_name_or_path"] = name;  // else it has one for both doors
    }
    std::sort(list.begin(), list.end(), [](const model& a, const model& b) { return a.name < b.name; });
    return list;
  }();
  return all;
}

const std::vector<model>& checkpoints() {
  static const std::vector<model> all = [] {
    std::vector<model> list;
    const json document = json::parse(file_text("data/checkpoints.json"));
    for (const json& record : document["checkpoints"])
      list.push_back({record["name"], "", record["config"], record["parameters"].get<std::int64_t>()});
    return list;
  }();
  return all;
}

std::string write_config(const model& one) {
  if (!one.path.empty()) return one.path;
  std::string file = one.name;
  for (char& letter : file) letter = std::isalnum(static_cast<unsigned char>(letter)) || letter == '.' ? letter : '-';
  const std::string path = scratch() + "/" + file + ".json", own = path + std::to_string(getpid());
  std::ofstream(own) << one.config.dump();
  std::filesystem::rename(own, path);  // at once: other relations may be reading it
  return path;
}

reply ask_text(const std::string& text) {
  char* const answer = tpuplan_ask(text.data(), text.size());
  if (answer == nullptr) throw std::runtime_error("no memory for: " + text);
  reply result;
  result.document = json::parse(answer);
  tpuplan_free(answer);
  return result;
}

reply ask(const std::string& question, json request, bool viewed) {
  json whole = {{"schema", "tpuplan/1"}, {"question", question}, {"request", std::move(request)}};
  if (viewed) whole["view"] = true;
  reply result = ask_text(whole.dump());
  result.question = std::move(whole);
  return result;
}

told tell(const std::string& line) {
  const std::string errors = scratch() + "/errors" + std::to_string(getpid());
  const std::string command = "exec </dev/null 2>'" + errors +
                              "'; cd '" TPUPLAN_SOURCE_DIR "' && tpuplan() { '" TPUPLAN_PROGRAM "' \"$@\"; }; " + line;
  told result;
  result.command = line;
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run: " + line);
  char part[65536];
  for (std::size_t count = 0; (count = fread(part, 1, sizeof part, pipe)) > 0;) result.output.append(part, count);
  const int status = pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  result.errors = file_text(errors);
  std::filesystem::remove(errors);
  return result;
}

}  // namespace relations
