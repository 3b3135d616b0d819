// The closed forms of base/, handbook/, cost/, parallel/ and risk/ over grids of arguments, edges among them: a line
// for each function, as in files.cpp. The tests of each header hold them against the formulas; here none changes
// unnoticed where these do not look.
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <tpuplan/base/lambert.hpp>
#include <tpuplan/base/normal.hpp>
#include <tpuplan/cost/checkpoint_storage.hpp>
#include <tpuplan/cost/gpu_training.hpp>
#include <tpuplan/cost/migration.hpp>
#include <tpuplan/cost/timeline.hpp>
#include <tpuplan/handbook.hpp>
#include <tpuplan/handbook/epochs.hpp>
#include <tpuplan/hardware/gpus.hpp>
#include <tpuplan/risk/failures.hpp>
#include <tpuplan/risk/lifetimes.hpp>
#include <tpuplan/tpuplan.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/digests.hpp"
#include "support/models.hpp"
#include "support/told.hpp"

using namespace tpuplan;

namespace golden_formulas_tests {

namespace {

const std::vector<std::int64_t> counts = {-1, 0, 1, 2, 3, 7, 8, 17, 64, 240, 1000, 4096, std::int64_t{1} << 40};
const std::vector<double> reals = {-1, 0, 1e-12, 0.1, 0.3, 0.5, 0.95, 1, 1.4, 2, 3, 10, 100, 2500, 1e6, 1e18, 1e301};
const std::vector<double> times = {0, 1e-6, 0.4, 1, 30, 600, 3600, 86400, 1e7, 1e12};
const std::vector<dtype> formats = {dtype::fp32, dtype::bf16, dtype::fp8, dtype::int8, dtype::int4};
const std::vector<std::string_view> chips_of_all = {"v2", "v3", "v4", "v5e", "v5p", "v6e", "tpu7x"};
const std::vector<std::string_view> slices_of_some = {"v2-8",   "v3-32",   "v4-8",     "v4-128",  "v5e-1",
                                                      "v5e-16", "v5e-256", "v5p-8",    "v5p-128", "v6e-8",
                                                      "v6e-64", "tpu7x-8", "tpu7x-128"};

class grid {
 public:
  explicit grid(std::string name) : name_{std::move(name)} {}
  template <class Function>
  void add(const std::string& group, const Function& of) {
    all_.add(group, std::to_string(++number_), [&] { return told_of(of()); });
  }
  [[nodiscard]] std::string problem() const { return all_.problem(name_); }

