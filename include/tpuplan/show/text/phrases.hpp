#ifndef TPUPLAN_SHOW_TEXT_PHRASES_HPP
#define TPUPLAN_SHOW_TEXT_PHRASES_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tpuplan/reflect/types.hpp>
#include <tpuplan/show/text/readable.hpp>
#include <type_traits>
#include <utility>

/// @file
/// The one-line texts of types for which a list of fields is not enough. Callers include show/text/one_line.hpp.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {

/// A part of a breakdown, in the base unit.
struct part {
  std::string_view name{};
  double value = 0;
};

/// The parts of a memory_breakdown, which add up to its total.
template <class Memory>
[[nodiscard]] constexpr std::array<part, 7> memory_parts(const Memory& memory) noexcept {
  return {{{"parameters", memory.parameters.value()},
           {"optimizer", memory.optimizer.value()},
           {"gradients", memory.gradients.value()},
           {"activations", memory.activations.value()},
           {"logits", memory.logits.value()},
           {"gathered weights", memory.gathered_weights.value()},
           {"workspace", memory.workspace.value()}}};
}

/// The parts of a step_breakdown, which add up to its total: collectives with their exposed time.
template <class Step>
[[nodiscard]] constexpr std::array<part, 9> step_parts(const Step& step) noexcept {
  return {{{"compute", step.compute.value()},
           {"HBM", step.hbm.value()},
           {"ICI", step.ici.value()},
           {"DCN", step.dcn.exposed.value()},
           {"host", step.host.exposed.value()},
           {"overhead", step.overhead.value()},
           {"bubble", step.bubble.value()},
           {"stragglers", step.stragglers.value()},
           {"software", step.software.value()}}};
}

/// The parts of an expected_spot_run, which add up to its wall time.
template <class Run>
[[nodiscard]] constexpr std::array<part, 5> spot_parts(const Run& run) noexcept {
  return {{{"work", run.work.value()},
           {"checkpoints", run.checkpoints.value()},
           {"lost work", run.lost_work.value()},
           {"restarts", run.restarts.value()},
           {"queue", run.queue.value()}}};
}

/// The parts of a serving_memory, which add up to its total.
template <class Memory>
[[nodiscard]] constexpr std::array<part, 3> serving_memory_parts(const Memory& memory) noexcept {
  return {
      {{"weights", memory.weights.value()}, {"cache", memory.cache.value()}, {"workspace", memory.workspace.value()}}};
}

/// The parts of a prefill_breakdown, which add up to its total.
template <class Prefill>
[[nodiscard]] constexpr std::array<part, 8> prefill_parts(const Prefill& prefill) noexcept {
  return {{{"products", prefill.products.value()},
           {"attention", prefill.attention.value()},
           {"elementwise", prefill.elementwise.value()},
           {"dispatch", prefill.dispatch.value()},
           {"weights", prefill.weights.value()},
           {"collectives", prefill.collectives.value()},
           {"latency", prefill.latency.value()},
           {"images", prefill.images.value()}}};
}

/// The parts of a token_time, which add up to its total.
template <class Token>
[[nodiscard]] constexpr std::array<part, 3> token_parts(const Token& token) noexcept {
  return {{{"decode step", token.step.total.value()},
           {"prompts", token.prompts.value()},
           {"engine", token.engine.value()}}};
}

/// ": compute 1.82 s, HBM 171 ms": the parts that are not 0.
template <class Quantity, std::size_t Count>
[[nodiscard]] std::string parts_line(const std::array<part, Count>& parts) {
  std::string line;
  for (const part& p : parts) {
    if (p.value == 0) continue;
    line +=
        (line.empty() ? ": " : ", ") + std::string(p.name) + " " + readable::text(readable::measure(Quantity{p.value}));
  }
  return line;
}

/// "19.4 of 31.2 GiB (fits: yes)".
template <class Memory>
[[nodiscard]] std::string memory_head(const Memory& memory) {
  return readable::used_of(memory.total, memory.usable) + " (fits: " + std::string(name(fits(memory))) + ")";
}

/// "2.14 s (1.78-2.67 s), MFU 40.3 %".
template <class Step>
[[nodiscard]] std::string step_head(const Step& step) {
  return readable::duration(step.total) + " (" + readable::duration_range(step.low, step.high) + "), MFU " +
         readable::percent(step.mfu);
}

/// "6.50 days billed, 6.89 days in all, 39.0 preemptions".
template <class Run>
[[nodiscard]] std::string spot_head(const Run& run) {
  return readable::duration(run.billed) + " billed, " + readable::duration(run.wall) + " in all, " +
         readable::three_digits(run.preemptions) + " preemptions";
}

/// "2.14 s (1.78-2.67 s)".
template <class Time>
[[nodiscard]] std::string time_head(const Time& time) {
  return readable::duration(time.total) + " (" + readable::duration_range(time.low, time.high) + ")";
}

/// "v6e-256", "4 x v6e-256".
template <class Slice>
[[nodiscard]] std::string slices_line(const Slice& where, std::int64_t count) {
  return std::string(name(where, count).view());
}
template <class Plan>
[[nodiscard]] std::string slices_line(const Plan& planned) {
  return slices_line(planned.where, slices(planned.mesh));
}

/// A function template for these types alone, which may be incomplete here.
template <class T, class... Types>
using only = std::enable_if_t<is_one_of<T, Types...>, int>;

// `phrase(x)` is the wording of x. Each is a template only so that its type may be incomplete here.

template <class T, only<T, layout> = 0>
[[nodiscard]] std::string phrase(const T& mesh) {
  std::string line;
  const auto add = [&line](std::string_view label, std::int64_t degree) {
    if (degree > 1) line += (line.empty() ? "" : " x ") + std::string(label) + " " + std::to_string(degree);
  };
  add("data", mesh.data);
  add("fsdp", mesh.fsdp);
  add("tensor", mesh.tensor);
  add("expert", mesh.expert);
  add("context", mesh.context);
  add("pipeline", mesh.pipeline);
  const std::int64_t over = slices(mesh);
  if (over > 1) line += (line.empty() ? "" : ", ") + std::to_string(over) + " slices";
  return line.empty() ? "one device" : line;
}
/// "$46.08 on spot, $76.80 on demand: saves 40.0 %".
template <class T, only<T, spot_comparison> = 0>
[[nodiscard]] std::string phrase(const T& compared) {
  const double saved = compared.saving_fraction;
  return readable::money(compared.spot_cost) + " on spot, " + readable::money(compared.on_demand_cost) +
         " on demand: " +
         (saved < 0 ? "costs " + readable::percent(-saved) + " more" : "saves " + readable::percent(saved));
}
/// "$0.24 a million prompt tokens, $2.10 a million output tokens, at $21.60/h"; of an encoder a million requests
/// instead.
template <class T, only<T, serving_cost> = 0>
[[nodiscard]] std::string phrase(const T& cost) {
  const bool encodes = cost.all_on_output.value() <= 0 && cost.requests.value() > 0;
  return readable::money(cost.input) + " a million prompt tokens, " +
         readable::money(encodes ? cost.requests : cost.output) +
         (encodes ? " a million requests, at " : " a million output tokens, at ") +
         readable::text(readable::measure(cost.rate));
}
/// "8.20 ms (7.10-9.40 ms), limited by cache".
template <class T, only<T, decode_breakdown> = 0>
[[nodiscard]] std::string phrase(const T& step) {
  return readable::duration(step.total) + " (" + readable::duration_range(step.low, step.high) + "), limited by " +
         std::string(name(step.limited_by));
}
/// "refused: the capacity is 8.93 /s" or "refused: TPOT is 5.33 ms or more, weights at peak rates".
template <class Serving>
[[nodiscard]] std::string refusal_line(const Serving& estimate) {
  const std::string_view why = name(estimate.refusal);
  if (why == "rate_above_capacity")
    return "refused: the capacity is " + readable::text(readable::measure(estimate.capacity));
  return std::string(why == "tpot_below_floor" ? "refused: TPOT is " : "refused: TTFT is ") +
         readable::duration(estimate.floor) + " or more, " + std::string(name(estimate.floor_limited_by)) +
         " at peak rates";
}
/// "fits: yes, 39.4 sequences on each of 1 replicas, 30.0 ms a token, first token after 162 ms, output tokens 1.31
/// k/s".
template <class T, only<T, serving_estimate> = 0>
[[nodiscard]] std::string phrase(const T& estimate) {
  const std::string fit = "fits: " + std::string(name(estimate.fit));
  if (std::string_view{name(estimate.fit)} == "no") return fit;
  if (std::string_view{name(estimate.refusal)} != "none") return refusal_line(estimate);
  if (estimate.output_tokens.value() <= 0)  // an encoder
    return fit + ", " + readable::three_digits(estimate.running) + " requests in a step of each of " +
           std::to_string(estimate.replicas) + " replicas, answered after " + readable::duration(estimate.first_token) +
           ", requests " + readable::text(readable::measure(estimate.requests));
  return fit + ", " + readable::three_digits(estimate.running) + " sequences on each of " +
         std::to_string(estimate.replicas) + " replicas, " + readable::duration(estimate.per_token.total) +
         " a token, first token after " + readable::duration(estimate.first_token) + ", output tokens " +
         readable::text(readable::measure(estimate.output_tokens));
}
/// "batch: training.global_batch 64, better 128, saves 6.3 %".
template <class T, only<T, finding, serving_finding> = 0>
[[nodiscard]] std::string phrase(const T& waste) {
  return std::string(name(waste.kind)) + ": " + std::string(waste.subject.view()) + " " +
         std::string(waste.now.view()) + ", better " + std::string(waste.better.view()) + ", saves " +
         readable::percent(waste.gain);
}
template <class T, only<T, chip_spec> = 0>
[[nodiscard]] std::string phrase(const T& chip) {
  using readable::measure;
  std::string line(chip.name.view());
  if (chip.peak.bf16.has_value()) line += ": " + readable::text(measure(chip.peak.bf16.value())) + " in bf16,";
  return line + " " + readable::binary_bytes(chip.hbm.capacity) + " HBM at " +
         readable::text(measure(chip.hbm.bandwidth));
}
template <class T, only<T, transformer> = 0>
[[nodiscard]] std::string phrase(const T& model) {
  std::string line(model.name.empty() ? std::string_view{"transformer"} : model.name.view());
  line += " (" + std::string(name(model.kind)) + "): " + std::to_string(model.layers) + " layers of " +
          std::to_string(model.d_model);
  if (model.moe.experts > 0) line += ", " + std::to_string(model.moe.experts) + " experts";
  return line + ", vocabulary " + std::to_string(model.vocab);
}
/// The tokens of a sequence of a job, and of the source of a pair.
template <class Job>
[[nodiscard]] std::string lengths_of(const Job& job, const char* unit = " tokens") {
  const std::string source = job.source_length > 0 ? ", " + std::to_string(job.source_length) + " of a source" : "";
  return std::to_string(job.sequence_length) + unit + source;
}
template <class T, only<T, training_job> = 0>
[[nodiscard]] std::string phrase(const T& job) {
  return std::to_string(job.global_batch) + " sequences of " + lengths_of(job) + ", " + std::string(name(job.compute)) +
         ", " + std::string(name(job.optimizer)) + ", remat " + std::string(name(job.remat));
}
template <class T, only<T, price_row> = 0>
[[nodiscard]] std::string phrase(const T& row) {
  return readable::text(readable::measure(row.per_chip)) + " a chip: " + std::string(row.generation.view()) + " " +
         std::string(name(row.kind)) + " in " + std::string(row.region.view()) + ", " + std::string(row.date.view());
}
template <class T, only<T, run_cost> = 0>
[[nodiscard]] std::string phrase(const T& cost) {
  return readable::money(cost.total) + ": " + readable::duration(cost.billed) + " at " +
         readable::text(readable::measure(cost.rate));
}
template <class T, only<T, plan> = 0>
[[nodiscard]] std::string phrase(const T& planned) {
  std::string line = slices_line(planned) + ", " + phrase(planned.mesh) + ", remat " +
                     std::string(name(planned.job.remat)) + ": " + readable::duration(planned.run);
  for (const auto& cost : planned.costs)
    line += ", " + readable::money(cost.total) + " " + std::string(name(cost.kind));
  return line;
}
template <class T, only<T, plan_answer> = 0>
[[nodiscard]] std::string phrase(const T& answer) {
  const std::string counts =
      std::to_string(answer.plans.size()) + " plans, " + std::to_string(answer.rejected.size()) + " slices rejected";
  return answer.plans.empty() ? counts : counts + "; best: " + phrase(answer.plans.front());
}
template <class T, only<T, expected_spot_run> = 0>
[[nodiscard]] std::string phrase(const T& run) {
  return spot_head(run) + parts_line<seconds>(spot_parts(run));
}
template <class T, only<T, memory_breakdown> = 0>
[[nodiscard]] std::string phrase(const T& memory) {
  return memory_head(memory) + parts_line<bytes>(memory_parts(memory));
}
template <class T, only<T, prefill_breakdown> = 0>
[[nodiscard]] std::string phrase(const T& prefill) {
  return time_head(prefill) + parts_line<seconds>(prefill_parts(prefill));
}
template <class T, only<T, serving_memory> = 0>
[[nodiscard]] std::string phrase(const T& memory) {
  return memory_head(memory) + parts_line<bytes>(serving_memory_parts(memory));
}
template <class T, only<T, step_breakdown> = 0>
[[nodiscard]] std::string phrase(const T& step) {
  return step_head(step) + parts_line<seconds>(step_parts(step));
}
template <class T, only<T, token_time> = 0>
[[nodiscard]] std::string phrase(const T& token) {
  return time_head(token) + parts_line<seconds>(token_parts(token));
}

template <class T, class = void>
inline constexpr bool has_phrase = false;
template <class T>
inline constexpr bool has_phrase<T, std::void_t<decltype(phrase(std::declval<const T&>()))>> = true;

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
