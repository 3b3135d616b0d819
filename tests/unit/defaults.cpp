// Every struct before anything is filled in, against tests/golden/defaults.txt: a default is a part of the interface.

#include <cstdio>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "support/catch.hpp"
#include "support/json_types.hpp"

using namespace tpuplan;

namespace {

/// The fields of a value, one a line: "plan.step.total 0".
class lines_of_fields {
 public:
  std::string lines;

  void add(const std::string& place, double x) {
    char number[40];
    std::snprintf(number, sizeof(number), "%.17g", x);
    lines += place + " " + number + "\n";
  }
  template <class Dim>
  void add(const std::string& place, quantity<Dim> x) {
    add(place, x.value());
  }
  template <class T>
  void add(const std::string& place, const known<T>& x) {
    if (x.has_value()) return add(place, x.value());
    lines += place + (x.is_absent() ? " absent\n" : " unknown\n");
  }
  template <class T>
  void add(const std::string& place, const std::optional<T>& x) {
    lines += place + (x ? " some\n" : " none\n");
  }
  template <class T>
  void add(const std::string& place, const maybe<T>& x) {
    lines += place + (x ? " some\n" : " none\n");
  }
  template <std::size_t Capacity>
  void add(const std::string& place, const text<Capacity>& x) {
    lines += place + " '" + std::string(x.view()) + "'\n";
  }
  void add(const std::string& place, const std::string& x) { lines += place + " '" + x + "'\n"; }
  void add(const std::string& place, const price_book& x) { add(place, static_cast<double>(x.size())); }
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
  template <class T, std::enable_if_t<detail::has_trait<detail::fields_of, T>, int> = 0>
  void add(const std::string& place, const T& x) {
    if (of(place, x) != of(place, T{})) lines += of(place, x);
  }
  template <class T, std::enable_if_t<detail::has_trait<detail::list_of, T>, int> = 0>
  void add(const std::string& place, const T& x) {
    add(place + ".size", static_cast<double>(detail::list_of<T>::count(x)));
    add(place + ".capacity", static_cast<double>(detail::list_of<T>::values(x).size()));
  }

  template <class T>
  [[nodiscard]] static std::string of(const std::string& place, const T& x) {
    lines_of_fields all;
    detail::fields_of<T>::each(
        x, [&](std::string_view field, const auto& value) { all.add(place + "." + std::string(field), value); });
    return all.lines;
  }
};

}  // namespace

TEST_CASE("a struct that nothing filled is what it has always been") {
  std::string got;
  json_types::each_core_type([&](auto type) {
    using T = typename decltype(type)::type;
    if constexpr (detail::has_trait<detail::fields_of, T>) {
      got += lines_of_fields::of(std::string(detail::fields_of<T>::type_name), T{});
    } else {
      lines_of_fields list;
      list.add(std::string(detail::list_of<T>::type_name), T{});
      got += list.lines;
    }
  });
  // A changed default belongs into the file, and into the changelog.
  std::ifstream file(std::string(TPUPLAN_TESTS_DIR) + "/golden/defaults.txt");
  std::ostringstream expected;
  expected << file.rdbuf();
  CHECK(got == expected.str());
}