 private:
  digests all_;
  std::string name_;
  int number_ = 0;
};

}  // namespace

TEST_CASE("closed forms of the handbook over grids, as they were", "[golden]") {
  grid g{"handbook.txt"};
  for (const std::string_view called : chips_of_all) {
    const chip_spec chip = find_chip(called).value();
    for (const dtype type : formats) {
      g.add("tiles", [&] { return layout_tile(chip, type); });
      g.add("tiles", [&] { return tile_bytes(chip, type); });
      g.add("ridge_point", [&] { return ridge_point(chip, type); });
      g.add("critical_batch", [&] { return critical_batch(chip, type); });
      g.add("critical_batch", [&] { return recommended_batch(chip, type); });
      g.add("thresholds", [&] { return ici_intensity(chip, type); });
      for (const std::int64_t n : counts) {
        g.add("padding", [&] { return padding(matrix_shape{n, 200}, chip, type); });
        g.add("padding", [&] { return tiled_bytes({300, n}, chip, type); });
        g.add("roofline", [&] { return roofline(chip, {n, 4096, 16384}, uniform(n < 1 ? dtype::bf16 : type)); });
        g.add("roofline", [&] { return arithmetic_intensity({n, 512, 300}, uniform(type)); });
        g.add("batch_fill_of", [&] { return batch_fill_of(chip, n, 3, type); });
        g.add("intensity", [&] { return critical_batch_with_activations(chip, n, 4096, uniform(type)); });
        g.add("intensity", [&] { return tiled_intensity(n, 512, type); });
        g.add("attention", [&] { return attention_intensity({n, 4096, 8}, type, dtype::bf16); });
        g.add("attention", [&] { return attention_intensity({1, n, 4}, dtype::bf16, type); });
      }
    }
    g.add("padding", [&] { return vector_register_bytes(chip); });
    g.add("thresholds", [&] { return dcn_tokens_per_slice(chip); });
    g.add("inference", [&] { return hbm_over_ici(chip); });
    g.add("utilization", [&] { return tensorcore_peak(chip); });
    for (const std::int64_t n : counts) {
      g.add("thresholds", [&] { return data_parallel_tokens_per_chip(chip, n, 2.5); });
      g.add("thresholds", [&] { return tensor_parallel_limit(chip, n, 2); });
      g.add("thresholds", [&] { return tensor_parallel_limit(chip, 16384, n); });
      g.add("thresholds", [&] { return mixed_tokens_per_chip(chip, n, 2, 1); });
      g.add("thresholds", [&] { return mixed_tokens_per_chip(chip, 32768, n, 2); });
      g.add("thresholds", [&] { return sharded_contraction(chip, n); });
      g.add("thresholds", [&] { return layer_forward(chip, {n, 8192, 28672}, {8, 2, 4, 1}); });
      g.add("thresholds", [&] { return layer_forward(chip, {4096, 8192, 28672}, {n, 1, 1, 0}); });
      g.add("thresholds", [&] { return layer_forward(chip, {4096, n, 28672}, {1, 0, 8, 2}); });
      g.add("thresholds", [&] { return layer_backward_between_slices(chip, {n, 8192, 28672}, {64, 2}); });
      g.add("thresholds", [&] { return layer_backward_between_slices(chip, {4096, 8192, 28672}, {n, 3}); });
      g.add("inference", [&] { return sharded_product_times({n, 8192, 28672}, 8, chip); });
      g.add("inference", [&] { return sharded_product_times({64, 8192, 28672}, n, chip); });
      g.add("utilization", [&] { return available_work(chip, n, 1_h); });
      g.add("utilization", [&] { return load_time(16_GB, chip, n); });
      g.add("utilization", [&] { return time_at_mfu(flops{1e21}, chip, n, 0.4); });
    }
    for (const double x : reals) {
      g.add("thresholds", [&] { return data_parallel_tokens_per_chip(chip, 2, x); });
      g.add("critical_batch", [&] { return critical_batch(chip, uniform(dtype::bf16), memory_level::hbm, x); });
      g.add("inference", [&] { return decode_bound_of({x, 16_GB, 1_GB, flops{16e9}}, chip, 8); });
      g.add("inference", [&] { return decode_bound_of({8, 16_GB, bytes{x}, flops{x}}, chip, 2); });
      g.add("inference", [&] { return chips_to_hold(bytes{x}, chip); });
      g.add("utilization", [&] { return time_at_mfu(flops{x}, chip, 4, 0.4); });
      g.add("utilization", [&] { return time_at_mfu(flops{1e15}, chip, 4, x); });
      g.add("utilization", [&] { return utilization(flops{1e15}, chip, 4, seconds{x}); });
    }
  }
  for (const std::int64_t n : counts) {
    g.add("batches", [&] { return recommended_multiple(n); });
    g.add("batches", [&] { return global_batch(n, 8); });
    g.add("batches", [&] { return batch_per_replica(n, 8); });
    g.add("batches", [&] { return steps_per_epoch(1000, n, remainder::keep); });
    g.add("batches", [&] { return epochs_of({1000, 3, remainder::drop}, n); });
    g.add("batches", [&] { return epochs_of({n, 0.5, remainder::keep}, 16); });
    g.add("sharding", [&] { return shard(4096, dtype::int4, n, 64); });
    g.add("sharding", [&] { return unsharded(n, 8); });
    g.add("collectives", [&] { return one_way_all_gather_traffic(1_GB, n); });
    g.add("collectives", [&] { return one_way_all_to_all_traffic(1_GB, n); });
    g.add("thresholds", [&] { return traffic_of_layer({n, 8192, 28672}); });
    g.add("thresholds", [&] { return optimal_fsdp({n, 28672, 64, 2, 1}); });
    g.add("thresholds", [&] { return optimal_fsdp({65536, 28672, n, 1, 1}); });
    g.add("thresholds", [&] { return pipeline_transfer_time(65536, 8192, 45_GB_per_s, {n, 4}); });
    g.add("thresholds", [&] { return pipeline_transfer_time(65536, 8192, 45_GB_per_s, {8, n}); });
    g.add("inference", [&] { return two_dimensional_degrees(n, 3.5); });
    g.add("inference", [&] { return two_dimensional_from_chips(3.5, n); });
    g.add("inference", [&] { return decode_tensor_limit(n, 32, 8); });
    g.add("work", [&] { return training_work(n, 1000); });
    g.add("work", [&] { return recomputed_flops_per_token(llama_3_8b(), n, remat::full); });
    g.add("work", [&] { return converted_mfu(0.4, llama_3_8b(), n, maxtext_flops, megatron_flops); });
    g.add("link", [&] { return first_byte_time(n); });
    g.add("link", [&] { return network_share_of(100, n); });
  }
  for (const double x : reals) {
    g.add("inference", [&] { return power_of_two_from(x); });
    g.add("inference", [&] { return two_dimensional_degrees(128, x); });
    g.add("inference", [&] { return two_dimensional_from_chips(x); });
    g.add("inference", [&] { return turnover(x, {100, 50}); });
    g.add("inference", [&] { return turnover(64, {x, 50}); });
    g.add("inference", [&] { return requests_per_second({x, 19_ms, 512}); });
    g.add("inference", [&] { return caches_that_fit({128_GB, 16_GB, bytes{x}}); });
    g.add("inference", [&] { return caches_that_fit({bytes{x}, 16_GB, 1_GB}); });
    g.add("attention", [&] { return balance_prompt(flops_per_byte{x}, 4); });
    g.add("utilization", [&] { return vector_peak(1024, per_second{x}); });
    g.add("work", [&] { return saved_activation_bytes(x, 32, 4096); });
  }
  for (const std::string_view called : slices_of_some) {
    const slice where = slice_for(called);
    g.add("link", [&] { return farthest_hops(where); });
    for (const std::int32_t x : {0, 1, 3, 7}) {
      for (const std::int32_t y : {0, 2}) {
        g.add("link", [&] { return send_time(1_MB, where, {{0, 0, 0}}, {{x, y, 0}}); });
        g.add("link", [&] { return send_time(1_MB, where, {{1, 1, 1}}, {{x, y, 2}}); });
      }
    }
    for (const std::int64_t n : counts) {
      g.add("collectives", [&] { return block_of(where, n); });
      g.add("collectives", [&] { return all_gather(1_GB, block_of(where, n)); });
      g.add("collectives", [&] { return all_to_all(1_MB, block_of(where, n)); });
      g.add("collectives", [&] { return all_reduce(1_kB, block_of(where, n)); });
      g.add("collectives", [&] { return all_reduce_between_slices(1_GB, where, n); });
      g.add("interconnect",
            [&] { return group_bandwidth(where, static_cast<double>(n), static_cast<double>(chips(where))); });
      g.add("interconnect", [&] { return fsdp_layout(where, n); });
      layout mesh;
      mesh.fsdp = n, mesh.tensor = 2;
      g.add("placement", [&] { return place_on_torus(mesh, where); });
      mesh.fsdp = 0, mesh.tensor = n;
      g.add("placement", [&] { return place_on_torus(filled_layout(mesh, where), where); });
      mesh.tensor = 1, mesh.context = n;
      g.add("interconnect", [&] { return filled_layout(mesh, where); });
    }
    for (const bool x : {false, true}) {
      for (const bool y : {false, true}) g.add("collectives", [&] { return group_along(where, {true, x, y}); });
    }
    g.add("interconnect", [&] { return links_into_chip(where); });
    g.add("interconnect", [&] { return dcn_rate(where); });
  }
  CHECK(g.problem() == "");
}

TEST_CASE("closed forms of costs, risks and mathematics over grids, as they were", "[golden]") {
  grid g{"costs_grid.txt"};
  for (const double x :
       {1e-30, 1e-12, 1e-7, 1e-4, 0.01, 0.074, 0.076, 0.2, 0.45, 0.5, 0.7, 0.924, 0.926, 0.99, 0.9999999})
    g.add("normal_quantile", [&] { return math::normal_quantile(x); });
  for (const double x :
       {-0.4, -0.3679, -0.36787944117144, -0.3, -0.2, -1e-17, 0.0, 1e-20, 0.1, 1.0, 3.0, 1e3, 1e9, 1e300}) {
    g.add("lambert_w0", [&] { return math::lambert_w0(x); });
    g.add("lambert_w0", [&] { return math::lambert_w0_plus_1_of_exp(x); });
  }
  for (const double a : times) {
    for (const double b : times) {
      g.add("intervals", [&] { return young_interval(seconds{a}, seconds{b}); });
      g.add("intervals", [&] { return daly_interval(seconds{a}, seconds{b}, 600_s); });
      g.add("intervals", [&] { return daly_interval_high_order(seconds{a}, seconds{b}); });
      g.add("intervals", [&] { return optimal_interval(seconds{a}, seconds{b}); });
      g.add("preemption", [&] { return preemption_probability(seconds{a}, seconds{b}); });
      g.add("steps_between_checkpoints", [&] { return steps_between_checkpoints(seconds{a}, seconds{b}); });
      g.add("belief", [&] { return quantile(believed_within(seconds{a}, 3), 0.2); });
      g.add("belief", [&] { return knowing(believed_within(seconds{a}, 2), seconds{b}, 3); });
      g.add("belief", [&] { return chance_of_none(believed_within(seconds{a}, 2), seconds{b}); });
      spot_run run;
      run.work = seconds{a}, run.checkpoint_time = 30_s, run.checkpoint_interval = 900_s;
      run.mean_time_between_preemptions = seconds{b}, run.restart_time = 600_s, run.queue_time = 60_s;
      g.add("expected_run", [&] { return expected_run(run); });
      g.add("expected_run", [&] { return can_finish(run); });
      g.add("expected_run", [&] { return first_order_overhead(run); });
      spot_terms terms;
      terms.mean_time_between_preemptions = seconds{b};
      g.add("best_spot_run", [&] { return best_spot_run(seconds{a}, 4, terms); });
      terms.correlation = 0.25;
      g.add("best_spot_run", [&] { return best_spot_run(seconds{a}, 4, terms); });
      run_phases phases;
      phases.steps = 1000, phases.step = seconds{a}, phases.start = seconds{b}, phases.compilation = 90_s;
      g.add("timeline_of", [&] { return timeline_of(phases); });
      g.add("timeline_of", [&] { return timeline_of(phases, payment_terms{}, usd_per_hour(2.5)); });
    }
    g.add("flex_start_run", [&] { return flex_start_run(seconds{a}); });
    g.add("flex_start_run", [&] { return calendar_run(seconds{a}); });
    for (std::size_t kind = 0; kind < 6; ++kind) {
      const auto paid = static_cast<provisioning>(kind);
      g.add("billed_time", [&] { return billed_time(paid, seconds{a}); });
      g.add("commitments", [&] { return cost_under_commitment(usd_per_hour(2), paid, seconds{a}, 0.5); });
      for (const std::string_view where : {"v6e-64", "v5e-16", "v3-32", "v5p-128"}) {
        g.add("pay_for", [&] {
          return pay_for(slice_for(where), 2, seconds{a}, price_for(price_book{}, slice_for(where), "us", paid));
        });
      }
    }
    for (const std::string_view where : {"v6e-64", "v5e-16", "v4-32"})
      g.add("ways_to_pay", [&] { return ways_to_pay(price_book{}, slice_for(where), 2, "us", seconds{a}); });
  }
  for (const double x : reals) {
    g.add("offers", [&] { return compare_offers({usd_per_hour(x), per_second{3}}, {usd_per_hour(2), per_second{4}}); });
    g.add("offers", [&] { return compare_offers({usd_per_hour(5), per_second{x}}, {usd_per_hour(2), per_second{4}}); });
    g.add("offers", [&] { return throughput_at(459_TFLOP_per_s, x, 1_TFLOP); });
    g.add("migration", [&] { return months_to_pay_back({60000_usd, usd{x}, 4, 0.08}); });
    g.add("migration", [&] { return months_to_pay_back({usd{x}, 2000_usd, 4, 0}); });
    g.add("migration", [&] { return value_of_migration({60000_usd, 2000_usd, 4, x}, 24); });
    g.add("migration", [&] { return value_of_migration({60000_usd, 2000_usd, 4, 0.08}, x); });
    g.add("migration", [&] { return break_even_saving_per_job({60000_usd, {}, x, 0.1}, 12); });
    g.add("spot", [&] { return spot_saving({3_usd / 1_h, 1_usd / 1_h}, x); });
    g.add("spot", [&] { return mean_time_between_preemptions_from_probability(x, 1_h); });
    g.add("spot", [&] { return mean_time_between_preemptions_from_rate(per_second{x}); });
    g.add("commitments", [&] { return break_even_utilization(usd_per_hour(1), usd_per_hour(2), x); });
    g.add("failures", [&] { return chance_of_at_least(3, 5, x); });
    g.add("failures", [&] { return chance_of_each(3, 5, x); });
    g.add("failures", [&] { return parts_for(3, x, 0.9); });
    g.add("belief", [&] { return believed_within(1_h, x); });
    g.add("belief", [&] { return scaled(believed_within(1_h, 2), x); });
    g.add("rates", [&] { return saving(usd{x}, 3_usd); });
    g.add("rates", [&] { return cost_per_million_tokens(usd_per_hour(3), per_second{x}); });
  }
  for (const std::int64_t n : counts) {
    g.add("failures", [&] { return time_between_failures(n); });
    g.add("failures", [&] { return chance_of_at_least(n, 8, 0.9); });
    g.add("failures", [&] { return chance_of_at_least(3, n, 0.9); });
    g.add("failures", [&] { return parts_for(n, 0.9, 0.95); });
    g.add("failures", [&] { return chance_of_each(2, n, 0.95); });
    g.add("spot", [&] { return mean_time_between_preemptions_of_slices(4_h, n); });
    g.add("spot", [&] { return mean_time_between_preemptions_of_slices(4_h, n, 0.3); });
    g.add("spot", [&] { return mean_time_between_preemptions_from_count(4_h, n); });
    g.add("rates", [&] { return rate(usd_per_hour(2), n); });
  }
  for (const std::string_view chip : chips_of_all) {
    for (const char* place : {"", "us-east5", "us-east5-b", "europe-west4-a", "us-central1-a", "us-west4-a"}) {
      g.add("lifetimes", [&] { return spot_lifetime(chip, place).mean; });
      g.add("lifetimes", [&] { return median_spot_lifetime(chip, place); });
    }
    for (std::size_t kind = 0; kind < 6; ++kind) {
      for (const std::string_view region : {"us", "us-east5", "europe-west4", "asia-northeast1"}) {
        const auto paid = static_cast<provisioning>(kind);
        for (const std::int64_t n : {std::int64_t{1}, std::int64_t{8}, std::int64_t{256}})
          g.add("find_price", [&] { return find_price(price_book{}, chip, region, paid, n); });
        const auto found = find_price(price_book{}, chip, region, paid, 1);
        if (!found) continue;
        g.add("find_price", [&] { return age_in_days(*found, "2026-11-26"); });
        g.add("find_price", [&] { return is_weak(*found); });
        g.add("find_price", [&] { return is_before_announced_change(*found); });
        g.add("find_price", [&] { return far_below_words(price_book{}, *found); });
      }
    }
  }
  CHECK(g.problem() == "");
}

}  // namespace golden_formulas_tests
