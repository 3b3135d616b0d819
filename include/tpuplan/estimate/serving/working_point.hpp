#ifndef TPUPLAN_ESTIMATE_SERVING_WORKING_POINT_HPP
#define TPUPLAN_ESTIMATE_SERVING_WORKING_POINT_HPP

#include <tpuplan/base/math.hpp>
#include <tpuplan/estimate/serving/queueing.hpp>
#include <tpuplan/estimate/serving/token_time.hpp>

/// @file
/// How many sequences run in a replica of an engine, what a request meets there, and how long it waits.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {

/// The prefill of a request that has a slot.
struct admission {
  double prefill = 0;  // seconds of prefill alone
  double chunks = 1;   // engine steps over which the prompt is spread
  double tokens = 0;   // to compute
  double chunk = 0;    // tokens of a step, for each token of a round of drafts; 0: prompts are not chunked
  double each = 0;     // seconds that the prompt adds to decode steps
  double fixed = 0;    // seconds of a chunk alone, whatever it has: its weights and layers
  double taken = 1;    // tokens of the chunk that a sequence which decodes takes for a token
  double round = 1;    // tokens of a round of drafts
};

/// That of a prompt whose prefill alone takes so long by itself.
constexpr admission admission_of(const serving_job& job, const token_terms& terms, const prefill_breakdown& alone,
                                 const serving_layout& mesh, const engine_constants& constants) {
  const double chunks = prefill_chunks(job, static_cast<double>(fresh_tokens(job)));
  const seconds fixed = alone.total - beside_decode(alone, mesh);
  return {constants.engine_prefill * alone.total.value(),
          chunks,
          job.prompt.mean * (1 - job.prefix_hit_rate),
          static_cast<double>(job.prefill_chunk) / terms.round,
          terms.prompt,
          constants.engine_prefill * fixed.value() / chunks,
          terms.verified / terms.round,
          terms.round};
}

/// Tokens of prompts for which a step has room beside that many sequences, each of which takes a token of its chunk,
/// and one for each of its drafts.
constexpr double room_beside(const admission& prompt, double sequences) {
  return prompt.chunk - prompt.taken * sequences;
}

/// Seconds of prompts in a step that has no room for more beside that many sequences.
constexpr double prompts_beside(const admission& prompt, double sequences) {
  return prompt.each * room_beside(prompt, sequences) / prompt.tokens;
}

/// Seconds of a full step in which nothing decodes, of the tokens of however many prompts.
constexpr double full_chunk(const admission& prompt) {
  return prompt.fixed + prompt.each * prompt.chunk * prompt.round / prompt.tokens;
}

/// A replica that does all it can: all slots are taken, or each step is full of prompts.
struct saturation {
  double slots = 0;         // sequences that may run
  double running = 0;       // sequences that run, on average
  double batch = 0;         // sequences that decode in a step that decodes
  double prompts = 0;       // seconds of prompts in such a step
  double rate = 0;          // requests a second
  bool is_chunked = false;  // there is no room for more prompts in a step
};

/// Mean seconds of a step that computes `count` prompts beside so many sequences. The host hides only behind the
/// prompts of a step. Whole prompts come at random, so that 1 - exp(-count) of the steps have some; no step computes
/// more than it has room for, so that it is no less than their tokens over that room.
constexpr double mixed_step(const engine_step& step, double count, const admission& prompt, double sequences) {
  double share = 1 - math::exp(-count);  // of steps with prompts
  if (const double room = room_beside(prompt, sequences); room > 0) share = larger(share, count * prompt.tokens / room);
  return step.mean_with(prompt.each * count, share);
}

/// All slots are taken. Where all sequences get their first token in the same step, nothing decodes in it.
constexpr saturation full_slots(const serving_job& job, const token_terms& terms, double slots,
                                const admission& prompt) {
  const double output = job.output.mean;
  const engine_step one = engine_step_at(terms, slots);
  // The chance of that; below 2^-99 it is no part of any sum.
  const double together = output <= 1 ? 1 : output >= 2 && slots > 100 ? 0 : math::pow(1 / output, slots - 1);
  const double begun = slots / output * (1 - together), step = mixed_step(one, begun, prompt, slots);
  const double first = prompt.prefill + (slots - 1) * one.own * prompt.each;
  const double rate = slots / (output * step + together * (first - one.with(0)));
  return {slots, smaller(slots, rate * output * step), slots, begun * prompt.each, rate, false};
}

