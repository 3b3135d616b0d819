// mutate draw INCLUDE_DIR WORK_DIR COUNT SEED EQUIVALENT_FILE
//     writes a copy of the headers to WORK_DIR/include in which COUNT places, drawn over all rooms, ask
//     tpuplan_mutation (switch.hpp) at run time whether they are changed, and their list to WORK_DIR/mutants
// mutate drop WORK_DIR ERRORS_FILE
//     takes the places on whose lines a compiler found errors out of the next draw; ends with 1 where there are none
// mutate report WORK_DIR COUNT PERMILLE RESULTS_FILE...
//     says which changes survived; ends with 1 where more than PERMILLE of 1000 did
//
// A place is known by its text and is drawn in the order of a hash of it and the seed: what changes elsewhere in the
// headers leaves the rest of the draw as it was. Places outside of functions, in template arguments, labels and
// constant expressions are left alone, and so are those of EQUIVALENT_FILE, whose lines are
//     file | the line's text | was -> became | why no answer changes
#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {
namespace fs = std::filesystem;

/// A place: what of the source is replaced, by which text around the number of the change, and what it is for a reader.
struct mutant {
  std::string file;
  std::size_t at = 0, size = 0;
  std::string with;  // @ stands for the number
  std::string was, became;
  std::string line, key;
  std::size_t number_of_line = 0;
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

/// A number that is larger by one, or by an eighth where that is more or where it has a point or an exponent; a unit
/// behind it stays. Below 1e-5 it is a tolerance, of which an eighth more is none that anybody would notice: there it is
/// a thousandfold.
std::string changed(std::string number) {
  number.erase(std::remove(number.begin(), number.end(), '\''), number.end());
  std::size_t end = 0;
  const bool hex = number.compare(0, 2, "0x") == 0;
  const std::string figures = number.substr(0, number.find('_'));  // without a unit
  if (figures.find_first_of(hex ? ".pP" : ".eE") == std::string::npos) {
    const std::uint64_t value = std::stoull(number, &end, 0);
    return std::to_string(value + std::max<std::uint64_t>(1, value / 8)) + number.substr(end);
  }
  const double value = std::stod(number, &end);
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.17g", value == 0 ? 1 : value * (value < 1e-5 ? 1000 : 1.125));
  const bool whole = std::string_view(text.data()).find_first_of(".e") == std::string_view::npos;
  return std::string(text.data()) + (whole ? ".0" : "") + number.substr(end);
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Where functions are: for each character whether code stands there that runs.
class function_bodies {
 public:
  explicit function_bodies(const std::string& code) : code_{code}, runs_(code.size() + 1, false) {
    mark_braces();
    for (const char* word : {"decltype", "noexcept", "sizeof", "alignas", "static_assert", "if constexpr"})
      leave_parentheses(word);
    leave_template_arguments();
    leave_statements();
  }
  [[nodiscard]] bool runs(std::size_t at) const { return runs_[at]; }

  /// Behind the bracket that closes the one at `at`.
  [[nodiscard]] std::size_t behind(std::size_t at) const {
    int depth = 0;
    for (std::size_t i = at; i < code_.size(); ++i) {
      if (std::string_view("([{").find(code_[i]) != std::string_view::npos) ++depth;
      if (std::string_view(")]}").find(code_[i]) != std::string_view::npos && --depth == 0) return i + 1;
    }
    return code_.size();
  }

 private:
  /// Whether a brace at `at` opens a function, from what stands before it in its scope.
  [[nodiscard]] bool opens_function(std::size_t from, std::size_t at) const {
    std::string head = code_.substr(from, at - from);
    while (!head.empty() && std::isspace(static_cast<unsigned char>(head.back())) != 0) head.pop_back();
    const auto has = [&](std::string_view word) {
      for (std::size_t i = head.find(word); i != std::string::npos; i = head.find(word, i + 1)) {
        const bool alone =
            (i == 0 || !is_word(head[i - 1])) && (i + word.size() == head.size() || !is_word(head[i + word.size()]));
        if (alone) return true;
      }
      return false;
    };
    if (has("namespace") || has("enum") || head.empty()) return false;
    const std::size_t close = head.rfind(')');
    if (close == std::string::npos) return false;
    const std::string tail = head.substr(close + 1);
    return tail.find_first_of("=;") == std::string::npos && (tail.empty() || tail[0] == ' ' || tail[0] == '\n');
  }
  void mark_braces() {
    std::vector<bool> open;  // whether each brace around is one of a function
    std::vector<std::size_t> from{0};
    int parentheses = 0;
    for (std::size_t i = 0; i < code_.size(); ++i) {
      const bool inside = !open.empty() && open.back();
      runs_[i] = inside;
      if (code_[i] == '(') ++parentheses;
      if (code_[i] == ')') --parentheses;
      if (code_[i] == '{') {
        open.push_back(inside || opens_function(from.back(), i));
        from.push_back(i + 1);
      } else if (code_[i] == '}' && !open.empty()) {
        open.pop_back();
        from.pop_back();
        from.back() = i + 1;
      } else if (code_[i] == ';' && parentheses == 0) {
        from.back() = i + 1;
      }
    }
  }
  void leave(std::size_t from, std::size_t to) {
    std::fill(runs_.begin() + static_cast<std::ptrdiff_t>(from),
              runs_.begin() + static_cast<std::ptrdiff_t>(std::min(to, code_.size())), false);
  }
  void leave_parentheses(std::string_view word) {
    for (std::size_t i = code_.find(word); i != std::string::npos; i = code_.find(word, i + 1)) {
      const std::size_t open = code_.find_first_not_of(' ', i + word.size());
      if (open != std::string::npos && code_[open] == '(' && (i == 0 || !is_word(code_[i - 1])))
        leave(open, behind(open));
    }
  }
  /// Comparisons have a space before them, lists of template arguments have none.
  void leave_template_arguments() {
    for (std::size_t i = 1; i < code_.size(); ++i) {
      if (code_[i] != '<' || !is_word(code_[i - 1]) || (i >= 8 && code_.compare(i - 8, 8, "operator") == 0)) continue;
      int depth = 0;
      std::size_t end = i;
      for (; end < code_.size() && code_[end] != ';'; ++end) {
        if (code_[end] == '<') ++depth;
        if (code_[end] == '>' && code_[end - 1] != '-' && --depth == 0) break;
      }
      if (end < code_.size() && code_[end] == '>') leave(i, end);
    }
  }
  /// Labels, and inside of a function its constants of the compiler and whole numbers that are constants.
  void leave_statements() {
    std::size_t from = 0;
    for (std::size_t i = 0; i < code_.size(); ++i) {
      if (std::string_view(";{}").find(code_[i]) == std::string_view::npos) continue;
      const std::size_t start = code_.find_first_not_of(" \n", from);
      const std::string statement = start < i ? code_.substr(start, i - start) : "";
      const auto begins = [&](std::string_view word) { return statement.compare(0, word.size(), word) == 0; };
      if (begins("case ") || begins("default")) {
        std::size_t colon = statement.find(':');
        while (colon != std::string::npos && statement.compare(colon, 2, "::") == 0)
          colon = statement.find(':', colon + 2);
        leave(start, start + std::min(colon, statement.size()));
      }
      for (const char* word : {"constexpr ", "static ", "using ", "template ", "typedef ", "goto "})
        if (begins(word) && runs_[start]) leave(start, code_[i] == '{' ? behind(i) : i);
      const std::size_t given = statement.find(" = ");
      if (begins("const ") && given != std::string::npos &&
          std::none_of(statement.begin() + static_cast<std::ptrdiff_t>(given), statement.end(),
                       [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }))
        leave(start, i);
      const std::size_t bracket = statement.find('[');
      if (bracket != std::string::npos && declares_array(statement, bracket))
        leave(start + bracket, behind(start + bracket));
      from = i + 1;
    }
  }

  /// "char block[65536]" does, "return dims[0]" and "dims[0] = 2" do not.
  static bool declares_array(const std::string& statement, std::size_t bracket) {
    std::size_t name = bracket;
    while (name > 0 && is_word(statement[name - 1])) --name;
    if (name < 2 || statement[name - 1] != ' ' || name == bracket) return false;
    const std::size_t before = statement.find_last_of(" (", name - 2);
    const std::string type = statement.substr(before == std::string::npos ? 0 : before + 1,
                                              name - 1 - (before == std::string::npos ? 0 : before + 1));
    return type != "return" && !type.empty() && (is_word(type.back()) || type.back() == '*' || type.back() == '>');
  }

  const std::string& code_;
  std::vector<bool> runs_;
};

/// The places of one header.
class places {
 public:
  places(std::string file, const std::string& source)
      : file_{std::move(file)}, source_{source}, code_{code_of(source)}, bodies_{code_} {
    for (std::size_t i = 0; i < code_.size(); ++i) {
      if (!bodies_.runs(i)) continue;
      add_operator(i);
      add_truth(i);
      add_choice(i);
      add_condition(i);
      add_return(i);
      add_number(i);
    }
    std::map<std::string, int> seen;
    for (mutant& m : found_) {
      const std::size_t start = source_.rfind('\n', m.at) + 1;
      m.line = source_.substr(start, source_.find('\n', m.at) - start);
      m.line.erase(0, m.line.find_first_not_of(' '));
      m.number_of_line = static_cast<std::size_t>(
          1 + std::count(source_.begin(), source_.begin() + static_cast<std::ptrdiff_t>(m.at), '\n'));
      const std::string text = file_ + " | " + m.line + " | " + m.was + " -> " + m.became;
      const int before = seen[text]++;
      m.key = before == 0 ? text : text + " #" + std::to_string(before);
    }
  }
  std::vector<mutant> all() && { return std::move(found_); }

 private:
  void add(std::size_t at, std::size_t size, std::string with, std::string was, std::string became) {
    mutant m;
    m.file = file_;
    m.at = at;
    m.size = size;
    m.with = std::move(with);
    m.was = std::move(was);
    m.became = std::move(became);
    for (std::string* each : {&m.was, &m.became})
      for (char& c : *each)
        if (c == '\n' || c == '\t') c = ' ';
    found_.push_back(std::move(m));
  }
  [[nodiscard]] std::string text(std::size_t from, std::size_t to) const { return source_.substr(from, to - from); }

  /// The end of an expression from `at` on: before the first of these operators or closing brackets outside of
  /// brackets.
  [[nodiscard]] std::size_t end_of(std::size_t at, std::initializer_list<std::string_view> ends) const {
    for (std::size_t i = at; i < code_.size();) {
      if (std::string_view("([{").find(code_[i]) != std::string_view::npos) {
        i = bodies_.behind(i);
        continue;
      }
      if (std::string_view(")]};,").find(code_[i]) != std::string_view::npos) return i;
      for (const std::string_view end : ends)
        if (code_.compare(i, end.size(), end) == 0) return i;
      ++i;
    }
    return code_.size();
  }
  /// The beginning of an expression that ends before `at`.
  [[nodiscard]] std::size_t start_of(std::size_t at, std::initializer_list<std::string_view> ends) const {
    int depth = 0;
    for (std::size_t i = at; i > 0; --i) {
      const char c = code_[i - 1];
      if (std::string_view(")]}").find(c) != std::string_view::npos) ++depth;
      const bool opens = std::string_view("([{").find(c) != std::string_view::npos;
      if (opens && depth == 0) return i;
      if (opens) --depth;
      if (depth > 0) continue;
      if (c == ';' || c == ',') return i;
      for (const std::string_view end : ends)
        if (i >= end.size() && code_.compare(i - end.size(), end.size(), end) == 0) return i;
    }
    return 0;
  }
  [[nodiscard]] std::size_t skip_space(std::size_t at) const {
    return std::min(code_.find_first_not_of(" \n", at), code_.size());
  }

  void add_operator(std::size_t i) {
    struct row {
      std::string_view from, name, became;
    };
    static const row rows[] = {
        {" < ", "less", "<= or >="},    {" <= ", "at_most", "< or >"}, {" > ", "more", ">= or <="},
        {" >= ", "at_least", "> or <"}, {" == ", "equal", "!="},       {" != ", "different", "=="},
        {" + ", "plus", "-"},           {" - ", "minus", "+"},         {" * ", "times", "/ or twice"},
        {" / ", "over", "* or twice"},  {" % ", "modulo", "/"}};
    for (const row& each : rows) {
      if (code_.compare(i, each.from.size(), each.from) != 0) continue;
      const std::string sign(each.from.substr(1, each.from.size() - 2));
      const bool texts = sign == "+" && (source_[i - 1] == '"' || source_[i + 3] == '"');
      if (!texts)
        add(i, each.from.size(), " " + sign + " tpuplan_mutation::" + std::string(each.name) + "<@>{} " + sign + " ",
            sign, std::string(each.became));
    }
    for (const std::string_view sign : {" += ", " -= ", " *= ", " /= "}) {
      if (code_.compare(i, 4, sign) != 0 || source_[i + 4] == '"') continue;
      const std::size_t end = end_of(i + 4, {});
      const bool sum = sign[1] == '+' || sign[1] == '-';
      add(i + 4, end - i - 4,
          std::string("tpuplan_mutation::") + (sum ? "added" : "factor") + "<@>(" + text(i + 4, end) + ")",
          std::string(sign.substr(1)) + text(i + 4, end), std::string(sign.substr(1)) + (sum ? "nothing" : "1"));
    }
  }
  /// `a && b` becomes `(on ? (a || b) : (a && b))`.
  void add_truth(std::size_t i) {
    const bool both = code_.compare(i, 4, " && ") == 0, either = code_.compare(i, 4, " || ") == 0;
    if (!both && !either) return;
    const std::size_t start =
        skip_space(both ? start_of(i, {"||", "? ", ": ", " = ", " =\n", "return ", "return\n", "+= "})
                        : start_of(i, {"? ", ": ", " = ", " =\n", "return ", "return\n", "+= "}));
    const std::size_t end = both ? end_of(i + 4, {" &&", " ||", " ?", " :", "\n"}) : end_of(i + 4, {" ||", " ?", " :"});
    if (start >= i || end <= i + 4) return;
    const std::string left = text(start, i), right = text(i + 4, end);
    if (left.find("//") != std::string::npos || right.find("//") != std::string::npos) return;
    const std::string was = both ? "&&" : "||", other = both ? "||" : "&&";
    add(start, end - start,
        "(tpuplan_mutation::on<@>() ? bool((" + left + ") " + other + " (" + right + ")) : bool((" + left + ") " + was +
            " (" + right + ")))",
        left + " " + was + " " + right, other);
  }
  void add_choice(std::size_t i) {
    struct row {
      std::string_view from, to, became;
    };
    static const row rows[] = {{"std::min", "smaller", "std::max"},
                               {"std::max", "larger", "std::min"},
                               {"std::fmin", "smaller_number", "std::fmax"},
                               {"std::fmax", "larger_number", "std::fmin"}};
    for (const row& each : rows) {
      const std::size_t end = i + each.from.size();
      if (code_.compare(i, each.from.size(), each.from) != 0 || (code_[end] != '(' && code_[end] != '<')) continue;
      const bool arguments = code_[end] == '<';
      add(i, each.from.size() + (arguments ? 1 : 0),
          "tpuplan_mutation::" + std::string(each.to) + "<@" + (arguments ? ", " : ">"), std::string(each.from),
          std::string(each.became));
    }
  }
  void add_condition(std::size_t i) {
    if (code_.compare(i, 3, " ? ") == 0) {
      const std::size_t start = skip_space(
          start_of(i, {"? ", ": ", " = ", " =\n", "return ", "return\n", "+= ", "-= ", "*= ", "/= ", "<< "}));
      if (start < i) add_negation(start, i);
    }
    if ((i > 0 && is_word(code_[i - 1])) || code_.compare(i, 4, "if (") != 0) return;
    const std::size_t close = bodies_.behind(i + 3) - 1, semicolon = code_.rfind(';', close);
    const std::size_t start = semicolon != std::string::npos && semicolon > i ? skip_space(semicolon + 1) : i + 4;
    add_negation(start, close);
  }
  void add_negation(std::size_t start, std::size_t end) {
    const std::string condition = text(start, end);
    if (code_.substr(start, end - start).find(" = ") != std::string::npos || condition.find("//") != std::string::npos)
      return;
    if (condition == "__builtin_is_constant_evaluated()") return;  // both ways agree within 2 ulp
    add(start, end - start, "tpuplan_mutation::negated<@>(" + condition + ")", condition, "not so");
  }
  void add_return(std::size_t i) {
    if (code_.compare(i, 7, "return ") != 0 || (i > 0 && is_word(code_[i - 1])) || source_[i + 7] == '{' ||
        source_[i + 7] == '"')
      return;
    const std::size_t end = end_of(i + 7, {});
    if (code_[end] != ';') return;
    const std::string value = text(i + 7, end);
    if (value.find("//") == std::string::npos && value.find('{') == std::string::npos)
      add(i + 7, end - i - 7, "tpuplan_mutation::returned<@>(" + value + ")", "return " + value, "one more, or not so");
  }
  void add_number(std::size_t i) {
    const auto part = [&](std::size_t at) { return is_word(code_[at]) || code_[at] == '.' || code_[at] == '\''; };
    if (std::isdigit(static_cast<unsigned char>(code_[i])) == 0 || (i > 0 && part(i - 1))) return;
    std::size_t end = i;
    const bool hex = code_.compare(i, 2, "0x") == 0;
    const std::string_view exponent = hex ? "pP" : "eE";
    const auto signs = [&](std::size_t at) {
      return std::string_view("+-").find(code_[at]) != std::string_view::npos &&
             exponent.find(code_[at - 1]) != std::string_view::npos;
    };
    while (part(end) || signs(end)) ++end;
    const std::string number = code_.substr(i, end - i), other = changed(number);
    add(i, end - i, "tpuplan_mutation::pick<@>(" + number + ", " + other + ")", number, other);
  }

  std::string file_;
  const std::string& source_;
  std::string code_;
  function_bodies bodies_;
  std::vector<mutant> found_;
};

/// The folder that a header is in.
std::string room_of(const std::string& file) {
  const std::size_t slash = file.rfind('/');
  return slash == std::string::npos ? "base" : file.substr(0, slash);
}

std::uint64_t hash(const std::string& text, std::uint64_t seed) {
  std::uint64_t h = 14695981039346656037ULL ^ (seed * 0x9E3779B97F4A7C15ULL);
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  h ^= h >> 29;
  h *= 0xBF58476D1CE4E5B9ULL;
  return h ^ (h >> 32);
}

std::set<std::string> lines_of(const fs::path& path) {
  std::set<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != '#') lines.insert(line);
  return lines;
}

/// Tables are made of data/, and what a version is no test needs to know.
bool is_left(const std::string& file) {
  for (const char* name : {"hardware/generations.hpp", "hardware/slice_table.hpp", "hardware/gpus.hpp",
                           "cost/price_table.hpp", "estimate/training/calibration_errors.hpp", "version.hpp"})
    if (file == name) return true;
  return false;
}

void write_if_new(const fs::path& path, const std::string& text) {
  if (fs::exists(path) && read(path) == text) return;
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

/// Places in the order of the draw, at least `least` of each room that has them.
std::vector<mutant> drawn(std::vector<mutant> all, std::size_t count, std::uint64_t seed) {
  std::map<std::string, std::vector<const mutant*>> rooms;
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t i = 0; i < all.size(); ++i) order.emplace_back(hash(all[i].key, seed), i);
  std::sort(order.begin(), order.end());
  for (const auto& [value, i] : order) rooms[room_of(all[i].file)].push_back(&all[i]);
  constexpr std::size_t least = 4;
  std::vector<mutant> result;
  for (const auto& [room, of_room] : rooms) {
    const std::size_t share = std::max(least, (of_room.size() * count + all.size() / 2) / all.size());
    for (std::size_t i = 0, taken = 0; i < of_room.size() && taken < share; ++i) {
      const mutant& m = *of_room[i];
      const bool meets = std::any_of(result.begin(), result.end(), [&](const mutant& other) {
        return other.file == m.file && m.at < other.at + other.size && other.at < m.at + m.size;
      });
      if (meets) continue;
      result.push_back(m);
      ++taken;
    }
  }
  return result;
}

std::string with_switches(const std::string& source, std::vector<std::pair<int, mutant>> mutants) {
  std::sort(mutants.begin(), mutants.end(), [](const auto& a, const auto& b) { return a.second.at > b.second.at; });
  std::string text = source;
  for (const auto& [number, m] : mutants) {
    std::string with = m.with;
    const std::size_t place = with.find('@');
    with.replace(place, 1, std::to_string(number));
    // Lines keep their numbers.
    const std::string was = source.substr(m.at, m.size);
    const auto breaks = [](const std::string& of) { return std::count(of.begin(), of.end(), '\n'); };
    for (auto more = breaks(with) - breaks(was); more > 0; --more) with[with.find('\n')] = ' ';
    text.replace(m.at, m.size, with);
  }
  return text;
}

int draw(const fs::path& include, const fs::path& work, std::size_t count, std::uint64_t seed,
         const fs::path& reviewed) {
  std::map<std::string, std::string> sources;
  std::vector<mutant> all;
  for (const auto& entry : fs::recursive_directory_iterator(include / "tpuplan")) {
    if (!entry.is_regular_file()) continue;
    const std::string file = fs::relative(entry.path(), include / "tpuplan").generic_string();
    sources[file] = read(entry.path());
    if (entry.path().extension() != ".hpp" || is_left(file)) continue;
    for (mutant& m : places(file, sources[file]).all()) all.push_back(std::move(m));
  }
  // An equivalent change is listed with its reason: the first three parts of the line are the place.
  std::set<std::string> left = lines_of(work / "dropped");
  std::set<std::string> known;
  for (const mutant& m : all) known.insert(m.key);
  int stale = 0;
  for (const std::string& line : lines_of(reviewed)) {
    const std::string key = line.substr(0, line.rfind(" | "));
    left.insert(key);
    if (known.count(key) == 0)
      ++stale, std::printf("%s: no such place: %s\n", reviewed.filename().c_str(), key.c_str());
  }
  const std::size_t places = all.size();
  all.erase(std::remove_if(all.begin(), all.end(), [&](const mutant& m) { return left.count(m.key) == 1; }), all.end());
  const std::vector<mutant> taken = drawn(std::move(all), count + count / 3, seed);
  std::map<std::string, std::vector<std::pair<int, mutant>>> by_file;
  std::ostringstream list;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    const mutant& m = taken[i];
    by_file[m.file].emplace_back(static_cast<int>(i + 1), m);
    list << i + 1 << '\t' << m.file << '\t' << m.number_of_line << '\t' << m.key << '\n';
  }
  for (const auto& [file, source] : sources)
    write_if_new(work / "include/tpuplan" / file, with_switches(source, by_file[file]));
  write_if_new(work / "mutants", list.str());
  std::printf("%zu places in %zu files; %zu drawn\n", places, sources.size(), taken.size());
  return stale > 0 ? 1 : 0;
}

