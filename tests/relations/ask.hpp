#ifndef TPUPLAN_TESTS_RELATIONS_ASK_HPP
#define TPUPLAN_TESTS_RELATIONS_ASK_HPP

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// @file
/// The doors that relations ask through: the C interface in this process, and the command line as a shell runs it.

namespace relations {

using nlohmann::json;

/// A file of data/models, or a record of data/checkpoints.json.
struct model {
  std::string name{};  ///< "llama-3.1-8b"
  std::string path{};  ///< for the command line, from the root of the checkout; of a checkpoint a file of its own
  json config{};       ///< for ask, with the name that the command line gives it
  std::int64_t published = 0;  ///< parameters, where the record has them
};
/// All of data/models, by name.
const std::vector<model>& models();
/// All of data/checkpoints.json. `path` is empty: write_config makes the file.
const std::vector<model>& checkpoints();
/// The path of the model's config.json, which is written where it has no file.
std::string write_config(const model& one);

/// An answer of ask.
struct reply {
  json question{};  ///< {"schema", "question", "request"}
  json document{};  ///< {"schema", "question", "form", "answer"} or {"schema", "error"}
  bool refused() const { return document.contains("error"); }
  const json& answer() const { return document.at("answer"); }
  const json& view() const { return document.at("view"); }
  std::string message() const { return refused() ? document["error"]["message"].get<std::string>() : std::string(); }
  /// What to paste to ask again: a line for `tpuplan_relations --ask`.
  std::string asked() const { return question.dump(); }
};
/// The answer to the question of that name: ask("fit", {{"config", …}, {"slice", "v6e-8"}}); with its
/// view where that is wanted.
reply ask(const std::string& question, json request, bool viewed = false);
/// The same of a question as text.
reply ask_text(const std::string& text);

/// What a command printed.
struct told {
  std::string command{};  ///< "tpuplan fit …"
  int status = 0;
  std::string output{}, errors{};
  /// No answer; with status 1 there may be one, which says that it cannot be done.
  bool refused() const { return status > 1 || (status == 1 && output.empty()); }
  std::string message() const { return errors; }
  json document() const { return json::parse(output); }  ///< of --json
  std::string asked() const { return command; }
};
/// Runs a line that starts with "tpuplan " in the root of the checkout, as a shell does.
told tell(const std::string& line);

/// A folder for files of these tests, which stay, so that the commands that are printed can be run again.
const std::string& scratch();
/// Reads a file of the checkout.
std::string file_text(const std::string& path);

}  // namespace relations

#endif
