#ifndef TPUPLAN_COST_RUN_COST_HPP
#define TPUPLAN_COST_RUN_COST_HPP

#include <cstdint>
#include <tpuplan/base/math.hpp>
#include <tpuplan/cost/preemption.hpp>
#include <tpuplan/cost/price.hpp>

/// @file
/// Dollars per hour, per run, and per million tokens.

namespace tpuplan {
inline namespace abi_0 {

/// The price of that many chips. Worked: 32 v5e at 1.20 are 38.40 USD per hour.
[[nodiscard]] constexpr usd_per_second rate(usd_per_second per_chip, std::int64_t chip_count) {
  detail::positive("price per chip", per_chip.value());
  const usd_per_second all = per_chip * static_cast<double>(detail::positive_count("chips", chip_count));
  detail::representable("price per chip", all.value(), per_chip.value(), "a representable price of all chips");
  return all;
}

/// Dollars for a time at a price; billing is by the second. Worked: 10 h at 3.67 USD per hour are 36.70.
[[nodiscard]] constexpr usd cost(usd_per_second price, seconds time) {
  detail::positive("price", price.value());
  detail::not_negative("time", time.value());
  const usd total = price * time;
  detail::not_negative("cost", total.value());
  return total;
}

/// Whether that way of paying is a commitment of 1 or 3 years. Worked: is_commitment(provisioning::spot) is false.
[[nodiscard]] constexpr bool is_commitment(provisioning kind) noexcept {
  return kind == provisioning::commitment_1y || kind == provisioning::commitment_3y;
}

/// The hours that a commitment bills for: 365 days, or 3 times that. Throws for other ways of paying.
/// Worked: commitment_term(provisioning::commitment_1y) is 8760 h.
[[nodiscard]] constexpr seconds commitment_term(provisioning kind) {
  if (kind == provisioning::commitment_1y) return 365_days;
  if (kind == provisioning::commitment_3y) return 1095_days;
  detail::fail(errc::invalid_argument, "commitment", name(kind), "commitment_1y or commitment_3y");
}

/// The time that is billed for a run of that length. On demand, on spot and on flex-start every second is billed in
/// which the node is ready; calendar windows are billed in whole days, commitments in whole terms
/// (`cost_under_commitment` subtracts what other work uses of them). Throws for flex-start beyond 7 days and calendar
/// beyond 90. Worked: 25 h in calendar mode are 2 days, 10 days under a commitment of a year are 365. Source: Google
/// Cloud TPU pricing, flex-start and calendar mode documentation (copies of 2026).
[[nodiscard]] constexpr seconds billed_time(provisioning kind, seconds run) {
  detail::positive("run time", run.value());
  if (kind == provisioning::flex_start && run > 7_days) {
    detail::fail(errc::out_of_range, "flex-start run in days", in_days(run), "at most 7 days");
  }
  if (is_commitment(kind)) return commitment_term(kind) * math::ceil(run / commitment_term(kind));
  if (kind != provisioning::calendar) return run;
  if (run > 90_days) detail::fail(errc::out_of_range, "calendar run in days", in_days(run), "1 to 90 days");
  return 1_days * math::ceil(in_days(run));
}

/// The cost of a run, and what it is made of.
struct run_cost {
  usd_per_second rate{};  ///< of all chips
  seconds run{};          ///< uninterrupted
  seconds billed{};       ///< the run, and the rest of a commitment's term or of the last day of a calendar window
  seconds wall{};         ///< time from start to end of the run
  usd total{};            ///< rate x billed
  price_row price{};      ///< the row of the price book
};

/// Dollars for an uninterrupted run on some slices. Worked: 2 h on v5e-32 on demand are 76.80.
[[nodiscard]] constexpr run_cost cost_of_run(const slice& where, std::int64_t slice_total, seconds run,
                                             const price_row& price) {
  run_cost result;
  result.price = price;
  result.rate = rate(price.per_chip, detail::chips_of(where, slice_total));
  result.run = run;
  result.billed = billed_time(price.kind, run);
  result.wall = run;
  result.total = cost(result.rate, result.billed);
  return result;
}

/// Dollars for a million tokens at a rate of tokens per second. Worked: 38.40 an hour at 10,000 tokens/s is 1.0667.
[[nodiscard]] constexpr usd cost_per_million_tokens(usd_per_second price, per_second tokens_per_second) {
  detail::positive("price", price.value());
  detail::positive("tokens per second", tokens_per_second.value());
  return usd{detail::representable("price", price.value() / tokens_per_second.value() * 1e6, price.value(),
                                   "a representable cost of a million tokens")};
}

/// Peak FLOPs for a dollar. Worked: 5.91e17 for v5e in bf16 at 1.20 an hour. Source: scaling book, "Applied inference".
[[nodiscard]] constexpr flops_per_usd flops_per_dollar(const chip_spec& chip, usd_per_second per_chip,
                                                       dtype compute = dtype::bf16) {
  detail::positive("price per chip", per_chip.value());
  const flops_per_usd result = peak_rate(chip, compute) / per_chip;
  detail::representable("price per chip", result.value(), per_chip.value(), "a representable number of FLOPs");
  return result;
}

/// The saving of paying `paid` instead of `against`, as a fraction of `against`. Worked: 46.08 against 76.80 saves 0.4.
[[nodiscard]] constexpr double saving(usd against, usd paid) {
  detail::positive("cost compared with", against.value());
  detail::not_negative("cost", paid.value());
  return detail::representable("cost compared with", 1 - paid / against, against.value(), "a representable share");
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