/// Each step is full of prompts: n sequences that each need a prompt for `output` tokens leave room for prompts as long
/// as n (prompt + output) <= chunk x output, `batch` x (prompt + output). Where the tokens after its first one leave no
/// room for all of the next prompt, the rest of it is computed in steps in which nothing decodes; of a whole such step
/// or more, the host's work for a first token is in one of them.
constexpr saturation full_steps(const serving_job& job, const token_terms& terms, double slots, double batch,
                                const admission& prompt) {
  const double output = job.output.mean;
  const double later = larger(0, output - 1);
  const double alone = (prompt.tokens - later * room_beside(prompt, 1)) / (prompt.chunk * prompt.round);
  if (alone <= 0) {
    const double prompts = terms.prompts * batch;
    return {slots, batch, batch, prompts, batch / (output * engine_step_at(terms, batch).with(prompts)), true};
  }
  engine_step one = engine_step_at(terms, 1);
  const double prompts = prompts_beside(prompt, 1), step = one.with(prompts), whole = full_chunk(prompt);
  const double begun = one.own * terms.host_each * prompt.round, apart = smaller(1, alone);
  one.host += begun / prompt.round;
  const double first = (1 - apart) * (one.with(prompts) - step) + apart * larger(0, begun - whole);
  const double rate = 1 / (alone * whole + later * step + first);
  return {slots, smaller(1, rate * output * step), 1, prompts, rate, true};
}

/// Steps are full before all slots are taken, or all slots are taken first: what allows fewer requests.
constexpr saturation saturation_of(const serving_job& job, const token_terms& terms, double slots,
                                   const admission& prompt) {
  const double batch = prompt.chunk * job.output.mean / (prompt.tokens + prompt.taken * job.output.mean);
  const saturation all = full_slots(job, terms, slots, prompt);
  if (prompt.chunk <= 0 || slots <= 1 || batch >= slots) return all;
  const saturation full = full_steps(job, terms, slots, batch, prompt);
  return full.rate < all.rate ? full : all;
}

/// How requests come to a replica: at random with a rate, from so many clients of which each waits for its answer, or,
/// where both are 0, one as soon as one ends.
struct request_source {
  double rate = 0;
  double clients = 0;
};

/// What a request meets in a replica in which `running` sequences run on average.
struct working_point {
  double batch = 0;    // sequences that decode in a step in which it decodes, itself included
  double prompts = 0;  // seconds of prompts in such a step
  double token = 0;    // seconds of an output token
  double first = 0;    // seconds from getting a slot to the first token
};

/// All that is known of a replica before the number of its running sequences is.
struct replica_load {
  const serving_job& job;
  const token_terms& terms;
  const admission& prompt;
  const saturation& full;
  request_source from{};
};

/// The share of all prompts that are those of others.
constexpr double others_of(const request_source& from) noexcept {
  return from.clients > 1 ? 1 - 1 / from.clients : from.clients > 0 ? 0 : 1;
}

/// A request that comes at random sees the mean of the others that decode beside itself; one of N clients sees those of
/// N - 1 clients (P. J. Schweitzer, 1979). Where all slots are taken they stay taken.
constexpr double batch_met(const replica_load& load, double running) {
  double batch = larger(1, running);
  if (load.from.rate > 0) batch = 1 + running * larger(0, 1 - 1 / load.job.output.mean);
  if (load.from.clients > 0) batch = 1 + running * others_of(load.from);
  return smaller(batch, load.full.batch);
}

/// The part of a step that is left when a request comes while it runs: half at random, and all of it where the end of
/// the one before has sent it.
constexpr double step_left(const request_source& from) noexcept { return from.clients > 0 ? 1 : 0.5; }

/// The chance that a step runs when a request comes.
constexpr double busy_chance(const request_source& from, double in_service, double batch) {
  if (from.rate > 0) return 1 - math::exp(-in_service);
  const double others = (from.clients > 0 ? from.clients : batch) - 1;
  return others <= 0 ? 0 : smaller(others, 1);
}

