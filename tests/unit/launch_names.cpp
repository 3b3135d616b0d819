// No value of a launch request can become syntax of JSON or a shell: wrong names are refused, free text is
// quoted.

#include <array>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/launch.hpp>
#include <vector>

#include "support/call.hpp"
#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace launch_names_tests {
using nlohmann::json;
using nlohmann::ordered_json;

namespace {

launch_request good_request() {
  launch_request r;
  r.name = "job";
  r.where = slice_for("v6e-16");
  r.image = "a/b:c";
  r.project = "my-project";
  r.zone = "us-east5-b";
  return r;
}

struct field {
  const char* called;
  std::string launch_request::*member;
};

const std::vector<field> fields = {{"name", &launch_request::name},
                                   {"project", &launch_request::project},
                                   {"zone", &launch_request::zone},
                                   {"cluster", &launch_request::cluster},
                                   {"reservation", &launch_request::reservation},
                                   {"image", &launch_request::image},
                                   {"checkpoint", &launch_request::checkpoint},
                                   {"service_account", &launch_request::service_account},
                                   {"queue", &launch_request::queue},
                                   {"secret", &launch_request::secret},
                                   {"location", &launch_request::location},
                                   {"tensorboard", &launch_request::tensorboard},
                                   {"output", &launch_request::output}};

const std::vector<std::string> hostile = {"a\nb",
                                          "job\n",
                                          "\njob",
                                          "a\r\nkind: Pod",
                                          "a\tb",
                                          "a b",
                                          " ",
                                          "job ",
                                          "'",
                                          "\"",
                                          "a\"b",
                                          "a'b",
                                          "a'; rm -rf /; '",
                                          "$(id)",
                                          "a$(id)",
                                          "`id`",
                                          "${HOME}",
                                          "a;id",
                                          "a&&id",
                                          "a|id",
                                          "a>b",
                                          "a: b",
                                          "a:",
                                          "a #b",
                                          "#",
                                          "- a",
                                          "{{ a }}",
                                          "{a: b}",
                                          "[a]",
                                          "&a",
                                          "*a",
                                          "!!str a",
                                          "%a",
                                          "@a",
                                          "a\\",
                                          "\\n",
                                          "--flag",
                                          "-a",
                                          "a-",
                                          "../a",
                                          "a/../b",
                                          "/etc/passwd",
                                          "caf\xc3\xa9",
                                          "\xe2\x80\xa8",
                                          "\xf0\x9f\x92\xa9",
                                          "\xff\xfe",
                                          std::string("a\0b", 3),
                                          "\x1b[31m",
                                          "\x7f",
                                          "Job",
                                          std::string(65536, 'a')};

std::string bash_words(const std::string& line) {
  // What bash makes of the line: each word between brackets.
  const std::string command = "printf '<%s>' " + line;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  REQUIRE(pipe != nullptr);
  std::string out;
  std::array<char, 4096> block{};
  while (const std::size_t got = std::fread(block.data(), 1, block.size(), pipe.get())) out.append(block.data(), got);
  return out;
}

}  // namespace

TEST_CASE("hostile names are refused everywhere") {
  const auto check = [](const field& one, const std::string& value) {
    launch_request r = good_request();
    r.cluster = "tpus";
    r.*(one.member) = value;
    INFO(one.called << " = " << value.substr(0, 40));
    const refusal got = refusal_of([&] { validate(r); });
    CHECK(got.refused);
    CHECK(says(got.message, one.called));
    for (const char c : got.message) CHECK((c >= ' ' && c <= '~'));
  };
  for (const std::string& value : hostile) {
    for (const field& one : fields) check(one, value);
    if (value != "Job") check({"checkpoint", &launch_request::checkpoint}, "gs://my-bucket/" + value);
    check({"checkpoint", &launch_request::checkpoint}, "gs://" + value + "/run");
    if (value != "-a" && value != "--flag" && value != "/etc/passwd")
      check({"image", &launch_request::image}, "host.example/image" + value);
    check({"image", &launch_request::image}, value + "/image");
    if (value != "Job" && value != "a-") check({"image", &launch_request::image}, "host.example/image:" + value);
  }
}

