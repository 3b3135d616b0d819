// tpuplan spot
#include <cmath>
#include <memory>
#include <optional>
#include <tpuplan/ask/spot.hpp>
#include <tpuplan/show/views/spot.hpp>

#include "cli/commands.hpp"
#include "cli/config.hpp"
#include "cli/network.hpp"
#include "cli/option.hpp"
#include "cli/report.hpp"

namespace cli {

namespace {

using namespace tpuplan;

struct spot_options {
  nlohmann::json request = nlohmann::json::object();
  spot_request asked;
  std::string model;
  std::optional<double> share, hourly;  // preemptions as people say them: of --per, and in an hour
  std::optional<seconds> per, over;
  std::optional<std::int64_t> preemptions;
};

/// One way to state how often a run is preempted, and the mean time between preemptions that follows from it.
struct spot_reading {
  std::string words;
  seconds between{};
};

/// How the given rate of preemptions was read; nothing if the mean time itself was given.
std::optional<spot_reading> reading_of(const spot_options& given) {
  if (given.share) {
    const seconds window = given.per.value_or(given.asked.work);
    return spot_reading{
        fmt::format("a probability of {} to be preempted at least once in {}", percent(*given.share), duration(window)),
        mean_time_between_preemptions_from_probability(*given.share, window)};
  }
  if (given.hourly)
    return spot_reading{counted(fmt::format("{:g}", *given.hourly), "preemption") + " an hour",
                        mean_time_between_preemptions_from_rate(*given.hourly / 1_h)};
  if (given.preemptions) {
    if (!given.over) refuse_missing("--over", "the time with machines in which so many preemptions were counted");
    return spot_reading{
        fmt::format("{} in {}", counted(grouped(*given.preemptions), "preemption"), duration(*given.over)),
        mean_time_between_preemptions_from_count(*given.over, *given.preemptions)};
  }
  return std::nullopt;
}

/// The question, with the mean time between preemptions that was said in other words.
spot_request request_of(const spot_options& given) {
  spot_request asked = given.asked;
  if (const std::optional<spot_reading> reading = reading_of(given))
    asked.mean_time_between_preemptions = reading->between;
  if (asked.checkpoint_interval && *asked.checkpoint_interval > asked.work)
    refuse("--interval", duration(*asked.checkpoint_interval),
           fmt::format("at most the work, {}", duration(asked.work)), errc::out_of_range);
  if (asked.on_demand.has_value() != asked.spot.has_value())
    refuse_missing(asked.spot ? "--on-demand" : "--spot", "dollars per chip and hour, as for the other");
  return asked;
}

void run_spot(spot_options given, session& with) {
  given.asked = read_request<spot_request>(given.request);
  if (!given.model.empty()) given.asked.parameters = parameters_in(given.model);
  spot_answer said = answer_to(request_of(given));
  if (given.share && !given.per)
    said.assumed.push_back({"the preemption rate is of",
                            fmt::format("runs as long as this one, {}: see --per", duration(given.asked.work)),
                            std::string(not_given)});
  view shown = view_of(said, view_options_of());
  if (const std::optional<spot_reading> reading = reading_of(given))
    shown.parts.front().notes.insert(
        shown.parts.front().notes.begin(),
        fmt::format("{} is one every {}, {:.2g} an hour, {} in a day", reading->words, duration(reading->between),
                    1_h / reading->between, percent(preemption_probability(reading->between, 24_h))));
  if (!shown.next.empty()) shown.next.front().command = "--on-demand 1.20 --spot 0.60 --chips 32";
  answer(with, shown, [&]() -> ordered_json { return said; });
}

}  // namespace

void add_spot_command(session& with) {
  command& added = with.commands.emplace_back("spot", "checkpoint interval, expected time and cost under preemption");
  const auto options = std::make_shared<spot_options>();
  added.ask(spot_rows, options->request);
  added
      .add("--model", options->model,
           "a config.json, a network of layers or a folder of diffusers, whose parameters they are")
      .decides("checkpoint_time");
  added.add("--preemption-rate", options->share, {1e-9, 0.999999}, "probability of a preemption in --per: 20%")
      .decides("mean_time_between_preemptions")
      .excludes({"--mtbp"});
  added.add("--per", options->per, "the time for which --preemption-rate is stated")
      .usually("the work")
      .needs({"--preemption-rate"});
  added.add("--preemptions-per-hour", options->hourly, {1e-9, 1e6}, "a rate, which may be above 1: 0.2")
      .decides("mean_time_between_preemptions")
      .excludes({"--mtbp", "--preemption-rate"});
  added.add("--preemptions", options->preemptions, {1, 1e9}, "counted in the time of --over")
      .decides("mean_time_between_preemptions")
      .excludes({"--mtbp", "--preemption-rate", "--preemptions-per-hour"});
  added.add("--over", options->over, "the time with machines in which --preemptions were counted")
      .needs({"--preemptions"});
  add_table_options(added);
  added.run = [options, &with] { run_spot(*options, with); };
}

}  // namespace cli