struct listed {
  int number = 0;
  std::string file, line, key;
};
std::vector<listed> list_of(const fs::path& work) {
  std::vector<listed> all;
  std::ifstream file(work / "mutants");
  for (std::string line; std::getline(file, line);) {
    std::istringstream parts(line);
    listed m;
    std::string number;
    std::getline(parts, number, '\t');
    std::getline(parts, m.file, '\t');
    std::getline(parts, m.line, '\t');
    std::getline(parts, m.key);
    m.number = std::atoi(number.c_str());
    all.push_back(std::move(m));
  }
  return all;
}

int drop(const fs::path& work, const fs::path& errors) {
  const std::string text = read(errors);
  std::set<std::string> dropped = lines_of(work / "dropped");
  const std::size_t before = dropped.size();
  for (const listed& m : list_of(work)) {
    // A switch stands in an expression of several lines, whichever of them the compiler names.
    for (int line = std::atoi(m.line.c_str()); line < std::atoi(m.line.c_str()) + 3; ++line)
      if (text.find("/include/tpuplan/" + m.file + ":" + std::to_string(line) + ":") != std::string::npos)
        dropped.insert(m.key);
  }
  std::ofstream file(work / "dropped");
  for (const std::string& key : dropped) file << key << '\n';
  std::printf("%zu places do not compile with a switch\n", dropped.size() - before);
  return dropped.size() > before ? 0 : 1;
}

