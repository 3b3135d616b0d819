// How long a whole plan takes, and how that grows with the chips that may be used; and how long the chances of a run
// do. Times are of one core; what counts of a plan is how many candidates were looked at, and how many a bound took
// out.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <tpuplan/ask/risk.hpp>
#include <tpuplan/plan/planner.hpp>
#include <tpuplan/read/hf.hpp>
#include <tpuplan/read/prices.hpp>
#include <vector>

#ifndef TPUPLAN_DATA_DIR
#define TPUPLAN_DATA_DIR "data"
#endif

using namespace tpuplan;

namespace {

/// The least processor time of five, in milliseconds.
template <class Work>
double milliseconds_of(const Work& work) {
  double least = 1e30;
  for (int round = 0; round < 5; ++round) {
    const std::clock_t start = std::clock();
    work();
    least = std::min(least, 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return least;
}

void print_row(const std::string& label, const plan_request& request) {
  plan_answer answer;
  const double ms = milliseconds_of([&] { answer = make_plan(request); });
  const search_counts& c = answer.counts;
  fmt::print("| {} | {:.2f} ms | {} | {} | {} | {} | {} |\n", label, ms, c.slices, c.layouts, c.pruned, c.candidates,
             c.priced);
}

void print_head(const char* label) {
  fmt::print("\n| {} | time | slices | layouts | pruned | candidates | prices |\n|---|---:|---:|---:|---:|---:|---:|\n",
             label);
}

plan_request request_for(const char* config, double tokens) {
  plan_request request;
  request.model = load_hf_config(std::string(TPUPLAN_DATA_DIR "/models/") + config).model;
  request.job.sequence_length = 4096;
  request.job.global_batch = 1024;
  request.tokens = tokens;
  return request;
}

/// The chances of Llama 3.1 8B on 1e12 tokens: all ways of paying, and the changes that raise them.
void print_risk(const std::string& label, const std::string& slice_name, provisioning kind) {
  const model_config config = load_hf_config(TPUPLAN_DATA_DIR "/models/llama-3.1-8b.json");
  asked_job job;
  job.job.sequence_length = 4096;
  job.job.global_batch = 1024;
  const placed_job all = placed(config, slice_name, open_layout(), job);
  risk_request asked;
  asked.slice = slice_name;
  asked.tokens = 1e12;
  asked.kind = kind;
  asked.deadline = seconds{30 * 86400};
  asked.budget = usd{150000};
  risk_answer answer;
  const double ms = milliseconds_of([&] { answer = answer_to_risk(all, asked, price_book{}); });
  fmt::print("| {} | {:.0f} ms | {} | {} | {:.3f} |\n", label, ms, answer.ways.size(), answer.changes.size(),
             answer.chance_of_both);
}

}  // namespace

int main() {
  const owned_price_book all_prices = load_prices(TPUPLAN_DATA_DIR "/prices.json");
  std::vector<std::string> regions;
  for (std::size_t i = 0; i < all_prices.book().size(); ++i) {
    const std::string region(all_prices.book().row(i).region.view());
    if (std::find(regions.begin(), regions.end(), region) == regions.end()) regions.push_back(region);
  }
  print_head("all generations, regions and ways of paying");
  for (const auto& [label, config] :
       {std::pair{"Llama 3.1 8B", "llama-3.1-8b.json"}, std::pair{"Llama 3.1 70B", "llama-3.1-70b.json"},
        std::pair{"DeepSeek-V3", "deepseek-v3.json"}}) {
    plan_request request = request_for(config, 1e12);
    request.prices = all_prices.book();
    request.regions = regions;
    request.kinds.assign(all_provisioning.begin(), all_provisioning.end());
    print_row(label, request);
  }
  print_head("Llama 3.1 70B, v5p, up to so many chips and 64 slices");
  for (const std::int64_t most : {8, 64, 512, 4096, 16384, 102400, 393216}) {
    plan_request request = request_for("llama-3.1-70b.json", 1e12);
    request.job.global_batch = 8192;
    request.generations = {"v5p"};
    request.largest_slices = 64;
    request.largest_chips = most;
    print_row(fmt::format("{}", most), request);
  }
  fmt::print("\n| chances of Llama 3.1 8B on 1e12 tokens | time | ways of paying | changes | chance |\n");
  fmt::print("|---|---:|---:|---:|---:|\n");
  print_risk("v6e-256 on demand", "v6e-256", provisioning::on_demand);
  print_risk("v6e-256 on spot", "v6e-256", provisioning::spot);
  print_risk("v5p-128 on spot", "v5p-128", provisioning::spot);
}
