// What is wrong with a question, without an exception.
#include <tpuplan/plan/check.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace plan_check_tests {

TEST_CASE("what would be refused is a value, and the same as is thrown", "[door]") {
  plan_request request;
  request.model = llama_3_8b();
  request.job = job_of(1024, 4096);
  request.tokens = 1e12;
  CHECK(check(request) == nothing);
  request.tokens = -1;
  const maybe<refused_question> why = check(request);
  REQUIRE(why.has_value());
  CHECK(why->code == errc::out_of_range);
  CHECK(why->field == "plan.tokens");
  CHECK(why->value == "-1");
  CHECK(why->valid == "1 to 1e18 tokens");
  CHECK(refusal_of([&] { (void)make_plan(request); }).message == std::string(why->message.view()));
  request.tokens = 1e5;
  CHECK(check(request)->field == "plan.job.global_batch");
}

TEST_CASE("two quotas for the same chips are refused, with both", "[door]") {
  plan_request request;
  request.model = llama_3_8b();
  request.job = job_of(1024, 4096);
  request.tokens = 1e12;
  request.quotas = {{"v6e", "us", provisioning::on_demand, 128}, {"v6e", "us", provisioning::spot, 64}};
  CHECK(check(request) == nothing);
  request.quotas.push_back({"Trillium", "US", provisioning::on_demand, 256});
  REQUIRE(check(request).has_value());
  CHECK(check(request)->value == "chips of v6e in US on on_demand: 128 in row 1, 256 in row 3");
}

TEST_CASE("models, jobs and layouts, alone and together", "[door]") {
  const slice where = slice_for("v5p-128");
  const transformer model = llama_3_8b();
  const training_job job = job_of(64, 4096);
  layout mesh = fsdp_layout(where);
  CHECK(check(model) == nothing);
  CHECK(check(job) == nothing);
  CHECK(check(mesh, where) == nothing);
  CHECK(check(model, job, mesh, where) == nothing);
  CHECK(check(transformer{})->field == "model.layers");
  CHECK(check(training_job{})->field == "training_job.sequence_length");
  mesh.fsdp = 3;
  CHECK(check(mesh, where).has_value());
  CHECK(check(model, job, mesh, where).has_value());
  serving_job served;
  served.prompt = fixed_length(1024);
  served.output = fixed_length(256);
  serving_layout replicas;
  CHECK(check(model, served, replicas, slice_for("v5p-16")) == nothing);
  replicas.tensor = 3;
  CHECK(check(model, served, replicas, slice_for("v5p-16"))->field == "serving_layout.tensor");
  serving_request request;
  request.model = model;
  request.job = served;
  CHECK(check(request) == nothing);
  request.largest_chips = 0;
  CHECK(check(request)->field == "plan.largest_chips");
}

}  // namespace plan_check_tests
