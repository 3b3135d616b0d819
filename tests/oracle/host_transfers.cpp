// What published runs keep on the host goes out in their forward passes and comes back in their backward passes, at the
// documented PCIe rate; of a chip without one they show how fast it is at least.
#include <algorithm>
#include <lab/sources.hpp>
#include <string>
#include <tpuplan/estimate/training/step_time.hpp>
#include <tpuplan/json/file.hpp>
#include <tpuplan/read/runs/training.hpp>

#include "support/catch.hpp"

using namespace tpuplan;

namespace oracle_host_transfers_tests {

TEST_CASE("the work of every published run hides what it keeps on the host") {
  int runs = 0;
  double shown = 0;
  const nlohmann::json document = open_records(TPUPLAN_DATA_DIR "/measured");
  for (const nlohmann::json& record : document.at("records")) {
    if (record.value("kind", "training") != "training" || !record.contains("target_step_time_s")) continue;
    if (!record.at("model").contains("params_total") || !record.at("model").contains("vocab")) continue;
    const training_record run = read_training_record(record, "open sets");
    const training_sizes sizes = sizes_of(run.model, run.job);
    const double width = saved_width(sizes.width, run.job.remat, placement::host);
    if (width == 0) continue;
    ++runs;
    const double tokens =
        static_cast<double>(tokens_per_step(run.job)) / static_cast<double>(chips(run.where) * slices(run.mesh));
    const bytes out = number_bytes(run.job) * (tokens * sizes.layers * width);
    const seconds forward = run.measured / (3 + detail::products_again(run.job.remat) / 3);
    INFO(run.id);
    REQUIRE(host_rate(run.where.chip).has_value());
    CHECK(out / host_rate(run.where.chip).value() <= forward);
    CHECK_FALSE(step_time(run.model, run.job, run.mesh, run.where).remarks.host_untimed);
    if (!run.where.chip.host.pcie.has_value()) shown = std::max(shown, (out / forward).value());
  }
  CHECK(runs > 40);
  CHECK(shown <= 15.6e9);
  CHECK(shown > 15.5e9);
}

}  // namespace oracle_host_transfers_tests
