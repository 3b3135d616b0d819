// The native answers that those of Python and of the browser are held against: a question a line, an answer a line. The
// questions are those of questions.json, in which "config" is a file of data/models and the plan of a launch is itself
// a question.
#include <cstdio>
#include <iostream>
#include <string>

#include "capi/tpuplan.h"

int main() {
  for (std::string question; std::getline(std::cin, question);) {
    char* const answer = tpuplan_ask(question.data(), question.size());
    if (answer == nullptr || std::puts(answer) < 0 || std::fflush(stdout) != 0) return 3;
    tpuplan_free(answer);
  }
  return 0;
}
