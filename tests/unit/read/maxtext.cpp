// MaxText configurations read back: what the writer of launch makes of jobs and layouts, what people write, and what
// is refused; and logs as measurements.
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <tpuplan/launch.hpp>
#include <tpuplan/read/maxtext.hpp>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace read_maxtext_tests {

namespace {

maxtext_question asked(std::string_view file, std::string_view slice_name = "v6e-256", std::int64_t slices = 0,
                       const std::vector<std::string>& arguments = {}) {
  maxtext_keys keys = read_maxtext_keys(file, "config.yml");
  for (const std::string& one : arguments) add_maxtext_argument(keys, one);
  return read_maxtext(std::move(keys), slice_for(slice_name), slices);
}

bool lists(const std::vector<std::string>& list, std::string_view wanted) {
  for (const std::string& one : list) {
    if (one == wanted) return true;
  }
  return false;
}

bool assumes(const maxtext_question& q, std::string_view key) {
  for (const auto& [name, value] : q.assumed) {
    if (name == key) return true;
  }
  return false;
}

/// A draw of one of some values.
template <class T>
T one_of(std::mt19937& random, std::initializer_list<T> values) {
  return *(values.begin() + static_cast<std::ptrdiff_t>(random() % values.size()));
}

}  // namespace

TEST_CASE("jobs and layouts survive the way through MaxText's arguments") {
  std::mt19937 random(14);
  int read = 0;
  for (int i = 0; i < 4000; ++i) {
    launch_request request;
    request.name = "run";
    request.where = slice_for(one_of<const char*>(random, {"v6e-64", "v5p-128", "v5e-256", "tpu7x-128"}));
    request.slices = one_of<std::int64_t>(random, {1, 2, 4});
    maxtext_run run;
    layout& mesh = run.mesh;
    mesh.tensor = one_of<std::int64_t>(random, {1, 1, 2, 4});
    mesh.expert = one_of<std::int64_t>(random, {1, 1, 8});
    mesh.context = one_of<std::int64_t>(random, {1, 1, 2});
    mesh.pipeline = one_of<std::int64_t>(random, {1, 1, 2});
    mesh.data = one_of<std::int64_t>(random, {1, 1, 2});
    const std::int64_t others = mesh.tensor * mesh.expert * mesh.context * mesh.pipeline * mesh.data;
    if (devices(request.where) % others != 0) continue;
    mesh.fsdp = devices(request.where) / others;
    (random() % 2 == 0 ? mesh.dcn_data : mesh.dcn_fsdp) = request.slices;
    training_job& job = run.job;
    job.gradient_accumulation = one_of<std::int64_t>(random, {1, 2});
    job.global_batch = batch_shards(mesh) * job.gradient_accumulation * one_of<std::int64_t>(random, {1, 3, 8});
    job.sequence_length = one_of<std::int64_t>(random, {2048, 8192});
    job.compute = one_of(random, {dtype::bf16, dtype::int8, dtype::fp32});
    job.weights = job.moments = one_of(random, {dtype::fp32, dtype::bf16});
    job.vocabulary_tiles = one_of<std::int64_t>(random, {1, 8});
    job.capacity_factor = one_of<double>(random, {1, 1.25});
    job.attention = one_of(random, {attention_kernel::flash, attention_kernel::unfused});
    job.state_on_host = one_of(random, {host_state::none, host_state::optimizer, host_state::parameters_and_optimizer});
    if (mesh.pipeline > 1) {
      job.pipeline_microbatches = one_of<std::int64_t>(random, {2, 8});
      job.pipeline_rounds = one_of<std::int64_t>(random, {1, 2});
    }
    job.remat = remat_policies[random() % std::size(remat_policies)].policy;
    if (random() % 4 == 0) {
      job.remat = {};
      for (placement* tensor :
           {&job.remat.qkv, &job.remat.context, &job.remat.out_proj, &job.remat.mlp_up, &job.remat.mlp_down}) {
        *tensor = one_of(random, {placement::recompute, placement::device, placement::host});
      }
      job.remat.layer_input = one_of(random, {placement::device, placement::host});
      job.remat.attention_again = job.remat.context == placement::recompute;
    }
    if (i % 5 == 0) job.optimizer = optimizer_kind::sgd;
    run.layers = 32;
    run.steps = one_of<std::int64_t>(random, {0, 100});
    run.extra = {"model_name=mixtral-8x7b"};
    if (!batch_divides(mesh, job.global_batch, job.gradient_accumulation)) continue;
    maxtext_keys keys;
    for (const std::string& argument : maxtext_arguments(request, run)) add_maxtext_argument(keys, argument);
    const maxtext_question back = read_maxtext(std::move(keys), request.where, request.slices);
    ++read;
    INFO(i);
    CHECK(back.mesh.data == mesh.data);
    CHECK(back.mesh.fsdp == mesh.fsdp);
    CHECK(back.mesh.tensor == mesh.tensor);
    CHECK(back.mesh.expert == mesh.expert);
    CHECK(back.mesh.context == mesh.context);
    CHECK(back.mesh.pipeline == mesh.pipeline);
    CHECK(back.mesh.dcn_data == mesh.dcn_data);
    CHECK(back.mesh.dcn_fsdp == mesh.dcn_fsdp);
    CHECK(back.job.global_batch == job.global_batch);
    CHECK(back.job.gradient_accumulation == job.gradient_accumulation);
    CHECK(back.job.sequence_length == job.sequence_length);
    CHECK(back.job.compute == job.compute);
    CHECK(back.job.weights == job.weights);
    CHECK(back.job.moments == job.moments);
    CHECK(back.job.optimizer == job.optimizer);
    CHECK(back.job.vocabulary_tiles == job.vocabulary_tiles);
    CHECK(back.job.capacity_factor == job.capacity_factor);
    CHECK(back.job.attention == job.attention);
    CHECK(back.job.state_on_host == job.state_on_host);
    CHECK(back.job.pipeline_microbatches == job.pipeline_microbatches);
    CHECK(back.job.pipeline_rounds == job.pipeline_rounds);
    CHECK(back.job.remat == job.remat);
    CHECK(back.steps == run.steps);
  }
  CHECK(read > 2000);
}

