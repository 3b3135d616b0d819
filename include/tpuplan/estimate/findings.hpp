#ifndef TPUPLAN_ESTIMATE_FINDINGS_HPP
#define TPUPLAN_ESTIMATE_FINDINGS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/base/text.hpp>
#include <tpuplan/estimate/verdict.hpp>
#include <type_traits>
#include <utility>

/// @file
/// What the advice on training and on serving shares: a bounded list of findings, the largest gain first.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {
/// The type of the findings in a list.
template <class List>
using finding_in = std::decay_t<decltype(std::declval<const List&>().items[0])>;
}  // namespace detail

/// The finding of that kind with the largest gain; nothing where there is none. Worked: llama-3-8b on v5p-128 with 64
/// sequences of 512 tokens has one of finding_kind::batch.
template <class List>
[[nodiscard]] constexpr maybe<detail::finding_in<List>> find_finding(const List& all,
                                                                     decltype(detail::finding_in<List>::kind) kind) {
  for (const auto& one : all) {
    if (one.kind == kind) return one;
  }
  return nothing;
}

namespace detail {

/// A finding of that kind about that field, with a gain of 0.
template <class Finding, class Kind>
constexpr Finding finding_of(Kind kind, std::string_view subject) {
  Finding result;
  result.kind = kind;
  result.subject = subject;
  return result;
}

/// A number as the value of a field in a finding.
constexpr text<160> words_of(std::int64_t number) { return text<160>{}.append(number); }

/// Whether a change replaces the best one so far: it gains more, and at least `smallest`.
template <class Finding>
constexpr bool gains_more(const Finding& best, double gain, double smallest) {
  return gain >= smallest && gain > best.gain;
}

/// Whether a change may be advised: it surely fits, or fits no less surely than the present setting.
constexpr bool fits_as_surely(verdict then, verdict now) noexcept {
  return then == verdict::yes || (then == verdict::uncertain && now == verdict::uncertain);
}

/// Adds a finding in the order of gains. A finding without a gain is left out; in a full list the smallest drops out.
template <class List>
constexpr void add(List& all, const finding_in<List>& one) {
  const bool full = all.count == all.items.size();
  if (one.gain <= 0 || (full && all.items.back().gain >= one.gain)) return;
  std::size_t at = full ? all.count - 1 : all.count++;
  for (; at > 0 && all.items[at - 1].gain < one.gain; --at) all.items[at] = all.items[at - 1];
  all.items[at] = one;
}

}  // namespace detail

}  // namespace abi_0
}  // namespace tpuplan

#endif
