#ifndef TPUPLAN_COST_MIGRATION_HPP
#define TPUPLAN_COST_MIGRATION_HPP

#include <tpuplan/base/error.hpp>
#include <tpuplan/base/math.hpp>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/base/units.hpp>

/// @file
/// Whether moving to other machines pays off: engineering is paid once, and every later job saves.

namespace tpuplan {
inline namespace abi_0 {

/// A move to other machines that costs once and saves with each later job.
struct migration {
  usd engineering{};          ///< once, now; 0 or more
  usd saving_per_job{};       ///< negative where jobs become more expensive
  double jobs_per_month = 0;  ///< 0 or more, need not be whole
  double discount = 0;        ///< 0.08 for 8 %: how much less money is worth a year later; 0 or more
};

namespace detail {

/// The saving of a month, and the discount for a month. (1 + monthly rate)^12 = 1 + yearly rate.
struct migration_months {
  double saving = 0;        ///< dollars
  double discount_log = 0;  ///< ln (1 + monthly rate)
};

constexpr migration_months months_of(const migration& move) {
  not_negative("migration.engineering", move.engineering.value());
  in_range("migration.saving_per_job", move.saving_per_job.value(), -1e300, 1e300, "a finite number of dollars");
  in_range("migration.jobs_per_month", move.jobs_per_month, 0, 1e6, "0 to 1e6");
  in_range("migration.discount", move.discount, 0, 10, "0 to 10, where 0.08 is 8 % a year");
  return {move.saving_per_job.value() * move.jobs_per_month, math::log1p(move.discount) / 12};
}

/// The present value of 1 USD at the end of each of n months: (1 - (1 + r)^-n) / r, and n without discount.
constexpr double annuity(double discount_log, double months) {
  return discount_log > 0 ? -math::expm1(-discount_log * months) / math::expm1(discount_log) : months;
}

}  // namespace detail

/// The months until the savings have paid for the engineering, a fraction of a month included. Nothing where they never
/// do: no saving, no jobs, or savings worth less than the engineering however long they last.
///
/// Savings count at the end of each month. With S = saving x jobs, E = engineering and r = (1 + discount)^(1/12) - 1
/// the answer is E / S, and -ln(1 - r E / S) / ln(1 + r) with a discount. Throws for a field out of its range. Source:
/// discounted payback of an annuity, any textbook of finance. Worked: 60000 USD against 2500 a job and 4 jobs a month:
/// 6 months, 6.17 at 10 % a year.
[[nodiscard]] constexpr maybe<double> months_to_pay_back(const migration& move) {
  const detail::migration_months each = detail::months_of(move);
  if (!(each.saving > 0)) return nothing;
  const double plain = move.engineering.value() / each.saving;
  if (!math::is_finite(plain)) return nothing;
  if (each.discount_log == 0) return plain;
  const double spent = plain * math::expm1(each.discount_log);
  if (spent >= 1) return nothing;
  return -math::log1p(-spent) / each.discount_log;
}

/// The present value of the move after that many months of savings, engineering subtracted; negative before it has paid
/// back.
///
/// `months` 0 or more. Worked: the move of `months_to_pay_back` after 12 months: 60000 USD, 54004.88 at 10 % a year.
[[nodiscard]] constexpr usd value_of_migration(const migration& move, double months) {
  const detail::migration_months each = detail::months_of(move);
  detail::not_negative("months", months);
  const double worth = each.saving * detail::annuity(each.discount_log, months) - move.engineering.value();
  detail::in_range("value of the migration", worth, -1.7976931348623157e308, 1.7976931348623157e308,
                   "a finite number of dollars");
  return usd{worth};
}

/// The saving per job at which the move pays back in exactly that many months: E / (jobs x annuity).
///
/// `move.saving_per_job` is not used; `months` above 0 and at least some jobs. Worked: 60000 USD and 4 jobs a month in
/// 12 months: 1250 USD a job.
[[nodiscard]] constexpr usd break_even_saving_per_job(const migration& move, double months) {
  const detail::migration_months each = detail::months_of(move);
  detail::positive("months", months);
  detail::positive("migration.jobs_per_month", move.jobs_per_month);
  const usd saving = move.engineering / (move.jobs_per_month * detail::annuity(each.discount_log, months));
  detail::in_range("saving per job", saving.value(), 0, 1.7976931348623157e308, "a finite number of dollars");
  return saving;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
