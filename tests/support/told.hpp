#ifndef TPUPLAN_TESTS_SUPPORT_TOLD_HPP
#define TPUPLAN_TESTS_SUPPORT_TOLD_HPP

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <support/golden.hpp>
#include <tpuplan/base/equal.hpp>
#include <tpuplan/base/known.hpp>
#include <tpuplan/base/text.hpp>
#include <tpuplan/base/units.hpp>
#include <tpuplan/model/model.hpp>
#include <type_traits>
#include <vector>

/// Every field of a value, those of its fields among them, one after the other: what two values differ in, differs
/// here.
class told {
 public:
  std::string all;

  void add(double x) { all += golden_number(x) + ' '; }
  void add(std::string_view x) { all.append(1, '\'').append(x).append("' "); }
  void add(const std::string& x) { add(std::string_view(x)); }
  template <class Dim>
  void add(tpuplan::quantity<Dim> x) {
    add(x.value());
  }
  template <class T, std::enable_if_t<std::is_integral<T>::value || std::is_enum<T>::value, int> = 0>
  void add(T x) {
    all += std::to_string(static_cast<long long>(x)) + ' ';
  }
  template <std::size_t Capacity>
  void add(const tpuplan::text<Capacity>& x) {
    add(x.view());
  }
  template <class T>
  void add(const tpuplan::known<T>& x) {
    x.has_value() ? add(x.value()) : add(x.is_absent());
  }
  template <class T>
  void add(const tpuplan::maybe<T>& x) {
    x ? add(*x) : add("none");
  }
  template <class T>
  void add(const std::optional<T>& x) {
    x ? add(*x) : add("none");
  }
  template <class T>
  void add(const std::vector<T>& x) {
    add(x.size());
    for (const T& each : x) add(each);
  }
  template <class T, std::size_t Count>
  void add(const std::array<T, Count>& x) {
    for (const T& each : x) add(each);
  }
  template <class T, std::size_t Most>
  void add(const tpuplan::blocks::bounded<T, Most>& x) {
    add(x.size);
    for (const T& each : x) add(each);
  }
  void add(const tpuplan::blocks::block& x) {
    add(x.at);
    add(x.what());
    x.visit([this](const auto& one) { add(one); });
  }
  template <class T, std::enable_if_t<std::is_aggregate<T>::value, int> = 0>
  void add(const T& x) {
    (void)tpuplan::detail::with_fields(x, [this](const auto&... field) { return (add(field), ..., true); });
  }
};

/// The fields of a value as text.
template <class T>
std::string told_of(const T& x) {
  told fields;
  fields.add(x);
  return fields.all;
}

#endif
