#ifndef TPUPLAN_REFLECT_TYPES_HPP
#define TPUPLAN_REFLECT_TYPES_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/reflect/fields.hpp>

/// @file
/// The public types as reflect/types.inc lists them: declared, with their fields and the names of their enumerators.
/// The definitions are not included: whoever has a value has its header.

namespace tpuplan {
inline namespace abi_0 {

class owned_price_book;
class price_book;
template <class T>
class known;
template <class T>
class maybe;
template <std::size_t Capacity>
class text;

#define TPUPLAN_STRUCT(type, ...) \
  struct type;                    \
  TPUPLAN_FIELDS(type, __VA_ARGS__)
#define TPUPLAN_LIST(type, members, size)                \
  struct type;                                           \
  template <>                                            \
  struct detail::list_of<type> {                         \
    static constexpr std::string_view type_name = #type; \
    template <class Self>                                \
    static auto& values(Self& self) {                    \
      [[maybe_unused]] auto& [members, size] = self;     \
      return self.members;                               \
    }                                                    \
    template <class Self>                                \
    static auto& count(Self& self) {                     \
      return self.size;                                  \
    }                                                    \
  };
#define TPUPLAN_NAMED_ENUM(type)  \
  enum class type : std::uint8_t; \
  TPUPLAN_NAMED(type)
#define TPUPLAN_ENUM(type, ...)                                        \
  TPUPLAN_NAMED_ENUM(type)                                             \
  [[nodiscard]] constexpr std::string_view name(type x) noexcept {     \
    return detail::name_at(#__VA_ARGS__, static_cast<std::size_t>(x)); \
  }
#include <tpuplan/reflect/types.inc>

}  // namespace abi_0
}  // namespace tpuplan

#endif
