#ifndef TPUPLAN_TESTS_SUPPORT_HF_CLASSES_HPP
#define TPUPLAN_TESTS_SUPPORT_HF_CLASSES_HPP

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/read/hf.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

// Models as the classes of transformers build them from the defaults of their configuration and what differs.

/// A class, and how many parameters its tensors have.
struct hf_class {
  const char* name;     // of the model, or of the switch that is turned
  const char* type;     // model_type
  const char* head;     // the class that architectures names, or empty
  const char* changes;  // what differs from the defaults of its configuration
  std::int64_t parameters;
};

inline nlohmann::json config_of(const hf_class& each) {
  nlohmann::json config = nlohmann::json::parse(each.changes);
  config["model_type"] = each.type;
  if (*each.head != 0) config["architectures"] = {each.head};
  return config;
}

inline tpuplan::transformer model_of(const char* type, const char* changes, const char* head = "") {
  return tpuplan::read_hf_config(config_of({"", type, head, changes, 0})).model;
}

template <std::size_t Count>
void check_parameters(const hf_class (&classes)[Count]) {
  for (const hf_class& each : classes) {
    INFO(each.name);
    CHECK(tpuplan::parameters(tpuplan::read_hf_config(config_of(each)).model).total == each.parameters);
  }
}

/// Each is refused, and the message has the field that is its name.
template <std::size_t Count>
void check_refusals(const hf_class (&refused)[Count]) {
  for (const hf_class& each : refused) {
    INFO(each.type << " " << each.changes);
    const refusal got = refusal_of([&] { (void)model_of(each.type, each.changes, each.head); });
    INFO(got.message);
    CHECK(got.refused);
    CHECK(says(got.message, each.name));
  }
}

#endif
