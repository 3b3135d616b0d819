#ifndef TPUPLAN_COST_PRICE_HPP
#define TPUPLAN_COST_PRICE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/date.hpp>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/cost/price_table.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <type_traits>

/// @file
/// Price books: what a chip costs by generation, region, way of paying and size of slice. A missing price
/// is refused, never counted as 0.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {

constexpr price_row to_price(const packed_price& p) {
  return {p.chip, p.region, p.kind, p.smallest_chips, usd_per_hour(p.usd_per_chip_hour), p.date, p.qualifier, p.grade};
}

/// Where a book without rows has them.
inline constexpr price_row no_price_row{};

}  // namespace detail

/// Rows of prices: the built-in US prices or rows that the caller keeps alive, and up to eight rows added by `with`,
/// which come first.
class price_book {
 public:
  /// The built-in US prices.
  constexpr price_book() noexcept = default;
  /// Rows that the caller keeps alive, for example those of an `owned_price_book` (read/prices.hpp). Worked: 2 such
  /// rows make a book of size 2, and `row(1)` is the second; none, as of an empty vector, make one without prices.
  constexpr price_book(const price_row* rows, std::size_t size) noexcept
      : rows_{size == 0 ? &detail::no_price_row : rows}, size_{size} {}

  /// The same book with one price changed or added. It has grade A, that of a contract or an invoice, unless another
  /// one is given. Worked: price_book{}.with("v5p", "us-east5", provisioning::spot, usd_per_hour(1.10), "2026-11-21"),
  /// whose price `is_weak` does not call weak.
  [[nodiscard]] constexpr price_book with(std::string_view generation, std::string_view region, provisioning kind,
                                          usd_per_second per_chip, std::string_view date,
                                          std::int64_t smallest_chips = 1, char grade = 'A') const {
    return with(price_row{generation, region, kind, smallest_chips, per_chip, date, date_qualifier::exact, grade});
  }
  /// The same book with one price of a caller's own chip changed or added, by the chip's name. Worked: after with(mine,
  /// "us", provisioning::spot, usd_per_hour(0.9), "2026-11-21"), a chip of `mine` costs 0.90 USD an hour on spot in us.
  [[nodiscard]] constexpr price_book with(const chip_spec& own, std::string_view region, provisioning kind,
                                          usd_per_second per_chip, std::string_view date,
                                          std::int64_t smallest_chips = 1, char grade = 'A') const {
    return with_any({own.name, region, kind, smallest_chips, per_chip, date, date_qualifier::exact, grade});
  }
  /// The same book with one row changed or added. Throws where `validate` does, `errc::unknown_name` for a chip that is
  /// not in the table, and `errc::out_of_range` for a ninth row of the caller's own. Worked: a second row for v5p on
  /// spot in us replaces the first, and `own_size` stays 1.
  [[nodiscard]] constexpr price_book with(const price_row& row) const;
  /// The same book with one row of any chip changed or added, as price files have them; `validate` of the book refuses
  /// unknown chips. Worked: a price of 0.90 USD an hour for a chip "mine" that is in no table is found under that name.
  [[nodiscard]] constexpr price_book with_any(const price_row& row) const;

  /// The number of rows, the caller's own included. Worked: one more than `price_book{}` has after one `with`.
  [[nodiscard]] constexpr std::size_t size() const noexcept {
    return own_size_ + (rows_ == nullptr ? detail::us_prices.size() : size_);
  }
  /// The number of rows that `with` added. Worked: 0 of `price_book{}`, 1 after one `with`.
  [[nodiscard]] constexpr std::size_t own_size() const noexcept { return own_size_; }
  /// Whether the rows after those that `with` added are the built-in US prices. Worked: yes of
  /// `price_book{}.with(...)`, no of a book of 2 rows that the caller keeps.
  [[nodiscard]] constexpr bool is_built_in() const noexcept { return rows_ == nullptr; }
  /// The row of that index, the caller's own first. Throws `errc::out_of_range` for an index of `size()` or more.
  /// Worked: row 0 after a `with` of 1.10 USD an hour has that price.
  [[nodiscard]] constexpr price_row row(std::size_t index) const {
    if (index >= size()) {
      detail::fail(errc::out_of_range, "price_book: row", static_cast<std::int64_t>(index), "0 to size() - 1");
    }
    if (index < own_size_) return own_[index];
    const std::size_t rest = index - own_size_;
    return rows_ == nullptr ? detail::to_price(detail::us_prices[rest]) : rows_[rest];
  }