/// Mean seconds of a step where `rate` requests come a second at random and each step computes those that came during
/// the one before; 0 where it cannot. The host hides behind prompts: of whole ones 1 - exp(-count) of the steps have
/// some, so that the mean is where it is that of its own count, found by Newton's method from below; where prompts fill
/// steps it grows with their count.
constexpr double step_at_random(const engine_step& step, double rate, const admission& prompt, double sequences) {
  const double without = step.with(0), each = step.own * prompt.each, room = room_beside(prompt, sequences);
  const double hidden = step.in_turn ? 0 : larger(0, step.host - step.device);
  const double filled = room > 0 ? prompt.tokens / room : 0;  // of a step, by a prompt
  double mean = without;
  for (int i = 0; hidden > 0 && filled < 1 && i < 50; ++i) {
    const double count = rate * mean, none = math::exp(-count), slope = rate * (each - hidden * none);
    if (count * filled > 1 - none || slope >= 1) break;
    const double more = without + larger(0, each * count - hidden * (1 - none)) - mean;
    if (more <= 1e-15 * mean) return mean;
    mean += more / (1 - slope);
  }
  const double full = rate * larger(0, each - filled * hidden);
  return full < 1 ? without / (1 - full) : 0;
}

/// Mean seconds of a step that decodes, and of the prompts in it. Clients, and slots that are always taken, send a
/// prompt for each sequence that ends; they get no more answers than the capacity.
constexpr working_point step_of(const replica_load& load, const engine_step& step, double running, double batch) {
  const double rate = load.from.rate, each = load.prompt.each, full = load.full.prompts;
  working_point at{batch, 0, 0, 0};
  if (rate > 0) {
    const bool is_limited = load.full.is_chunked || load.full.slots <= 1;
    const double most = load.full.running / (load.full.rate * load.job.output.mean);  // at the capacity
    const double token = step_at_random(step, rate, load.prompt, batch);
    at.token = token > 0 ? token : larger(most, step.with(full));
    at.prompts = rate * each * at.token;
    if (is_limited && at.prompts > full) at.prompts = full, at.token = step.with(full);
    if (at.token > most) at.token = larger(most, step.with(0));
    at.prompts = larger(0, smaller(at.prompts, (at.token - step.device) / step.own));
    return at;
  }
  const double all = full * running / load.full.running;
  const double least = running / (load.job.output.mean * load.full.rate);
  at.prompts = all * others_of(load.from);
  at.token = mixed_step(step, each > 0 ? at.prompts / each : 0, load.prompt, batch);
  if (at.token < least) at.token = least, at.prompts = smaller(all, (least - step.device) / step.own);
  return at;
}

/// Further seconds of a token because the prompts that wait when a request has its first token are computed before the
/// rest: each step that is `longer` than the mean lets more prompts come, and the next is longer by the share of
/// prompts.
constexpr double catching_up(double longer, double share, double tokens) {
  return larger(0, longer) * share * (1 - math::pow(share, tokens)) / ((1 - share) * tokens);
}

/// Tokens of the harmonic mean of outputs after the first.
constexpr double usual_tokens(const serving_job& job) {
  return larger(1, job.output.mean - 1) / square_ratio(job.output);
}

/// Tokens of prompts that a step computes, beside sequences that decode in a share of all steps.
constexpr double room_of(const replica_load& load, double running, double batch) {
  return load.full.slots <= 1 ? load.prompt.chunk : room_beside(load.prompt, smaller(1, running) * batch);
}

/// Steps that a prompt takes beside sequences that decode. The room that these leave differs from step to step as their
/// number does, by its root, so that a prompt that just fits is in one step or in two.
constexpr double steps_beside(const admission& prompt, double sequences, double room) {
  const double spread = larger(1, 2 * prompt.taken * math::sqrt(sequences));
  const double whole = larger(1, math::floor(prompt.tokens / room + 0.5));
  return whole + smaller(1, larger(0, 0.5 + (prompt.tokens - whole * room) / (whole * spread)));
}

/// Seconds of the prompts that come, `mean` of them with `each` for one, in a step that has no more than `left` for
/// them.
constexpr double came_into(double left, double mean, double each) {
  return mean > 0 ? smaller(mean, left * (1 - math::exp(-mean / each))) : 0;
}

