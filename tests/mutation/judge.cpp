// The test cases of tpuplan_unit or tpuplan_oracle, built against headers with switches (switch.hpp):
//
//   baseline FILE                      runs each case without a change and writes to FILE how long it takes and which
//                                      places it reaches
//   judge BASELINE RESULTS PART PARTS NUMBER...
//                                      runs for each of these changes, or that part of them, the cases that reach it,
//                                      fast ones first, until one fails; RESULTS gets "killed 7 NAME", "void 7" where
//                                      there is nothing to change, and "reached 7" where no case failed
//
// A change that makes cases take eight times as long, or much memory, is noticed too.
#define CATCH_CONFIG_RUNNER
#define CATCH_CONFIG_EXTERNAL_INTERFACES
#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#include <catch2/catch_test_case_info.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {
using tpuplan_mutation::reached;

constexpr double least_seconds = 2;       // what cases may take in any event
constexpr double longer = 8;              // times as long as without a change
constexpr std::size_t most_at_once = 64;  // cases of one process

std::ofstream* baseline = nullptr;  // where cases are put on record, if anywhere
std::size_t ended = 0;              // cases that have ended

/// Which places each case reaches, and how long it takes.
class recorder : public
#if __has_include(<catch2/catch_session.hpp>)
                 Catch::EventListenerBase {
 public:
  using Catch::EventListenerBase::EventListenerBase;
#else
                 Catch::TestEventListenerBase {
 public:
  using Catch::TestEventListenerBase::TestEventListenerBase;
#endif
  void testCaseStarting(const Catch::TestCaseInfo&) override {
    std::memset(reached, 0, sizeof(reached));
    start_ = std::clock();
  }
  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    ++ended;
    if (baseline == nullptr || !stats.totals.assertions.allPassed()) return;  // one that fails anyway notices nothing
    *baseline << static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC;
    for (int i = 1; i <= tpuplan_mutation::most; ++i)
      if (reached[i] != 0) *baseline << ' ' << i << (reached[i] == 1 ? "" : "v");
    *baseline << '\t'
              << stats
                     .testInfo
#if __has_include(<catch2/catch_session.hpp>)
                     ->name
#else
                     .name
#endif
              << '\n';
  }

 private:
  std::clock_t start_ = 0;
};
CATCH_REGISTER_LISTENER(recorder)

struct test_case {
  double seconds = 0;
  std::string name;
  std::vector<bool> reaches, cannot;  // by number
};

std::vector<test_case> cases_of(const char* file) {
  std::vector<test_case> cases;
  std::ifstream from(file);
  for (std::string line; std::getline(from, line);) {
    const std::size_t tab = line.find('\t');
    test_case each;
    each.name = line.substr(tab + 1);
    each.reaches.resize(tpuplan_mutation::most + 1);
    each.cannot.resize(tpuplan_mutation::most + 1);
    std::istringstream numbers(line.substr(0, tab));
    numbers >> each.seconds;
    for (std::string number; numbers >> number;) {
      const auto at = static_cast<std::size_t>(std::atoi(number.c_str()));
      each.reaches[at] = true;
      each.cannot[at] = number.back() == 'v';
    }
    cases.push_back(std::move(each));
  }
  std::sort(cases.begin(), cases.end(), [](const test_case& a, const test_case& b) { return a.seconds < b.seconds; });
  return cases;
}

/// A name as Catch2 takes it on its command line.
std::string as_spec(const std::string& name) {
  std::string spec;
  for (const char c : name) {
    if (std::strchr("\\,[]\"*~", c) != nullptr) spec += '\\';
    spec += c;
  }
  return spec;
}

/// Runs cases in a process of their own. Whether all passed.
bool pass(const std::vector<const test_case*>& cases, int number) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    double seconds = 0;
    std::string spec;
    for (const test_case* each : cases) {
      seconds += each->seconds;
      spec += (spec.empty() ? "" : ",") + as_spec(each->name);
    }
    const auto limit = static_cast<rlim_t>(least_seconds + longer * seconds);
    const rlimit cpu{limit, limit + 1}, memory{rlim_t{8} << 30, rlim_t{8} << 30};
    setrlimit(RLIMIT_CPU, &cpu);
    setrlimit(RLIMIT_AS, &memory);
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, 1);
    dup2(nowhere, 2);
    tpuplan_mutation::active = number;
    Catch::Session session;
    const char* arguments[] = {"judge", spec.c_str(), "--abort"};
    if (session.applyCommandLine(3, arguments) != 0) _exit(90);
    const int failed = session.run();
    _exit(failed != 0 ? 1 : ended < cases.size() ? 90 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 90) {
    std::printf("cases were not found: %s\n", cases.front()->name.c_str());
    std::exit(2);
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void judge(const std::vector<test_case>& cases, int number, std::ofstream& results) {
  const auto at = static_cast<std::size_t>(number);
  std::vector<const test_case*> reaching;
  bool possible = false;
  for (const test_case& each : cases) {
    if (!each.reaches[at]) continue;
    reaching.push_back(&each);
    possible = possible || !each.cannot[at];
  }
  if (reaching.empty()) return;
  if (!possible) {
    results << "void " << number << std::endl;
    return;
  }
  for (std::size_t from = 0; from < reaching.size();) {
    std::vector<const test_case*> some;
    double seconds = 0;
    while (from < reaching.size() && some.size() < most_at_once && (some.empty() || seconds < 1)) {
      some.push_back(reaching[from++]);
      seconds += some.back()->seconds;
    }
    if (pass(some, number)) continue;
    results << "killed " << number << ' ' << some.front()->name << std::endl;
    return;
  }
  results << "reached " << number << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "baseline" && argc == 3) {
    std::ofstream file(argv[2]);
    baseline = &file;
    Catch::Session session;
    const char* arguments[] = {argv[0], "~[slow]"};
    if (session.applyCommandLine(2, arguments) != 0) return 2;
    if (session.run() != 0) std::puts("cases that fail without a change are left out");
    return file.good() ? 0 : 2;
  }
  if (command == "judge" && argc >= 6) {
    const std::vector<test_case> cases = cases_of(argv[2]);
    std::ofstream results(argv[3]);
    for (int i = 6 + std::atoi(argv[4]); i < argc; i += std::atoi(argv[5])) judge(cases, std::atoi(argv[i]), results);
    return 0;
  }
  return std::fputs("baseline FILE | judge BASELINE RESULTS PART PARTS NUMBER...\n", stderr), 2;
}
