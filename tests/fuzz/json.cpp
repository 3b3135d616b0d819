// Documents of json.hpp: what is read is written and read again as the same, and what was read is answered or
// refused, whatever its figures.
#include <algorithm>
#include <string>
#include <tpuplan/json.hpp>
#include <tpuplan/json/file.hpp>
#include <tpuplan/plan/serving_plan.hpp>
#include <tpuplan/tpuplan.hpp>

#include "json_mutator.hpp"
#include "support.hpp"

using namespace tpuplan;

namespace {

template <class T>
bool read_and_written(const nlohmann::json& document, T& into) {
  if (refused([&] { into = read_json_document<T>(document, {unknown_keys::ignore, nullptr}); })) return false;
  const std::string written = json_document(into).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const T again = read_json_document<T>(nlohmann::json::parse(written));
  require(json_document(again).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) == written,
          "what is written is read as the same");
  return true;
}

/// Few enough candidates for a fuzz target.
template <class Request>
void keep_small(Request& request) {
  request.generations = {"v5e", "v5p"};
  request.largest_chips = std::min<std::int64_t>(request.largest_chips, 16);
  request.kinds.resize(std::min<std::size_t>(request.kinds.size(), 2));
  request.regions.resize(std::min<std::size_t>(request.regions.size(), 2));
}

void ask(plan_request& request) {
  keep_small(request);
  request.largest_slices = std::min<std::int64_t>(request.largest_slices, 2);
  request.policies.resize(std::min<std::size_t>(request.policies.size(), 2));
  refused([&] {
    const plan_answer answer = make_plan(request);
    for (const plan& p : answer.plans) {
      require(sound(p.run.value()) && sound(p.step.total.value()) && sound(p.memory.total.value()), "plans are finite");
      for (const plan_cost& cost : p.costs) require(sound(cost.total.value()), "costs are finite");
    }
  });
}

void ask(serving_request& request) {
  keep_small(request);
  refused([&] {
    const serving_plan_answer answer = plan_serving(request);
    for (const serving_plan& p : answer.plans) {
      require(sound(p.rate.value()) && sound(p.estimate.per_token.total.value()), "serving plans are finite");
    }
  });
}

void ask(const slice& s) {
  refused([&] { (void)chips(s); });
  refused([&] { (void)devices(s); });
  refused([&] { (void)hosts(s); });
  refused([&] { (void)vms(s); });
  refused([&] { (void)name(s); });
  refused([&] { (void)wraparound(s); });
  refused([&] { (void)usable_hbm(s); });
  refused([&] { (void)machine_type_of(s); });
  refused([&] { (void)critical_batch(s.chip, dtype::bf16); });
}

void ask(const training_case& c) {
  refused([&] { require(sound(memory_use(c.model, c.job, c.mesh, c.where).total.value()), "memory is finite"); });
  refused([&] { require(sound(step_time(c.model, c.job, c.mesh, c.where).total.value()), "a step is finite"); });
  refused([&] { (void)parameters(c.model); });
}

template <class T>
void try_as(const nlohmann::json& document) {
  T value{};
  if (read_and_written(document, value)) ask(value);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  nlohmann::json document;
  if (refused([&] { document = parse_json(characters_of(data, size), "input"); })) return 0;
  try_as<plan_request>(document);
  try_as<serving_request>(document);
  try_as<slice>(document);
  try_as<training_case>(document);
  return 0;
}