/// The first token of a prompt that takes several steps, `count` of them beside sequences that decode, and how much
/// longer tokens take because of the prompts that wait then. All steps but the last are full, and that is filled by the
/// prompts that come meanwhile.
constexpr double add_chunked(working_point& at, const replica_load& load, const engine_step& step, double running,
                             double busy, double count) {
  const admission& prompt = load.prompt;
  const double round = prompt.round, room = round * room_of(load, running, at.batch), others = round * step.with(0);
  const double beside = others - step.with(0) + step.with(round * prompts_beside(prompt, at.batch));
  const double steps = prompt.tokens / room, left = larger(0, count - steps) * (beside - others);
  const double came = came_into(left, step.own * at.prompts / at.token * beside, step.own * prompt.each);
  const double taken = larger(count, steps) * others + steps * (beside - others) + came;
  at.first = step_left(load.from) * busy * round * at.token + (1 - busy) * prompt.prefill +
             busy * larger(taken, prompt.prefill);
  // A request leaves the prompts behind that are there on average, and those of the mean step are fewer. Work that is
  // left is steps that are full, and lets more come: n (1 - rate x steps x longer) = left - that of the mean step.
  const double longer = beside - others;
  if (load.from.rate <= 0 || longer <= 0 || beside <= round * at.token) return 0;
  const double full = (round * at.token - others) / longer;  // the share of steps that are
  const double ratio = square_ratio(load.job.prompt);
  const double used = smaller(load.from.rate * steps * beside, load.from.rate / load.full.rate);
  const double waiting = mean_queue(used, 1, ratio);
  const double more = (used + waiting - full * (waiting / used + ratio / 2)) * steps;
  const double lets = load.from.rate * steps * longer, most = used - full;
  return longer / round * larger(0, lets < 1 ? smaller(most, more / (1 - lets) / usual_tokens(load.job)) : most);
}

/// The same of a prompt that waits until the step that runs has ended, and is computed in the next one with all prompts
/// that came during the same step.
constexpr double add_whole(working_point& at, const replica_load& load, const engine_step& step, double busy) {
  const admission& prompt = load.prompt;
  const double share = step.own * at.prompts / at.token;
  // No more prompts can come than there are other clients, or places.
  const double others = load.from.clients > 0 ? smaller(load.from.clients, load.full.slots) : load.full.slots;
  const double most = prompt.each * larger(0, others - 1);
  double met = step_met(at.token, share, step.own * prompt.each, square_ratio(load.job.prompt));
  met = smaller(met, step.with(prompt.chunk > 0 ? smaller(most, prompts_beside(prompt, at.batch)) : most));
  double came = smaller(most, at.prompts / at.token * met);
  // As many come before as behind the request; those behind have what it leaves of the step.
  if (prompt.chunk > 0)
    came = came / 2 + came_into(larger(0, prompts_beside(prompt, at.batch) - prompt.each), came / 2, prompt.each);
  const double rest = (prompt.round - 1) * step.with(0);  // of a round, which hands out all its tokens at its end
  const double mine = larger(prompt.prefill, rest + step.with(prompt.each + came));
  const double prefill = busy * mine + (1 - busy) * prompt.prefill;
  at.first = step_left(load.from) * busy * (rest + met) + prefill;
  return load.from.rate > 0 ? catching_up(prefill - prompt.round * at.token, share, usual_tokens(load.job)) : 0;
}

/// The same of any prompt. Of one that just fits beside the mean number of sequences it is as often the one as the
/// other.
constexpr double add_first(working_point& at, const replica_load& load, const engine_step& step, double running,
                           double busy) {
  const admission& prompt = load.prompt;
  if (prompt.chunk <= 0) return add_whole(at, load, step, busy);
  const double room = prompt.round * room_of(load, running, at.batch);
  const double count = larger(prompt.chunks, steps_beside(prompt, at.batch, room));
  if (count <= 1) return add_whole(at, load, step, busy);
  const double later = add_chunked(at, load, step, running, busy, larger(2, count));
  if (count >= 2) return later;
  const double of_two = at.first, whole = add_whole(at, load, step, busy), share = count - 1;
  at.first += share * (of_two - at.first);
  return whole + share * (later - whole);
}

constexpr working_point working_point_of(const replica_load& load, double running) {
  const double output = load.job.output.mean, batch = batch_met(load, running);
  const engine_step step = engine_step_at(load.terms, batch);
  working_point at = step_of(load, step, running, batch);
  if (load.full.slots <= 1) {  // it has the replica to itself
    at.first = load.prompt.prefill;
    return at;
  }
  const double rate = load.from.rate > 0 ? load.from.rate : running / (output * at.token);
  const double busy = busy_chance(load.from, running + rate * load.prompt.prefill, batch);
  double later = add_first(at, load, step, running, busy);
  if (later <= 0) return at;
  const double of_slots = load.prompt.each * (load.full.slots - 1) / usual_tokens(load.job);  // one of each other slot
  later = smaller(later, step.own * larger(0, of_slots - at.prompts));
  later = smaller(later, larger(0, load.full.running / (load.full.rate * output) - at.token));  // at the capacity
  at.token += later;
  at.prompts += later / step.own;
  return at;
}

