// The native answers that those of Python and of the browser are held against: a question a line, an answer a line. The
// questions are those of questions.json, in which "config" is a file of data/models and the plan of a launch is itself
// a question.
#include <iostream>
#include <string>
#include <tpuplan/io/ask.hpp>

int main() {
  for (std::string question; std::getline(std::cin, question);) std::cout << tpuplan::ask(question) << "\n" << std::flush;
  return std::cout ? 0 : 3;
}
