// tpuplan risk
#include <fstream>
#include <memory>
#include <tpuplan/ask/risk.hpp>
#include <tpuplan/show/views/risk.hpp>
#include <vector>

#include "cli/commands.hpp"
#include "cli/fit.hpp"
#include "cli/network.hpp"
#include "cli/option.hpp"
#include "cli/prices.hpp"
#include "cli/report.hpp"

namespace cli {

namespace {

using namespace tpuplan;

struct risk_options {
  job_options job;
  mesh_options mesh;
  price_options prices;
  std::string lifetimes;  // a file
};

/// How long one's own slices lasted: a line of JSON each.
std::vector<own_lifetime> load_lifetimes(const std::string& path) {
  std::ifstream file(path);
  if (!file) refuse("--lifetimes", path, "a file that can be read", errc::malformed_input);
  std::vector<own_lifetime> all;
  for (std::string line; std::getline(file, line);) {
    const std::string where = fmt::format("{}:{}", path, all.size() + 1);
    if (!line.empty()) all.push_back(read_json<own_lifetime>(parse_json(line, where, {4096, 4}), {}, where));
  }
  if (all.empty()) refuse("--lifetimes", path, "one line or more", errc::malformed_input);
  return all;
}

/// The question; dates are from today on where nobody says when capacity is asked for.
risk_request request_of(const risk_options& given, assumed_values& assumed) {
  risk_request asked = read_request<risk_request>(given.job.request);
  asked.region = given.prices.region;
  if (!given.lifetimes.empty()) asked.lifetimes = load_lifetimes(given.lifetimes);
  if (!asked.by.empty() && asked.start.empty()) {
    asked.start = today();
    assumed.emplace_back("start", asked.start + ", today: see --start");
  }
  return asked;
}

void run_risk(const risk_options& given, session& with) {
  const any_model model = load_trained_model(given.job, given.mesh);
  if (model.net) refuse("config", given.job.config, "a language model: a network has no risk yet");
  const loaded_prices prices(given.prices, with);
  check_region(prices.book(), given.prices.region);
  placed_job all = place(model.config, given.job, given.mesh, calibrated_part::steps_and_memory);
  const risk_request asked = request_of(given, all.assumed);
  const risk_answer a = answer_to_risk(all, asked, prices.book());
  view shown = view_of(a, view_options_of(with));
  add_sources(all, given.job, given.mesh, shown);
  shown.next.front().command = follow_up(with, "train", {});
  answer(with, shown, [&] {
    ordered_json document = a;
    add_sources(all, given.job, given.mesh, document);
    return document;
  });
}

}  // namespace

void add_risk_command(session& with) {
  command& added = with.commands.emplace_back("risk", "the chance to be done by a date and within a budget");
  const auto options = std::make_shared<risk_options>();
  add_placed_options(added, options->job);
  nlohmann::json& request = options->job.request;
  added.ask(run_rows, "--default-tiles", request).excludes({"--maxtext"});
  added.ask(run_rows, "--tokens", request);
  added.ask(risk_rows, request);
  added.ask(wait_rows, request);
  added.ask(phase_rows, request);
  added
      .add("--lifetimes", options->lifetimes,
           "how long your own spot slices lasted: a line each, {\"lasted_s\": 5400, \"preempted\": true}")
      .excludes({"--mtbp"});
  added.ask(rest_rows, request);
  add_price_options(added, options->prices);
  add_drawing_options(added);
  add_table_options(added);
  added.run = [options, &with] {
    read_job(options->job);
    read_mesh(options->job.request, options->mesh);
    run_risk(*options, with);
  };
}

}  // namespace cli
