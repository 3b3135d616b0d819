#ifndef TPUPLAN_SIMULATE_SPLIT_HPP
#define TPUPLAN_SIMULATE_SPLIT_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/base/units.hpp>
#include <tpuplan/simulate/simulation.hpp>
#include <utility>
#include <vector>

/// @file
/// Prefill and decode apart: a pool of slices that computes prompts, and another that decodes what it is sent.

namespace tpuplan {
inline namespace abi_0 {

/// The two pools of a split fleet, and the link between them.
struct split_pools {
  std::int64_t prefill = 0;     ///< slices that compute prompts, at least 1
  std::int64_t decode = 0;      ///< slices that decode, at least 1
  bytes_per_second transfer{};  ///< from a replica that computes prompts, which sends one cache at a time
};

/// A run of a split fleet.
struct split_run {
  simulation_run run{};     ///< records from the arrival at the first pool to the last token of the second
  seconds transfer{};       ///< mean time from the end of a prompt until its cache is there
  double prefill_busy = 0;  ///< share of the time in which a replica of the first pool computes
  double decode_busy = 0;   ///< share of the time in which a replica of the second has some request
};

/// A rate at which caches go from one slice to another, as somebody published it.
struct published_rate {
  std::string_view chip{};    ///< generation
  bytes_per_second rate{};    ///< from a replica
  std::string_view over{};    ///< what it goes over
  std::string_view source{};  ///< who says so
};

namespace detail {

// generated: cache_transfers from data/transfers.json
/// Rates at which caches are sent.
// clang-format off
inline constexpr published_rate cache_transfers[] = {
    {"v6e", 8.86_GB_per_s, "one channel", "sgl-project/sglang-jax#1196"},
    {"tpu7x", 4.5_GB_per_s, "the data-centre network; with Pathways 29", "sgl-project/sglang-jax#1428"},
};
// clang-format on
// end of generated: cache_transfers

}  // namespace detail

/// The published rate at which the cache of a request goes from one slice to another, of chips for which there is one;
/// nothing for others. Worked: 8.86 GB/s on v6e. Source: data/transfers.json.
[[nodiscard]] constexpr maybe<published_rate> published_transfer(const chip_spec& chip) {
  for (const published_rate& one : detail::cache_transfers) {
    if (chip.name == one.chip) return one;
  }
  return nothing;
}

namespace detail {

inline void validate(const split_pools& pools) {
  check_part("split_pools.prefill", positive_count("split_pools.prefill", pools.prefill), std::int64_t{1000000},
             "1 to 1000000");
  check_part("split_pools.decode", positive_count("split_pools.decode", pools.decode), std::int64_t{1000000},
             "1 to 1000000");
  in_range("split_pools.transfer", positive("split_pools.transfer", pools.transfer.value()), 1e6, 1e15,
           "1 MB/s to 1000 TB/s");
}

/// When the cache of each request is with the second pool: a replica of the first sends one after the other.
inline std::vector<seconds> arrivals_of_caches(const transformer& model, const serving_job& job,
                                               const split_pools& pools, std::int64_t replicas,
                                               const std::vector<request_record>& records) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < records.size(); ++i) order.push_back(i);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return records[a].finished < records[b].finished || (records[a].finished == records[b].finished && a < b);
  });
  std::vector<seconds> there(records.size()), free(static_cast<std::size_t>(replicas));
  for (const std::size_t i : order) {
    seconds& link = free[i % free.size()];
    const bytes moved = cache_of(model, job, static_cast<double>(records[i].prompt));
    link = max(link, records[i].finished + records[i].delay) + moved / pools.transfer;
    there[i] = link;
  }
  return there;
}

/// The second pool's records from the arrival at the first.
inline void join_records(simulation_run& run, const simulation_run& prompts, const std::vector<std::size_t>& order) {
  std::vector<request_record> joined(prompts.records);
  for (std::size_t place = 0; place < order.size(); ++place) {
    request_record& record = joined[order[place]];
    const request_record& decoded = run.records[place];
    record.first_token = decoded.first_token;
    record.finished = decoded.finished;
    record.delay = decoded.delay;
    record.output = decoded.output;
    record.preemptions += decoded.preemptions;
  }
  run.records = std::move(joined);
  run.prompt_tokens += prompts.prompt_tokens;
  run.counted_prompt_tokens += prompts.counted_prompt_tokens;
  run.preemptions += prompts.preemptions;
  run.steps += prompts.steps;
}

}  // namespace detail

namespace detail {

/// Requests a second of a slice of each pool, by the closed form: those whose prompts it computes and whose caches its
/// links carry, and those that it decodes.
struct split_rates {
  per_second prefill{}, decode{};
};

inline split_rates split_rates_of(const transformer& model, const serving_job& job, const serving_fleet& fleet,
                                  bytes_per_second transfer, const serving_calibration& constants) {
  serving_job computed = job, decoded = job;
  computed.request_rate = decoded.request_rate = {};
  computed.concurrency = 0, decoded.concurrency = 1;  // steps take all prompts that wait, and the host each in turn
  computed.output = fixed_length(1);
  decoded.prefix_hit_rate = 0.999;
  serving_fleet one = fleet;
  one.slices = 1;
  const auto of = [&](const serving_job& asked) {
    return serve(model, asked, fleet.mesh, fleet.where, constants).capacity;
  };
  const per_second sent = static_cast<double>(replicas_of(one)) * transfer / cache_of(model, job, job.prompt.mean);
  return {min(sent, of(computed)), of(decoded)};
}

inline per_second rate_of(const split_rates& each, const split_pools& pools) {
  return min(each.prefill * static_cast<double>(pools.prefill), each.decode * static_cast<double>(pools.decode));
}

}  // namespace detail

/// Requests a second that a split fleet can serve, by the closed form: those whose prompts the first pool computes,
/// whose caches its links carry, and that the second pool decodes, whichever are fewest. Throws as `serve` does.
/// Worked: of Llama 3 8B with prompts of 1000 tokens a link of 8.86 GB/s carries 67.6 caches a second.
[[nodiscard]] inline per_second split_capacity(const transformer& model, const serving_job& job,
                                               const serving_fleet& fleet, const split_pools& pools,
                                               const serving_calibration& constants = default_serving_calibration) {
  detail::validate(pools);
  return detail::rate_of(detail::split_rates_of(model, job, fleet, pools.transfer, constants), pools);
}

/// The two pools of that many slices that can serve most by the closed form, with the fewest slices for prompts of
/// those that can. Throws as `split_capacity` does, and for fewer than 2 slices. Worked: of eight
/// v6e-4 for Llama 3 8B with prompts of 1000 tokens and chunks of 2048, three compute prompts where answers have 128
/// tokens, and one where they have 1000.
[[nodiscard]] inline split_pools best_split(const transformer& model, const serving_job& job,
                                            const serving_fleet& fleet, std::int64_t slices, bytes_per_second transfer,
                                            const serving_calibration& constants = default_serving_calibration) {
  detail::in_range("split_slices", static_cast<double>(slices), 2, 1000000, "2 to 1000000");
  split_pools best{1, slices - 1, transfer};
  detail::validate(best);
  const detail::split_rates each = detail::split_rates_of(model, job, fleet, transfer, constants);
  for (split_pools tried = best; tried.decode > 0; ++tried.prefill, --tried.decode) {
    if (detail::rate_of(each, tried) > detail::rate_of(each, best)) best = tried;
  }
  return best;
}

/// A run of a split fleet, whose replicas are those of `fleet`: requests go to the first pool in turn; when the cache
/// of the prompt is with the second, which has them in turn too, its last token is computed there for the first token
/// that a client gets, as in llm-d's guide for TPUs (llm-d/llm-d guides/pd-disaggregation/README.tpu.md). Throws as
/// `simulate_fleet` does, and for pools of no slices or a link of no rate. Worked: a prompt of Llama 3 8B of 1000
/// tokens has a cache of 131 MB, which takes 14.8 ms at 8.86 GB/s.
[[nodiscard]] inline split_run simulate_split(const transformer& model, const serving_job& job,
                                              const serving_fleet& fleet, const split_pools& pools,
                                              const std::vector<simulated_request>& requests,
                                              const serving_calibration& constants = default_serving_calibration,
                                              const step_factors& longer = {}) {
  detail::validate(pools);
  serving_fleet first = fleet, second = fleet;
  first.slices = pools.prefill, second.slices = pools.decode;
  serving_job prompts = job;
  prompts.output = fixed_length(1);
  std::vector<simulated_request> sent = requests;
  for (simulated_request& one : sent) one.output = 1;
  const simulation_run computed = simulate_fleet(model, prompts, first, replicas_of(first), sent, constants, longer);
  const std::vector<seconds> there =
      detail::arrivals_of_caches(model, job, pools, replicas_of(first), computed.records);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < requests.size(); ++i) order.push_back(i);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return there[a] < there[b] || (there[a] == there[b] && a < b); });
  split_run all;
  sent.clear();
  for (const std::size_t i : order) {
    sent.push_back({there[i], requests[i].prompt, requests[i].output, requests[i].prompt - 1, requests[i].priority});
    all.transfer +=
        (there[i] - computed.records[i].finished - computed.records[i].delay) / static_cast<double>(requests.size());
  }
  const simulated_engine engine =
      detail::engine_of(model, job, second, replicas_of(second), sent.size(), detail::have_priorities(sent));
  all.run = detail::run_counted(
      engine, sent, replica_step_times{model, job, second.mesh, second.where, engine.max_running, constants, longer},
      detail::no_observer{}, detail::counted_of(requests));
  all.prefill_busy = computed.busy;
  all.decode_busy = all.run.busy;
  detail::join_records(all.run, computed, order);
  return all;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
