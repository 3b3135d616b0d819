// serving_choices FOLDER: what the planner of serving chooses for every model of a folder, a line for each plan. The
// layouts and the first digits of the figures do not depend on the compiler or on fused multiply-add.
#include <cstdio>
#include <filesystem>
#include <set>
#include <string>
#include <tpuplan/plan/serving_plan.hpp>
#include <tpuplan/read/hf.hpp>

using namespace tpuplan;

namespace {

void print_plans(const std::string& question, const serving_request& request) {
  const serving_plan_answer answer = plan_serving(request);
  for (const serving_plan& p : answer.plans) {
    const std::string words = std::to_string(p.slices) + " x " + std::string(name(p.where).view()) + " tensor " +
                              std::to_string(p.mesh.tensor) + " cache " +
                              std::to_string(static_cast<int>(p.mesh.cache)) + " attention " +
                              std::to_string(p.mesh.attention) + " " + std::string(name(p.kind)) + " " + p.region;
    std::printf("%s: %s %.7g %.7g %.7g\n", question.c_str(), words.c_str(), in_usd_per_hour(p.rate),
                p.estimate.per_token.total.value(), p.estimate.first_token.value());
  }
  for (const rejected_server& lost : answer.rejected)
    std::printf("%s: %s %s\n", question.c_str(), std::string(name(lost.where).view()).c_str(),
                std::string(name(lost.why)).c_str());
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(words[1])) {
    if (entry.path().filename() != "sources.json") files.insert(entry.path().string());
  }
  int decoders = 0;
  for (const std::string& file : files) {
    const model_config config = load_hf_config(file);
    if (config.model.kind != architecture::decoder || !has_text(config.model)) continue;
    ++decoders;
    serving_request request;
    request.model = config.model;
    request.job.prompt = fixed_length(1024);
    request.job.output = fixed_length(256);
    request.job.beyond_max_positions = true;
    request.kinds = {provisioning::on_demand, provisioning::spot};
    request.regions = {"us", "us-east5", "us-central1"};
    request.most_plans = 0;
    for (const double rate : {0.0, 1.0, 5.0, 20.0}) {
      for (const objective best : {objective::cheapest, objective::fastest, objective::fewest_chips}) {
        request.job.request_rate = per_second{rate};
        request.best = best;
        print_plans(file + " " + std::to_string(rate) + " " + std::string(name(best)), request);
      }
    }
  }
  return decoders > 30 ? 0 : 1;
}
