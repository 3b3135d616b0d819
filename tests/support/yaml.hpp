#ifndef TPUPLAN_TESTS_SUPPORT_YAML_HPP
#define TPUPLAN_TESTS_SUPPORT_YAML_HPP

#include <cstddef>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

/// Reads block YAML whose strings are in double quotes, line by line, and nothing else of YAML: an opposite of the
/// emitter that does not share its code.
class yaml_reader {
 public:
  explicit yaml_reader(const std::string& text) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      if (line.empty() || line[0] != '#') lines_.push_back(line);
    }
  }

  nlohmann::ordered_json document() {
    const nlohmann::ordered_json result = block(0);
    if (at_ != lines_.size()) throw std::runtime_error("left over: " + lines_[at_]);
    return result;
  }

 private:
  [[nodiscard]] bool here(std::size_t indent) const {
    return at_ < lines_.size() && lines_[at_].find_first_not_of(' ') == indent;
  }

  static std::size_t end_of_string(const std::string& line) {
    std::size_t at = 1;
    while (at < line.size() && line[at] != '"') at += line[at] == '\\' ? std::size_t{2} : std::size_t{1};
    return at + 1;
  }

  nlohmann::ordered_json block(std::size_t indent) {
    if (!here(indent)) throw std::runtime_error("nothing at that depth");
    return lines_[at_].compare(indent, 2, "- ") == 0 ? list(indent) : object(indent);
  }

  nlohmann::ordered_json list(std::size_t indent) {
    nlohmann::ordered_json result = nlohmann::ordered_json::array();
    while (here(indent) && lines_[at_].compare(indent, 2, "- ") == 0) {
      const std::string rest = lines_[at_].substr(indent + 2);
      if (nlohmann::json::accept(rest)) {
        result.push_back(nlohmann::ordered_json::parse(rest));
        ++at_;
        continue;
      }
      lines_[at_][indent] = ' ';
      result.push_back(block(indent + 2));
    }
    return result;
  }

  nlohmann::ordered_json object(std::size_t indent) {
    nlohmann::ordered_json result = nlohmann::ordered_json::object();
    while (here(indent)) {
      const std::string line = lines_[at_++].substr(indent);
      const std::size_t colon = line[0] == '"' ? end_of_string(line) : line.find(':');
      if (colon >= line.size() || line[colon] != ':') throw std::runtime_error("no key: " + line);
      std::string key = line.substr(0, colon);
      if (key[0] == '"') key = nlohmann::json::parse(key).get<std::string>();
      if (colon + 1 == line.size())
        result[key] = block(lines_.at(at_).find_first_not_of(' '));
      else if (line[colon + 1] == ' ')
        result[key] = nlohmann::ordered_json::parse(line.substr(colon + 2));
      else
        throw std::runtime_error("no space: " + line);
    }
    return result;
  }

  std::vector<std::string> lines_;
  std::size_t at_ = 0;
};

#endif
