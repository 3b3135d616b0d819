#include <tpuplan/handbook/epochs.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace handbook_epochs_tests {

TEST_CASE("epochs are more than none and a billion at most") {
  const auto refused = [](double epochs) {
    return says(refusal_of([&] {
                  (void)epochs_of({60000, epochs, remainder::drop}, 1024);
                }).message,
                "data_set.epochs");
  };
  CHECK(refused(0));
  CHECK(refused(1.0001e9));
}

}  // namespace handbook_epochs_tests
