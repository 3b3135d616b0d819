// Compiled without exceptions: a right name is found, a wrong one ends the program with the message.
#include <cstdio>
#include <tpuplan/core.hpp>

int main(int argc, char**) {
  const char* right = argc > 0 ? "v5e-16" : "";
  const char* wrong = argc > 0 ? "v5e-24" : "";
  std::printf("found %d chips\n", static_cast<int>(chips(tpuplan::slice_for(right))));
  std::fflush(stdout);
  std::printf("found %d chips\n", static_cast<int>(chips(tpuplan::slice_for(wrong))));
}