TEST_CASE("names at the edges of their rules") {
  struct row {
    std::string launch_request::*member;
    std::string value;
    bool right;
  };
  const std::string digest(64, 'a');
  const std::vector<row> rows = {
      {&launch_request::name, "a", true},
      {&launch_request::name, "a-1", true},
      {&launch_request::name, std::string(32, 'a'), true},
      {&launch_request::name, std::string(33, 'a'), false},
      {&launch_request::name, "", false},
      {&launch_request::name, "1a", false},
      {&launch_request::project, "abcdef", true},
      {&launch_request::project, "abcde", false},
      {&launch_request::project, std::string(30, 'a'), true},
      {&launch_request::project, std::string(31, 'a'), false},
      {&launch_request::zone, "us-east5-b", true},
      {&launch_request::zone, "northamerica-northeast1-c", true},
      {&launch_request::zone, "us-central1-ai1a", true},
      {&launch_request::zone, "us-east5", false},
      {&launch_request::zone, "us-5-b", false},
      {&launch_request::zone, "us--east5-b", false},
      {&launch_request::zone, "us-e4st5-b", false},
      {&launch_request::zone, "useast5-b", false},
      {&launch_request::zone, "us-east5-", false},
      {&launch_request::zone, "-b", false},
      {&launch_request::cluster, std::string(40, 'a'), true},
      {&launch_request::cluster, std::string(41, 'a'), false},
      {&launch_request::reservation, std::string(63, 'a'), true},
      {&launch_request::reservation, std::string(64, 'a'), false},
      {&launch_request::reservation, "projects/p/reservations/r", false},
      {&launch_request::image, "ubuntu", true},
      {&launch_request::image, "ubuntu:22.04", true},
      {&launch_request::image, "us-docker.pkg.dev/p/r/i:v1_2-x.Y", true},
      {&launch_request::image, "localhost:5000/a/b:c", true},
      {&launch_request::image, "a/b@sha256:" + digest, true},
      {&launch_request::image, "a/b:c@sha256:" + digest, true},
      {&launch_request::image, "a/b@sha256:" + digest.substr(1), false},
      {&launch_request::image, "a/b@sha256:" + digest.substr(1) + "g", false},
      {&launch_request::image, "a/b@md5:" + digest, false},
      {&launch_request::image, "a/b:", false},
      {&launch_request::image, "a/b:" + std::string(129, 'a'), false},
      {&launch_request::image, "a//b", false},
      {&launch_request::image, "a/b/", false},
      {&launch_request::image, "A/b", false},
      {&launch_request::image, "host:port/b", false},
      {&launch_request::image, "host:1:2/b", false},
      {&launch_request::image, ":5000/b", false},
      {&launch_request::image, "a:b:c", false},
      {&launch_request::checkpoint, "gs://abc", true},
      {&launch_request::checkpoint, "gs://a.b_c-d/Run_1/x=y/z-1.0", true},
      {&launch_request::checkpoint, "gs://ab", false},
      {&launch_request::checkpoint, "gs://" + std::string(64, 'a'), false},
      {&launch_request::checkpoint, "gs://Abc", false},
      {&launch_request::checkpoint, "gs://a..b", false},
      {&launch_request::checkpoint, "gs://abc/", false},
      {&launch_request::checkpoint, "gs://abc//d", false},
      {&launch_request::checkpoint, "gs://abc/.", false},
      {&launch_request::checkpoint, "s3://abc", false},
      {&launch_request::checkpoint, "abc", false},
      {&launch_request::checkpoint, "gs://", false},
      {&launch_request::checkpoint, "gs://abc/" + std::string(1016, 'a'), false},
  };
  for (const row& one : rows) {
    launch_request r = good_request();
    r.*(one.member) = one.value;
    INFO(one.value);
    const refusal got = refusal_of([&] { validate(r); });
    INFO(got.message);
    CHECK(got.refused == !one.right);
  }
}