TEST_CASE("a configuration as people write it") {
  const maxtext_question q = asked(R"(# a run of ours
base_config: "base.yml"
model_name: "llama3.1-70b"
per_device_batch_size: 2.0
max_target_length: 8_192     # tokens
ici_fsdp_parallelism: -1
ici_tensor_parallelism: 4
dcn_data_parallelism: 2
remat_policy: 'custom'
decoder_layer_input: offload
query_proj: 'offload'
key_proj: 'offload'
value_proj: 'offload'
out_proj: device
weight_dtype: "bfloat16"
opt_type: "adam_pax"
num_vocab_tiling: 8
attention: 'flash'
sa_block_q: 2048
dataset_path: gs://bucket/c4
logical_axis_rules: [
                      ['activation_batch', ['data', 'fsdp']],
                      ['embed', 'fsdp'],
                    ]
xprof_options:
  host: 2
goodput: {a: 1}
)");
  CHECK(q.model.name == "llama3.1-70b");
  CHECK(parameters(q.model).total == 70553706496);
  CHECK(q.mesh.fsdp == 64);
  CHECK(q.mesh.tensor == 4);
  CHECK(q.mesh.dcn_data == 2);
  CHECK(q.job.global_batch == 1024);
  CHECK(q.job.sequence_length == 8192);
  CHECK(q.job.weights == dtype::bf16);
  CHECK(q.job.moments == dtype::bf16);
  CHECK(q.job.vocabulary_tiles == 8);
  CHECK(q.job.remat.layer_input == placement::host);
  CHECK(q.job.remat.qkv == placement::host);
  CHECK(q.job.remat.out_proj == placement::device);
  CHECK(q.job.remat.context == placement::recompute);
  CHECK(lists(q.unused, "sa_block_q=2048"));
  CHECK(lists(q.unused, "dataset_path=gs://bucket/c4"));
  CHECK(lists(q.unused, "goodput={a: 1}"));
  CHECK_FALSE(lists(q.unused, "remat_policy=custom"));
  CHECK(q.skipped == std::vector<std::string>{"logical_axis_rules", "xprof_options"});
  CHECK(assumes(q, "base_config"));
  CHECK(assumes(q, "opt_type"));
  CHECK_FALSE(assumes(q, "max_target_length"));
}

