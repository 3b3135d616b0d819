#ifndef TPUPLAN_PLAN_CHECK_HPP
#define TPUPLAN_PLAN_CHECK_HPP

#if !defined(__cpp_exceptions)
#error "tpuplan/plan/check.hpp needs exceptions; docs/embed.md says what to do without"
#endif

#include <tpuplan/base/error.hpp>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/base/text.hpp>
#include <tpuplan/estimate/serving/engine.hpp>
#include <tpuplan/parallel/layout.hpp>
#include <tpuplan/plan/planner.hpp>
#include <tpuplan/plan/serving_plan.hpp>

/// @file
/// What is wrong with a question, as a value: for callers that ask before they plan, and let no exception through.

namespace tpuplan {
inline namespace abi_0 {

/// Why a question would be refused: what an `error` says, as a plain struct.
struct refused_question {
  errc code = errc::invalid_argument;  ///< the reason
  text<160> field{};                   ///< what was wrong
  text<160> value{};                   ///< what it was
  text<319> valid{};                   ///< what would be right
  text<319> message{};                 ///< all of it in one line
};

namespace detail {

/// What a call refuses.
template <class Call>
maybe<refused_question> refusal_of_call(const Call& call) {
  try {
    call();
    return nothing;
  } catch (const error& why) {
    return refused_question{why.code(), why.field().substr(0, 160), why.given().substr(0, 160), why.valid(),
                            std::string_view{why.what()}};
  }
}

/// Refuses number formats that are none by the names of their fields, which the functions that use them do not know.
inline void check_format(words field, dtype format) {
  if (name(format) == "?")
    fail(errc::unknown_name, field, static_cast<std::int64_t>(format), "fp32, bf16, fp16, fp8, int8 or int4");
}
inline void check_formats(const training_job& job) {
  check_format("training_job.compute", job.compute);
  check_format("training_job.weights", job.weights);
  check_format("training_job.moments", job.moments);
  if (job.lora_rank > 0) check_format("training_job.frozen_weights", job.frozen_weights);
}
inline void check_formats(const serving_job& job) {
  check_format("serving_job.weights", job.weights);
  check_format("serving_job.cache", job.cache);
  check_format("serving_job.activations", job.activations);
}

}  // namespace detail

/// @{
/// What `make_plan` and `plan_serving` refuse of such a question before they search, and what `memory_use` and
/// `step_time`, or `serve`, refuse of a job on a slice; nothing where it is one that they answer. `make_plan` may
/// refuse besides a search that takes too long. A number format that is none has the name of its field here, and is a
/// "dtype" there. Worked: of a `plan_request` whose tokens are -1 it has the field "plan.tokens", the value "-1" and
/// what is valid, "1 to 1e18 tokens".
[[nodiscard]] inline maybe<refused_question> check(const plan_request& request) {
  return detail::refusal_of_call([&] {
    detail::check_formats(request.job);
    detail::check_request(request);
    (void)detail::batches_of(request);
  });
}
[[nodiscard]] inline maybe<refused_question> check(const serving_request& request) {
  return detail::refusal_of_call([&] {
    detail::check_formats(request.job);
    detail::check_request(request);
  });
}
[[nodiscard]] inline maybe<refused_question> check(const transformer& model) {
  return detail::refusal_of_call([&] { (void)parameters(model); });
}
[[nodiscard]] inline maybe<refused_question> check(const training_job& job) {
  return detail::refusal_of_call([&] {
    detail::check_formats(job);
    validate(job);
  });
}
[[nodiscard]] inline maybe<refused_question> check(const layout& mesh, const slice& where) {
  return detail::refusal_of_call([&] { validate(mesh, where); });
}
[[nodiscard]] inline maybe<refused_question> check(const transformer& model, const training_job& job,
                                                   const layout& mesh, const slice& where) {
  return detail::refusal_of_call([&] {
    detail::check_formats(job);
    (void)memory_use(model, job, mesh, where);
    (void)step_time(model, job, mesh, where);
  });
}
[[nodiscard]] inline maybe<refused_question> check(const transformer& model, const serving_job& job,
                                                   const serving_layout& mesh, const slice& where) {
  return detail::refusal_of_call([&] {
    detail::check_formats(job);
    (void)serve(model, job, mesh, where);
  });
}
/// @}

}  // namespace abi_0
}  // namespace tpuplan

#endif
