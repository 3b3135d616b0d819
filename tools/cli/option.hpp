#ifndef TPUPLAN_CLI_OPTION_HPP
#define TPUPLAN_CLI_OPTION_HPP

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <tpuplan/ask/question.hpp>
#include <tpuplan/json.hpp>
#include <type_traits>
#include <utility>
#include <vector>

// The options of a question are its rows: their text becomes a request of JSON, which is read as the question's struct.
// What only the command line has is declared by `command::add`: its name, the value that it fills, and its help. Every
// refusal names the option, what was given, and what is valid; an option that would have no effect is refused too.
namespace cli {

/// Throws tpuplan::error: "OPTION is GIVEN; valid: VALID".
[[noreturn]] void refuse(std::string_view option, std::string_view given, std::string_view valid,
                         tpuplan::errc why = tpuplan::errc::invalid_argument);
/// The same for an option that is needed and was not given.
[[noreturn]] void refuse_missing(std::string_view option, std::string_view valid);

/// The count, unless it is below 1.
std::int64_t positive_count(std::string_view option, std::int64_t given);

/// The numbers that an option takes, both ends included.
struct limits {
  double least = 0, most = 0;
  const char* unit = "";
  [[nodiscard]] bool has(double x) const noexcept { return x >= least && x <= most; }
};

/// @{
/// Reads the typed text into a field of this type, within the limits: an amount, a count, a time, dollars or a name.
void read(std::string_view option, const std::string& given, const limits& range, double& into);
void read(std::string_view option, const std::string& given, const limits& range, std::int64_t& into);
void read(std::string_view option, const std::string& given, const limits& range, tpuplan::seconds& into);
void read(std::string_view option, const std::string& given, const limits& range, tpuplan::usd& into);
void read(std::string_view option, const std::string& given, const limits& range, tpuplan::per_second& into);
void read(std::string_view option, const std::string& given, const limits& range, std::string& into);
void read(std::string_view option, const std::string& given, const limits& range, tpuplan::dtype& into);
void read(std::string_view option, const std::string& given, const limits& range, tpuplan::software_level& into);
void read(std::string_view option, const std::string& given, const limits& range, tpuplan::provisioning& into);
template <class T>
void read(std::string_view option, const std::string& given, const limits& range, std::optional<T>& into) {
  read(option, given, range, into.emplace());
}
/// @}

/// The limits of a field unless its option sets others: counts from 1, amounts above 0, times up to a hundred years.
template <class T>
constexpr limits usual_limits{0, 0};
template <>
inline constexpr limits usual_limits<std::int64_t>{1, 9e15};
template <>
inline constexpr limits usual_limits<double>{1e-9, 1e18};
template <>
inline constexpr limits usual_limits<tpuplan::seconds>{1e-6, 3.2e9};  // a hundred years
template <>
inline constexpr limits usual_limits<tpuplan::usd>{1e-6, 1e12};
template <>
inline constexpr limits usual_limits<tpuplan::per_second>{1e-6, 1e9};
template <class T>
inline constexpr limits usual_limits<std::optional<T>> = usual_limits<T>;

/// The typed text as a row of a question has it in the request.
nlohmann::json value_of(const tpuplan::question_row& row, const std::string& given);
/// A request of JSON as the struct of a question; what it leaves open stays as it is there.
template <class Request>
Request read_request(const nlohmann::json& request) {
  return tpuplan::read_json<Request>(request, {}, "request");
}

/// One option, flag or argument of a command.
class option {
 public:
  enum class shape : unsigned char { value, list, flag, argument, arguments };

  /// Makes the option required.
  option& required() { return must_be_given_ = true, *this; }
  /// Makes the option one that may be left out, where its command answers another question then.
  option& optional() { return must_be_given_ = false, *this; }
  /// The option has an effect only together with one of these options.
  option& needs(std::initializer_list<const char*> others) {
    return needs_.assign(others.begin(), others.end()), *this;
  }
  /// The option has no effect together with any of these options.
  option& excludes(std::initializer_list<const char*> others) {
    return excludes_.insert(excludes_.end(), others.begin(), others.end()), *this;
  }
  /// Fields of the library that follow from the option, by their paths, besides the one of its name.
  option& decides(const std::string& paths) { return fills += " " + paths, *this; }
  /// Commas in its text do not separate values.
  option& whole() { return whole_ = true, *this; }
  /// The value that the help states for an option that is not given.
  option& usually(std::string text) { return usual_ = std::move(text), *this; }

