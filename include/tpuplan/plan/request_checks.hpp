#ifndef TPUPLAN_PLAN_REQUEST_CHECKS_HPP
#define TPUPLAN_PLAN_REQUEST_CHECKS_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tpuplan/plan/plan.hpp>
#include <tpuplan/plan/search.hpp>
#include <vector>

/// @file
/// What no search of a plan of training answers: each field that is refused, by its name.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

inline void check_batch_tokens(std::string_view field, double tokens) {
  in_range(field, not_negative(field, tokens), 0, 1e18, "0 to 1e18 tokens");
}
/// Refuses a range of batches with one end, or none within it.
inline void check_range(const plan_request& request) {
  check_batch_tokens("plan.smallest_batch_tokens", request.smallest_batch_tokens);
  check_batch_tokens("plan.largest_batch_tokens", request.largest_batch_tokens);
  if ((request.smallest_batch_tokens > 0) != (request.largest_batch_tokens > 0))
    fail(errc::missing_field, "plan.largest_batch_tokens", request.largest_batch_tokens, "both ends of the range");
  if (request.smallest_batch_tokens > request.largest_batch_tokens) {
    fail(errc::invalid_argument, "plan.smallest_batch_tokens", request.smallest_batch_tokens,
         "at most plan.largest_batch_tokens");
  }
}

inline void check_degrees(const plan_request& request) {
  const fixed_degrees& d = request.degrees;
  const std::int64_t degrees[] = {d.data,     d.fsdp,     d.tensor,   d.expert,      d.context,
                                  d.pipeline, d.dcn_data, d.dcn_fsdp, d.dcn_pipeline};
  for (std::size_t i = 0; i < 9; ++i) {
    text<48> field{"plan.degrees."};
    field.append(std::string_view{degree_names[i]}.substr(7));
    check_count(field.view(), degrees[i], most_devices, "0 (chosen) to 1048576");
  }
  if (d.expert > 1 && !has_experts(request.model))
    fail(errc::invalid_argument, "plan.degrees.expert", d.expert, "1 or 0 for a model without experts");
  for (const std::size_t i : {4U, 5U, 8U}) {  // shards of a sequence, and stages
    if (degrees[i] <= 1 || !has_two_stacks(request.model)) continue;
    fail(errc::unsupported, text<48>{"plan.degrees."}.append(std::string_view{degree_names[i]}.substr(7)).view(),
         degrees[i], "1 or 0 for a model with an encoder and a decoder");
  }
}

/// Refuses a region that neither the prices of a request nor the built-in ones have: a quota may be of a region that is
/// not asked for.
inline void check_quota_region(const price_book& prices, const std::string& region) {
  const price_book built_in;
  for (std::size_t i = 0; i < built_in.size(); ++i) {
    if (same_name(built_in.row(i).region, region)) return;
  }
  check_region("plan.quotas.region", prices, region);
}

/// Refuses two rows for the same chips: whether both hold, or the larger alone, only their writer knows.
inline void check_quotas(const plan_request& request) {
  const std::vector<quota_row>& rows = request.quotas;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const text<24> chip = chip_named(request, "plan.quotas.generation", rows[i].generation);
    check_quota_region(request.prices, rows[i].region);
    count_from("plan.quotas.chips", rows[i].chips, 0);
    for (std::size_t other = 0; other < i; ++other) {
      if (rows[other].kind != rows[i].kind || !same_name(rows[other].region, rows[i].region) ||
          chip_named(request, "plan.quotas.generation", rows[other].generation) != chip)
        continue;
      text<160> both{"chips of "};
      both.append(chip).append(" in ").append(std::string_view{rows[i].region}.substr(0, 32)).append(" on ");
      both.append(name(rows[i].kind)).append(": ").append(rows[other].chips).append(" in row ");
      both.append(static_cast<std::int64_t>(other) + 1).append(", ").append(rows[i].chips).append(" in row ");
      both.append(static_cast<std::int64_t>(i) + 1);
      fail(errc::invalid_argument, "plan.quotas", both.view(), "one row for a generation, region and way of paying");
    }
  }
}

inline void check_request(const plan_request& request) {
  training_job job = request.job;
  check_range(request);
  if (request.largest_batch_tokens > 0) job.global_batch = 1;
  job.gradient_accumulation = 1;
  (void)parameters(request.model);
  validate(job);
  check_trained_model(request.model);
  (void)source_length(request.model, job);
  check_images(request.model, job);
  in_range("plan.tokens", request.tokens, 1, 1e18, "1 to 1e18 tokens");
  if (request.deadline) {
    const double deadline = positive("plan.deadline in seconds", request.deadline->value());
    in_range("plan.deadline in seconds", deadline, 1, tpuplan::longest_run.value(), "1 to 1e18");
  }
  if (request.chance) {
    in_range("plan.chance", *request.chance, least_asked_chance, 0.999, "0.01 to 0.999");
    if (!request.deadline && !request.budget)
      fail(errc::missing_field, "plan.deadline", "missing", "a deadline or a budget, for a chance");
  }
  check_slices("plan.largest_slices", request.largest_slices);
  if (request.policies.size() > 16)
    fail(errc::out_of_range, "plan.policies", static_cast<std::int64_t>(request.policies.size()), "at most 16");
  check_degrees(request);
  check_payment(request);
  validate(request.constants);
  check_limits(request);
  check_quotas(request);
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
