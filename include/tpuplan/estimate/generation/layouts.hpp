#ifndef TPUPLAN_ESTIMATE_GENERATION_LAYOUTS_HPP
#define TPUPLAN_ESTIMATE_GENERATION_LAYOUTS_HPP

#include <cstdint>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/estimate/generation/generation_time.hpp>
#include <tpuplan/estimate/generation/memory.hpp>

/// @file
/// The fastest layout of a batch on a slice that fits.

namespace tpuplan {
inline namespace abi_0 {

/// Degrees of a layout; 0: open.
struct generation_degrees {
  std::int64_t data = 0;     ///< groups that share the batch, and the two passes of guidance
  std::int64_t fsdp = 0;     ///< shards of the weights within data and context
  std::int64_t tensor = 0;   ///< shards of each product
  std::int64_t context = 0;  ///< shards of the positions of an example
};

/// What of a layout is fixed; the rest is searched for.
struct generation_freedom {
  generation_degrees fixed{};          ///< degrees
  maybe<context_exchange> exchange{};  ///< what attention does about context
};

/// A layout with what it takes.
struct laid_out_generation {
  generation_layout mesh{};    ///< the layout
  generation_time time{};      ///< of a batch
  generation_memory memory{};  ///< on a device
};

namespace detail {

/// Whether one layout is better than another: it surely fits, or may, and is then the faster.
constexpr bool is_better(const laid_out_generation& a, const laid_out_generation& b) {
  const verdict one = fits(a.memory), other = fits(b.memory);
  if (one != other) return static_cast<int>(one) < static_cast<int>(other);
  if (one == verdict::no) return a.memory.low < b.memory.low;
  return a.time.total < b.time.total;
}

/// Calls visit with each layout of the slice that is free to be taken.
template <class Visit>
constexpr void for_each_generation_layout(const generation_freedom& free, std::int64_t units, const Visit& visit) {
  const auto open = [](std::int64_t fixed, std::int64_t degree) { return fixed == 0 || fixed == degree; };
  for_each_divisor(units, [&](std::int64_t data) {
    if (!open(free.fixed.data, data)) return;
    for_each_divisor(units / data, [&](std::int64_t tensor) {
      const std::int64_t context = units / data / tensor;
      if (!open(free.fixed.tensor, tensor) || !open(free.fixed.context, context)) return;
      for (const context_exchange how :
           {context_exchange::gather, context_exchange::ring, context_exchange::all_to_all}) {
        if (free.exchange ? how != *free.exchange : context == 1 && how != context_exchange::gather) continue;
        const std::int64_t all = data * context;
        visit(generation_layout{data, free.fixed.fsdp > 0 ? free.fixed.fsdp : 1, tensor, context, how});
        if (free.fixed.fsdp == 0 && all > 1) visit(generation_layout{data, all, tensor, context, how});
      }
    });
  });
}

}  // namespace detail

/// The fastest layout that surely fits; else the fastest that may; else that which needs least. Nothing where no layout
/// of the slice is one of the job. Worked: a single device has one layout.
[[nodiscard]] constexpr maybe<laid_out_generation> best_generation(
    const generation_work& work, const generation_job& job, const slice& where, const generation_freedom& free = {},
    const generation_calibration& fitted = default_generation, const calibration& constants = default_calibration) {
  maybe<laid_out_generation> best;
  detail::for_each_generation_layout(free, devices(where), [&](const generation_layout& mesh) {
    if (!refusal_of(work, job, mesh, where).field.empty()) return;
    const laid_out_generation one{mesh, generation_time_of(work, job, mesh, where, fitted, constants),
                                  generation_memory_use(work, job, mesh, where)};
    if (!best || detail::is_better(one, *best)) best = one;
  });
  return best;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
