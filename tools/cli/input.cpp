#include "cli/input.hpp"

#include <tpuplan/ask/networks.hpp>

namespace cli {

using namespace tpuplan;

namespace {

constexpr const char* input_options[] = {"--decode-time", "--example-bytes", "--cached"};

}  // namespace

void add_input_options(command& to, nlohmann::json& request) {
  for (const char* one : input_options) to.ask(network_run_rows, one, request);
}

void refuse_input(const session& with) {
  for (const char* one : input_options) {
    if (with.is_given(one)) refuse(one, "given for a language model", "a network of layers");
  }
}

}  // namespace cli
