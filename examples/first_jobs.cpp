// Questions that come with a first job on TPUs, answered. docs/first_jobs.md has the output.
#include <cstdio>
#include <tpuplan/cost/migration.hpp>
#include <tpuplan/cost/offer.hpp>
#include <tpuplan/estimate/training/replication.hpp>
#include <tpuplan/handbook/epochs.hpp>
#include <tpuplan/tpuplan.hpp>

using namespace tpuplan;

namespace {

double dollars(usd_per_second price) { return in_usd_per_hour(price); }

void batches() {
  const epoch_count count = epochs_of({60000, 5, remainder::drop}, global_batch(128, devices(slice_for("v3-8"))));
  std::printf("128 per core on v3-8: %d a step, %d steps an epoch, %d examples of each epoch dropped\n",
              static_cast<int>(count.batch), static_cast<int>(count.steps_per_epoch), static_cast<int>(count.dropped));
  std::printf("critical batch of v5e: %d rows in bf16\n", static_cast<int>(critical_batch(v5e)));
  std::printf("cores of v5e-8: %d in %d chips; of v3-8: %d in %d\n", static_cast<int>(tensorcores(slice_for("v5e-8"))),
              static_cast<int>(chips(slice_for("v5e-8"))), static_cast<int>(tensorcores(slice_for("v3-8"))),
              static_cast<int>(chips(slice_for("v3-8"))));
}

void copies() {
  std::printf("state with Adam in fp32, a quarter of a v5e left to activations:\n");
  for (const double size : {125e6, 350e6, 1.3e9, 7e9, 13e9, 70e9}) {
    const replication one = replication_of(static_cast<std::int64_t>(size), v5e);
    std::printf("  %6.2f B parameters  %7.1f GB  %s %d\n", size / 1e9, one.total.value() / 1e9,
                one.whole ? "a copy on each device," : "sharded over", static_cast<int>(one.shards));
  }
}

/// Dollars for a FLOP at peak, the first against the second.
void against(const char* names, usd_per_second tpu, const chip_spec& chip, usd_per_second gpu, const char* model) {
  const offer ours{tpu, per_second{peak_rate(chip, dtype::bf16).value()}};
  const offer other{gpu, per_second{gpu_for(model).bf16.value()}};
  std::printf("  %-16s %4.1f %% less\n", names, 100 * compare_offers(ours, other).saving_fraction);
}

void prices() {
  std::printf("v5e-8 at $1.20 a chip and hour: $%.2f an hour\n", 8 * dollars(usd_per_hour(1.20)));
  std::printf("dollars for a FLOP at peak:\n");
  against("v5e, A100-40", usd_per_hour(1.20), v5e, usd_per_hour(3.67), "A100-40");
  against("v5e, A100-80", usd_per_hour(1.20), v5e, usd_per_hour(5.89), "A100-80");
  against("v5p, H100", usd_per_hour(4.20), v5p, usd_per_hour(9.25), "H100");
}

void spot() {
  std::printf("spot at $1.20, a run of 2 h, \"20 %% preempted\":\n");
  const auto line = [](const char* reading, seconds mean) {
    spot_terms terms;
    terms.mean_time_between_preemptions = mean;
    const expected_spot_run run = expected_run(best_spot_run(2_h, 1, terms));
    std::printf("  %-16s one in %5.1f h, $%.2f for a useful hour\n", reading, in_hours(mean),
                dollars(effective_price(usd_per_hour(1.20), run.billed_factor)));
  };
  line("of such runs", mean_time_between_preemptions_from_probability(0.2, 2_h));
  line("in an hour", mean_time_between_preemptions_from_probability(0.2, 1_h));
  line("in a day", mean_time_between_preemptions_from_probability(0.2, 24_h));
  line("0.2 an hour", mean_time_between_preemptions_from_rate(0.2 / 1_h));
}

}  // namespace

int main() {
  batches();
  copies();
  prices();
  spot();
}
