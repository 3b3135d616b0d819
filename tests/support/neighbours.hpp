#ifndef TPUPLAN_TESTS_SUPPORT_NEIGHBOURS_HPP
#define TPUPLAN_TESTS_SUPPORT_NEIGHBOURS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tpuplan/io/reflect.hpp>
#include <tpuplan/text.hpp>
#include <tpuplan/units.hpp>
#include <type_traits>

/// Calls `visit(words, changed)` for each copy of a struct in which one field, however deep, is another: numbers and
/// counts 0, below 0, 1, 2, one more or half as much again; flags the other; enumerators and known figures all others.
class neighbours {
 public:
  template <class T, class Visit>
  static void each(const T& base, const Visit& visit) {
    for (std::size_t place = 0;; ++place) {
      bool any = false;
      for (std::size_t way = 0; way < 6; ++way) {
        T copy = base;
        neighbours change{place, way};
        change.into("", copy);
        any = any || change.found_;
        if (!change.changed_) continue;
        visit(change.words_, static_cast<const T&>(copy));
      }
      if (!any) return;
    }
  }

 private:
  neighbours(std::size_t place, std::size_t way) : left_{place}, way_{way} {}

  template <class T>
  void into(const std::string& path, T& x) {
    if constexpr (tpuplan::detail::has_trait<tpuplan::detail::fields_of, T>) {
      tpuplan::detail::fields_of<T>::each(x, [&](std::string_view field, auto& value) {
        if (!found_) into(path + (path.empty() ? "" : ".") + std::string(field), value);
      });
    } else {
      if (left_ != 0) return static_cast<void>(--left_);
      found_ = true;
      changed_ = change(x);
      words_ = path + " way " + std::to_string(way_);
    }
  }
  template <class T, std::size_t Count>
  void into(const std::string& path, std::array<T, Count>& x) {
    for (std::size_t i = 0; i < Count && !found_; ++i) into(path + "[" + std::to_string(i) + "]", x[i]);
  }

  template <class T>
  bool change(T& x) {
    if constexpr (std::is_same<T, bool>::value) {
      x = !x;
      return way_ == 0;
    } else if constexpr (std::is_enum<T>::value) {
      if (name(static_cast<T>(way_)) == "?" || static_cast<T>(way_) == x) return false;
      x = static_cast<T>(way_);
      return true;
    } else if constexpr (std::is_arithmetic<T>::value) {
      const T before = x;
      const T others[] = {0, static_cast<T>(-1), 1, 2, static_cast<T>(x + 1), static_cast<T>(x + x / 2)};
      x = others[way_];
      return x < before || before < x;
    } else {
      return false;
    }
  }
  template <class Dim>
  bool change(tpuplan::quantity<Dim>& x) {
    const double others[] = {0, -1, x.value() * 2, x.value() / 2, 1, 1e30};
    const tpuplan::quantity<Dim> before = x;
    x = tpuplan::quantity<Dim>{others[way_]};
    return x != before;
  }
  template <class T>
  bool change(tpuplan::known<T>& x) {
    if (way_ < 2) return x = way_ == 0 ? tpuplan::known<T>{tpuplan::unknown} : tpuplan::known<T>{tpuplan::absent}, true;
    if (!x.has_value()) return false;
    T value = x.value();
    const bool changed = change(value);
    x = value;
    return changed;
  }
  template <std::size_t Capacity>
  bool change(tpuplan::text<Capacity>& x) {
    x = "other";
    return way_ == 0;
  }

  std::size_t left_, way_;
  bool found_ = false, changed_ = false;
  std::string words_{};
};

#endif
