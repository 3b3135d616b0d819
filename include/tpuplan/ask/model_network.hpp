#ifndef TPUPLAN_ASK_MODEL_NETWORK_HPP
#define TPUPLAN_ASK_MODEL_NETWORK_HPP

#include <cstdint>
#include <string>
#include <tpuplan/ask/any_model.hpp>
#include <tpuplan/ask/subject.hpp>
#include <tpuplan/json.hpp>
#include <tpuplan/model/network.hpp>
#include <vector>

/// @file
/// The question model_network: parameters, FLOPs and products of a network of layers.

namespace tpuplan {
inline namespace abi_0 {

/// How many parameters has a network of layers, and what does an example take?
struct model_network_request {
  nlohmann::json config{};  ///< a file of a network, of a Hugging Face network, or of Keras
};
/// The counts of a network.
struct model_network_answer {
  /// @{
  /// Parameters, FLOPs and kept numbers of an example, and its products layer by layer.
  std::string name{}, architecture{"network"};
  std::int64_t parameters = 0;                  ///< that are trained
  std::int64_t parameters_with_statistics = 0;  ///< as Keras counts them
  network_parameters breakdown{};               ///< by part
  double forward_flops_per_example = 0;         ///< of a forward pass
  double training_flops_per_example = 0;        ///< of a training step
  double saved_numbers_per_example = 0;         ///< kept for the backward pass
  std::vector<layer_product> products{};        ///< of an example
  std::vector<assumption> assumed{};
  /// @}
};

/// The counts of a network; `assumed` is what reading it left open. Worked: ResNet-50 has 25557032 parameters.
[[nodiscard]] inline model_network_answer answer_to_model_network(const network& net,
                                                                  const std::vector<assumption>& assumed) {
  model_network_answer answer;
  answer.name = net.name.view();
  answer.breakdown = parameters(net);
  answer.parameters = answer.breakdown.trained;
  answer.parameters_with_statistics = answer.breakdown.total;
  answer.forward_flops_per_example = tpuplan::forward_flops_per_example(net).value();
  answer.training_flops_per_example = tpuplan::training_flops_per_example(net).value();
  answer.saved_numbers_per_example = tpuplan::saved_numbers_per_example(net);
  for_each_product(net, [&](const layer_product& product) { answer.products.push_back(product); });
  answer.assumed = assumed;
  return answer;
}

}  // namespace abi_0
}  // namespace tpuplan

TPUPLAN_FIELDS(tpuplan::model_network_request, config)
TPUPLAN_FIELDS(tpuplan::model_network_answer, name, architecture, parameters, parameters_with_statistics, breakdown,
               forward_flops_per_example, training_flops_per_example, saved_numbers_per_example, products, assumed)

#endif
