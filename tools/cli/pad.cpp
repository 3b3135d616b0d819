// tpuplan pad
#include <memory>
#include <tpuplan/ask/figures.hpp>
#include <tpuplan/show/views/figures.hpp>

#include "cli/commands.hpp"
#include "cli/network.hpp"
#include "cli/option.hpp"
#include "cli/report.hpp"

namespace cli {

namespace {

using namespace tpuplan;

struct pad_options {
  nlohmann::json request = nlohmann::json::object();
  std::string network;
};

void run_pad(const pad_options& given, const session& with) {
  const pad_request asked = read_request<pad_request>(given.request);
  const chip_spec chip = chip_for(asked.chip);
  if (!given.network.empty()) return network_pad(load_network(given.network), chip, with);
  if (asked.dimensions.empty()) refuse_missing("dims", "one or more dimensions, or --network FILE");
  const pad_answer said = answer_to(asked);
  answer(with, view_of(said), [&]() -> ordered_json { return said; });
}

}  // namespace

void add_pad_command(session& with) {
  command& added = with.commands.emplace_back("pad", "dimensions padded to the MXU, and what that wastes");
  const auto options = std::make_shared<pad_options>();
  added.ask(pad_rows, options->request);
  added.of("dims").must_be_given_ = false;  // beside --network
  added.add("--network", options->network, "a file: each of its layers, and from which batch on arithmetic limits it")
      .excludes({"dims", "--dtype"});
  add_table_options(added);
  added.run = [options, &with] { run_pad(*options, with); };
}

}  // namespace cli
