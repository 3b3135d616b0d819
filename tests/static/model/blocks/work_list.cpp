#include <tpuplan/model/blocks/work_list.hpp>
#include <tpuplan/model/model.hpp>

using namespace tpuplan;

namespace static_model_blocks_work_list_tests {

namespace {

constexpr blocks::model of_mlp() {
  blocks::model m;
  blocks::place at;
  at.stream = put(m, blocks::stream{"clip", blocks::flow::example, 4, 10});
  at.count = 3;
  put(m, at, blocks::mlp{8, 0, false, false});
  return m;
}
constexpr blocks::work_list list = blocks::work_of(of_mlp());
static_assert(list.product_count == 2 && list.core_count == 0);
static_assert(list.products[0].one.inner == 4 && list.products[0].one.outer == 8);
static_assert(list.products[0].times == 3 && list.products[0].rows == 10);

// The same product again is counted, another one is listed.
constexpr blocks::work_list twice = [] {
  blocks::work_list w;
  w.add(blocks::product{4, 8}, 1, 10);
  w.add(blocks::product{4, 8}, 2, 10);
  w.add(blocks::product{4, 8}, 1, 11);
  blocks::core c;
  c.heads = 2, c.key_width = c.value_width = 64;
  w.add(c, 1, 10, 10);
  w.add(c, 4, 10, 10);
  w.add(c, 1, 10, 20);
  return w;
}();
static_assert(twice.product_count == 2 && twice.products[0].times == 3);
static_assert(twice.core_count == 2 && twice.cores[0].times == 5);

}  // namespace

}  // namespace static_model_blocks_work_list_tests
