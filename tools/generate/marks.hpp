#ifndef TPUPLAN_TOOLS_GENERATE_MARKS_HPP
#define TPUPLAN_TOOLS_GENERATE_MARKS_HPP

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

/// @file
/// Text that a program writes: whole files, or the part of a header between the marks
///   // generated: NAME from SOURCE
///   // end of generated: NAME

namespace generate {

/// One generated part of a file.
struct generated_text {
  std::string file;                                        ///< relative to the root
  std::string name;                                        ///< of the marks; empty: the whole file
  std::string source;                                      ///< what it is made from, relative to the root
  std::function<std::string(const std::string&)> rewrite;  ///< the new lines, made from the present ones
};

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) throw std::runtime_error(path + " cannot be read");
  return text.str();
}

inline void write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  if (!(out << text) || !out.flush()) throw std::runtime_error(path + " cannot be written");
}

/// The file's content with the lines between the marks replaced.
inline std::string with_generated(const std::string& content, const generated_text& part) {
  if (part.name.empty()) return part.rewrite(content);
  const std::string begin = "// generated: " + part.name + " ";
  const std::size_t from = content.find(begin);
  const std::size_t first = content.find('\n', from) + 1;
  const std::size_t end = content.find("// end of generated: " + part.name + "\n");
  if (from == std::string::npos || end == std::string::npos || end < first)
    throw std::runtime_error(fmt::format("{} has no marks of \"{}\"", part.file, part.name));
  const std::size_t last = content.rfind('\n', end) + 1;
  return content.substr(0, from) + begin + "from " + part.source + "\n" +
         part.rewrite(content.substr(first, last - first)) + content.substr(last);
}

/// The lines with the number after "NAME = " or "NAME{" replaced. The text after it keeps its column if there is room.
inline std::string with_number(std::string lines, const std::string& name, const std::string& number) {
  for (const std::string& before : {" " + name + " = ", " " + name + "{", "." + name + " = "}) {
    const std::size_t at = lines.find(before);
    if (at == std::string::npos) continue;
    const std::size_t from = at + before.size();
    const std::size_t end = lines.find(';', from) + 1;
    const std::string closing = before.back() == '{' ? "};" : ";";
    const std::size_t next = std::min(lines.find_first_not_of(' ', end), lines.find('\n', end));
    const std::size_t width = lines[next] == '\n' ? 0 : next - from;
    std::string value = number + closing;
    if (width > 0) value += std::string(std::max<std::size_t>(value.size() + 2, width) - value.size(), ' ');
    return lines.replace(from, next - from, value);
  }
  throw std::runtime_error("no number of " + name + " between the marks");
}

/// Writes each text that differs from its file. With `check` it writes nothing and returns 1 if one differs.
inline int renew(const std::vector<generated_text>& parts, const std::string& root, bool check, const char* target) {
  int stale = 0;
  for (const generated_text& part : parts) {
    const std::string path = root + "/" + part.file;
    const std::string before = part.name.empty() && !std::filesystem::exists(path) ? "" : read_file(path);
    const std::string after = with_generated(before, part);
    if (before == after) continue;
    ++stale;
    const std::string what = part.name.empty() ? part.file : part.file + ": " + part.name;
    fmt::print(check ? stderr : stdout, "{} {} {}\n", what,
               check ? "is not what it would be, made from" : "written from", part.source);
    if (!check) write_file(path, after);
  }
  if (check && stale > 0) fmt::print(stderr, "cmake --build BUILD --target {} writes them\n", target);
  return check && stale > 0 ? 1 : 0;
}

/// The main function of a program PROGRAM [--check] ROOT that writes the texts `parts_of(ROOT)`.
template <class Parts>
int run_generator(int count, char** arguments, const char* target, const Parts& parts_of) {
  const bool check = count > 1 && std::string(arguments[1]) == "--check";
  if (count != (check ? 3 : 2)) {
    fmt::print(stderr, "usage: tpuplan_{} [--check] ROOT\n  ROOT: the folder with data/ and include/\n", target);
    return 2;
  }
  try {
    const std::string root = arguments[count - 1];
    return renew(parts_of(root), root, check, target);
  } catch (const std::exception& problem) {
    fmt::print(stderr, "tpuplan_{}: {}\n", target, problem.what());
    return 2;
  }
}

}  // namespace generate

#endif