/// RESULTS_FILE has lines "killed NUMBER", "void NUMBER" or "reached NUMBER".
int report(const fs::path& work, std::size_t count, std::size_t permille, int results, char** files) {
  std::map<int, std::set<std::string>> said;
  for (int i = 0; i < results; ++i) {
    std::ifstream file(files[i]);
    std::string what;
    for (int number = 0; file >> what >> number; file.ignore(1000000, '\n')) said[number].insert(what);
  }
  std::map<std::string, std::array<std::size_t, 2>> rooms;
  std::size_t asked = 0, survived = 0;
  for (const listed& m : list_of(work)) {
    const std::set<std::string>& of = said[m.number];
    if (of.count("void") == 1 && of.count("killed") == 0) continue;  // nothing there to change
    ++asked;
    auto& room = rooms[room_of(m.file)];
    ++room[0];
    if (of.count("killed") == 1) continue;
    ++survived;
    ++room[1];
    std::printf("%s:%s: %s%s\n", m.file.c_str(), m.line.c_str(), m.key.substr(m.file.size() + 3).c_str(),
                of.count("reached") == 1 ? "" : " (no test reaches it)");
  }
  std::printf("\n%-24s %6s %9s\n", "room", "asked", "survived");
  for (const auto& [room, n] : rooms) std::printf("%-24s %6zu %9zu\n", room.c_str(), n[0], n[1]);
  std::printf("%zu of %zu changes survived\n", survived, asked);
  if (asked < count) std::printf("only %zu of %zu were asked\n", asked, count);
  return survived * 1000 > asked * permille || asked < count * 9 / 10 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  const auto number = [&](int at) { return static_cast<std::size_t>(std::atoll(argv[at])); };
  if (command == "draw" && argc == 7) return draw(argv[2], argv[3], number(4), number(5), argv[6]);
  if (command == "drop" && argc == 4) return drop(argv[2], argv[3]);
  if (command == "report" && argc > 5) return report(argv[2], number(3), number(4), argc - 5, argv + 5);
  return std::fputs("mutate draw|drop|report ...\n", stderr), 2;
}