 private:
  friend constexpr maybe<price_row> find_price(const price_book& book, std::string_view generation,
                                               std::string_view region, provisioning kind, std::int64_t chip_count);

  /// The chips of the smallest slice for which the row holds; 0 where it has another generation, region or kind.
  [[nodiscard]] constexpr std::int64_t holds_from(std::size_t index, std::string_view generation,
                                                  std::string_view region, provisioning kind) const noexcept {
    if (index >= own_size_ && rows_ == nullptr) {
      const detail::packed_price& p = detail::us_prices[index - own_size_];
      const bool same = p.kind == kind && detail::same_name(p.chip, generation) && detail::same_name(p.region, region);
      return same ? p.smallest_chips : 0;
    }
    const price_row& row = index < own_size_ ? own_[index] : rows_[index - own_size_];
    const bool same =
        row.kind == kind && detail::same_name(row.generation, generation) && detail::same_name(row.region, region);
    return same ? row.smallest_chips : 0;
  }

  const price_row* rows_ = nullptr;
  std::size_t size_ = 0;
  std::array<price_row, 8> own_{};
  std::size_t own_size_ = 0;
};

namespace detail {

/// The table's name of a chip, as text that outlives the call; a chip that is not in the table keeps the given name.
constexpr std::string_view canonical_name(std::string_view given) noexcept {
  for (const chip_spec& chip : generations) {
    if (same_name(chip.name, given)) return chip.name.view();
  }
  return given;
}

/// The price per chip and hour; throws, naming the field, for one that no price book can have.
constexpr double check_price(words field, double usd_per_chip_hour) {
  return in_range(field, positive(field, usd_per_chip_hour), 1e-6, 1e6, "1e-6 to 1e6 USD");
}

}  // namespace detail

/// Days after which a price should be read again. Source: a convention of this library, a quarter of a year.
inline constexpr std::int64_t stale_after_days = 90;

/// The age of a price on a day, in days: since it was read, or since the first day of the month in which it was read.
/// Where its source may be younger than its date (`date_qualifier::not_before`), this is the most it can be.
/// Worked: a price of 2026-08-24 is 90 days old on 2026-11-22.
[[nodiscard]] constexpr std::int64_t age_in_days(const price_row& price, std::string_view on) {
  return days_between(price.date, on);
}

/// Whether a change of the price was announced for a time after its date: flex-start and calendar rates change in
/// November 2026, and no copy has the new ones. Source: field notes of 2026-09-25 and of October 2026 that quote
/// Google's page on the Dynamic Workload Scheduler. Worked: flex-start of v6e of 2026-09-10 is such a price, one of
/// 2026-11-21 is not.
[[nodiscard]] constexpr bool is_before_announced_change(const price_row& price) {
  return (price.kind == provisioning::flex_start || price.kind == provisioning::calendar) &&
         age_in_days(price, "2026-11-01") > 0;
}

/// Whether the price rests on no page, catalog or dated transcription: it comes from press and notes (C), or is derived
/// (D). Worked: a price of grade C is weak, one of grade B is not.
[[nodiscard]] constexpr bool is_weak(const price_row& price) noexcept { return price.grade > 'B'; }

