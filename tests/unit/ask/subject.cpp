// What a question leaves open, filled in.
#include <tpuplan/ask/figures.hpp>
#include <tpuplan/ask/serving.hpp>
#include <tpuplan/ask/subject.hpp>
#include <tpuplan/ask/training.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace ask_subject_tests {

TEST_CASE("lengths, layout and traffic where none are given") {
  CHECK(usual_sequence(model_of({{"model_type", "gpt2"}}).model) == 1024);
  assumed_values filled;
  CHECK(filled_job({}, llama_3_8b(), filled).sequence_length == 4096);
  training_job job = job_of(0, 4096);
  assumed_values assumed;
  fill_batch(4194304, 64, job, assumed);
  CHECK(job.global_batch == 1024);
  CHECK(assumed.empty());
  job.global_batch = 0;
  fill_batch(0, 64, job, assumed);
  CHECK(job.global_batch == 64);
  CHECK(assumed.size() == 1);
  CHECK(parameters(model_of({{"model_type", "gpt2"}}).model).total == 124439808);
  CHECK(usual_traffic().prompt.longest + usual_traffic().output.longest == 1280);
  transformer whisper;
  whisper.encoder_stem = 80, whisper.encoder_positions = 1500;
  CHECK(source_length(whisper, 100) == 1500);
  CHECK(source_length(llama_3_8b(), 100) == 100);
}

TEST_CASE("weights in eight bits are a frozen base beside adapters of any rank, else steps that are lost") {
  const auto says_of = [](std::int64_t rank) {
    asked_job asked;
    asked.job = job_of(64, 4096);
    asked.job.weights = dtype::int8, asked.job.lora_rank = rank;
    assumed_values assumed;
    (void)filled_job(asked, llama_3_8b(), assumed);
    std::string fields;
    for (const auto& [field, value] : assumed) fields += field + ';';
    return fields;
  };
  CHECK(says(says_of(1), "frozen base;"));
  CHECK(says(says_of(16), "frozen base;"));
  CHECK(says(says_of(0), "weights;"));
  CHECK_FALSE(says(says_of(0), "frozen base;"));
}

TEST_CASE("a dimension that is padded has 1 to 2e9 elements") {
  const auto padded = [](std::int64_t size) {
    pad_request asked;
    asked.chip = "v6e", asked.dimensions = {size};
    return refusal_of([&] { (void)answer_to(asked); }).message;
  };
  CHECK(padded(1).empty());
  CHECK(padded(2000000000).empty());
  CHECK(says(padded(2000000001), "dimensions is 2000000001"));
  CHECK(says(padded(0), "dimensions is 0"));
}

TEST_CASE("an encoder predicts the tokens that are masked, 15 % of them") {
  transformer encoder = llama_3_8b();
  encoder.kind = architecture::encoder;
  assumed_values assumed;
  CHECK(filled_job({}, encoder, assumed).logits_fraction == 0.15);
  CHECK(filled_job({}, llama_3_8b(), assumed).logits_fraction == 1);
}

TEST_CASE("degrees that no slice has are refused by name", "[door]") {
  layout mesh = open_layout();
  mesh.tensor = 1000000000000;
  CHECK(says(refusal_of([&] { (void)filled_layout(mesh, slice_for("v6e-8")); }).message,
             "layout.tensor is 1000000000000"));
  mesh.tensor = mesh.data = mesh.expert = mesh.context = 100000;
  CHECK(says(refusal_of([&] { (void)filled_layout(mesh, slice_for("v6e-8")); }).message, "layout.data is 100000"));
}

TEST_CASE("what was assumed is one list, with why") {
  model_config config;
  config.assumed.push_back({"head_dim", "128", "class default of llama"});
  const std::vector<assumption> all = all_assumed(config, {{"remat policy", "full"}});
  REQUIRE(all.size() == 2);
  CHECK(all.back().field == "remat policy");
  CHECK(all.back().value == "full");
  CHECK(all.back().why == "not given");
}

