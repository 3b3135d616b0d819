#ifndef TPUPLAN_TESTS_SUPPORT_FIELDS_HPP
#define TPUPLAN_TESTS_SUPPORT_FIELDS_HPP

#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <support/golden.hpp>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/base/text.hpp>
#include <tpuplan/cost/price.hpp>
#include <tpuplan/reflect.hpp>
#include <type_traits>
#include <vector>

/// The fields of a value, one a line: "plan.step.total 0".
class lines_of_fields {
 public:
  std::string lines;

  void add(const std::string& place, double x) { lines += place + " " + golden_number(x) + "\n"; }
  template <class Dim>
  void add(const std::string& place, tpuplan::quantity<Dim> x) {
    add(place, x.value());
  }
  template <class T>
  void add(const std::string& place, const tpuplan::known<T>& x) {
    if (x.has_value()) return add(place, x.value());
    lines += place + (x.is_absent() ? " absent\n" : " unknown\n");
  }
  template <class T>
  void add(const std::string& place, const std::optional<T>& x) {
    lines += place + (x ? " some\n" : " none\n");
  }
  template <class T>
  void add(const std::string& place, const tpuplan::maybe<T>& x) {
    lines += place + (x ? " some\n" : " none\n");
  }
  template <std::size_t Capacity>
  void add(const std::string& place, const tpuplan::text<Capacity>& x) {
    lines += place + " '" + std::string(x.view()) + "'\n";
  }
  void add(const std::string& place, const std::string& x) { lines += place + " '" + x + "'\n"; }
  void add(const std::string& place, const tpuplan::price_book& x) { add(place, static_cast<double>(x.size())); }
  template <class T>
  void add(const std::string& place, const std::vector<T>& x) {
    add(place + ".size", static_cast<double>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) add(place + "[" + std::to_string(i) + "]", x[i]);
  }
  template <class T, std::size_t Count>
  void add(const std::string& place, const std::array<T, Count>& x) {
    for (std::size_t i = 0; i < Count; ++i) add(place + "[" + std::to_string(i) + "]", x[i]);
  }
  template <class T, std::enable_if_t<std::is_arithmetic<T>::value || std::is_enum<T>::value, int> = 0>
  void add(const std::string& place, T x) {
    add(place, static_cast<double>(x));
  }
  /// Structs in structs have lines of their own; here only whether they differ from those.
  template <class T, std::enable_if_t<tpuplan::detail::has_trait<tpuplan::detail::fields_of, T>, int> = 0>
  void add(const std::string& place, const T& x) {
    if (of(place, x) != of(place, T{})) lines += of(place, x);
  }
  template <class T, std::enable_if_t<tpuplan::detail::has_trait<tpuplan::detail::list_of, T>, int> = 0>
  void add(const std::string& place, const T& x) {
    add(place + ".size", static_cast<double>(tpuplan::detail::list_of<T>::count(x)));
    add(place + ".capacity", static_cast<double>(tpuplan::detail::list_of<T>::values(x).size()));
  }

  template <class T>
  [[nodiscard]] static std::string of(const std::string& place, const T& x) {
    lines_of_fields all;
    tpuplan::detail::fields_of<T>::each(
        x, [&](std::string_view field, const auto& value) { all.add_field(place, field, value); });
    return all.lines;
  }

 private:
  /// Apart, so that it is compiled once for each type of a field, and not for each struct that has such fields.
  template <class T>
  void add_field(const std::string& place, std::string_view field, const T& value) {
    add(place + "." + std::string(field), value);
  }
};

/// The fields of an answer that are not 0, or why there is none.
template <class Ask>
void add_answer(std::string& lines, const std::string& what, const Ask& ask) {
  try {
    std::istringstream fields(lines_of_fields::of(what, ask()));
    for (std::string line; std::getline(fields, line);) {
      if (line.compare(line.size() - 2, 2, " 0") != 0) lines += line + "\n";
    }
  } catch (const tpuplan::error& refusal) {
    lines += what + ": " + refusal.what() + "\n";
  }
}

#endif
