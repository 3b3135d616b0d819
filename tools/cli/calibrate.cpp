// tpuplan calibrate
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <tpuplan/json.hpp>
#include <tpuplan/read/runs.hpp>
#include <vector>

#include "cli/calibration.hpp"
#include "cli/commands.hpp"
#include "cli/config.hpp"
#include "cli/maxtext.hpp"
#include "cli/print.hpp"

namespace cli {

namespace {

using namespace tpuplan;

struct calibrate_options {
  std::string runs, slice_name, log, output;
  std::int64_t slices = 0, warm_up = static_cast<std::int64_t>(maxtext_log_rule{}.warm_up);
  maxtext_options maxtext;
  software_level software = software_level::unnamed;
};

/// The run of a MaxText configuration and its log: its step, and its peak where the compiler's is printed. The log must
/// be of that batch: tokens a device by its rate and by the configuration agree within 2 %.
void add_logged(const calibrate_options& given, measured_runs& into) {
  const maxtext_question asked = ask_maxtext(given.maxtext, given.slice_name, given.slices, "");
  const maxtext_log log = read_maxtext_log(read_maxtext_file(given.log, most_maxtext_log), given.log,
                                           {static_cast<std::size_t>(given.warm_up)});
  const auto all = static_cast<double>(checked_multiply(devices(asked.where), slices(asked.mesh)));
  const double tokens = static_cast<double>(tokens_per_step(asked.job)) / all;
  if (log.tokens_per_device > 0 && std::abs(log.tokens_per_device / tokens - 1) > 0.02)
    refuse("--maxtext-log", fmt::format("of steps of {:.0f} tokens on each device", log.tokens_per_device),
           fmt::format("the log of the configuration, whose steps have {:.0f}", tokens));
  measured_run run;
  run.id = given.log;
  run.model = asked.model;
  run.where = asked.where;
  run.job = asked.job;
  run.job.software = given.software;
  run.mesh = asked.mesh;
  run.time = log.step;
  run.spread = std::min(1.0, log.spread / std::sqrt(static_cast<double>(log.steps - log.warm_up)));
  into.runs.push_back(run);
  if (log.compiled.value() <= 0) return;
  run.kind = measured_kind::memory;
  run.time = {};
  run.spread = 0;
  run.peak = log.compiled;
  into.runs.push_back(run);
}

/// The estimate of a run, in seconds or bytes, corrected by the own runs that are given.
struct said {
  double value = 0, low = 0, high = 0;
};

said estimate_of(const measured_run& run, const own_constants& known) {
  switch (run.kind) {
    case measured_kind::step: {
      const step_breakdown t = step_time(run.model, run.job, run.mesh, run.where, known.training);
      return {t.total.value(), t.low.value(), t.high.value()};
    }
    case measured_kind::memory: {
      const memory_breakdown m = memory_use(run.model, run.job, run.mesh, run.where, known.memory);
      return {m.total.value(), m.low.value(), m.high.value()};
    }
    case measured_kind::token: {
      const token_time t = token_of(run, known.serving);
      return {t.total.value(), t.low.value(), t.high.value()};
    }
    case measured_kind::first_token: break;
  }
  const double t = engine_prefill_time(run.model, run.traffic, run.sharding, run.where, known.serving).value();
  return {t, t, t};
}

/// A run with two estimates: one without own runs, and one corrected by all other own runs.
struct judged_run {
  const measured_run* run = nullptr;
  double measured = 0;
  said alone, others;
};

std::vector<judged_run> judge(const std::vector<measured_run>& runs) {
  std::vector<judged_run> list;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::vector<measured_run> others = runs;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const double measured = runs[i].kind == measured_kind::memory ? runs[i].peak.value() : runs[i].time.value();
    list.push_back({&runs[i], measured, estimate_of(runs[i], {}), estimate_of(runs[i], constants_knowing(others))});
  }
  return list;
}

/// How far a time of published software lies from its estimate at most, and whose that is (data/measured).
constexpr double furthest_published = 9.8;
constexpr const char* furthest_run = "a token of Grok-2 on v6e-64";

/// What is doubtful of a measured time: nothing where published software is as far from its estimate.
std::string doubt_of(const judged_run& one) {
  if (one.run->kind == measured_kind::memory) return {};
  const double ratio = one.measured / one.alone.value;
  if (ratio <= furthest_published && ratio >= 1 / furthest_published) return {};
  const bool slow = ratio > 1;
  return fmt::format("{} takes {:.3g} times {}: of published software none is further off than {} ({}): {} for {}?",
                     one.run->id, slow ? ratio : 1 / ratio, slow ? "what is estimated" : "less than is estimated",
                     furthest_published, furthest_run, slow ? "ms" : "s", slow ? "s" : "ms");
}

/// A further run that would be informative, and the share of the spread over similar questions that would remain.
struct suggestion {
  std::string of, change;
  double before = 1, after = 1;
};

/// Changes to a run: one of its dimensions four times as large, or a fourth of it.
struct change {
  double run_features::*feature;
  double doublings;
  const char* step;   // in words for training
  const char* token;  // for serving; empty where a question of serving has no such way
};
constexpr change asked_changes[] = {
    {&run_features::chips, 2, "on four times the chips", "on four times the chips"},
    {&run_features::chips, -2, "on a fourth of the chips", "on a fourth of the chips"},
    {&run_features::load, 2, "with four times the tokens a chip", "with four times the load"},
    {&run_features::load, -2, "with a fourth of the tokens a chip", "with a fourth of the load"},
    {&run_features::length, 2, "with sequences four times as long", "with contexts four times as long"},
    {&run_features::length, -2, "with sequences a fourth as long", "with contexts a fourth as long"},
    {&run_features::size, 2, "of a model four times as large", "of a model four times as large"},
    {&run_features::size, -2, "of a model a fourth as large", "of a model a fourth as large"}};

/// A count times a power of two; 0 where it is not whole.
std::int64_t scaled(std::int64_t count, double doublings) {
  const double factor = std::exp2(doublings), result = static_cast<double>(count) * factor;
  return result < 1 || result != std::floor(result) ? 0 : static_cast<std::int64_t>(result);
}

bool has_slice(const slice& where, double doublings) {
  const std::int64_t wanted = scaled(chips(where), doublings);
  return wanted > 0 && find_slice_of_size(where.chip, wanted).has_value();
}

/// Whether a step can be run with that change: on a slice that there is, of a batch that divides and may fit.
bool can_train(const measured_run& run, const change& one, const own_runs& peaks) {
  if (one.feature == &run_features::chips) return has_slice(run.where, one.doublings);
  training_job job = run.job;
  if (one.feature == &run_features::load) job.global_batch = scaled(job.global_batch, one.doublings);
  if (one.feature == &run_features::length) job.sequence_length = scaled(job.sequence_length, one.doublings);
  const std::int64_t longest = run.model.max_positions;
  if (job.global_batch == 0 || job.sequence_length == 0 || (longest > 0 && job.sequence_length > longest)) return false;
  try {
    return fits(memory_use(run.model, job, run.mesh, run.where, peaks)) != verdict::no;
  } catch (const error&) {
    return false;
  }
}

/// Whether tokens or prompts can be served with that change: on a slice that there is, as many at once as it holds.
bool can_serve(const measured_run& run, const change& one) {
  if (one.feature == &run_features::chips) return has_slice(run.where, one.doublings);
  serving_job job = run.traffic;
  const double factor = std::exp2(one.doublings);
  if (one.feature == &run_features::length) {
    for (token_lengths* length : {&job.prompt, &job.output}) {
      length->mean *= factor, length->mean_square *= factor * factor;
      length->longest = static_cast<std::int64_t>(std::ceil(static_cast<double>(length->longest) * factor));
    }
  }
  const bool is_prompt = run.kind == measured_kind::first_token;  // one at a time, whose load is its length
  const double at_once = is_prompt ? 1 : run.running;
  const double running = one.feature == &run_features::load && !is_prompt ? at_once * factor : at_once;
  try {
    return running >= 1 && running <= static_cast<double>(largest_running(run.model, job, run.sharding, run.where));
  } catch (const error&) {
    return false;
  }
}

/// The changed run that leaves least spread; nothing where none leaves less. `runs` are those that are known, in their
/// order.
std::optional<suggestion> suggest(const own_runs& known, const std::vector<const measured_run*>& runs,
                                  const own_spreads& spreads, const char* what, const own_runs& peaks) {
  if (known.count == 0 || known.count == most_own_runs) return std::nullopt;
  std::vector<run_features> asked;
  std::vector<std::string> words;  // empty: it cannot be run
  for (std::size_t i = 0; i < known.count; ++i) {
    const measured_run& run = *runs[i];
    const bool training = run.kind == measured_kind::step || run.kind == measured_kind::memory;
    for (const change& one : asked_changes) {
      run_features about = known.items[i].about;
      about.*one.feature += one.doublings;
      if (about.*one.feature < 0) continue;
      asked.push_back(about);
      words.push_back((training ? can_train(run, one, peaks) : can_serve(run, one))
                          ? fmt::format("one like {} {}", run.id, training ? one.step : one.token)
                          : std::string());
    }
  }
  const auto left_with = [&](const own_runs& with) {
    double sum = 0;
    for (const run_features& about : asked) sum += own_spread_left(with, spreads, about);
    return sum / static_cast<double>(asked.size());
  };
  suggestion best{what, "", left_with(known), 2};
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (words[i].empty()) continue;
    own_runs tried = known;
    tried.items[tried.count++] = {asked[i], 0, 0, 0};
    const double left = left_with(tried);
    if (left < best.after - 1e-9) best.after = left, best.change = words[i];
  }
  if (best.after > best.before - 0.0005) return std::nullopt;  // less than is shown
  return best;
}

