// run_notebook CLANG_REPL STANDARD INCLUDE_FOLDERS FILE WORK_FOLDER [renew]
// Runs the cells of a notebook, or the cpp blocks of a Markdown page, in one session of clang-repl, and holds what each
// of them shows against what is stored: the outputs of the cell, or the text block that follows. INCLUDE_FOLDERS are
// separated by colons. With `renew` the outputs of the notebook are replaced instead.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using nlohmann::json;

namespace {

struct cell {
  std::string source;
  json stored = json::array();  ///< outputs as the notebook has them
};

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const std::string& path, const std::string& words) {
  std::ofstream file(path, std::ios::binary);
  if (!(file << words << std::flush)) throw std::runtime_error("cannot write " + path);
}

/// The notebook format has text as one string or as a list of lines.
std::string joined(const json& words) {
  if (words.is_string()) return words.get<std::string>();
  std::string all;
  for (const json& line : words) all += line.get<std::string>();
  return all;
}

json in_lines(const std::string& words) {
  json lines = json::array();
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = words.find('\n', at);
    const std::size_t next = end == std::string::npos ? words.size() : end + 1;
    lines.push_back(words.substr(at, next - at));
    at = next;
  }
  return lines;
}

json stream_output(const std::string& words) {
  return {{"output_type", "stream"}, {"name", "stdout"}, {"text", in_lines(words)}};
}

std::vector<cell> cells_of_notebook(const json& notebook) {
  if (notebook.at("nbformat") != 4) throw std::runtime_error("nbformat is not 4");
  std::vector<cell> cells;
  for (const json& one : notebook.at("cells")) {
    if (one.at("cell_type") == "code") cells.push_back({joined(one.at("source")), one.at("outputs")});
  }
  return cells;
}

std::vector<cell> cells_of_page(const std::string& page) {
  std::vector<cell> cells;
  std::istringstream lines(page);
  std::string kind, block;
  for (std::string line; std::getline(lines, line);) {
    const bool fence = line.compare(0, 3, "```") == 0;
    if (!fence) {
      block += line + "\n";
    } else if (kind.empty()) {
      kind = line;
      block.clear();
    } else {
      if (kind == "```cpp") cells.push_back({block});
      if (kind == "```text" && !cells.empty()) cells.back().stored = json::array({stream_output(block)});
      kind.clear();
    }
  }
  return cells;
}

/// The marks that the session writes after each cell, to both streams.
std::string mark(std::size_t number) { return "\n@@ end of cell " + std::to_string(number) + "\n"; }

/// What stands before the mark, which is taken off; throws where the session ended before.
std::string up_to_mark(std::string& words, std::size_t number) {
  const std::size_t end = words.find(mark(number));
  if (end == std::string::npos) throw std::runtime_error("the session ended here\n" + words);
  const std::string before = words.substr(0, end);
  words.erase(0, end + mark(number).size());
  return before;
}

/// Text between displays: "text", RS, bundle, RS, "text".
json outputs_of(const std::string& words) {
  json outputs = json::array();
  bool bundle = false;
  std::istringstream parts(words);
  for (std::string part; std::getline(parts, part, '\x1e'); bundle = !bundle) {
    if (bundle) {
      json data = json::parse(part);
      for (json& mime : data) mime = in_lines(mime.get<std::string>());
      outputs.push_back({{"output_type", "display_data"}, {"data", data}, {"metadata", json::object()}});
    } else if (!part.empty()) {
      outputs.push_back(stream_output(part));
    }
  }
  return outputs;
}

/// The same as a page shows it: displays by their text, a line each.
json as_text(const json& outputs) {
  std::string words;
  for (const json& output : outputs) {
    words += output.contains("data") ? joined(output["data"]["text/plain"]) + "\n" : joined(output["text"]);
  }
  return words.empty() ? json::array() : json::array({stream_output(words)});
}

std::string in_quotes(const std::string& word) { return "'" + word + "'"; }

/// Mistakes of a cell that no diagnostic tells. clang-repl initialises a const variable at the top of a cell before
/// everything else in it, whatever stands above.
void check_source(const std::string& source) {
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    if (line.compare(0, 6, "const ") == 0) throw std::runtime_error("leave out the const of: " + line);
  }
}

struct session_output {
  std::string out, err;
};