TEST_CASE("numbers and capacity that make no sense are refused") {
  struct row {
    plain_call<void(launch_request&)> change;
    errc code;
    const char* says;
  };
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<row> rows = {
      {[](launch_request& r) { r.slices = 0; }, errc::missing_field, "slices is 0"},
      {[](launch_request& r) { r.slices = -1; }, errc::invalid_argument, "slices is -1"},
      {[](launch_request& r) { r.slices = INT64_MAX; }, errc::out_of_range, "1 to 1024 slices"},
      {[](launch_request& r) { r.max_restarts = -1; }, errc::invalid_argument, "max_restarts is -1"},
      {[](launch_request& r) { r.max_restarts = 1000001; }, errc::out_of_range, "max_restarts"},
      {[](launch_request& r) { r.max_run = 1_s; }, errc::out_of_range, "max_run is 1"},
      {[](launch_request& r) { r.max_run = -(1_s); }, errc::invalid_argument, "max_run is -1"},
      {[&](launch_request& r) { r.max_run = seconds{infinity}; }, errc::not_finite, "max_run"},
      {[](launch_request& r) { r.max_run = seconds{1e9}; }, errc::out_of_range, "60 seconds to 3472 days"},
      {[&](launch_request& r) { r.run = seconds{-infinity}; }, errc::not_finite, "run"},
      {[](launch_request& r) {
         r.run = 2_h;
         r.max_run = 1_h;
       },
       errc::out_of_range, "max_run is 3600"},
      {[](launch_request& r) {
         r.capacity = provisioning::flex_start;
         r.run = 8_days;
       },
       errc::out_of_range, "7 days"},
      {[](launch_request& r) {
         r.capacity = provisioning::flex_start;
         r.run = 8_days;
         r.max_run = 7_days;
         r.checkpoint.clear();
       },
       errc::out_of_range, "or a checkpoint to go on from"},
      {[](launch_request& r) {
         r.capacity = provisioning::flex_start;
         r.max_run = 8_days;
       },
       errc::out_of_range, "max_run"},
      {[](launch_request& r) { r.capacity = provisioning::spot; }, errc::missing_field, "checkpoint is missing"},
      {[](launch_request& r) { r.capacity = provisioning::calendar; }, errc::missing_field, "reservation is missing"},
      {[](launch_request& r) { r.capacity = provisioning::commitment_3y; }, errc::invalid_argument, "discount"},
      {[](launch_request& r) {
         r.capacity = provisioning::spot;
         r.reservation = "mine";
       },
       errc::invalid_argument, "reservation is mine"},
      {[](launch_request& r) { r.where.chips_per_vm = 8; }, errc::invalid_argument, "chips_per_vm is 8"},
      {[](launch_request& r) { r.where.chips_per_vm = 3; }, errc::not_divisible, "chips_per_vm"},
      {[](launch_request& r) {
         r.where.shape = {{3, 5, 1}, 2};
       },
       errc::unknown_name, "3x5"},
      {[](launch_request& r) { r.where = slice{}; }, errc::unsupported, "slice"},
      {[](launch_request& r) { r.where.chip.name = "x: $(id)"; }, errc::unsupported, "slice is x: $(id)"},
      {[](launch_request& r) { r.where = slice_for("v5p-17920"); }, errc::out_of_range, "v5p-17920"},
  };
  for (const row& one : rows) {
    launch_request r = good_request();
    one.change(r);
    const refusal got = refusal_of([&] { validate(r); });
    INFO(one.says << " / " << got.message);
    CHECK(got.refused);
    CHECK(got.code == one.code);
    CHECK(says(got.message, one.says));
  }
  launch_request gives_up = good_request();
  gives_up.capacity = provisioning::spot;
  gives_up.max_restarts = 0;
  CHECK_FALSE(refusal_of([&] { validate(gives_up); }).refused);
}

TEST_CASE("what only some services have has its rules too") {
  struct row {
    std::string launch_request::*member;
    std::string value;
    bool right;
  };
  const std::vector<row> rows = {
      {&launch_request::service_account, "me@my-project.iam.gserviceaccount.com", true},
      {&launch_request::service_account, "trainer", true},
      {&launch_request::service_account, "me@host", false},
      {&launch_request::service_account, "me@", false},
      {&launch_request::service_account, "@a.b", false},
      {&launch_request::service_account, "a@b.c@d.e", false},
      {&launch_request::queue, "user-queue", true},
      {&launch_request::queue, "user_queue", false},
      {&launch_request::location, "us-central1", true},
      {&launch_request::location, "us-central1-a", false},
      {&launch_request::tensorboard, "1234567890", true},
      {&launch_request::tensorboard, "0123", false},
      {&launch_request::tensorboard, "12a", false},
      {&launch_request::tensorboard, "projects/my-project/locations/us-central1/tensorboards/12", true},
      {&launch_request::tensorboard, "projects/123456/locations/us-central1/tensorboards/12", true},
      {&launch_request::tensorboard, "projects/mine/locations/us-central1/tensorboards/12", false},
      {&launch_request::tensorboard, "project/my-project/locations/us-central1/tensorboards/12", false},
      {&launch_request::tensorboard, "projects/my-project/places/us-central1/tensorboards/12", false},
      {&launch_request::tensorboard, "projects/my-project/locations/us-central1/boards/12", false},
      {&launch_request::tensorboard, "projects/my-project/locations/us-central1/tensorboards/12/13", false},
      {&launch_request::output, "gs://my-bucket/out", true},
      {&launch_request::output, "my-bucket", false},
  };
  for (const row& one : rows) {
    launch_request r = good_request();
    r.*(one.member) = one.value;
    INFO(one.value);
    CHECK(refusal_of([&] { validate(r); }).refused == !one.right);
  }
}

