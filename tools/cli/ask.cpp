// tpuplan ask
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <new>

#include "capi/tpuplan.h"
#include "cli/commands.hpp"
#include "cli/print.hpp"

namespace cli {

using tpuplan::errc;

namespace {

/// The answer as the library in C has it, so that the two are compiled once.
std::string answer_to(const std::string& question) {
  const std::unique_ptr<char, void (*)(char*)> answer(tpuplan_ask(question.data(), question.size()), tpuplan_free);
  if (!answer) throw std::bad_alloc();
  return answer.get();
}

/// Answers line by line, so that a million questions take no more memory than one.
void answer_lines(std::istream& questions) {
  for (std::string question; std::getline(questions, question);) {
    print_line(answer_to(question));
    if (!flush_answer()) return;  // which the program says at its end
  }
  if (questions.bad()) refuse("file", "no file", "a file that can be read", errc::malformed_input);
}

void run_ask(const std::string& file, const session& with) {
  if (with.json) refuse("--json", "given without effect", "without it: answers are JSON");
  if (file.empty() || file == "-") return answer_lines(std::cin);
  std::ifstream questions(file);
  if (!questions || std::filesystem::is_directory(file))
    refuse("file", file, "a file that can be read", errc::malformed_input);
  answer_lines(questions);
}

}  // namespace

void add_ask_command(session& with) {
  command& added = with.commands.emplace_back("ask", "many questions: a line of JSON each, and a line for each answer");
  const auto file = std::make_shared<std::string>();
  added.argument("file", *file, "JSON Lines, as docs/ask.md has them; - or none: standard input");
  added.run = [file, &with] { run_ask(*file, with); };
}

}  // namespace cli
