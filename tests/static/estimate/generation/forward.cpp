#include <tpuplan/estimate/generation/forward.hpp>

#include "support/pipelines.hpp"

using namespace tpuplan;

namespace static_estimate_generation_forward_tests {

namespace {

constexpr generation_work clip = work_of(small_pipeline(), {256, 256, 9});

constexpr pass_time pass_on(const slice& where, double tensor = 1, double context = 1,
                            context_exchange how = context_exchange::gather, double fsdp = 1) {
  detail::device_share share = detail::share_on(where, default_calibration);
  share.tensor = tensor, share.context = context, share.exchange = how, share.fsdp = fsdp;
  return detail::pass_of(clip.denoisers.items[0], share, where, default_calibration);
}
constexpr double sum_of(const pass_time& t) {
  return (t.products + t.attention + t.elementwise + t.collectives + t.overhead + t.software).value();
}

constexpr pass_time alone = pass_on(slice_for("v5e-1"));
static_assert(alone.total.value() == sum_of(alone));
static_assert(alone.collectives == seconds{0});
// Heads of 64 fill half of an MXU of 128, and the softmax of a score takes as long as 70 more.
constexpr double scores = 2.0 * 2 * 768 * 768 * 8 * (2 * (128 + 70)) * 1.6 / 197e12;
static_assert(alone.attention.value() > 0.9999 * scores && alone.attention.value() < 1.0001 * scores);

// Devices that share products or positions wait for one another.
constexpr pass_time by_tensor = pass_on(slice_for("v6e-8"), 8),
                    by_ring = pass_on(slice_for("v6e-8"), 1, 8, context_exchange::ring);
constexpr pass_time by_gather = pass_on(slice_for("v6e-8"), 1, 8),
                    by_heads = pass_on(slice_for("v6e-8"), 1, 8, context_exchange::all_to_all);
static_assert(by_tensor.collectives > seconds{0} && by_gather.collectives > seconds{0});
static_assert(by_heads.collectives > seconds{0} && by_heads.attention == by_gather.attention);
static_assert(by_ring.overhead > by_gather.overhead && by_ring.collectives < by_gather.collectives);
static_assert(pass_on(slice_for("v6e-8"), 1, 8, context_exchange::gather, 8).collectives > by_gather.collectives);
static_assert(by_gather.products < alone.products);

static_assert(bound_of({seconds{1}, seconds{3}, seconds{2}, seconds{0}, seconds{0}}) == generation_bound::attention);
static_assert(bound_of({seconds{1}, seconds{1}, seconds{1}, seconds{4}, seconds{2}}) == generation_bound::collectives);
static_assert(name(generation_bound::hbm) == "hbm");

}  // namespace

}  // namespace static_estimate_generation_forward_tests
