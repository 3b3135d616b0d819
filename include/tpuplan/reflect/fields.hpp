#ifndef TPUPLAN_REFLECT_FIELDS_HPP
#define TPUPLAN_REFLECT_FIELDS_HPP

#include <cstddef>
#include <string_view>
#include <tpuplan/base/equal.hpp>
#include <tpuplan/base/error.hpp>
#include <type_traits>
#include <utility>

/// @file
/// Macros that list the fields of a struct and the names of an enumeration: one line for each type.

/// Lists the fields of a struct of the caller, so that `read_json`, `json_document`, `one_line` and fmt treat it as one
/// of the library's. It is used outside all namespaces, after the struct, and lists all fields in their order (else it
/// does not compile). A field may have any type that a struct of the library may have: numbers, quantities, texts,
/// `known`, `maybe`, vectors, enumerations with names, structs with fields. Worked: after `struct my::step {
/// tpuplan::seconds wall; double loss; };` and `TPUPLAN_FIELDS(my::step, wall, loss)`, one_line(my::step{2_s, 3.5}) is
/// "my::step{wall 2.00 s, loss 3.5}", and its keys in JSON are wall_s and loss.
#define TPUPLAN_FIELDS(type, ...)                                                            \
  _Pragma("GCC diagnostic push") /* a field may be called as something at namespace scope */ \
      _Pragma("GCC diagnostic ignored \"-Wshadow\"") template <>                             \
      struct tpuplan::detail::fields_of<type> {                                              \
    static constexpr std::string_view type_name = #type;                                     \
    static constexpr std::string_view names = #__VA_ARGS__;                                  \
    template <class Row, class Self, class Use>                                              \
    static void table(Self& tpuplan_self, const Use& tpuplan_use) {                          \
      auto& [__VA_ARGS__] = tpuplan_self;                                                    \
      const Row tpuplan_rows[] = {__VA_ARGS__};                                              \
      tpuplan_use(tpuplan_rows, sizeof(tpuplan_rows) / sizeof(Row));                         \
    }                                                                                        \
    template <class Self>                                                                    \
    static auto types(Self& tpuplan_self) {                                                  \
      auto& [__VA_ARGS__] = tpuplan_self;                                                    \
      return ::tpuplan::detail::list_types(__VA_ARGS__);                                     \
    }                                                                                        \
    template <class Self, class Use>                                                         \
    static constexpr bool with(Self& tpuplan_self, const Use& tpuplan_use) {                 \
      auto& [__VA_ARGS__] = tpuplan_self;                                                    \
      return tpuplan_use(__VA_ARGS__);                                                       \
    }                                                                                        \
    template <class Self, class Visit>                                                       \
    static constexpr void each(Self& tpuplan_self, const Visit& tpuplan_visit) {             \
      auto& [__VA_ARGS__] = tpuplan_self;                                                    \
      ::tpuplan::detail::visit_fields(names, tpuplan_visit, __VA_ARGS__);                    \
    }                                                                                        \
  };                                                                                         \
  _Pragma("GCC diagnostic pop")

/// Registers an enumeration of the caller, whose enumerators count from 0 and which has a function `constexpr
/// std::string_view name(my::kind)`: that returns "?" for any other value. It is used outside all namespaces.
#define TPUPLAN_NAMED(type) \
  template <>               \
  inline constexpr bool tpuplan::detail::is_named_enum<type> = true;

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// The fields of a struct: `each(x, visit)` calls visit("name", field) for each; `with(x, use)` is use(fields...);
/// `table<Row>(x, use)` makes a Row of each and calls use(rows, count), which is one function for all structs;
/// `types(x)` is called in decltype alone.
template <class T>
struct fields_of;
/// An array with a count beside it: `values` and `count`.
template <class T>
struct list_of;
/// Whether a type is an enumeration with names.
template <class T>
inline constexpr bool is_named_enum = false;

template <template <class> class Trait, class T, class = void>
inline constexpr bool has_trait = false;
template <template <class> class Trait, class T>
inline constexpr bool has_trait<Trait, T, std::enable_if_t<(sizeof(Trait<T>) > 0)>> = true;

/// The types of the fields of a struct.
template <class... Fields>
struct field_types {};
template <class... Fields>
constexpr field_types<Fields...> list_types(Fields&...) noexcept {
  return {};
}
template <class T>
using field_types_of = decltype(fields_of<T>::types(std::declval<T&>()));

/// Whether a type is one of some others.
template <class T, class... Others>
inline constexpr bool is_one_of = (std::is_same<T, Others>::value || ...);

/// Takes the first of "rows, columns" off the list.
constexpr std::string_view take_name(std::string_view& names) noexcept {
  const std::string_view first = names.substr(0, names.find(','));
  names.remove_prefix(first.size() == names.size() ? first.size() : first.size() + 2);
  return first;
}

/// Visits each field with its name from the list `names`: "rows, columns".
template <class Visit, class... Fields>
constexpr void visit_fields(std::string_view names, const Visit& visit, Fields&... fields) {
  (visit(take_name(names), fields), ...);
}

/// The name of that index in "ring, line, switch_", without an underscore at its end; "?" past the end.
constexpr std::string_view name_at(std::string_view names, std::size_t index) noexcept {
  for (; index > 0 && !names.empty(); --index) (void)take_name(names);
  if (names.empty()) return "?";
  const std::string_view found = take_name(names);
  return found.substr(0, found.size() - (found.back() == '_' ? 1 : 0));
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