/// Each cell is a file that the session includes, so that it may have many lines, as in a kernel.
session_output run(const std::vector<cell>& cells, const std::string& repl, const std::string& standard,
                   const std::string& folders, const std::string& work) {
  std::string session = "#include <cstdio>\n";
  for (std::size_t i = 1; i <= cells.size(); ++i) {
    const std::string number = std::to_string(i);
    write(work + "/cell_" + number + ".cpp", cells[i - 1].source + "\n");
    session += "#include \"cell_" + number + ".cpp\"\n";
    for (const std::string stream : {"stdout", "stderr"}) {
      session += "std::fputs(\"\\n@@ end of cell " + number + "\\n\", " + stream + ");\nstd::fflush(" + stream + ");\n";
    }
  }
  write(work + "/session", session);
  std::string command =
      in_quotes(repl) + " -Xcc=-std=" + standard + " -Xcc=-Wno-unused-result -Xcc=-I" + in_quotes(work);
  std::istringstream list(folders);
  for (std::string folder; std::getline(list, folder, ':');) command += " -Xcc=-I" + in_quotes(folder);
  command += " <" + in_quotes(work + "/session") + " >" + in_quotes(work + "/out") + " 2>" + in_quotes(work + "/err");
  (void)std::system(command.c_str());  // its status says nothing: 0 after most errors
  return {read(work + "/out"), read(work + "/err")};
}

/// Same text, whether as one string or as lines.
json normalised(json outputs) {
  for (json& output : outputs) {
    if (output.contains("text")) output["text"] = joined(output["text"]);
    if (output.contains("data")) {
      for (json& mime : output["data"]) mime = joined(mime);
    }
  }
  return outputs;
}

/// Why the cell shows something else; empty where it does not.
std::string complaint(const cell& wanted, const json& shown) {
  const json stored = normalised(wanted.stored), got = normalised(shown);
  if (stored == got) return {};
  return "stored:\n" + stored.dump(1) + "\nshown:\n" + got.dump(1) + "\n";
}

/// What to do with what the cells show.
enum class mode { check_notebook, check_page, renew };

/// The outputs of the cells; throws, naming the cell, for diagnostics and, unless renewing, for another output.
std::vector<json> checked_outputs(const std::vector<cell>& cells, session_output all, const std::string& file,
                                  mode how) {
  std::vector<json> outputs;
  for (std::size_t i = 1; i <= cells.size(); ++i) {
    const cell& wanted = cells[i - 1];
    std::string problem;
    try {
      check_source(wanted.source);
      problem = up_to_mark(all.err, i);
      outputs.push_back(outputs_of(up_to_mark(all.out, i)));
      if (how == mode::check_page) outputs.back() = as_text(outputs.back());
      if (problem.empty() && how != mode::renew) problem = complaint(wanted, outputs.back());
    } catch (const std::exception& e) {
      problem = e.what();
    }
    if (!problem.empty()) {
      throw std::runtime_error(file + ", cell " + std::to_string(i) + ":\n" + wanted.source + "\n" + problem);
    }
  }
  return outputs;
}

void store(json& notebook, const std::vector<json>& outputs, const std::string& file) {
  std::size_t i = 0;
  for (json& one : notebook["cells"]) {
    if (one["cell_type"] != "code") continue;
    one["outputs"] = outputs[i++];
    one["execution_count"] = i;
  }
  write(file, notebook.dump(1) + "\n");
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> given(arguments, arguments + count);
  if (count < 6) return std::fprintf(stderr, "see the first lines of run_notebook.cpp\n"), 2;
  const std::string& file = given[4];
  const bool renew = count > 6 && given[6] == "renew";
  if (given[1].size() < 9 || given[1].find("-NOTFOUND") != std::string::npos) {
    std::puts("no clang-repl from 19 on");
    return std::getenv("CI") != nullptr ? 1 : 77;
  }
  try {
    const bool page = file.size() > 3 && file.substr(file.size() - 3) == ".md";
    json notebook = page ? json() : json::parse(read(file));
    const std::vector<cell> cells = page ? cells_of_page(read(file)) : cells_of_notebook(notebook);
    if (cells.empty()) throw std::runtime_error(file + " has no cells");
    const mode how = renew ? mode::renew : page ? mode::check_page : mode::check_notebook;
    const std::vector<json> outputs =
        checked_outputs(cells, run(cells, given[1], given[2], given[3], given[5]), file, how);
    if (renew) store(notebook, outputs, file);
    std::printf("PASS %s: %zu cells\n", file.c_str(), cells.size());
  } catch (const std::exception& problem) {
    return std::printf("FAIL %s\n", problem.what()), 1;
  }
}
