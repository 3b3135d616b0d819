// tpuplan_relations NAME [--sweep] [--seed N] [--questions N] [--all]: asks one thing in two ways, many times, and says
// where the answers differ: a few of each kind, with --all each. --list names the relations; --ask answers the question
// on standard input.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>

#include "relations/questions.hpp"
#include "relations/relations.hpp"

namespace {

struct row {
  const char* name;
  void (*run)(relations::relation&);
  std::int64_t questions, sweep;
  const char* words;
};
constexpr row rows[] = {
#define RELATION(name, questions, sweep, words) {#name, relations::name, questions, sweep, words},
#include "relations/relations.inc"
#undef RELATION
};

int list() {
  for (const row& one : rows) std::printf("%-24s %s\n", one.name, one.words);
  return 0;
}

int answer() {
  std::string line;
  while (std::getline(std::cin, line)) std::cout << relations::ask_text(line).document.dump(1) << '\n';
  return 0;
}

int draw_questions(std::int64_t count) {
  relations::random_numbers random(1);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::string name = i % 2 == 0 ? "plan_serving" : random.of(relations::drawn_names());
    const relations::drawn_question drawn = relations::draw(name, random);
    std::cout << relations::json{{"schema", "tpuplan/1"}, {"question", name}, {"request", drawn.request}}.dump()
              << '\n';
  }
  return 0;
}

/// Answers of two builds: the same choices, and figures within a relative 1e-12. How much was looked at is no answer.
int compare(const char* questions, const char* first, const char* second) {
  std::ifstream asked(questions), ours(first), theirs(second);
  relations::relation r(0, 0, false);
  for (std::string question, a, b; std::getline(asked, question);) {
    if (!std::getline(ours, a) || !std::getline(theirs, b)) break;
    r.compared();
    const auto found =
        relations::differences(relations::json::parse(a), relations::json::parse(b), {"counts", "candidates"});
    if (!found.empty()) r.differ("two builds", question, first, second, found.front());
  }
  return r.report("builds") ? 0 : 1;
}

int run(const row& one, int count, char** arguments) {
  bool sweep = false;
  bool all = false;
  std::uint64_t seed = 1;
  std::int64_t questions = 0;
  for (int i = 2; i < count; ++i) {
    const bool has_value = i + 1 < count;
    if (std::strcmp(arguments[i], "--sweep") == 0) {
      sweep = true;
    } else if (std::strcmp(arguments[i], "--all") == 0) {
      all = true;
    } else if (std::strcmp(arguments[i], "--seed") == 0 && has_value) {
      seed = std::stoull(arguments[++i]);
    } else if (std::strcmp(arguments[i], "--questions") == 0 && has_value) {
      questions = std::stoll(arguments[++i]);
    } else {
      std::printf("no such option: %s\n", arguments[i]);
      return 2;
    }
  }
  if (questions == 0) questions = sweep ? one.sweep : one.questions;
  relations::relation r(seed, questions, sweep);
  if (all) r.most_printed = questions * 1000;
  one.run(r);
  return r.report(one.name) ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  if (count < 2 || std::strcmp(arguments[1], "--list") == 0) return list();
  if (std::strcmp(arguments[1], "--ask") == 0) return answer();
  if (std::strcmp(arguments[1], "--draw") == 0 && count == 3) return draw_questions(std::stoll(arguments[2]));
  if (std::strcmp(arguments[1], "--compare") == 0 && count == 5)
    return compare(arguments[2], arguments[3], arguments[4]);
  for (const row& one : rows) {
    if (std::strcmp(arguments[1], one.name) == 0) return run(one, count, arguments);
  }
  std::printf("no such relation: %s\n", arguments[1]);
  return 2;
}
