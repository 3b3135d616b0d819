#include "cli/traffic.hpp"

#include <tpuplan/ask/serving.hpp>

namespace cli {

using namespace tpuplan;

void add_traffic_options(command& to, nlohmann::json& request) {
  to.ask(length_rows, request);
  to.ask(traffic_rows, request);
  to.ask(target_rows, request);
}

void add_image_options(command& to, traffic_options& into) {
  to.ask(image_rows, into.request);
  to.add("--image-size", into.image_size, {1, 65536}, "side of the images in pixels").needs({"--images"});
}

void read_traffic(traffic_options& into) {
  const serve_request asked = read_request<serve_request>(into.request);
  into.job = asked.job;
  into.prompts = asked.prompts, into.outputs = asked.outputs;
  into.mesh = asked.mesh;
  into.constants = asked.constants;
}

}  // namespace cli
