#ifndef TPUPLAN_BASE_JOINED_HPP
#define TPUPLAN_BASE_JOINED_HPP

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <tpuplan/base/error.hpp>

/// @file
/// Texts in a row.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// A piece of a text: a literal, which is measured when it is used, a view, or a string, of which the address is kept.
/// Hundreds of sentences are made of them: a piece is two words to write, whatever it is.
class piece {
 public:
  // NOLINTBEGIN(google-explicit-constructor): a sentence is a list of any of them
  piece(const char* literal) noexcept : start_{literal}, size_{literal_} {}
  piece(const std::string& text) noexcept : start_{&text}, size_{string_} {}
  piece(std::string_view words) noexcept : start_{words.data()}, size_{words.size()} {}
  // NOLINTEND(google-explicit-constructor)

  void append_to(std::string& all) const {
    if (size_ == string_) {
      all.append(*static_cast<const std::string*>(start_));
    } else if (size_ == literal_) {
      all.append(static_cast<const char*>(start_));
    } else {
      all.append(static_cast<const char*>(start_), size_);
    }
  }

 private:
  static constexpr std::size_t literal_ = static_cast<std::size_t>(-1), string_ = static_cast<std::size_t>(-2);
  const void* start_;
  std::size_t size_;
};

/// The pieces, one behind the other. Worked: joined({"8", " chips"}) is "8 chips".
[[nodiscard]] inline std::string joined(std::initializer_list<piece> pieces) {
  std::string all;
  for (const piece& one : pieces) one.append_to(all);
  return all;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
