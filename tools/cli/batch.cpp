// tpuplan batch
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <tpuplan/ask/figures.hpp>
#include <tpuplan/show/views/figures.hpp>
#include <vector>

#include "cli/commands.hpp"
#include "cli/network.hpp"
#include "cli/option.hpp"
#include "cli/report.hpp"

namespace cli {

namespace {

using namespace tpuplan;

struct batch_options {
  nlohmann::json request = nlohmann::json::object();
  std::string shape, network;
};

product_shape parse_shape(const std::string& given) {
  if (std::count(given.begin(), given.end(), 'x') != 2)
    refuse("--shape", given, "BxDxF, such as 512x4096x16384", errc::malformed_input);
  std::vector<std::int64_t> sides;
  std::size_t from = 0;
  while (from <= given.size()) {
    const std::size_t to = std::min(given.find('x', from), given.size());
    read("--shape", given.substr(from, to - from), {1, 1e12}, sides.emplace_back());
    from = to + 1;
  }
  return {sides[0], sides[1], sides[2]};
}

void run_batch(const batch_options& given, const session& with) {
  batch_request asked = read_request<batch_request>(given.request);
  if (!given.network.empty()) return network_pad(load_network(given.network), chip_for(asked.chip), with);
  if (!given.shape.empty()) asked.shape = parse_shape(given.shape);
  const batch_answer said = answer_to(asked);
  view shown = view_of(said, view_options_of());
  if (given.shape.empty()) {
    shown.next.front().command = follow_up(with, "batch", {{"--shape", "512x4096x16384"}});
  } else {
    shown.next.front() = {"slices", fmt::format("tpuplan slices --generation {}", said.chip), "which slices of it exist"};
  }
  answer(with, shown, [&]() -> ordered_json { return said; });
}

}  // namespace

void add_batch_command(session& with) {
  command& added =
      with.commands.emplace_back("batch", "ridge point and critical batch of a chip; the bound of one product");
  const auto options = std::make_shared<batch_options>();
  for (const char* one : {"chip", "--dtype", "--weights"}) added.ask(batch_rows, one, options->request);
  added.add("--shape", options->shape, "BxDxF: the product [B,D] x [D,F]");
  added.add("--network", options->network, "a file: from which batch on each of its layers is limited by arithmetic")
      .excludes({"--dtype", "--weights", "--shape"});
  add_table_options(added);
  added.run = [options, &with] { run_batch(*options, with); };
}

}  // namespace cli
