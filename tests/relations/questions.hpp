#ifndef TPUPLAN_TESTS_RELATIONS_QUESTIONS_HPP
#define TPUPLAN_TESTS_RELATIONS_QUESTIONS_HPP

#include <string>
#include <vector>

#include "relations/ask.hpp"
#include "relations/compare.hpp"

/// @file
/// Random questions, each as a request of ask and as a command that asks the same.

namespace relations {

/// A question in both forms.
struct drawn_question {
  std::string name{};     ///< "plan", "plan_serving"
  json request{};         ///< for ask
  std::string command{};  ///< "tpuplan plan data/models/…", without --json
  const model* of = nullptr;
};
/// One of fit, train, serve, simulate, plan, plan_serving, pay, spot, model, batch and pad with a few of its options.
/// Many are refused: options are drawn as they come.
drawn_question draw(const std::string& name, random_numbers& random);
/// The same about one model.
drawn_question draw(const std::string& name, const model& of, random_numbers& random);
/// All of the names that `draw` knows.
const std::vector<std::string>& drawn_names();

/// Names of slices that can be rented: "v6e-8".
const std::vector<std::string>& slice_names();
/// Chips of a slice, and its devices of JAX.
std::int64_t chips_of(const std::string& slice);
std::int64_t devices_of(const std::string& slice);

/// What a model is, by its counts; empty where these are refused. Asked once.
const std::string& architecture_of(const model& one);
/// Whether it is a decoder.
bool is_decoder(const model& one);
/// A random model of data/models; with a sweep also of the checkpoints.
const model& draw_model(relation& r);
const model& draw_decoder(relation& r);

/// Whether an answer of serve is that a slice can.
bool serves(const reply& served);

/// Pipelines of published generations, and all denoisers of data/checkpoints.json.
const std::vector<model>& pipelines();
/// Whether one of them makes clips.
bool makes_clips(const model& of);

/// The fields of a row of csv.
std::vector<std::string> csv_fields(const std::string& line);
/// The same document with its keys in another order, as text: nlohmann sorts them.
std::string shuffled(const json& document, random_numbers& random);
/// Compares the first table as csv and as Markdown, and finds each row of the latter in the text.
void same_tables(relation& r, const std::string& command);
/// @{
/// All prices, and such a list with each twice.
const json& price_file();
json times_two(const json& prices);
/// @}

/// {"mean", "mean_square", "longest"} of requests of one length.
json tokens(std::int64_t length);

}  // namespace relations

#endif
