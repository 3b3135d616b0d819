// tpuplan generate
#include <tpuplan/ask/generate.hpp>

#include <memory>
#include <tpuplan/show/views/generate.hpp>

#include "cli/commands.hpp"
#include "cli/config.hpp"
#include "cli/option.hpp"
#include "cli/prices.hpp"
#include "cli/report.hpp"
#include "cli/train_generation.hpp"
#include "cli/zones.hpp"

namespace cli {

namespace {

using namespace tpuplan;

struct generate_options {
  nlohmann::json request = nlohmann::json::object();
  price_options prices;
  std::string config;
};

void run_generate(const generate_options& given, session& with) {
  generate_request asked = read_request<generate_request>(given.request);
  asked.region = given.prices.region;
  std::vector<assumption> read;
  const std::string path = given.config == "-" ? "/dev/stdin" : given.config;
  const diffusion_pipeline pipeline = load_pipeline(path, read);
  loaded_prices prices(given.prices, with);
  check_place(given.prices, prices, {asked.slice}, with);
  generate_answer a =
      answer_to_generate(filled(pipeline, std::move(read), asked.make, asked.batch), asked, prices.book());
  if (a.fits == verdict::no) with.status = 1;
  for (const auto& [field, value] : machine_taken(asked.slice, scheduled_slice(asked.slice)))
    a.assumed.push_back({field, value, std::string(not_given)});
  view shown = view_of(a, view_options_of(with));
  if (a.maxdiffusion_refuses.empty()) {
    maxdiffusion_run made = run_of(a, a.size, false);
    made.job = a.job;
    add_launch(shown, made, slice_for(a.slice), 1, provisioning::on_demand);
  }
  answer(with, shown, [&] { return ordered_json(a); });
}

}  // namespace

void add_generate_command(session& with) {
  command& added = with.commands.emplace_back("generate", "seconds and dollars of an image or a clip");
  const auto options = std::make_shared<generate_options>();
  added.argument("config", options->config, "a folder of diffusers, or the config.json of its transformer or UNet")
      .required();
  added.ask(picture_rows, options->request);
  added.ask(generate_rows, options->request);
  add_price_options(added, options->prices);
  add_table_options(added);
  added.run = [options, &with] { run_generate(*options, with); };
}

}  // namespace cli