TEST_CASE("the program's words arrive as they are, through JSON and the shell") {
  const std::vector<std::string> printable = {"a\nb",  "a\r",  "'",       "\"",   "a'; rm -rf /; '",
                                              "$(id)", "`id`", "$$",      "${A}", "a: b",
                                              "a #b",  "- a",  "{{ a }}", "&a",   "*a",
                                              "!!str", "\\",   "\\n",     "",     "~",
                                              "*",     "?",    "!",       "null", "true",
                                              "1",     "1e3",  "0x1",     "a\tb", "=",
                                              "%"};
  for (const std::string& word : printable) {
    launch_request r = good_request();
    r.command = {"echo", word, "end"};
    INFO(word);
    if (word.find('\r') != std::string::npos) {
      CHECK(refusal_of([&] { validate(r); }).code == errc::invalid_argument);
      continue;
    }
    const ordered_json manifest = gke_manifest(r);
    const std::string text = manifest.dump(2);
    for (const char c : text) CHECK((c == '\n' || (c >= ' ' && c <= '~')));  // the part of JSON that is YAML too
    const ordered_json again = ordered_json::parse(text);
    CHECK(again == manifest);
    // Kubernetes makes one dollar sign of two, and leaves no $(NAME) to be replaced.
    std::string arrived;
    const std::string sent =
        again["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]["containers"][0]["command"][1];
    for (std::size_t i = 0; i < sent.size(); ++i) {
      arrived += sent[i];
      if (sent[i] == '$') {
        REQUIRE(sent.substr(i, 2) == "$$");
        ++i;
      }
    }
    CHECK(arrived == word);
    CHECK(json::parse(vertex_custom_job(r).dump())["jobSpec"]["workerPoolSpecs"][0]["containerSpec"]["command"][1] ==
          word);
    CHECK(bash_words(shell_quoted(word)) == "<" + word + ">");
    r.image.clear();
    const shell_words run = gcloud_commands(r).run;
    CHECK(bash_words(shell_quoted(run.back())) == "<" + run.back() + ">");
    const std::size_t from = run.back().find("nohup "), to = run.back().find(" >>" + r.name + ".log");
    const std::string own =
        "<nohup><bash><-c><(" + shell_line(r.command) + "\n); ";  // what runs apart from the connection
    CHECK(bash_words(run.back().substr(from, to - from)).substr(0, own.size()) == own);
    CHECK(bash_words(shell_line(r.command)) == "<echo><" + word + "><end>");
  }
}

TEST_CASE("words that are not printable, or too many, are refused") {
  for (const std::string& word : {std::string("caf\xc3\xa9"), std::string("\x1b[31m"), std::string("a\0b", 3),
                                  std::string("\x7f"), std::string("\xff"), std::string("\xe2\x80\xa8")}) {
    launch_request r = good_request();
    r.command = {"echo", word};
    const refusal got = refusal_of([&] { validate(r); });
    CHECK(got.code == errc::invalid_argument);
    CHECK(says(got.message, "command is"));
  }
  launch_request r = good_request();
  r.command = {std::string(65536, 'a')};
  CHECK(refusal_of([&] { validate(r); }).code == errc::out_of_range);
  r.command = {""};
  CHECK(refusal_of([&] { validate(r); }).code == errc::missing_field);
  CHECK(refusal_of([] { (void)shell_quoted(std::string_view("a\0b", 3)); }).code == errc::malformed_input);
}

}  // namespace launch_names_tests