namespace detail {

/// Whether most of three other regions or more charge `times` a price for that chip under that way of paying; of the
/// rows that a test holds for.
template <class Test>
constexpr bool most_charge(const price_book& book, const price_row& price, double times, const Test& counts) {
  std::size_t others = 0, more = 0;
  for (std::size_t i = 0; i < book.size(); ++i) {
    const price_row row = book.row(i);
    if (row.kind != price.kind || row.region == price.region || row.generation != price.generation) continue;
    if (!counts(row)) continue;
    ++others;
    if (row.per_chip > times * price.per_chip) ++more;
  }
  return others >= 3 && 2 * more > others;
}

}  // namespace detail

/// How a price is far below those of other regions: less than a third of what most of them charge for that chip under
/// that way of paying, or less than half of what most sources of a certain, later day have; its own source is not of a
/// certain day: one row of a catalog, which may be an error or long gone. Empty: it is not. Worked: of spot at 0.27 USD
/// where others are at 0.34, 1.22, 1.40 and 1.46 USD "less than a third of what most other regions charge".
[[nodiscard]] constexpr std::string_view far_below_words(const price_book& book, const price_row& price) {
  if (price.qualifier == date_qualifier::exact) return {};
  if (detail::most_charge(book, price, 3, [](const price_row&) { return true; }))
    return "less than a third of what most other regions charge";
  const auto is_later = [&](const price_row& row) {
    return row.qualifier == date_qualifier::exact && row.date.view() > price.date.view();
  };
  if (detail::most_charge(book, price, 2, is_later))
    return "less than half of what most newer sources have for other regions";
  return {};
}

/// Whether a price is far below those of other regions: see `far_below_words`. Worked: spot at 0.60 USD of a catalog of
/// June is, where three sources of August have 1.40, 1.40 and 1.78 USD.
[[nodiscard]] constexpr bool is_far_below(const price_book& book, const price_row& price) {
  return !far_below_words(book, price).empty();
}

/// Throws, naming the field, unless a price has a generation, a region, an ISO date, a size, an amount above 0 and a
/// grade.
constexpr void validate(const price_row& row) {
  if (row.generation.empty()) detail::fail(errc::missing_field, "price.generation", row.generation.view(), "a name");
  if (row.region.empty()) detail::fail(errc::missing_field, "price.region", row.region.view(), "a region, or us");
  if (!is_iso_date(row.date)) {
    detail::fail(row.date.empty() ? errc::missing_field : errc::malformed_input, "price.date", row.date.view(),
                 "an ISO date from 2000 on, such as 2026-09-17");
  }
  detail::positive_count("price.smallest_chips", row.smallest_chips);
  detail::check_price("price.usd_per_chip_hour", in_usd_per_hour(row.per_chip));
  if (row.grade < 'A' || row.grade > 'D')
    detail::fail(errc::unknown_name, "price.grade", std::string_view{&row.grade, 1}, "A, B, C or D");
}

/// @{
/// Whether two books have the same rows in the same order; the built-in ones are those of this version. Worked:
/// price_book{} == price_book{}, and no longer after a `with`. Needs equal.hpp, which compares rows.
template <class Book, std::enable_if_t<std::is_same<Book, price_book>::value, int> = 0>
[[nodiscard]] constexpr bool operator==(const Book& a, const Book& b) {
  if (a.is_built_in() != b.is_built_in() || a.own_size() != b.own_size() || a.size() != b.size()) return false;
  for (std::size_t i = 0; i < (a.is_built_in() ? a.own_size() : a.size()); ++i) {
    if (a.row(i) != b.row(i)) return false;
  }
  return true;
}
template <class Book, std::enable_if_t<std::is_same<Book, price_book>::value, int> = 0>
[[nodiscard]] constexpr bool operator!=(const Book& a, const Book& b) {
  return !(a == b);
}
/// @}

constexpr price_book price_book::with(const price_row& row) const {
  validate(row);
  if (!find_chip(row.generation)) {
    detail::fail(errc::unknown_name, "price.generation", row.generation.view(),
                 "a chip of the table; with(chip, ...) prices one of your own");
  }
  return with_any(row);
}

