// A MaxText configuration or a log: what is read is a question that the estimates take, or a refusal; what a question
// says in MaxText's arguments is read back as the same.
#include <tpuplan/estimate/training.hpp>
#include <tpuplan/launch.hpp>
#include <tpuplan/read/maxtext.hpp>
#include <utility>

#include "support.hpp"

using namespace tpuplan;

namespace {

void check_log(std::string_view given) {
  refused([&] {
    const maxtext_log log = read_maxtext_log(given, "input", {given.size() % 3});
    require(sound(log.step.value()) && log.step.value() > 0, "a step takes time");
    require(log.steps > log.warm_up && sound(log.spread) && sound(log.tokens_per_device), "a log measures");
    require(sound(log.compiled.value()) && sound(log.in_use.value()), "memory is finite");
  });
}

/// What the writer takes is read back as it was.
void check_way_back(const maxtext_question& q) {
  launch_request request;
  request.name = "run";
  request.where = q.where;
  request.slices = slices(q.mesh);
  maxtext_run run;
  run.mesh = q.mesh;
  run.job = q.job;
  run.layers = q.model.layers;
  maxtext_keys keys;
  if (refused([&] {
        for (const std::string& one : maxtext_arguments(request, run)) add_maxtext_argument(keys, one);
      }))
    return;
  const maxtext_question again = read_maxtext(std::move(keys), q.where, request.slices, &q.model);
  require(again.job.global_batch == q.job.global_batch && again.job.remat == q.job.remat, "the job survives");
  require(again.mesh.fsdp == q.mesh.fsdp && mesh_size(again.mesh) == mesh_size(q.mesh), "the mesh survives");
  require(slices(again.mesh) == slices(q.mesh), "the slices survive");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view given = characters_of(data, size);
  check_log(given);
  for (const char* where : {"v6e-8", "tpu7x-64"}) {
    refused([&] {
      const maxtext_question q = read_maxtext(read_maxtext_keys(given, "input"), slice_for(where));
      validate(q.model);
      validate(q.job);
      validate(q.mesh, q.where);
      check_way_back(q);
      const step_breakdown step = step_time(q.model, q.job, q.mesh, q.where);
      require(sound(step.total.value()), "a step takes a finite time");
    });
  }
  return 0;
}