  [[nodiscard]] bool is_given() const noexcept { return !given.empty(); }

  std::string name;  // "--batch", or what an argument is called
  std::string help;
  shape form = shape::value;
  std::vector<std::string> given;  // as typed
  std::function<void(const std::string&)> take;
  std::string fills;  // paths of the fields that follow from it
  bool must_be_given_ = false, whole_ = false;
  std::string usual_;
  std::vector<std::string> needs_, excludes_;
};

/// A command of the program: its name, the question that it answers, and its options in the order of the help.
class command {
 public:
  command(std::string its_name, std::string answers) : name{std::move(its_name)}, help{std::move(answers)} {}

  /// @{
  /// The options of the rows of a question, or of one of them; each puts its value into the request. Files are read by
  /// the command.
  void ask(const tpuplan::row_list& rows, nlohmann::json& request);
  option& ask(const tpuplan::question_row& row, nlohmann::json& request);
  option& ask(const tpuplan::row_list& rows, std::string_view option_name, nlohmann::json& request);
  option& ask_file(const tpuplan::row_list& rows, std::string_view option_name, std::string& path);
  /// @}
  /// The option of a row, which the command has already, is read as the row says where that other one is given.
  void ask_beside(const std::string& other, const tpuplan::question_row& row, nlohmann::json& request);

  /// An option that fills a field. The help shows the name that an enumeration has unless the option is given.
  template <class T>
  option& add(const std::string& option_name, T& into, const std::string& says) {
    return add(option_name, into, usual_limits<T>, says);
  }
  template <class T>
  option& add(const std::string& option_name, T& into, limits range, const std::string& says) {
    option& added =
        declare(option::shape::value, option_name, says,
                [option_name, &into, range](const std::string& given) { read(option_name, given, range, into); });
    if constexpr (std::is_enum<T>::value) added.usual_ = name_of(into);
    return added;
  }
  /// An option that takes several values: repeated, or with commas between.
  template <class T>
  option& add(const std::string& option_name, std::vector<T>& into, const std::string& says) {
    return declare(option::shape::list, option_name, says,
                   [option_name, &into, first = true](const std::string& given) mutable {
                     if (std::exchange(first, false)) into.clear();
                     read(option_name, given, usual_limits<T>, into.emplace_back());
                   });
  }
  option& flag(const std::string& option_name, bool& into, const std::string& says) {
    return declare(option::shape::flag, option_name, says, [&into](const std::string&) { into = true; });
  }
  option& flag(const std::string& option_name, const std::string& says, std::function<void()> act) {
    return declare(option::shape::flag, option_name, says, [act](const std::string&) { act(); });
  }
  /// A positional argument, given once or several times.
  option& argument(const std::string& called, std::string& into, const std::string& says) {
    return declare(option::shape::argument, called, says, [&into](const std::string& given) { into = given; });
  }
  option& arguments(const std::string& called, std::vector<std::string>& into, const std::string& says) {
    return declare(option::shape::arguments, called, says,
                   [&into](const std::string& given) { into.push_back(given); });
  }

  /// The option of that name, which the command has.
  option& of(std::string_view option_name);
  [[nodiscard]] const option* find(std::string_view option_name) const noexcept;
  [[nodiscard]] bool is_given(std::string_view option_name) const noexcept;

  std::string name, help;
  std::list<option> options;  // which stay where they are
  std::function<void()> run;

 private:
  /// The option with the words and the rules of its row.
  static option& as_row_says(const tpuplan::question_row& row, option& added);
  option& declare(option::shape form, const std::string& option_name, const std::string& says,
                  std::function<void(const std::string&)> take);
  template <class T>
  static std::string name_of(T value) {
    return std::string(tpuplan::name(value));
  }
};

/// Equality of names as people type them: letter case ignored.
bool same_name(std::string_view a, std::string_view b);

}  // namespace cli

#endif