constexpr price_book price_book::with_any(const price_row& row) const {
  validate(row);
  price_book copy = *this;
  price_row named = row;
  if (const maybe<chip_spec> chip = find_chip(row.generation)) named.generation = chip->name;
  for (std::size_t i = 0; i < copy.own_size_; ++i) {
    if (copy.holds_from(i, named.generation, row.region, row.kind) != row.smallest_chips) continue;
    copy.own_[i] = named;
    return copy;
  }
  if (copy.own_size_ == copy.own_.size()) {
    detail::fail(errc::out_of_range, "price_book: own rows", std::int64_t{9}, "at most 8; use a price file for more");
  }
  copy.own_[copy.own_size_++] = named;
  return copy;
}

/// Throws `errc::unknown_name` for a price of a chip that is neither in the table nor one of the caller's: no slice
/// could ever have that price. A row gives its chip by its own name, "v6e", not "Trillium"; `with` and price files see
/// to that.
constexpr void validate(const price_book& book, const chip_spec* own_chips = nullptr, std::size_t own_count = 0) {
  const std::size_t count = book.is_built_in() ? book.own_size() : book.size();
  for (std::size_t i = 0; i < count; ++i) {
    const price_row row = book.row(i);
    const maybe<chip_spec> listed = find_chip(row.generation);
    bool is_known = listed && detail::same_name(listed->name, row.generation);
    for (std::size_t own = 0; own < own_count; ++own)
      is_known = is_known || detail::same_name(own_chips[own].name, row.generation);
    if (!is_known) {
      detail::fail(errc::unknown_name, "price.generation", row.generation.view(),
                   listed ? listed->name.view() : "a chip of the table, or one of the caller's");
    }
  }
}

/// The price of a chip (under any alias) in a region for a slice of that many chips: of all rows that begin at that
/// size or below, the one that begins last; the caller's own rows come before all others. Nothing where the book has
/// none. Region "us" is the default of the built-in book. Worked: a chip of v3 on spot costs 0.60 USD an hour in us in
/// a slice of 16 chips, 0.51 in one of 4.
[[nodiscard]] constexpr maybe<price_row> find_price(const price_book& book, std::string_view generation,
                                                    std::string_view region, provisioning kind,
                                                    std::int64_t chip_count) {
  if (const maybe<chip_spec> chip = find_chip(generation)) generation = detail::canonical_name(chip->name);
  const std::size_t none = book.size();
  std::size_t best = none;
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < book.size(); ++i) {
    if (i == book.own_size_ && best != none) break;  // the caller's own rows come before all others
    const std::int64_t from = book.holds_from(i, generation, region, kind);
    if (from > largest && from <= chip_count) {
      largest = from;
      best = i;
    }
  }
  if (best == none) return nothing;
  return book.row(best);
}

/// The price of a chip in a slice, by the chip and the size of the slice; nothing where the book has none. Worked: a
/// chip of v3-32, a slice of 16 chips, costs 0.60 USD an hour on spot in us.
[[nodiscard]] constexpr maybe<price_row> find_price(const price_book& book, const slice& where, std::string_view region,
                                                    provisioning kind) {
  return find_price(book, where.chip.name, region, kind, chips(where));
}

/// The price of a chip in a slice; where there is none it throws `errc::no_price`, naming generation, region and kind.
/// Worked: price_for(price_book{}, slice_for("v5e-32"), "us", provisioning::on_demand) is 1.20 per chip and hour.
[[nodiscard]] constexpr price_row price_for(const price_book& book, const slice& where, std::string_view region,
                                            provisioning kind) {
  if (const maybe<price_row> found = find_price(book, where, region, kind)) return *found;
  text<96> wanted;
  wanted.append(name(kind)).append(" of ").append(where.chip.name).append(" in ");
  wanted.append(region.substr(0, 32));
  text<160> valid;
  for (const provisioning other : all_provisioning) {
    if (find_price(book, where, region, other)) valid.append(name(other)).append(", ");
  }
  valid.append("another region, or a price of your own by price_book::with");
  detail::fail(errc::no_price, "price", wanted.view(), valid.view());
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