TEST_CASE("what has no effect on a model or under an optimizer is refused, and what it does to one is said") {
  const auto refused = [](const training_job& job) {
    asked_job asked;
    asked.job = job;
    assumed_values assumed;
    return refusal_of([&] { (void)filled_job(asked, llama_3_8b(), assumed); }).message;
  };
  training_job job = job_of(64, 4096);
  job.moments = dtype::bf16;
  CHECK(refused(job).empty());
  job.optimizer = optimizer_kind::sgd_momentum;
  CHECK(refused(job).empty());
  for (const optimizer_kind none : {optimizer_kind::sgd, optimizer_kind::adafactor}) {
    job.optimizer = none;
    CHECK(says(refused(job), "job.moments is bf16; valid: an optimizer that keeps moments in that format, not"));
  }
  job.moments = dtype::fp32, job.state_on_host = host_state::optimizer;
  CHECK(refused(job).empty());  // adafactor keeps rows and columns
  job.optimizer = optimizer_kind::sgd;
  CHECK(says(refused(job), "job.state_on_host is given without effect; valid: an optimizer that keeps state, not sgd"));
  job = job_of(64, 4096);
  job.default_tiles = true;
  CHECK(says(refused(job), "job.default_tiles is given without effect; valid: a model with experts"));
  job = job_of(64, 4096);
  job.gathers_quantised = true;
  CHECK(says(refused(job), "job.gathers_quantised is given without effect; valid: of products in 8 bits"));
  job.compute = dtype::int8;
  CHECK(refused(job).empty());
  job = job_of(64, 4096);
  job.lora.q = true;
  CHECK(says(refused(job), "job.lora is given without effect; valid: of adapters: lora_rank above 0"));
  job.lora_rank = 8;
  CHECK(refused(job).empty());
  job = job_of(64, 4096);
  job.frozen_by_part.mlp = 4;
  CHECK(says(refused(job), "job.frozen_by_part is given without effect"));
  asked_job based;
  based.job = job_of(64, 4096), based.base = dtype::int8;
  assumed_values of_base;
  CHECK(
      says(refusal_of([&] { (void)filled_job(based, llama_3_8b(), of_base); }).message, "job.frozen_weights is given"));
  job = job_of(64, 4096);
  job.pipeline_rounds = 2;
  CHECK(says(refusal_of([&] { check_sharing(job, 1, 1); }).message, "job.pipeline_rounds is 2; valid: a layout with"));
  CHECK_FALSE(refusal_of([&] { check_sharing(job, 1, 4); }).refused);
  CHECK_FALSE(refusal_of([&] { check_sharing(job, 1); }).refused);  // the stages are open
  job.pipeline_rounds = 1, job.pipeline_microbatches = 8;
  CHECK(says(refusal_of([&] { check_sharing(job, 1, 1); }).message, "job.pipeline_microbatches is 8"));
  job = job_of(64, 4096);
  job.freeze_vision = true;
  CHECK(says(refused(job), "freeze_vision is given; valid: a model with a vision tower"));
  job = job_of(64, 4096);
  job.vocabulary_tiles = 200000;
  CHECK(says(refused(job), "vocabulary_tiles is 200000; valid: 1 to the words of the vocabulary"));
  job.vocabulary_tiles = 64;
  CHECK(refused(job).empty());
  const auto refused_of = [](const char* type, const training_job& of) {
    asked_job asked;
    asked.job = of;
    assumed_values assumed;
    return refusal_of([&] { (void)filled_job(asked, model_of({{"model_type", type}}).model, assumed); }).message;
  };
  job = job_of(8, 4096);
  CHECK(says(refused_of("gpt2", job),
             "sequence_length is 4096; valid: at most 1024, the rows of its table of positions"));
  CHECK(refused_of("llama", job).empty());
  job.attention = attention_kernel::unfused;
  CHECK(says(refused_of("mamba2", job), "attention is unfused; valid: none: the model has no attention"));
  CHECK(refused_of("llama", job).empty());
  job = job_of(64, 4096);
  job.ring_attention = true;
  check_sharing(job, 4);
  check_sharing(job, 0);  // as many as a search finds
  const auto unshared = [](const training_job& of) { return refusal_of([&] { check_sharing(of, 1); }).message; };
  CHECK(says(unshared(job), "job.ring_attention is given without effect; valid: a layout with context above 1"));
  job.ring_attention = false, job.context_balanced = false;
  CHECK(says(unshared(job), "job.context_balanced is given without effect; valid: a layout with context above 1"));
  job.context_balanced = true;
  CHECK(unshared(job).empty());
  assumed_values assumed;
  assume_of_job(model_of({{"model_type", "gpt2"}}).model, job_of(8, 4096), assumed);
  REQUIRE(assumed.size() == 2);
  CHECK(assumed.front().second == "the model is made for 1,024 tokens, fewer than a sequence has");
  CHECK(assumed.back().first == "software");
}

}  // namespace ask_subject_tests
