#ifndef TPUPLAN_ESTIMATE_GENERATION_FORWARD_HPP
#define TPUPLAN_ESTIMATE_GENERATION_FORWARD_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/estimate/generation/job.hpp>
#include <tpuplan/estimate/training/network.hpp>
#include <tpuplan/estimate/training/terms.hpp>
#include <tpuplan/handbook/collective.hpp>

/// @file
/// The time of one forward pass of a part of a pipeline, by part. Rates and shares are those that published training
/// runs gave: nothing here is fitted to generation.

namespace tpuplan {
inline namespace abi_0 {

/// What a pass is limited by: its largest part.
enum class generation_bound : std::uint8_t { products, attention, hbm, collectives, overhead };

/// "products" and so on.
[[nodiscard]] constexpr std::string_view name(generation_bound bound) noexcept {
  constexpr const char* names[] = {"products", "attention", "hbm", "collectives", "overhead"};
  return detail::name_of(names, static_cast<std::size_t>(bound));
}

/// Time of a pass; the parts add up to `total`.
struct pass_time {
  seconds products{};     ///< matrix products, padded to the MXU, or their weights and results through HBM
  seconds attention{};    ///< scores, softmax and their sum over values
  seconds elementwise{};  ///< HBM traffic of norms, activations and residuals
  seconds collectives{};  ///< what the devices wait for one another
  seconds overhead{};     ///< fixed time of each product
  seconds software{};     ///< what published programs take beyond these
  seconds total{};        ///< of all parts
};

/// The largest part of a pass. Worked: of a 720p clip of Wan 2.1 it is attention.
[[nodiscard]] constexpr generation_bound bound_of(const pass_time& time) noexcept {
  const seconds parts[] = {time.products, time.attention, time.elementwise, time.collectives, time.overhead};
  std::size_t most = 0;
  for (std::size_t i = 1; i < 5; ++i) most = parts[i] > parts[most] ? i : most;
  return static_cast<generation_bound>(most);
}

namespace detail {

/// What a device has of a pass.
struct device_share {
  double examples = 1, tensor = 1, context = 1, fsdp = 1;
  context_exchange exchange = context_exchange::gather;
  double peak = 0, mxu = 0, hbm = 0;  // of a device: FLOP/s, sustained share of it in products, bytes/s
  std::int64_t side = 0;              // of the MXU
  double weight_bytes = 2;            // of a weight in HBM, as it is kept
};

constexpr device_share share_on(const slice& where, const calibration& constants) {
  device_share share;
  const auto devices_of_chip = static_cast<double>(where.chip.jax_devices);
  share.peak = positive("chip.peak.bf16", peak_rate(where.chip, dtype::bf16).value()) / devices_of_chip;
  share.hbm = positive("chip.hbm.bandwidth", where.chip.hbm.bandwidth.value()) / devices_of_chip;
  share.mxu = mxu_fraction(constants, where.chip);
  share.side = positive_count("chip.mxu.side", where.chip.mxu.side);
  return share;
}

constexpr double up(double value) { return math::ceil(value - 1e-9); }
constexpr double filled(double size, std::int64_t side) {
  return static_cast<double>(round_up(ceil_to_count(size), side));
}
constexpr bool is_reduced(blocks::role what) noexcept {
  return what == blocks::role::output || what == blocks::role::down;
}

/// Adds the products of a pass: on the MXU with both dimensions filled, one column wide (depthwise) on the vector unit,
/// and no faster than weights and results move. Norms and activations read and write each result once more.
constexpr void add_products(pass_time& time, const blocks::work_list& work, const device_share& on,
                            const calibration& constants) {
  for (std::size_t i = 0; i < work.product_count; ++i) {
    const blocks::listed_product& p = work.products[i];
    const bool reduced = is_reduced(p.one.what);
    const double inner = static_cast<double>(p.one.inner) / (reduced ? on.tensor : 1);
    const double outer = static_cast<double>(p.one.outer) / (reduced ? 1 : on.tensor);
    const double rows = on.examples * up(p.rows / on.context), used = static_cast<double>(p.one.used) * p.times;
    const bool depthwise = p.one.outer == 1 && p.one.copies > 1;
    const double rate = depthwise ? on.peak * vector_rate_share : on.peak * on.mxu;
    const double macs = depthwise ? inner * outer : filled(inner, on.side) * filled(outer, on.side);
    const double results = 2 * used * rows * outer, weights = on.weight_bytes * used * inner * outer;
    const double arithmetic = 2 * used * rows * macs / rate, moved = (weights + 2 * results) / on.hbm;
    time.products += seconds{arithmetic > moved ? arithmetic : moved};
    time.elementwise += seconds{constants.hbm_passes * 2 * results / on.hbm};
    time.overhead += per_network_layer_pass * p.times;
  }
}

/// Keys that a position sees in that attention, masks and the kernel's blocks counted.
constexpr double keys_in(const blocks::listed_core& c, const calibration& constants) {
  const double block = constants.attention_block < c.keys ? constants.attention_block : c.keys;
  const double all = c.one.causal ? (c.keys + block) / 2 : c.keys;
  const double window = static_cast<double>(c.one.window) + block;
  return c.one.window > 0 && window < all ? window : all;
}

/// Adds attention: heads fill the side of the MXU, and the softmax of a score takes as long as products of
/// `softmax_width` more, as in training.
constexpr void add_attention(pass_time& time, const blocks::work_list& work, const device_share& on,
                             const calibration& constants) {
  const bool by_heads = on.exchange == context_exchange::all_to_all;
  for (std::size_t i = 0; i < work.core_count; ++i) {
    const blocks::listed_core& c = work.cores[i];
    const double rows = on.examples * (by_heads ? c.rows : up(c.rows / on.context)) * c.times;
    const double heads = static_cast<double>(c.one.heads) / on.tensor / (by_heads ? on.context : 1);
    const double widths =
        filled(c.one.key_width, on.side) + filled(c.one.value_width, on.side) + 2 * constants.softmax_width;
    const double scores = c.one.heads > 0 ? 2 * rows * keys_in(c, constants) * heads * widths : 0;
    time.attention += seconds{constants.attention_slowdown * scores / on.peak};
    const double others = by_heads ? on.context * on.tensor : on.tensor;
    time.attention += seconds{rows * c.one.fixed.value() / others / (on.peak * on.mxu)};
  }
}

/// The group of chips over which that many devices of a slice are.
constexpr collective_group group_of(const slice& where, double group_devices) {
  const auto count = ceil_to_count(group_devices / static_cast<double>(where.chip.jax_devices));
  return block_of(where, count < 1 ? 1 : count);
}

/// Bytes of keys and values of an example, over all layers and heads on a device.
constexpr double keys_and_values(const blocks::work_list& work, double tensor) {
  double sum = 0;
  for (std::size_t i = 0; i < work.core_count; ++i) {
    const blocks::listed_core& c = work.cores[i];
    sum += 2 * c.times * c.keys * static_cast<double>(c.one.heads) / tensor *
           static_cast<double>(c.one.key_width + c.one.value_width);
  }
  return sum;
}

/// Adds what the shards of the positions exchange.
constexpr void add_context(pass_time& time, const blocks::work_list& work, const device_share& on, const slice& where,
                           const calibration& constants) {
  if (on.context <= 1) return;
  const double units = static_cast<double>(devices(where)), others = (on.context - 1) / on.context;
  const double moved = on.examples * keys_and_values(work, on.tensor);
  if (on.exchange == context_exchange::all_to_all) {
    const collective_group group = group_of(where, on.context * on.tensor);
    // Queries, keys and values go, their result comes back: twice the bytes of keys and values.
    time.collectives += constants.exposed_context * all_to_all(bytes{2 * moved}, group).bandwidth;
    return;
  }
  const seconds whole = bytes{moved * others} / group_bandwidth(where, on.context, units);
  if (on.exchange == context_exchange::gather) {
    time.collectives += constants.exposed_context * whole;
    return;
  }
  double layers = 0;
  for (std::size_t i = 0; i < work.core_count; ++i) layers += work.cores[i].times;
  time.collectives += max(seconds{0}, whole - time.attention);
  time.overhead += constants.ring_step * (layers * on.context);
}

/// Adds the collectives of cut products and of gathered weights.
constexpr void add_collectives(pass_time& time, const blocks::work_list& work, double weights, const device_share& on,
                               const slice& where, const calibration& constants) {
  const auto units = static_cast<double>(devices(where));
  add_context(time, work, on, where, constants);
  if (on.tensor > 1) {
    double moved = 0;  // summed: scattered and gathered; of other products: gathered
    for (std::size_t i = 0; i < work.product_count; ++i) {
      const blocks::listed_product& p = work.products[i];
      const double passes = is_reduced(p.one.what) ? 2 : p.one.what == blocks::role::other ? 1 : 0;
      moved += passes * 2 * p.times * on.examples * up(p.rows / on.context) * static_cast<double>(p.one.outer) *
               static_cast<double>(p.one.used);
    }
    const double others = (on.tensor - 1) / on.tensor;
    time.collectives += constants.exposed_tensor * (bytes{moved * others} / group_bandwidth(where, on.tensor, units));
  }
  if (on.fsdp > 1) {
    const double others = (on.fsdp - 1) / on.fsdp;
    const double each = on.weight_bytes < 2 ? on.weight_bytes : 2;  // no wider than products take it
    const seconds whole = bytes{each * weights / on.tensor * others} / group_bandwidth(where, on.fsdp, units);
    time.collectives += max(constants.exposed_fsdp * whole, whole - (time.products + time.attention));
  }
}

/// The time of one pass of a part on a device with that share of it, before what software adds.
constexpr pass_time pass_of(const generation_part& part, const device_share& on, const slice& where,
                            const calibration& constants) {
  pass_time time;
  add_products(time, part.work, on, constants);
  add_attention(time, part.work, on, constants);
  add_collectives(time, part.work, part.weights, on, where, constants);
  time.total = time.products + time.attention + time.elementwise + time.collectives + time.overhead;
  return time;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
