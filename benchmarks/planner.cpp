// How long a whole plan takes, and how that grows with the chips that may be used. Times are of one core; what counts
// is how many candidates were looked at, and how many a bound took out.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <string>
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
double milliseconds_of(const plan_request& request, plan_answer& answer) {
  double least = 1e30;
  for (int round = 0; round < 5; ++round) {
    const std::clock_t start = std::clock();
    answer = make_plan(request);
    least = std::min(least, 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return least;
}

void print_row(const std::string& label, const plan_request& request) {
  plan_answer answer;
  const double ms = milliseconds_of(request, answer);
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
}
