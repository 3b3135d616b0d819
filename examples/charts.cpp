// Five charts for Llama 3 8B, as SVG files: charts RECORDS.json FOLDER. RECORDS.json are published runs, such as
// data/measured/measured.json.
#include <cstdio>
#include <fstream>
#include <lab/validation.hpp>
#include <string>
#include <tpuplan/show/svg.hpp>
#include <tpuplan/tpuplan.hpp>

using namespace tpuplan;

plan_request request_for_llama() {
  plan_request request;
  request.model.name = "Llama 3 8B";
  request.model.layers = 32;
  request.model.d_model = 4096;
  request.model.vocab = 128256;
  request.model.attention.heads = 32;
  request.model.attention.kv_heads = 8;
  request.model.attention.head_dim = 128;
  request.model.mlp.d_ff = 14336;
  request.job.global_batch = 1024;
  request.job.sequence_length = 4096;
  request.tokens = 1e12;
  request.deadline = 30_days;
  return request;
}

bool write(const std::string& path, const std::string& svg) {
  std::ofstream file(path);
  file << svg << std::flush;
  return std::printf("%s%s\n", file ? "" : "cannot write ", path.c_str()) > 0 && file.good();
}

int main(int count, char** arguments) {
  if (count != 3) return std::fprintf(stderr, "charts RECORDS.json FOLDER\n"), 2;
  const std::string folder = std::string(arguments[2]) + "/";
  try {
    const plan_request request = request_for_llama();
    const plan_answer answer = make_plan(request);
    memory_chart memory{"Llama 3 8B by remat policy on v6e-256", {}};
    step_chart step{"Llama 3 8B, 1024 sequences of 4096 tokens, the best five plans", {}};
    for (const named_remat_policy& policy :
         {remat_policies[0], remat_policies[2], remat_policies[8], remat_policies[11]}) {
      training_job job = request.job;
      job.remat = policy.policy;
      const slice where = slice_for("v6e-256");
      memory.bars.push_back({std::string(policy.name), memory_use(request.model, job, fsdp_layout(where), where)});
    }
    for (std::size_t i = 0; i < 5 && i < answer.plans.size(); ++i) {
      step.bars.push_back({std::string(name(answer.plans[i].where).view()), answer.plans[i].step});
    }
    const nlohmann::json records = load_json(arguments[1]);
    const bool written = write(folder + "roofline.svg", to_svg(roofline_of(v5e, request.model, 512))) &&
                         write(folder + "memory.svg", to_svg(memory)) && write(folder + "step.svg", to_svg(step)) &&
                         write(folder + "pareto.svg", to_svg(pareto_of(answer))) &&
                         write(folder + "accuracy.svg", to_svg(accuracy_of(check_records(records, arguments[1]))));
    return written ? 0 : 1;
  } catch (const error& problem) {
    return std::fprintf(stderr, "%s\n", problem.what()), 2;
  }
}
