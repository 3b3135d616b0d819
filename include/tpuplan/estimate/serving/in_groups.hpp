#ifndef TPUPLAN_ESTIMATE_SERVING_IN_GROUPS_HPP
#define TPUPLAN_ESTIMATE_SERVING_IN_GROUPS_HPP

#include <tpuplan/base/math.hpp>
#include <tpuplan/estimate/serving/working_point.hpp>

/// @file
/// Clients whose requests are all as long, as benchmarks send them, in an engine whose steps share a number of tokens
/// between prompts and decoding. Nothing parts those whose prompts one step has computed: their answers end together,
/// and so do those to their next requests. Each cycle is as the one before: a wave of steps with the prompts of all
/// clients, and steps in which all of them decode.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// A cycle of clients: each of them has one answer in it.
struct client_cycle {
  double time = 0;     // seconds; 0: the wave has no end
  double first = 0;    // seconds to a first token, in the mean
  double batch = 0;    // sequences in a step in which one decodes
  double prompts = 0;  // that are computed beside one sequence until its answer ends
};

/// Seconds of a step with that many prompts, or parts of them, which ends some of them, for whose first tokens the host
/// works too.
constexpr double wave_step(const replica_load& load, double sequences, double prompts, double ended) {
  const engine_step one = engine_step_at(load.terms, larger(1, sequences));
  const double begun = one.own * load.terms.host_each * ended, more = one.own * load.prompt.each;
  if (sequences <= 0) return larger(load.prompt.prefill + more * (prompts - 1), begun);
  return with_host(one.device + more * prompts, one.host + begun, one.in_turn);
}

/// A step has room for all prompts: they end together, and nothing decodes until the next ones are computed, of which
/// the first comes to an idle replica and has the host's work in its prefill.
constexpr client_cycle all_at_once(const replica_load& load) {
  const double clients = load.from.clients, first = wave_step(load, 0, clients, clients - 1);
  return {first + (load.job.output.mean - 1) * wave_step(load, clients, 0, 0), first, clients, 0};
}

/// A step has room for `group` prompts beside those that decode, which are all but its own and the next group: that one
/// has been sent in this step, by the answers that end with the one before. So a request waits for one step.
constexpr client_cycle wave_of_groups(const replica_load& load, double group, double steps) {
  const double clients = load.from.clients, output = load.job.output.mean, last = clients - (steps - 1) * group;
  const double inside = steps > 2 ? wave_step(load, larger(0, clients - 2 * group), group, group) : 0;
  const double behind = wave_step(load, larger(0, clients - group - last), group, group);
  const double end = wave_step(load, clients - last, last, last);
  const bool pauses = steps <= output;
  const double before = pauses ? wave_step(load, clients - group, 0, 0) : end;
  const double wave = (steps - 2) * inside + behind + end;
  const double rest = pauses ? before + (output - steps) * wave_step(load, clients, 0, 0) : 0;
  const double own = (steps - 2) * group * inside + group * behind + last * end;
  const double waited = group * before + (steps - 2) * group * inside + last * behind;
  return {wave + rest, (own + waited) / clients, clients * (output - 1) / (output + 1), larger(0, clients - 2 * group)};
}

/// A prompt fills `full` steps, and is in `parts` of them. The first one is computed alone, and the others one behind
/// the other, each of which begins in the step that ends the one before. A request waits for one step too.
constexpr client_cycle wave_of_parts(const replica_load& load, double full, double parts) {
  const double clients = load.from.clients, output = load.job.output.mean, decoding = larger(0, clients - 2);
  const double behind = math::ceil((clients - 1) * full - 1e-9), steps = parts + behind;
  if (steps >= output + parts) return {};
  const double before = wave_step(load, clients - 1, 0, 0), whole = wave_step(load, larger(1, decoding), 1 / full, 0);
  const double of_first = wave_step(load, decoding, 1 - (parts - 1) / full, 1);  // what is left of the first prompt
  const double of_last = wave_step(load, clients - 1, clients - 1 - (behind - 1) / full, 1);
  const double rest = before + (output - 1 - behind) * wave_step(load, clients, 0, 0);
  const double wholes = (parts + 1) * clients - 4;  // of `parts` + 1 steps that each request meets
  return {of_first + of_last + (steps - 2) * whole + rest, (before + 2 * of_first + of_last + wholes * whole) / clients,
          clients * (output - 1) / (output + parts), larger(0, clients - (parts + 1) / full)};
}

/// The cycle of clients whose requests are all as long; none where steps have no room for all prompts of a cycle, so
/// that some wait all the time.
constexpr client_cycle cycle_of(const replica_load& load) {
  const double clients = load.from.clients, chunk = load.prompt.chunk, tokens = load.prompt.tokens;
  const double most = math::floor(chunk / tokens + 1e-9), room = chunk - larger(1, clients - 2);
  if (most >= clients) return all_at_once(load);
  if (room < 1) return {};
  const double full = tokens / room, parts = math::ceil(full - 1e-9);
  if (parts > 1) return wave_of_parts(load, full, parts);
  double group = tokens > 2 ? smaller(most, math::floor((chunk - clients) / (tokens - 2) + 1e-9)) : most;
  if (2 * group >= clients && group + (clients - group) * tokens > chunk) group -= 1;  // the first decode then
  group = larger(1, group);
  const double steps = math::ceil(clients / group - 1e-9);
  return steps > load.job.output.mean + 1 ? client_cycle{} : wave_of_groups(load, group, steps);
}

/// Whether clients have requests that are all as long, and an engine in which they stay together.
constexpr bool may_move_in_groups(const replica_load& load) {
  return load.from.clients >= 2 && load.from.clients <= load.full.slots && load.prompt.chunk > 0 &&
         load.terms.verified <= 1 && square_ratio(load.job.output) <= 1 + 1e-12 &&
         square_ratio(load.job.prompt) <= 1 + 1e-12;
}

/// A replica with such clients; `engine_point_of` where they do not move in groups.
constexpr engine_point point_of_clients(const replica_load& load) {
  const client_cycle cycle = may_move_in_groups(load) ? cycle_of(load) : client_cycle{};
  if (cycle.time <= 0) return engine_point_of(load);
  const double clients = load.from.clients, later = load.job.output.mean - 1;
  const double time = larger(cycle.time, clients / load.full.rate), token = (time - cycle.first) / later;
  const engine_step one = engine_step_at(load.terms, cycle.batch);
  const double prompts = smaller(load.prompt.each * cycle.prompts / later, (token - one.device) / one.own);
  const double rate = clients / time, running = smaller(clients, rate * load.job.output.mean * token);
  return {running, {cycle.batch, larger(0, prompts), token, cycle.first}, 0, rate};
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
