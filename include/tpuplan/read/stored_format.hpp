#ifndef TPUPLAN_READ_STORED_FORMAT_HPP
#define TPUPLAN_READ_STORED_FORMAT_HPP

#include <algorithm>
#include <optional>
#include <tpuplan/model/serving_job.hpp>
#include <tpuplan/model/training_job.hpp>
#include <tpuplan/read/hf.hpp>

/// @file
/// The formats in which a job has the weights of a checkpoint.

namespace tpuplan {
inline namespace abi_0 {

/// Sets the format of the served weights to that of the checkpoint, but fp32 and fp16 to bf16, as vLLM does on TPUs
/// (vllm/platforms/tpu.py, read 2026-11-29), which is said, and those of parts that are not given; where a format was
/// given, that stays, and what the file says of its own format is no longer assumed. Worked: fp32 is served in bf16,
/// fp8 in fp8.
inline void use_stored_format(model_config& config, bool weights_given, serving_job& job) {
  if (!weights_given) {
    const dtype held = config.stored.weights;
    const bool is_narrowed = held == dtype::fp32 || held == dtype::fp16;
    job.weights = is_narrowed ? dtype::bf16 : held;
    if (is_narrowed)
      config.assumed.push_back({"weights", "bf16", "stored in " + std::string(name(held)) + ", served as vLLM does"});
    validate(job.weights_by_part, "job.weights_by_part");
    weight_bits& parts = job.weights_by_part;
    const weight_bits& stored = config.stored.parts;
    if (parts.attention == 0) parts.attention = stored.attention;
    if (parts.mlp == 0) parts.mlp = stored.mlp;
    if (parts.experts == 0) parts.experts = stored.experts;
    return;
  }
  const auto is_overruled = [](const assumption& each) { return each.field == "quantization_config"; };
  config.assumed.erase(std::remove_if(config.assumed.begin(), config.assumed.end(), is_overruled),
                       config.assumed.end());
}
/// Sets the format of a frozen base under adapters to the one given, or to that of the checkpoint, but fp32 to bf16; a
/// job without adapters stays as it is. Worked: with rank 16 the base of an fp8 checkpoint is fp8, and int4 where that
/// is given.
inline void use_stored_format(const model_config& config, training_job& job, const std::optional<dtype>& base = {}) {
  if (job.lora_rank == 0) return;
  if (base) {
    job.frozen_weights = *base;
    return;
  }
  job.frozen_weights = config.stored.weights == dtype::fp32 ? dtype::bf16 : config.stored.weights;
  job.frozen_by_part = config.stored.parts;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