std::vector<suggestion> suggestions(const own_constants& known, const std::vector<measured_run>& runs) {
  std::vector<suggestion> list;
  const auto add = [&](const own_runs& own, measured_kind kind, const own_spreads& spreads, const char* what) {
    std::vector<const measured_run*> of_kind;
    for (const measured_run& run : runs)
      if (run.kind == kind) of_kind.push_back(&run);
    if (const std::optional<suggestion> one = suggest(own, of_kind, spreads, what, known.memory)) list.push_back(*one);
  };
  add(known.training.own, measured_kind::step, training_spreads, "step");
  add(known.memory, measured_kind::memory, memory_spreads, "memory");
  add(known.serving.own_decode, measured_kind::token, decode_spreads, "token");
  add(known.serving.own_prefill, measured_kind::first_token, prefill_spreads, "first token");
  return list;
}

ordered_json document_of(const measured_runs& read, const std::vector<judged_run>& judged,
                         const std::vector<suggestion>& next) {
  ordered_json document = calibration_document(read.runs);
  document["learned"] = ordered_json::array();
  for (const judged_run& one : judged)
    document["learned"].push_back({{"id", one.run->id},
                                   {"kind", name(one.run->kind)},
                                   {"measured", one.measured},
                                   {"estimated", one.alone.value},
                                   {"error", one.alone.value / one.measured - 1},
                                   {"knowing_others", one.others.value},
                                   {"error_knowing_others", one.others.value / one.measured - 1}});
  document["next"] = ordered_json::array();
  for (const suggestion& one : next)
    document["next"].push_back(
        {{"kind", one.of}, {"run", one.change}, {"spread_left", one.before}, {"spread_left_then", one.after}});
  document["doubtful"] = ordered_json::array();
  for (const judged_run& one : judged) {
    if (const std::string doubt = doubt_of(one); !doubt.empty())
      document["doubtful"].push_back({{"id", one.run->id}, {"why", doubt}});
  }
  document["unknown_keys"] = read.unknown;
  document["skipped"] = ordered_json::array();
  for (const auto& [id, why] : read.skipped) document["skipped"].push_back({{"id", id}, {"why", why}});
  return document;
}

std::string amount(const judged_run& one, double value) {
  return one.run->kind == measured_kind::memory ? fmt::format("{:.2f} GiB", in_gib(bytes{value}))
                                                : duration(seconds{value});
}

/// The commands that take these runs: steps and peaks of memory are of training, tokens and first tokens of serving.
std::string commands_for(const std::vector<measured_run>& runs) {
  const auto has = [&](measured_kind one, measured_kind other) {
    return std::any_of(runs.begin(), runs.end(),
                       [&](const measured_run& run) { return run.kind == one || run.kind == other; });
  };
  const bool trains = has(measured_kind::step, measured_kind::memory);
  const bool serves = has(measured_kind::token, measured_kind::first_token);
  const bool plans = has(measured_kind::step, measured_kind::step) || serves;
  return trains && serves ? "train, fit, plan, risk, serve and simulate"
         : trains         ? (plans ? "train, fit, plan and risk" : "train, fit and risk")
                          : "serve, simulate and plan --serve";
}

view view_of(const measured_runs& read, const std::vector<judged_run>& judged, const std::vector<suggestion>& next,
             const std::string& output) {
  view shown;
  shown.title = words_of(counts_of(constants_knowing(read.runs)));
  view_part part =
      readable::table_of("run | of | ~what | >measured | >estimated | >error | >knowing the others | >error then");
  const auto error = [](double is, double measured) {
    return readable::cell(fmt::format("{:+.1f} %", 100 * (is / measured - 1)), is / measured - 1);
  };
  for (const judged_run& one : judged) {
    const auto shown_as = [&](double value) { return readable::cell(amount(one, value), value); };
    part.rows.push_back({readable::cell(one.run->id), readable::cell(one.run->model.name.view()),
                         readable::cell(name(one.run->kind)), shown_as(one.measured), shown_as(one.alone.value),
                         error(one.alone.value, one.measured), shown_as(one.others.value),
                         error(one.others.value, one.measured)});
  }
  for (const judged_run& one : judged) {
    if (std::string doubt = doubt_of(one); !doubt.empty()) part.notes.push_back(std::move(doubt));
  }
  for (const auto& [id, why] : read.skipped) part.notes.push_back("skipped " + id + ": " + why);
  shown.parts = {std::move(part), unknown_part(read.unknown)};
  const auto say = [&](std::string words) { shown.parts.emplace_back().sentences = {std::move(words)}; };
  for (const suggestion& one : next)
    say(
        fmt::format("the {} to measure next: {}; it would leave {} of the spread of similar estimates, where {} is "
                    "left now",
                    one.of, one.change, percent(one.after), percent(one.before)));
  const std::string commands = commands_for(read.runs);
  say(output.empty() ? "--output FILE keeps it for --calibration of " + commands
                     : "written to " + output + ": --calibration of " + commands + " takes it");
  return shown;
}

