// In which layers a model has what not all of its layers have.
#include <tpuplan/read/hf/layer_places.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"

using namespace tpuplan;

namespace read_hf_layer_places_tests {

TEST_CASE("layers have the parts of the lists, or their share of them", "[hf_quantization]") {
  transformer model = llama_3_8b();
  model.layers = 4;
  detail::layer_parts one = detail::parts_of_layer(model, {}, 2);
  CHECK((one.attention == 1 && one.recurrence == 0 && one.dense == 1 && one.sparse == 0));
  model.recurrent.layers = 3;
  one = detail::parts_of_layer(model, {}, 2);
  CHECK((one.attention == 0.25 && one.recurrence == 0.75));
  detail::layer_places places;
  places.recurrent = detail::layers_where(4, [](std::int64_t i) { return i != 2; });
  CHECK(detail::count_listed(places.recurrent) == 3);
  one = detail::parts_of_layer(model, places, 2);
  CHECK((one.attention == 1 && one.recurrence == 0));
  model.moe.experts = 8, model.moe.dense_layers = 1;  // which comes first
  CHECK(detail::parts_of_layer(model, places, 0).dense == 1);
  CHECK(detail::parts_of_layer(model, places, 1).sparse == 1);
  places.sparse = detail::layers_where(4, [](std::int64_t i) { return i != 1; });
  CHECK(detail::parts_of_layer(model, places, 1).dense == 1);
  CHECK(detail::is_layer_of({1, 3}, 3));
  CHECK_FALSE(detail::is_layer_of({1, 3}, 2));
}

}  // namespace read_hf_layer_places_tests
