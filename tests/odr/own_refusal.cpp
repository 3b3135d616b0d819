// Compiled without exceptions, with a way of the program's own to end a call that is refused.
#include <csetjmp>
#include <cstdio>

static std::jmp_buf refused;
#define TPUPLAN_REFUSED(refusal) (std::printf("%s\n", (refusal).what()), std::longjmp(refused, 1))
#include <tpuplan/core.hpp>

int main(int argc, char**) {
  if (setjmp(refused) != 0) return 0;
  (void)tpuplan::slice_for(argc > 0 ? "v5e-24" : "v5e-16");
  return 1;
}