/// Seconds of a request that has a slot: its first token, and each of those after it.
constexpr double answer_time(const replica_load& load, const working_point& at) {
  return at.first + larger(0, load.job.output.mean - 1) * at.token;
}

/// Mean number of running sequences in a replica. By Little's law, for a request rate: running = rate x output tokens x
/// time per token, of which the first is that of the step which computes the prompt; for a fixed number of clients:
/// clients = rate x time of a request.
constexpr double running_batch(const replica_load& load) {
  const double output = load.job.output.mean, most = load.full.running;
  if (const double rate = load.from.rate; rate > 0)
    return crossing([&](double running) { return running - rate * output * working_point_of(load, running).token; },
                    most);
  if (load.from.clients > 0) {
    return crossing(
        [&](double running) {
          const working_point at = working_point_of(load, running);
          return running / (output * at.token) * answer_time(load, at) - load.from.clients;
        },
        most);
  }
  const double target = load.job.tpot_target.value();
  if (target <= 0) return most;
  const double within = crossing([&](double running) { return working_point_of(load, running).token - target; }, most);
  return larger(within, smaller(1, most));  // with one slot, less than one of them runs
}

/// What a request meets with that number of running sequences, found by `running_batch`: clients that are fewer than
/// the slots leave no more time for the first token than Little's law.
constexpr working_point solved_point(const replica_load& load, double running) {
  working_point at = working_point_of(load, running);
  if (load.from.clients <= 0) return at;
  const double output = load.job.output.mean, whole = load.from.clients / running * output * at.token;
  at.first = smaller(at.first, larger(load.prompt.prefill, whole - larger(0, output - 1) * at.token));
  return at;
}

/// Time that a request which comes at random waits for a slot.
constexpr double slot_queue(const replica_load& load, double running) {
  const double rate = load.from.rate, used = rate / load.full.rate, slots = load.full.slots;
  const double taken = load.full.is_chunked ? running : slots * running / load.full.running;
  // Servers that are as seldom all taken where a request takes no longer beside others.
  const double servers = slots * used * (slots - taken) / (taken * (1 - used));
  return mean_queue(used, larger(1, servers), square_ratio(load.job.output)) / rate;
}

/// Time that a request waits for a slot, and with chunks for the prompts before it. From a fixed number of clients,
/// those beyond the slots wait.
constexpr double queue_time(const replica_load& load, const working_point& at, double running) {
  const double output = load.job.output.mean, rate = load.from.rate;
  if (load.from.clients > 0) {
    const double each = running / (output * at.token);
    const double left = load.from.clients - each * answer_time(load, at);
    return left > 1e-6 * load.from.clients ? left / each : 0;
  }
  if (rate <= 0) return 0;
  const double used = rate / load.full.rate;
  double waiting = rate * slot_queue(load, running);
  if (load.prompt.chunk > 0 && load.full.slots > 1) {
    const double several = room_of(load, running, at.batch) / load.prompt.tokens;  // prompts in a step
    const double step = engine_step_at(load.terms, at.batch).with(prompts_beside(load.prompt, at.batch));
    waiting += mean_queue(smaller(rate / several * step, used), larger(several, 1), square_ratio(load.job.prompt));
  }
  return waiting / rate;
}

/// A replica with some load.
struct engine_point {
  double running = 0;  // sequences, on average
  working_point at{};  // what a request meets that has a slot
  double queue = 0;    // seconds that it waits for one
  double rate = 0;     // requests a second that are answered
};
/// Clients of a replica with one slot, which each has to itself in turn; as many as there may be where no number is
/// given. Where prompts take less than a step, a request has it for less than its tokens' time.
constexpr engine_point one_slot_point(const replica_load& load) {
  const working_point at = working_point_of(load, load.full.running);
  const double clients = load.from.clients > 0 ? load.from.clients : 1;
  const double rate = smaller(1, clients) / answer_time(load, at);
  return {smaller(load.full.running, rate * load.job.output.mean * at.token), at, larger(0, clients - 1) / rate, rate};
}
constexpr engine_point engine_point_of(const replica_load& load) {
  if (load.from.rate <= 0 && load.full.slots <= 1) return one_slot_point(load);
  const double running = running_batch(load);
  const working_point at = solved_point(load, running);
  // A first token may take less than a later one: then fewer run than all tokens as long as that would have.
  const double counted = load.from.clients > 0 ? smaller(running, load.from.clients) : running;
  return {counted, at, queue_time(load, at, running), running / (load.job.output.mean * at.token)};
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif
