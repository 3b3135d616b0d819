#ifndef TPUPLAN_IO_TEXT_PHRASES_HPP
#define TPUPLAN_IO_TEXT_PHRASES_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tpuplan/io/reflect/types.hpp>
#include <tpuplan/io/text/readable.hpp>
#include <type_traits>
#include <utility>

/// @file
/// Wordings of the types that deserve more than a list of their fields. io/text/one_line.hpp is what callers include.

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
[[nodiscard]] constexpr std::array<part, 7> memory_parts(const Memory& m) noexcept {
  return {{{"parameters", m.parameters.value()},
           {"optimizer", m.optimizer.value()},
           {"gradients", m.gradients.value()},
           {"activations", m.activations.value()},
           {"logits", m.logits.value()},
           {"gathered weights", m.gathered_weights.value()},
           {"workspace", m.workspace.value()}}};
}

/// The parts of a step_breakdown, which add up to its total: of collectives what the step waits for.
template <class Step>
[[nodiscard]] constexpr std::array<part, 9> step_parts(const Step& t) noexcept {
  return {{{"compute", t.compute.value()},
           {"HBM", t.hbm.value()},
           {"ICI", t.ici.value()},
           {"DCN", t.dcn.exposed.value()},
           {"host", t.host.exposed.value()},
           {"overhead", t.overhead.value()},
           {"bubble", t.bubble.value()},
           {"jitter", t.jitter.value()},
           {"software", t.software.value()}}};
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
[[nodiscard]] constexpr std::array<part, 3> serving_memory_parts(const Memory& m) noexcept {
  return {{{"weights", m.weights.value()}, {"cache", m.cache.value()}, {"workspace", m.workspace.value()}}};
}

/// The parts of a prefill_breakdown, which add up to its total.
template <class Prefill>
[[nodiscard]] constexpr std::array<part, 6> prefill_parts(const Prefill& t) noexcept {
  return {{{"products", t.products.value()},
           {"attention", t.attention.value()},
           {"elementwise", t.elementwise.value()},
           {"weights", t.weights.value()},
           {"collectives", t.collectives.value()},
           {"latency", t.latency.value()}}};
}

/// The parts of a token_time, which add up to its total.
template <class Token>
[[nodiscard]] constexpr std::array<part, 3> token_parts(const Token& t) noexcept {
  return {{{"decode step", t.step.total.value()}, {"prompts", t.prompts.value()}, {"engine", t.engine.value()}}};
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
[[nodiscard]] std::string memory_head(const Memory& m) {
  return readable::used_of(m.total, m.usable) + " (fits: " + std::string(name(fits(m))) + ")";
}

/// "2.14 s (1.78-2.67 s), MFU 40.3 %".
template <class Step>
[[nodiscard]] std::string step_head(const Step& t) {
  return readable::duration(t.total) + " (" + readable::duration_range(t.low, t.high) + "), MFU " +
         readable::percent(t.mfu);
}

/// "6.50 days billed, 6.89 days in all, 39.0 preemptions".
template <class Run>
[[nodiscard]] std::string spot_head(const Run& run) {
  return readable::duration(run.billed) + " billed, " + readable::duration(run.wall) + " in all, " +
         readable::three_digits(run.preemptions) + " preemptions";
}

/// "2.14 s (1.78-2.67 s)".
template <class Time>
[[nodiscard]] std::string time_head(const Time& t) {
  return readable::duration(t.total) + " (" + readable::duration_range(t.low, t.high) + ")";
}

/// "v6e-256", "4 x v6e-256".
template <class Slice>
[[nodiscard]] std::string slices_line(const Slice& where, std::int64_t count) {
  return std::string(name(where, count).view());
}
template <class Plan>
[[nodiscard]] std::string slices_line(const Plan& p) {
  return slices_line(p.where, slices(p.mesh));
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
[[nodiscard]] std::string phrase(const T& c) {
  const double saved = c.saving_fraction;
  return readable::money(c.spot_cost) + " on spot, " + readable::money(c.on_demand_cost) + " on demand: " +
         (saved < 0 ? "costs " + readable::percent(-saved) + " more" : "saves " + readable::percent(saved));
}
/// "$0.24 a million prompt tokens, $2.10 a million output tokens, at $21.60/h".
template <class T, only<T, serving_cost> = 0>
[[nodiscard]] std::string phrase(const T& c) {
  return readable::money(c.input) + " a million prompt tokens, " + readable::money(c.output) +
         " a million output tokens, at " + readable::text(readable::measure(c.rate));
}
/// "8.20 ms (7.10-9.40 ms), limited by cache".
template <class T, only<T, decode_breakdown> = 0>
[[nodiscard]] std::string phrase(const T& t) {
  return readable::duration(t.total) + " (" + readable::duration_range(t.low, t.high) + "), limited by " +
         std::string(name(t.limited_by));
}
/// "refused: the capacity is 8.93 /s" or "refused: TPOT is 5.33 ms or more, weights at peak rates".
template <class Serving>
[[nodiscard]] std::string refusal_line(const Serving& e) {
  const std::string_view why = name(e.refusal);
  if (why == "rate_above_capacity") return "refused: the capacity is " + readable::text(readable::measure(e.capacity));
  return std::string(why == "tpot_below_floor" ? "refused: TPOT is " : "refused: TTFT is ") +
         readable::duration(e.floor) + " or more, " + std::string(name(e.floor_limited_by)) + " at peak rates";
}
/// "fits: yes, 39.4 sequences on each of 1 replicas, 30.0 ms a token, first token after 162 ms, output tokens 1.31
/// k/s".
template <class T, only<T, serving_estimate> = 0>
[[nodiscard]] std::string phrase(const T& e) {
  const std::string fit = "fits: " + std::string(name(e.fit));
  if (std::string_view{name(e.fit)} == "no") return fit;
  if (std::string_view{name(e.refusal)} != "none") return refusal_line(e);
  return fit + ", " + readable::three_digits(e.running) + " sequences on each of " + std::to_string(e.replicas) +
         " replicas, " + readable::duration(e.per_token.total) + " a token, first token after " +
         readable::duration(e.first_token) + ", output tokens " + readable::text(readable::measure(e.output_tokens));
}
/// "batch: training.global_batch 64, better 128, saves 6.3 %".
template <class T, only<T, finding, serving_finding> = 0>
[[nodiscard]] std::string phrase(const T& f) {
  return std::string(name(f.kind)) + ": " + std::string(f.subject.view()) + " " + std::string(f.now.view()) +
         ", better " + std::string(f.better.view()) + ", saves " + readable::percent(f.gain);
}
template <class T, only<T, chip_spec> = 0>
[[nodiscard]] std::string phrase(const T& c) {
  using readable::measure;
  std::string line(c.name.view());
  if (c.peak.bf16.has_value()) line += ": " + readable::text(measure(c.peak.bf16.value())) + " in bf16,";
  return line + " " + readable::binary_bytes(c.hbm.capacity) + " HBM at " + readable::text(measure(c.hbm.bandwidth));
}
template <class T, only<T, transformer> = 0>
[[nodiscard]] std::string phrase(const T& m) {
  std::string line(m.name.empty() ? std::string_view{"transformer"} : m.name.view());
  line +=
      " (" + std::string(name(m.kind)) + "): " + std::to_string(m.layers) + " layers of " + std::to_string(m.d_model);
  if (m.moe.experts > 0) line += ", " + std::to_string(m.moe.experts) + " experts";
  return line + ", vocabulary " + std::to_string(m.vocab);
}
template <class T, only<T, training_job> = 0>
[[nodiscard]] std::string phrase(const T& job) {
  return std::to_string(job.global_batch) + " sequences of " + std::to_string(job.sequence_length) + " tokens, " +
         std::string(name(job.compute)) + ", " + std::string(name(job.optimizer)) + ", remat " +
         std::string(name(job.remat));
}
template <class T, only<T, price_row> = 0>
[[nodiscard]] std::string phrase(const T& p) {
  return readable::text(readable::measure(p.per_chip)) + " a chip: " + std::string(p.generation.view()) + " " +
         std::string(name(p.kind)) + " in " + std::string(p.region.view()) + ", " + std::string(p.date.view());
}
template <class T, only<T, run_cost> = 0>
[[nodiscard]] std::string phrase(const T& c) {
  return readable::money(c.total) + ": " + readable::duration(c.billed) + " at " +
         readable::text(readable::measure(c.rate));
}
template <class T, only<T, plan> = 0>
[[nodiscard]] std::string phrase(const T& p) {
  std::string line = slices_line(p) + ", " + phrase(p.mesh) + ", remat " + std::string(name(p.job.remat)) + ": " +
                     readable::duration(p.run);
  for (const auto& cost : p.costs) line += ", " + readable::money(cost.total) + " " + std::string(name(cost.kind));
  return line;
}
template <class T, only<T, plan_answer> = 0>
[[nodiscard]] std::string phrase(const T& a) {
  const std::string counts =
      std::to_string(a.plans.size()) + " plans, " + std::to_string(a.rejected.size()) + " slices rejected";
  return a.plans.empty() ? counts : counts + "; best: " + phrase(a.plans.front());
}
template <class T, only<T, expected_spot_run> = 0>
[[nodiscard]] std::string phrase(const T& x) {
  return spot_head(x) + parts_line<seconds>(spot_parts(x));
}
template <class T, only<T, memory_breakdown> = 0>
[[nodiscard]] std::string phrase(const T& x) {
  return memory_head(x) + parts_line<bytes>(memory_parts(x));
}
template <class T, only<T, prefill_breakdown> = 0>
[[nodiscard]] std::string phrase(const T& x) {
  return time_head(x) + parts_line<seconds>(prefill_parts(x));
}
template <class T, only<T, serving_memory> = 0>
[[nodiscard]] std::string phrase(const T& x) {
  return memory_head(x) + parts_line<bytes>(serving_memory_parts(x));
}
template <class T, only<T, step_breakdown> = 0>
[[nodiscard]] std::string phrase(const T& x) {
  return step_head(x) + parts_line<seconds>(step_parts(x));
}
template <class T, only<T, token_time> = 0>
[[nodiscard]] std::string phrase(const T& x) {
  return time_head(x) + parts_line<seconds>(token_parts(x));
}

template <class T, class = void>
inline constexpr bool has_phrase = false;
template <class T>
inline constexpr bool has_phrase<T, std::void_t<decltype(phrase(std::declval<const T&>()))>> = true;

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
