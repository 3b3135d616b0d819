#ifndef TPUPLAN_ESTIMATE_TRAINING_INPUT_HPP
#define TPUPLAN_ESTIMATE_TRAINING_INPUT_HPP

#include <cstdint>
#include <string_view>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/base/text.hpp>
#include <tpuplan/estimate/training/checkpoint.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/hardware/slice_table.hpp>

/// @file
/// Whether hosts read and decode examples as fast as the chips take them, and what would help where they do not.

namespace tpuplan {
inline namespace abi_0 {

/// What an example costs a host before it is on a chip. Measure your own where you can: `tf.data` and grain print it.
struct example_cost {
  bytes size{};              ///< read from storage
  seconds decode{};          ///< time of one vCPU for decoding, augmenting, parsing
  bytes to_chip{};           ///< size after decoding
  double cached_share = 0;   ///< share of the data set that hosts keep in memory, decoded
  bool upper_bound = false;  ///< `size` and `decode` are bounds from published runs: hosts may be twice as fast
};

/// A JPEG image of ImageNet, decoded and augmented. The size is the mean of the data set, 138 GB over 1281167 images.
/// Published runs bound the time: 4928 images a second on the 96 vCPUs of a v3-8 host take at most 19.5 ms each
/// (big_vision, arXiv 2205.01580), 480000 on the 64 hosts of v3-512 at most 12.8 (S. Presser, 2020-01-31, the fused
/// decoding of MLPerf). The second is used; as an upper bound it errs towards hosts that are too slow.
inline constexpr example_cost jpeg_image{bytes{107700}, seconds{0.0128}, bytes{2 * 224 * 224 * 3.0}, 0, true};

/// What limits the rate of examples.
enum class input_bound : std::uint8_t {
  chips,     ///< the input pipeline keeps up
  reading,   ///< reading from Cloud Storage or disks
  decoding,  ///< decoding by the vCPUs of the hosts
};
/// "chips" and so on.
[[nodiscard]] constexpr std::string_view name(input_bound what) noexcept {
  constexpr const char* names[] = {"chips", "reading", "decoding"};
  return detail::name_of(names, static_cast<std::size_t>(what));
}

/// The rates at which a slice's hosts deliver examples, and what would make them keep up.
struct input_answer {
  per_second wanted{};                          ///< what the chips take
  maybe<per_second> reading{};                  ///< the most that storage gives; nothing: nothing is read
  maybe<per_second> decoding{};                 ///< the most that the vCPUs give; nothing: nothing is decoded
  per_second delivered{};                       ///< the least of the three
  per_second at_best{};                         ///< `delivered` where hosts are as fast as bounds allow
  maybe<per_second> hosts_at_best{};            ///< what these could deliver then; nothing: any rate
  input_bound limited_by = input_bound::chips;  ///< the least of the three
  double waiting = 0;                           ///< share of the time in which chips wait for examples
  std::int64_t vcpus = 0;                       ///< of all VMs
  double vms_needed = 0;                        ///< VMs of this kind that decoding would need to keep up
  double cache_needed = 0;                      ///< share of the data set to cache for chips not to wait
};

namespace detail {

/// How many examples a second come at a rate, of which each takes so much; nothing where they take none of it.
constexpr maybe<per_second> most_a_second(double rate, double each) {
  return each > 0 ? maybe<per_second>{per_second{rate / each}} : maybe<per_second>{};
}

}  // namespace detail

/// The answer for a slice that takes `wanted` examples a second. Reading is limited by the default quota of Cloud
/// Storage for a project and region and by the hosts' network where it is known (see `checkpoint_rate`), or by
/// `storage`. Throws `errc::unknown_figure` for hosts whose vCPUs no source states. Worked: ResNet-50 on v3-8 at 5900
/// images a second: 96 vCPUs decode 7500, nothing waits; v5e-8, whose one host has 224 vCPUs, at 14230: 17500. With the
/// whole data set cached nothing is read or decoded, and neither has a limit.
[[nodiscard]] constexpr input_answer input_limit(const slice& where, const example_cost& one, per_second wanted,
                                                 std::int64_t slice_total = 1,
                                                 bytes_per_second storage = storage_rate) {
  detail::positive("examples a second", wanted.value());
  detail::positive_count("slice.shape", chips(where));
  detail::not_negative("example_cost.size", one.size.value());
  detail::not_negative("example_cost.decode", one.decode.value());
  detail::in_range("example_cost.cached_share", one.cached_share, 0, 1, "0 to 1");
  const maybe<machine_type> machine = machine_type_of(where);
  if (!machine)
    detail::fail(errc::unknown_figure, "slice", name(where).view(),
                 "one of a known machine type, whose vCPUs are stated");
  const std::int64_t vm_total = checked_multiply(vms(where), detail::positive_count("slices", slice_total));
  input_answer answer;
  answer.wanted = wanted;
  answer.vcpus = checked_multiply(vm_total, machine->vcpus.value("vCPUs of the machine type"));
  const double fresh = 1 - one.cached_share;  // of the examples
  const double rate = checkpoint_rate(where, slice_total, storage).value();
  answer.reading = detail::most_a_second(rate, one.size.value() * fresh);
  answer.decoding = detail::most_a_second(static_cast<double>(answer.vcpus), one.decode.value() * fresh);
  const bool decodes_slower = answer.decoding && !(answer.reading && *answer.reading <= *answer.decoding);
  const maybe<per_second> least = decodes_slower ? answer.decoding : answer.reading;
  const bool waits = least && *least < wanted;
  answer.delivered = waits ? *least : wanted;
  answer.at_best = one.upper_bound ? min(wanted, 2 * answer.delivered) : answer.delivered;
  if (least) answer.hosts_at_best = one.upper_bound ? 2 * *least : *least;
  answer.limited_by = !waits ? input_bound::chips : decodes_slower ? input_bound::decoding : input_bound::reading;
  answer.waiting = 1 - answer.delivered / wanted;
  if (answer.decoding) answer.vms_needed = static_cast<double>(vm_total) * (wanted / *answer.decoding);
  const per_second read = detail::most_a_second(rate, one.size.value()).value_or(wanted);
  const per_second decoded =
      detail::most_a_second(static_cast<double>(answer.vcpus), one.decode.value()).value_or(wanted);
  answer.cache_needed = 1 - min(wanted, min(read, decoded)) / wanted;
  return answer;
}

/// The largest global batch at which the chips do not wait, for steps of `fixed` + `each` x batch; with a larger batch
/// a step takes less time than its examples. 0 where the chips always wait. Worked: 1 ms + 0.1 ms an example against
/// 5000 examples a second: 5 examples wait at any batch above 10, since each takes 0.2 ms to deliver.
[[nodiscard]] constexpr double batch_without_waiting(seconds fixed, seconds each, per_second delivered) {
  detail::not_negative("fixed time of a step", fixed.value());
  detail::not_negative("time of an example", each.value());
  const double deliver = 1 / detail::positive("examples a second", delivered.value());
  if (deliver <= each.value()) return 1e18;
  return fixed.value() / (deliver - each.value());
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
