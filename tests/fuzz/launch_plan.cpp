// A plan as JSON, and what every launch target writes of it: what is written is read again as what was written.
#include <tpuplan/launch.hpp>

#include "json_mutator.hpp"
#include "support.hpp"

using namespace tpuplan;

namespace {

bool is_printable(std::string_view characters) {
  for (const char c : characters) {
    if ((c < ' ' || c > '~') && c != '\n' && c != '\t') return false;
  }
  return true;
}

void check_writers(const launch_request& given) {
  for (const launch_target& target : launch_targets) {
    for (const bool documents : {true, false}) {
      launch_request request = given;
      request.args = {};
      if (documents) request = detail::named_request(given, target);
      refused([&] {
        const launch_output output = launch(target, request);
        require(!output.text.empty() && output.text.back() == '\n' && is_printable(output.text),
                "what is written is lines of text");
        require(nlohmann::ordered_json::parse(output.json.dump()) == output.json, "what is written is JSON too");
      });
    }
  }
  refused([&] {
    const std::string script = gcloud_script(given, tpu_creation::tpu_vm);
    require(script.substr(0, 2) == "#!" && is_printable(script), "a script is lines of text");
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  nlohmann::json document;
  plan best;
  plan_request asked;
  if (refused([&] {
        document = parse_json(characters_of(data, size), "input");
        asked = read_plan_request(document);
        best = read_plan(document);
      })) {
    return 0;
  }
  for (const provisioning capacity : {provisioning::on_demand, provisioning::spot, provisioning::flex_start}) {
    launch_request request;
    if (refused([&] { request = launch_of(best, asked, capacity); })) continue;
    require(request.max_restarts >= 100 && request.max_restarts <= 1000000, "restarts are enough and not endless");
    request.name = "fuzz";
    request.project = "some-project";
    request.zone = "us-east5-b";
    request.cluster = "some-cluster";
    request.image = "host/image:tag";
    request.checkpoint = "gs://bucket/folder";
    refused([&] {
      maxtext_run run = maxtext_of(best, asked, capacity);
      run.extra = {"model_name=any"};
      require(run.steps >= 1 && run.checkpoint_period >= 0, "a plan has steps");
      request.command = maxtext_command(request, run);
    });
    check_writers(request);
    request.command = {"bash", "-c", std::string(characters_of(data, size))};
    check_writers(request);
  }
  return 0;
}