void write_document(const std::string& path, const ordered_json& document) {
  std::ofstream file(path, std::ios::binary);
  file << document.dump(1) << "\n";
  file.close();
  if (!file) refuse("--output", path, "a file that can be written");
}

void run_calibrate(const calibrate_options& given, const session& with) {
  measured_runs read;
  if (!given.runs.empty()) read = read_runs(load_runs(given.runs), given.runs);
  if (!given.log.empty()) add_logged(given, read);
  if (given.runs.empty() && given.log.empty())
    refuse_missing("RUNS", "a file with runs, or --maxtext and --maxtext-log");
  if (read.runs.empty())
    refuse("RUNS", "no run that an estimate can use",
           read.skipped.empty()
               ? std::string("one or more")
               : fmt::format("one or more; {} has {}", read.skipped.front().first, read.skipped.front().second));
  const own_constants known = constants_knowing(read.runs);
  const std::vector<judged_run> judged = judge(read.runs);
  const std::vector<suggestion> next = suggestions(known, read.runs);
  if (!given.output.empty()) write_document(given.output, calibration_document(read.runs));
  answer(with, view_of(read, judged, next, given.output), [&] { return document_of(read, judged, next); });
}

}  // namespace

void add_calibrate_command(session& with) {
  command& added =
      with.commands.emplace_back("calibrate", "estimates corrected by your own runs, and which runs to measure next");
  const auto options = std::make_shared<calibrate_options>();
  added.argument("runs", options->runs,
                 "a JSON file with runs, docs/accuracy.md has its form, or a calibration file; - reads it");
  added.add("--maxtext-log", options->log, "the log of a MaxText run").needs({"--maxtext"});
  added.add("--slice", options->slice_name, "the slice of that run; its compile_topology, if not given")
      .needs({"--maxtext"});
  added.add("--slices", options->slices, {1, 1024}, "the slices of that run; as its axes say, if not given")
      .needs({"--maxtext"});
  added.add("--warm-up", options->warm_up, {0, 1e6}, "steps to leave out at the beginning of the log")
      .usually(std::to_string(options->warm_up))
      .needs({"--maxtext-log"});
  added.add("--maxtext", options->maxtext.file, "the configuration of that run").needs({"--maxtext-log"});
  added.add("--set", options->maxtext.settings, "its arguments: remat_policy=full").whole().needs({"--maxtext"});
  added.add("--software", options->software, fmt::format("its software: {}", names_of<software_level>().view()))
      .usually("unnamed")
      .needs({"--maxtext"});
  added.add("--output", options->output, "a file for the calibration");
  add_table_options(added);
  added.run = [options, &with] { run_calibrate(*options, with); };
}

}  // namespace cli
