#ifndef TPUPLAN_READ_MAXTEXT_HPP
#define TPUPLAN_READ_MAXTEXT_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/read/maxtext/job.hpp>
#include <tpuplan/read/maxtext/keys.hpp>
#include <tpuplan/read/maxtext/log.hpp>
#include <tpuplan/read/maxtext/models.hpp>
#include <utility>
#include <vector>

/// @file
/// A MaxText configuration as a question that the estimates can answer, and a MaxText log as a measurement.
/// launch/maxtext.hpp writes the arguments of MaxText from a plan.

namespace tpuplan {
inline namespace abi_0 {

/// A training run as a MaxText configuration describes it.
struct maxtext_question {
  transformer model{};               ///< from model_name or the base_ dimensions
  training_job job{};                ///< batch, length, formats, optimizer, policy
  layout mesh{};                     ///< in devices
  slice where{};                     ///< one of the slices
  std::int64_t steps = 0;            ///< of the run; 0: not given
  maxtext_assumptions assumed;       ///< keys that the file leaves out, and what is taken
  std::vector<std::string> unused;   ///< key=value that the estimates do not use
  std::vector<std::string> skipped;  ///< keys of lists and maps over several lines
};

/// The question of a configuration on `slices` slices like `where` (0: as many as the file says). `model`, if given,
/// replaces the model of the file. Defaults are MaxText's and are listed in `assumed`. Throws, naming file, line and
/// key, for values that MaxText or the estimates do not take, for axes that do not multiply to the slice, and for
/// models that are not in the tables. Worked: per_device_batch_size 4 and the default ici_fsdp_parallelism of -1 on
/// v6e-256 are 1024 sequences with fsdp 256. Source: MaxText base.yml, types.py: sequences = per_device_batch_size x
/// devices, truncated, x gradient_accumulation_steps.
[[nodiscard]] inline maxtext_question read_maxtext(maxtext_keys keys, const slice& where, std::int64_t slices = 0,
                                                   const transformer* model = nullptr) {
  detail::maxtext_reader from(keys);
  maxtext_question result;
  result.where = where;
  if (model != nullptr) {
    validate(*model);
    result.model = *model;
  } else {
    result.model = detail::maxtext_model_of(from, result.assumed);
  }
  detail::refuse_maxtext_work(from);
  training_job& job = result.job;
  result.mesh = detail::maxtext_mesh(from, where, slices);
  job.sequence_length = from.count_or("max_target_length", 2048, 1);
  if (!from.has("max_target_length")) result.assumed.emplace_back("max_target_length", "2048, MaxText's own");
  job.gradient_accumulation = from.count_or("gradient_accumulation_steps", 1, 1);
  const double each = from.number_or("per_device_batch_size", 12);
  if (!from.has("per_device_batch_size")) result.assumed.emplace_back("per_device_batch_size", "12, MaxText's own");
  const std::int64_t device_total = checked_multiply(devices(where), tpuplan::slices(result.mesh));
  const double sequences = std::floor(each * static_cast<double>(device_total));
  if (!(sequences >= 1 && sequences <= 9007199254740992.0))
    detail::fail(errc::out_of_range, from.place("per_device_batch_size"), each,
                 "one sequence or more over " + std::to_string(device_total) + " devices");
  job.global_batch = checked_multiply(static_cast<std::int64_t>(sequences), job.gradient_accumulation);
  job.vocabulary_tiles = from.count_or("num_vocab_tiling", 1, 1);
  if (has_experts(result.model)) {
    const double capacity = from.number_or("capacity_factor", -1);
    const bool drops = !from.flag_or("sparse_matmul", true);
    if (capacity > 0 && drops) job.capacity_factor = capacity;
    if (capacity <= 0 && drops) {
      job.capacity_factor = static_cast<double>(result.model.moe.experts) / static_cast<double>(result.model.moe.top_k);
      result.assumed.emplace_back("sparse_matmul", "false without a capacity_factor: each expert computes each token");
    }
    if (capacity > 0 && !drops)
      result.assumed.emplace_back("capacity_factor", "without effect: with sparse_matmul no token is dropped");
  }
  detail::fill_maxtext_formats(job, from, result.assumed);
  job.remat = detail::maxtext_remat_of(from, result.model, result.assumed);
  detail::fill_maxtext_pipeline(job, from, result.model, result.mesh);
  const std::int64_t steps = from.count_or("steps", 0, -1);
  if (steps > 0) result.steps = steps;
  if (from.has("base_config"))
    result.assumed.emplace_back("base_config",
                                from.word_or("base_config", "") + " is not read: MaxText's own stands for it");
  validate(job);
  validate(result.mesh, result.model, job);
  result.unused = from.unread();
  result.skipped = std::move(keys.skipped);
  return result;
}

/// The text of a file, byte by byte. Throws `errc::malformed_input`, naming the path, for a file that cannot be read
/// and for one of more than `most` bytes. Worked: a file with "steps: 3" and the end of a line has 9 characters.
[[nodiscard]] inline std::string read_maxtext_file(const std::string& path,
                                                   std::size_t most = detail::most_maxtext_bytes) {
  std::ifstream file(path, std::ios::binary);
  if (!file) detail::fail(errc::malformed_input, "file", path, "a file that can be read");
  std::string characters;
  for (char block[65536]; file;) {
    file.read(block, sizeof(block));
    characters.append(block, static_cast<std::size_t>(file.gcount()));
    if (characters.size() > most)
      detail::fail(errc::malformed_input, path, "longer", "a file of at most " + std::to_string(most >> 20) + " MiB");
  }
  if (file.bad()) detail::fail(errc::malformed_input, "file", path, "a file that can be read, not a folder");
  return characters;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif
