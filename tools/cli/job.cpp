#include "cli/job.hpp"

#include <fmt/format.h>

#include "cli/option.hpp"

namespace cli {

using namespace tpuplan;

void add_job_options(command& to, job_options& into) {
  add_config_option(to, into.config).required();
  to.ask(job_rows, into.request);
  to.add("--batch-per-core", into.per_core, {1, 1e9}, "examples on each core (JAX device): times the replicas in sync")
      .decides("job.global_batch")
      .excludes({"--batch", "--batch-tokens"});
  to.add("--image-size", into.image_size, {1, 65536}, "side of the images in pixels, of a model with a vision tower");
}

void read_job(job_options& into) {
  const nlohmann::json& request = into.request;
  if (request.contains("job") && request["job"].contains("weights"))
    into.weights = read_json<dtype>(request["job"]["weights"]);
  static_cast<asked_job&>(into) = asked_job_of(request);
}

void read_mesh(const nlohmann::json& request, mesh_options& into) {
  if (request.contains("slice")) into.slice_name = request["slice"].get<std::string>();
  if (!request.contains("mesh")) return;
  const nlohmann::json& mesh = request["mesh"];
  if (mesh.contains("dcn_data")) into.slices = mesh["dcn_data"].get<std::int64_t>();
  into.mesh = read_json<layout>(mesh);
  if (!mesh.contains("fsdp")) into.mesh.fsdp = 0;
}

layout layout_of(const mesh_options& given) {
  layout mesh = given.mesh;
  mesh.dcn_data = given.slices.value_or(1);
  return mesh;
}

}  // namespace cli
