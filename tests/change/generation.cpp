// What the library says of a generation that was added to its data and nowhere else.
#include <string>
#include <tpuplan/cost/price.hpp>
#include <tpuplan/launch/gcloud.hpp>
#include <tpuplan/launch/gke.hpp>
#include <tpuplan/launch/vertex.hpp>

#include "check.hpp"

using namespace tpuplan;

static_assert(tpu9z.hbm.capacity == 288_GiB && tpu9z.peak.int8.is_absent());
static_assert(find_chip("Bogwood")->name == "tpu9z" && find_chip("TPU9z")->name == "tpu9z");
static_assert(chip_names() == "v2, v3, v4, v5e, v5p, v6e, tpu7x, tpu8t, tpu8i or tpu9z");
static_assert(slice_for("tpu9z-128").shape == topology{4, 4, 8} && vms(slice_for("tpu9z-128")) == 32);
static_assert(name(slice_for("bogwood:4x4x4")) == "tpu9z-64" && devices(slice_for("tpu9z-64")) == 128);
static_assert(fully_wrapped(slice_for("tpu9z-64")) == known<bool>{true});
static_assert(name(*nearest(tpu9z, 100).larger) == "tpu9z-128" && !find_slice("tpu9z-100"));
static_assert(slice_for("v5p-128").chip.name == "v5p");  // the others are what they were
// What nothing was written of is not there; it is not a neighbour's.
static_assert(!machine_type_of(slice_for("tpu9z-64")));
static_assert(!find_price(price_book{}, slice_for("tpu9z-64"), "us", provisioning::on_demand));

namespace {

/// Whether the launch is refused because of the slice, by its name.
template <class Launch>
bool refuses(Launch launch) {
  try {
    launch();
  } catch (const error& refusal) {
    const std::string said = refusal.what();
    return refusal.code() == errc::unsupported && said.find("slice is tpu9z") != std::string::npos;
  }
  return false;
}

void check_launch() {
  launch_request request;
  request.name = "job";
  request.where = slice_for("tpu9z-64");
  request.project = "my-project";
  request.zone = "us-east5-b";
  request.cluster = "tpus";
  request.image = "host/image:tag";
  check(refuses([&] { (void)gke_manifest(request); }), "GKE refuses a chip that it does not list");
  check(refuses([&] { (void)gke_node_pools(request); }), "node pools of GKE do, too");
  check(refuses([&] { (void)gcloud_commands(request); }), "the Cloud TPU API does, too");
  check(refuses([&] { (void)vertex_custom_job(request); }), "Vertex AI does, too");
}

void check_estimate() {
  const transformer model = llama();
  const training_job job = training();
  const auto step_on = [&](const char* slice_name) {
    const slice where = slice_for(slice_name);
    return step_time(model, job, fsdp_layout(where), where);
  };
  const step_breakdown fitted = step_on("v5p-128");
  const step_breakdown step = step_on("tpu9z-64");
  check(!fitted.extrapolated, "published runs cover v5p");
  check(step.total > 0_s && step.total < fitted.total, "a chip with ten times the peak of v5p has a shorter step");
  check(step.extrapolated, "no published run covers the new chip");
  check(step.band > fitted.band, "its band is wider than that of v5p");
}

}  // namespace

int main() {
  check_launch();
  check_estimate();
  return failures == 0 ? 0 : 1;
}