TEST_CASE("one repeat of a pipeline is one, and tensors of experts are those of a model without dense MLPs") {
  const std::vector<std::string> stages = {"ici_pipeline_parallelism=4", "num_layers_per_pipeline_stage=4",
                                           "per_device_batch_size=4"};
  const auto with = [&](const char* repeats) {
    std::vector<std::string> all = stages;
    all.emplace_back(repeats);
    return asked("model_name: llama2-7b\n", "v5p-128", 0, all);
  };
  CHECK(with("num_pipeline_repeats=2").job.pipeline_rounds == 2);
  CHECK(with("num_pipeline_repeats=-1").job.pipeline_rounds == 2);
  CHECK(says(refusal_of([&] { (void)with("num_pipeline_repeats=1"); }).message, "num_layers_per_pipeline_stage"));
  const maxtext_question experts =
      asked("model_name: mixtral-8x7b\nper_device_batch_size: 1\nremat_policy: custom\n", "v5p-128", 0,
            {"moe_mlpwi_0=device", "moe_mlpwi_1=device", "moe_mlpwo=offload"});
  CHECK(experts.job.remat.mlp_up == placement::device);
  CHECK(experts.job.remat.mlp_down == placement::host);
}

TEST_CASE("arguments stand above the file, and defaults are MaxText's") {
  maxtext_keys keys = read_maxtext_keys("a: 1\n", "config.yml");
  CHECK(keys.values.at("a").value == "1");
  add_maxtext_argument(keys, "a=2");
  CHECK(keys.values.at("a").value == "2");
  const maxtext_question q = asked("model_name: llama2-7b\nper_device_batch_size: 4\n", "v5p-128", 0,
                                   {"per_device_batch_size=0.5", "ici_tensor_parallelism=2", "remat_policy=minimal"});
  CHECK(q.job.global_batch == 32);
  CHECK(q.job.remat == remat::minimal);
  CHECK(q.job.sequence_length == 2048);
  CHECK(assumes(q, "max_target_length"));
  CHECK(q.mesh.fsdp == 32);
  CHECK(parameters(q.model).total == 6738415616);
  const maxtext_question own = asked(
      "decoder_block: mixtral\nbase_emb_dim: 4096\nbase_mlp_dim: 14336\nnum_experts: 8\nnum_experts_per_tok: 2\n"
      "base_num_decoder_layers: 32\nbase_num_query_heads: 32\nbase_num_kv_heads: 8\n"
      "head_dim: 128\nvocab_size: 32000\nper_device_batch_size: 1\n");
  CHECK(parameters(own.model).total == 46702792704);  // Mixtral 8x7B
  CHECK(own.model.moe.expert_d_ff == 14336);
  const maxtext_question latent = asked("model_name: deepseek3-671b\nper_device_batch_size: 1\n");
  CHECK(parameters(latent.model).total == 671026419200);  // with the biases of 58 routers
  CHECK(asked("model_name: gemma2-9b\nper_device_batch_size: 1\n").model.attention.local_layers == 21);
  CHECK(asked("model_name: qwen3-8b-base\nper_device_batch_size: 1\n").model.d_model == 4096);
}

TEST_CASE("comments, quotes and values over several lines") {
  const auto value = [](const std::string& line) {
    return read_maxtext_keys(line + "\nsteps: 5\t# five\n", "config.yml").values.at("run_name").value;
  };
  CHECK(value("run_name: a#b") == "a#b");
  CHECK(value("run_name: a # b") == "a");
  CHECK(value("run_name: a\t# b") == "a");
  CHECK(value("run_name: \"a # b\"") == "a # b");
  CHECK(value("run_name: 'a # b'") == "a # b");
  CHECK(value("run_name: it's # b") == "it's");
  CHECK(value("# run_name: b\nrun_name: a") == "a");
  CHECK(read_maxtext_keys("steps: 5\t# five\n", "config.yml").values.at("steps").value == "5");
  const maxtext_keys several = read_maxtext_keys("axes: [['a', 'b'],\n  ['c']]\nsteps: 5\n", "config.yml");
  CHECK(several.skipped == std::vector<std::string>{"axes"});
  CHECK(several.values.at("steps").value == "5");
  for (const char* block : {"|", ">", "|-", ">-"}) {  // text of several lines has no value that is read
    CAPTURE(block);
    const maxtext_keys text = read_maxtext_keys(std::string("prompt: ") + block + "\n  some text\nsteps: 5\n", "c.yml");
    CHECK(text.values.count("prompt") == 0);
    CHECK(text.values.at("steps").value == "5");
  }
  CHECK(says(refusal_of([] { (void)read_maxtext_keys("axes: [1,\nsteps: 5\n", "config.yml"); }).message, "bracket"));
  const auto type = [](const char* model, const char* attention) {
    return refusal_of([&] {
      (void)asked(std::string("model_name: ") + model + "\nper_device_batch_size: 1\n", "v5p-128", 0,
                  {std::string("attention_type=") + attention, "override_model_config=true"});
    });
  };
  CHECK_FALSE(type("gemma2-9b", "local_sliding").refused);
  CHECK_FALSE(type("gemma2-9b", "global").refused);
  CHECK_FALSE(type("deepseek3-671b", "mla").refused);
  CHECK(says(type("gemma2-9b", "mla").message, "attention_type is mla"));
  CHECK(says(type("llama2-7b", "local_sliding").message, "attention_type is local_sliding"));
}

TEST_CASE("a model_name decides the dimensions") {
  const std::string file = "base_emb_dim: 2048\nlogits_via_embedding: true\nper_device_batch_size: 1\n";
  const maxtext_question named = asked(file, "v6e-256", 0, {"model_name=llama3.1-8b"});
  CHECK(parameters(named.model).total == 8030261248);
  CHECK(lists(named.unused, "base_emb_dim=2048"));
  const refusal against = refusal_of([&] {
    (void)asked(file, "v6e-256", 0, {"model_name=llama3.1-8b", "base_num_decoder_layers=4"});
  });
  CHECK(says(against.message, "argument: base_num_decoder_layers is 4; valid: override_model_config=true"));
  const maxtext_question cut =
      asked(file, "v6e-256", 0, {"model_name=llama3.1-8b", "base_num_decoder_layers=4", "override_model_config=true"});
  CHECK(cut.model.layers == 4);
  CHECK(cut.model.d_model == 4096);
}

TEST_CASE("every model of the table is one that can be counted") {
  for (const detail::maxtext_model& one : detail::maxtext_models) {
    INFO(std::string(one.name));
    const maxtext_question q = asked("model_name: " + std::string(one.name) + "\nper_device_batch_size: 1\n");
    const double total = static_cast<double>(parameters(q.model).total);
    const std::string size(one.name.substr(one.name.find_first_of("0123456789", one.name.find('-'))));
    double named = std::strtod(size.c_str(), nullptr) * 1e9;
    for (const auto& [name, billions] : {std::pair<std::string_view, double>{"llama4-17b-16e", 108},
                                         {"llama4-17b-128e", 400},
                                         {"mixtral-8x7b", 46.7},
                                         {"mixtral-8x22b", 141},
                                         {"kimi-k2-1t", 1026}}) {
      if (one.name == name) named = billions * 1e9;
    }
    CHECK(total > 0.75 * named);  // "gemma-2b" has 2.5e9 parameters, "gemma-7b" 8.5e9
    CHECK(total < 1.35 * named);
  }
}

TEST_CASE("configurations that cannot be right are refused by file, line and key") {
  struct wrong {
    std::string file;
    errc code;
    std::string_view part;
  };
  const std::string llama = "model_name: llama3.1-8b\nper_device_batch_size: 1\n";
  const wrong cases[] = {
      {llama + "remat_policy: most\n", errc::unknown_name,
       "config.yml line 3: remat_policy is most; valid: custom, full"},
      {llama + "remat_policy: custom\ncontext: hbm\n", errc::unknown_name, "context is hbm; valid: remat, device, off"},
      {llama + "remat_policy: custom\ndecoder_layer_input: remat\n", errc::unknown_name, "valid: device, offload"},
      {llama + "ici_tensor_parallelism: 3\n", errc::invalid_argument, "product of the axes of a slice, whose devices"},
      {llama + "ici_fsdp_parallelism: 8\n", errc::invalid_argument, "is 8; valid: 256"},
      {llama + "ici_tensor_parallelism: -1\n", errc::invalid_argument, "ici_fsdp_parallelism is -1 already"},
      {llama + "ici_tensor_parallelism: 0\n", errc::invalid_argument, "-1, or a degree from 1 on"},
      {llama + "dcn_data_parallelism: 2\nnum_slices: 3\n", errc::invalid_argument, "axes of the slices is 2; valid: 3"},
      {llama + "ici_sequence_parallelism: 2\n", errc::unsupported, "ici_sequence_parallelism is 2"},
      {llama + "dcn_tensor_parallelism: 2\n", errc::unsupported, "dcn_tensor_parallelism is 2"},
      {llama + "max_target_length: nan\n", errc::malformed_input, "max_target_length is nan; valid: a finite number"},
      {llama + "max_target_length: 1e999\n", errc::malformed_input, "a finite number"},
      {llama + "max_target_length: 4096.5\n", errc::malformed_input, "a whole number from 1 on"},
      {llama + "max_target_length: -1\n", errc::invalid_argument, "max_target_length is -1"},
      {llama + "max_target_length: *length\n", errc::malformed_input, "max_target_length is *length"},
      {llama + "quantization: int3\n", errc::unknown_name, "quantization is int3; valid: int8, fp8, fp8_full"},
      {llama + "weight_dtype: bf16\n", errc::unknown_name, "valid: float32, bfloat16, float16"},
      {llama + "opt_type: muon\n", errc::unknown_name, "opt_type is muon; valid: adamw, adam_pax"},
      {llama + "attention: cudnn_flash_te\n", errc::unknown_name, "valid: autoselected, flash, dot_product"},
      {llama + "parameter_memory_host_offload: true\n", errc::unsupported, "optimizer_memory_host_offload=true"},
      {llama + "optimizer_memory_host_offload: yes\n", errc::malformed_input, "true or false"},
      {llama + "model_name: llama2-7b\n", errc::invalid_argument, "line 3 is model_name; valid: each key once"},
      {llama + "gradient_accumulation_steps: 0\n", errc::invalid_argument, "a whole number from 1 on"},
      {llama + "ici_pipeline_parallelism: 2\nnum_layers_per_pipeline_stage: 5\n", errc::not_divisible, "= 32 layers"},
      {llama + "ici_expert_parallelism: 2\n", errc::invalid_argument, "layout.expert is 2"},
      {"model_name: llama3.1-8b\nper_device_batch_size: 0.001\n", errc::out_of_range, "one sequence or more over 256"},
      {"model_name: llama3.1-8b\nper_device_batch_size: -1\n", errc::out_of_range, "per_device_batch_size is -1"},
      {"model_name: llama3.1-8b\nper_device_batch_size: 0.5\n", errc::not_divisible, "global_batch is 128"},
      {"model_name: llama9-8b\n", errc::unknown_name, "llama9-8b; valid: llama2-7b, "},
      {"per_device_batch_size: 1\n", errc::missing_field, "model_name is default; valid: a model_name such as"},
      {"base_emb_dim: 4096\ndecoder_block: qwen3_next\n", errc::unsupported, "decoder_block is qwen3_next"},
      {"base_emb_dim: 0\n", errc::invalid_argument, "base_emb_dim is 0"},
      {"base_emb_dim: 4096\nglobal_parameter_scale: 2\n", errc::unsupported, "global_parameter_scale is 2"},
      {"steps 10\n", errc::malformed_input, "config.yml line 1 is steps 10; valid: key: value"},
      {"  steps: 10\n", errc::malformed_input, "a line that starts with a key"},
      {"a:1\n", errc::malformed_input, "key: value"},
      {"model_name: \"llama\n", errc::malformed_input, "a quoted text that ends"},
      {"rules: [\n  ['a', 'b'],\n", errc::malformed_input, "a bracket that stays open"},
      {std::string("model_name: a\0b\n", 16), errc::malformed_input, "a control character"},
      {"model_name: \x1b[31m\n", errc::malformed_input, "a control character"},
      {std::string(std::size_t{5} << 20, 'a'), errc::malformed_input, "at most 4 MiB"}};
  for (const wrong& one : cases) {
    const refusal got = refusal_of([&] { (void)asked(one.file); });
    INFO(one.file.substr(0, 200) << " : " << got.message);
    CHECK(got.refused);
    CHECK(got.code == one.code);
    CHECK(says(got.message, one.part));
  }
  for (const char* argument : {"remat_policy", "=full", "a b=1", "--steps=3", "steps=\x01"}) {
    maxtext_keys keys;
    CHECK(refusal_of([&] { add_maxtext_argument(keys, argument); }).refused);
  }
  maxtext_keys cut;
  CHECK(says(refusal_of([&] { add_maxtext_argument(cut, std::string_view("steps=3\0", 8)); }).message,
             "text without control characters"));
  maxtext_keys twice;
  add_maxtext_argument(twice, "steps=3");
  CHECK(says(refusal_of([&] { add_maxtext_argument(twice, "steps=4"); }).message, "each key once"));
}

TEST_CASE("a file is read byte by byte, up to a size") {
  const std::string path = (std::filesystem::temp_directory_path() / "tpuplan_maxtext_test.yml").string();
  std::ofstream{path, std::ios::binary} << "steps: 3\n";
  CHECK(read_maxtext_file(path) == "steps: 3\n");
  CHECK(read_maxtext_file(path).size() == 9);
  CHECK(says(refusal_of([&] { (void)read_maxtext_file(path, 8); }).message, "longer"));
  std::filesystem::remove(path);
  CHECK(says(refusal_of([&] { (void)read_maxtext_file(path); }).message, "a file that can be read"));
}

TEST_CASE("a log is a measurement") {
  std::string log =
      "I0101 train.py:1] Memstats: After params initialized:\n\tUsing (GB) 10.5 / 31.25 (33.6%) on TPU_0\n"
      "RAMstats: x:\n\tUsing (GB) 99.0 / 440.0 (22.5%) -->  Available:300.1\n"
      "Total estimated memory size: 24.5 GB, estimated output size: 10.0 GB, estimated temp size: 14.0 GB, "
      "estimated argument size: 10.5 GB, Estimated host temp size: 0.0 GB.\n";
  const double times[] = {40, 2, 2, 2, 2, 4.0, 4.2};
  for (int i = 0; i < 7; ++i) {
    char line[200];
    std::snprintf(line, sizeof(line),
                  "I0101 10:00:%02d.1 metric_logger.py:181] completed step: %d, seconds: %.3f, TFLOP/s/device: 400.0, "
                  "Tokens/s/device: %.3f, total_weights: 65536, loss: 10.1\n",
                  i, i, times[i], 8192 / times[i]);
    log += line;
  }
  const maxtext_log read = read_maxtext_log(log, "run.log");
  CHECK(read.steps == 7);
  CHECK(read.warm_up == 5);
  CHECK(close(read.step.value(), 4.1));
  CHECK(close(read.tokens_per_device, 8192, 1e-3));
  CHECK(close(in_gib(read.compiled), 24.5));
  CHECK(close(in_gib(read.in_use), 10.5));
  const std::string again = log +
                            "completed step: 6, seconds: 9.0, loss: 1\ncompleted step: 5, seconds: 3.9, loss: 1\n"
                            "[Rampup Batch Size Phase], completed step: 7, seconds: 1.0, loss: 1\n"
                            "completed profiler activation/deactivation step: 8, loss: nan\n";
  CHECK(close(read_maxtext_log(again, "run.log").step.value(), (3.9 + 4.2) / 2));
  CHECK(close(read_maxtext_log(log, "run.log", {1}).step.value(), 2));
  CHECK(close(read_maxtext_log(log, "run.log", {6}).step.value(), 4.2));
}

TEST_CASE("logs that measure nothing are refused by line") {
  const auto says_of = [](std::string_view log) {
    return refusal_of([&] { (void)read_maxtext_log(log, "run.log"); }).message;
  };
  CHECK(says(says_of(""), "run.log: completed steps is 0; valid: more than the 5"));
  CHECK(says(says_of("completed step: 1, seconds: 2.0\n"), "completed steps is 1"));
  CHECK(says(says_of("\ncompleted step: 1, seconds: nan, loss: 1\n"), "run.log line 2: seconds:  is nan"));
  CHECK(says(says_of("completed step: one, seconds: 1.0\n"), "completed step:  is one"));
  CHECK(says(says_of("completed step: 1, seconds: 0\n"), "seconds is 0; valid: a time of"));
  CHECK(says(says_of("completed step: 1, seconds: 1e300\n"), "valid: a time of"));
  CHECK(says(says_of("completed step: 1, seconds: -3\n"), "a number of 0 or more"));
  CHECK(says(says_of("Total estimated memory size: x GB\n"), "a number of 0 or more"));
}

TEST_CASE("a file that is too long is told how long it may be, and a digit is part of a key") {
  const std::string path = (std::filesystem::temp_directory_path() / "tpuplan_maxtext_long.yml").string();
  std::ofstream{path, std::ios::binary} << std::string((std::size_t{1} << 20) + 1, ' ');
  CHECK(read_maxtext_file(path, (std::size_t{1} << 20) + 1).size() == (std::size_t{1} << 20) + 1);
  CHECK(says(refusal_of([&] { (void)read_maxtext_file(path, std::size_t{1} << 20); }).message, "at most 1 MiB"));
  std::filesystem::remove(path);
  for (const char* key : {"a9", "a0", "z_", "Az"}) CHECK(detail::is_maxtext_key(key));
  for (const char* key : {"9a", "0a", "a-b", "a:", "a/", "a`", "a{", ""}) CHECK_FALSE(detail::is_maxtext_key(key));
}

TEST_CASE("the spread of a log is half of what two thirds of its steps are within") {
  std::string log;
  for (int step = 0; step < 5; ++step) log += "completed step: " + std::to_string(step) + ", seconds: 50, loss: 1\n";
  for (int step = 0; step < 7; ++step)
    log += "completed step: " + std::to_string(step + 5) + ", seconds: " + std::to_string(1.0 + step) + ", loss: 1\n";
  // Steps of 1 to 7 s: the middle is 4, a sixth of the way from first to last is 2, five sixths are 6.
  const maxtext_log read = read_maxtext_log(log, "run.log");
  CHECK(read.step == 4_s);
  CHECK(close(read.spread, 0.5));
}

TEST_CASE("small sizes and defaults of MaxText are taken as they are") {
  const std::string llama =
      "decoder_block: llama2\nbase_emb_dim: 1024\nbase_num_query_heads: 8\nbase_num_kv_heads: 8\n"
      "base_mlp_dim: 2048\nhead_dim: 128\nvocab_size: 32000\nper_device_batch_size: 1\n";
  CHECK(asked(llama + "base_num_decoder_layers: 1\n").model.layers == 1);
  const maxtext_question stages = asked(llama +
                                        "base_num_decoder_layers: 8\nici_pipeline_parallelism: 4\n"
                                        "ici_fsdp_parallelism: 64\n");
  CHECK(stages.job.pipeline_rounds == 2);  // stages of one layer each
  CHECK(stages.job.pipeline_microbatches == 4);
  std::string experts = llama + "base_num_decoder_layers: 2\nnum_experts: 8\nnum_experts_per_tok: 2\n";
  experts.replace(experts.find("llama2"), 6, "mixtral");
  CHECK(asked(experts + "capacity_factor: 1.0\n").job.capacity_factor == 1);
  CHECK(asked(experts + "capacity_factor: 0.5\nsparse_matmul: false\n").job.capacity_factor == 0.5);
  CHECK(asked(experts + "capacity_factor: 0.5\n").job.capacity_factor == 1);  // MaxText drops none by default
  CHECK(asked(experts + "sparse_matmul: false\n").job.capacity_factor > 1);   // each expert computes each token
  for (const char* other : {"use_dpo: true\n", "use_distillation: true\n", "use_multimodal: true\n", "lora_rank: 16\n"})
    CHECK(says(refusal_of([&] { (void)asked(experts + other); }).message, "valid: "));
  CHECK(asked(experts + "use_dpo: false\nlora_rank: 0\n").unused.empty());
}

TEST_CASE("a block has the parts that its code builds, whatever keys say") {
  const auto file = [](const std::string& block, const std::string& more) {
    return "decoder_block: " + block +
           "\nbase_emb_dim: 1024\nbase_num_decoder_layers: 2\nbase_mlp_dim: 2048\nper_device_batch_size: 1\n" + more;
  };
  const auto refused = [&](const std::string& block, const std::string& more) {
    return refusal_of([&] { (void)asked(file(block, more)); }).message;
  };
  const std::string experts = "num_experts: 8\nnum_experts_per_tok: 2\nbase_moe_mlp_dim: 2048\n";
  for (const detail::maxtext_block& block : detail::maxtext_blocks) {
    INFO(std::string(block.name));
    const std::string name(block.name);
    const bool windows = detail::maxtext_local_layers(block.name, 8) > 0;
    const std::string window = windows ? "sliding_window_size: 128\n" : "";
    const std::string more = window + (block.experts ? experts : std::string());
    const maxtext_question q = asked(file(name, more + "use_qk_norm: true\nattention_bias: true\n"));
    CHECK(has_experts(q.model) == block.experts);
    CHECK(q.model.attention.qk_norm == (block.qk_norm != detail::block_part::never));
    CHECK(q.model.attention.qkv_bias == (block.qkv_bias != detail::block_part::never));
    CHECK(q.model.attention.output_bias == (block.output_bias != detail::block_part::never));
    CHECK(lists(q.unused, "use_qk_norm=true") == (block.qk_norm != detail::block_part::by_key));
    const transformer plain = asked(file(name, more)).model;  // base.yml: neither norms nor biases
    CHECK(plain.attention.qk_norm == (block.qk_norm == detail::block_part::in_all));
    CHECK(plain.norms_per_layer == 2);
    if (!block.experts) {
      CHECK(says(refused(name, more + experts), "num_experts is 8; valid: 1: MaxText's " + name + " layers (models/"));
    } else {
      CHECK(says(refused(name, window), "num_experts is 1; valid: 2 or more: MaxText's " + name));
    }
  }
  CHECK(says(refused("llama2", "attention_type: local_sliding\n"), "attention_type is local_sliding; valid: global"));
  CHECK(says(refused("llama2", "partial_rotary_factor: 0.75\n"), "partial_rotary_factor is 0.75; valid: 1"));
  CHECK(asked(file("qwen3", "mtp_num_layers: 1\n")).model.prediction_layers == 1);
}

}  // namespace read_maxtext_tests
