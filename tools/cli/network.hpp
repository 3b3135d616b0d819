#ifndef TPUPLAN_CLI_NETWORK_HPP
#define TPUPLAN_CLI_NETWORK_HPP

#include <optional>
#include <string>
#include <tpuplan/ask/plan_network.hpp>
#include <tpuplan/model/network.hpp>
#include <tpuplan/plan/network_plan.hpp>
#include <vector>

#include "cli/against_gpu.hpp"
#include "cli/commands.hpp"
#include "cli/epochs.hpp"
#include "cli/input.hpp"
#include "cli/job.hpp"
#include "cli/plan.hpp"
#include "cli/prices.hpp"

// What the commands answer for a network of layers: a file in the form of data/networks, or a vision transformer.
namespace cli {

using tpuplan::any_model;

/// A config.json, a transformer or a network of our own; images of another size where one is given.
any_model load_any(const std::string& path, const std::optional<std::int64_t>& image_size);

/// Refuses a size of images of a model that takes text too, where the question has none.
void check_image_size(const any_model& model, const std::optional<std::int64_t>& image_size, std::int64_t images);
/// The same of a document that was read already.
any_model any_of_document(const nlohmann::json& document, const std::string& path,
                          const std::optional<std::int64_t>& image_size);

/// The network in the file of --network.
tpuplan::network load_network(const std::string& path);
/// The parameters that are trained of what a file describes.
std::int64_t parameters_in(const std::string& path);

/// A run as train is asked for it.
struct run_options {
  epoch_options epochs;
  price_options prices;
  nlohmann::json input = nlohmann::json::object();  // what an example costs a host
  gpu_options gpu;
};

/// Refuses steps of a network where there is no batch.
void expect_batch(const epoch_options& run, std::int64_t batch);

/// Refuses options that none of these rows and names has, for what is "given for a network of layers".
void keep_to(const session& with, const std::vector<tpuplan::row_list>& rows,
             const std::vector<std::string_view>& extra, std::string_view given);
/// Refuses options that have no effect for a network: those that no row of a step, of these rows or `extra` names.
void keep_to_networks(const session& with, std::initializer_list<tpuplan::row_list> rows = {},
                      std::initializer_list<std::string_view> extra = {});

void network_model(const tpuplan::network& net, const std::vector<tpuplan::assumption>& assumed, const session& with);
void network_pad(const tpuplan::network& net, const tpuplan::chip_spec& chip, const session& with);
void network_fit(const any_model& model, const job_options& job, const mesh_options& mesh, session& with);
void network_train(const any_model& model, const job_options& job, const mesh_options& mesh, const run_options& run,
                   session& with);
void network_training_plan(const any_model& model, const plan_options& given, const tpuplan::price_book& prices,
                           session& with);

}  // namespace cli

#endif
