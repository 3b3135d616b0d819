// mutate HEADER INCLUDE_DIR WORK_DIR SECONDS PERMILLE ORACLE...
//
// Changes one number or operator of a header at a time and asks the oracle, a command that is given a directory with
// the changed header and ends with 0 where nothing noticed. Ends with 1 where more than PERMILLE of 1000 changes
// survived. Mutants are taken in a fixed order that is spread over the header, and as many as SECONDS allow: the
// answers are kept in WORK_DIR/results, so that a later run goes on from there. A mutant is known by its text: after a
// change of the header only what is new is asked again; after one of the tests remove the file.
#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

struct mutant {
  std::size_t at, size;
  std::string with;
};

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream all;
  all << file.rdbuf();
  return all.str();
}

/// The code with comments, texts and their capacities, characters and preprocessor lines blanked out.
std::string code_of(const std::string& source) {
  std::string code = source;
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to && i < code.size(); ++i) code[i] = code[i] == '\n' ? '\n' : ' ';
  };
  for (std::size_t i = 0; i < code.size();) {
    std::size_t end = i;
    const bool line_start = i == 0 || source[i - 1] == '\n';
    const bool digit_before = i > 0 && std::isalnum(static_cast<unsigned char>(source[i - 1])) != 0;
    if (source.compare(i, 2, "//") == 0 || (line_start && source[i] == '#')) {
      end = source.find('\n', i);
      while (source[i] == '#' && end != std::string::npos && source[end - 1] == '\\') end = source.find('\n', end + 1);
    } else if (source.compare(i, 2, "/*") == 0) {
      end = source.find("*/", i) + 2;
    } else if (source.compare(i, 5, "text<") == 0) {  // room for a message
      end = source.find('>', i);
    } else if (source[i] == '"' || (source[i] == '\'' && !digit_before)) {
      end = i + 1;
      while (source[end] != source[i]) end += source[end] == '\\' ? std::size_t{2} : std::size_t{1};
      ++end;
    }
    if (end == i) {
      ++i;
    } else {
      blank(i, end);
      i = end == std::string::npos ? code.size() : end;
    }
  }
  return code;
}

/// A number that is larger by one, or by an eighth where it has a point or an exponent.
std::string changed(const std::string& number) {
  std::size_t end = 0;
  if (number.find_first_of(".eE") == std::string::npos || number.compare(0, 2, "0x") == 0) {
    const std::uint64_t value = std::stoull(number, &end, 0);
    return std::to_string(value + 1) + number.substr(end);
  }
  const double value = std::stod(number, &end);
  char text[40];
  std::snprintf(text, sizeof(text), "%.17g", value == 0 ? 1 : value * 1.125);
  const bool whole = std::string_view(text).find_first_of(".e") == std::string_view::npos;
  return std::string(text) + (whole ? ".0" : "") + number.substr(end);
}

std::vector<mutant> mutants_of(const std::string& source) {
  static const std::pair<std::string_view, std::string_view> operators[] = {
      {" < ", " <= "},  {" <= ", " < "},  {" > ", " >= "},  {" >= ", " > "},  {" == ", " != "}, {" != ", " == "},
      {" && ", " || "}, {" || ", " && "}, {" + ", " - "},   {" - ", " + "},   {" * ", " / "},   {" / ", " * "},
      {" % ", " / "},   {" += ", " -= "}, {" -= ", " += "}, {" *= ", " /= "}, {" /= ", " *= "}};
  const std::string code = code_of(source);
  std::vector<mutant> found;
  for (std::size_t i = 0; i < code.size(); ++i) {
    for (const auto& [from, to] : operators) {
      if (code.compare(i, from.size(), from) == 0) found.push_back({i, from.size(), std::string(to)});
    }
    const auto is_word = [&](std::size_t at) {
      return std::isalnum(static_cast<unsigned char>(code[at])) != 0 || code[at] == '_' || code[at] == '.' ||
             code[at] == '\'';
    };
    if (std::isdigit(static_cast<unsigned char>(code[i])) == 0 || (i > 0 && is_word(i - 1))) continue;
    std::size_t end = i;
    while (is_word(end) || ((code[end] == '-' || code[end] == '+') && (code[end - 1] == 'e' || code[end - 1] == 'E')))
      ++end;
    found.push_back({i, end - i, changed(code.substr(i, end - i))});
    i = end - 1;
  }
  return found;
}

/// The line, which of the lines that read so, the place in it, and the change: the same wherever the line moves.
std::string shown(const std::string& source, const mutant& m) {
  const std::size_t start = source.rfind('\n', m.at) + 1;
  const std::string line = source.substr(start, source.find('\n', m.at) - start);
  std::size_t before = 0;
  for (std::size_t at = source.find(line); at < start; at = source.find(line, at + 1)) ++before;
  return line.substr(line.find_first_not_of(' ')) + " #" + std::to_string(before) + " @" +
         std::to_string(m.at - start) + " [" + source.substr(m.at, m.size) + "] -> [" + m.with + "]";
}

}  // namespace

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  if (argc < 7)
    return std::fputs("mutate HEADER INCLUDE_DIR WORK_DIR SECONDS PERMILLE ORACLE...\n", stderr), 2;
  const std::string header = argv[1];
  const fs::path work = argv[3];
  const std::string source = read(fs::path(argv[2]) / header);
  const std::vector<mutant> mutants = mutants_of(source);
  fs::create_directories((work / "include" / header).parent_path());
  std::string oracle;
  for (int i = 6; i < argc; ++i) oracle += std::string(argv[i]) + " ";
  oracle += (work / "include").string();

  std::map<std::string, std::string> known;
  {
    std::ifstream results(work / "results");
    for (std::string line; std::getline(results, line);)
      known[line.substr(line.find(' ') + 1)] = line.substr(0, line.find(' '));
  }
  std::ofstream results(work / "results", std::ios::app);
  const auto judge = [&](const std::string& key, const std::string& text) {
    std::ofstream(work / "include" / header) << text;
    const bool survived = std::system(oracle.c_str()) == 0;
    known[key] = survived ? "survived" : "killed";
    results << known[key] << ' ' << key << std::endl;
  };
  std::ofstream(work / "include" / header) << source;
  if (std::system(oracle.c_str()) != 0) return std::puts("the tests fail without a change"), 2;

  const auto start = std::chrono::steady_clock::now();
  std::size_t asked = 0, survived = 0;
  const auto coprime = [&](std::size_t a, std::size_t b) {
    while (b != 0) a = std::exchange(b, a % b);
    return a == 1;
  };
  std::size_t step = mutants.size() * 5 / 8 + 1;
  while (!coprime(step, mutants.size())) ++step;
  for (std::size_t i = 0; i < mutants.size(); ++i) {
    const mutant& m = mutants[i * step % mutants.size()];
    const std::string key = shown(source, m);
    if (known.count(key) == 0) {
      if (std::chrono::steady_clock::now() - start > std::chrono::seconds(std::atoi(argv[4]))) continue;
      judge(key, source.substr(0, m.at) + m.with + source.substr(m.at + m.size));
    }
    ++asked;
    if (known[key] == "survived") {
      ++survived;
      const auto line = 1 + std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(m.at), '\n');
      std::printf("survived: %s:%td: %s\n", header.c_str(), line, key.c_str());
    }
  }
  std::printf("%s: %zu mutants, %zu asked, %zu survived\n", header.c_str(), mutants.size(), asked, survived);
  return survived * 1000 > asked * static_cast<std::size_t>(std::atoi(argv[5])) ? 1 : 0;
}
