#include "tpuplan.hpp"

#include <cstdio>

int main() {
  const auto batch = static_cast<int>(critical_batch(tpuplan::v5e, tpuplan::dtype::bf16));
  std::printf("critical batch of v5e: %d\n", batch);
  return batch == 241 ? 0 : 1;
}
