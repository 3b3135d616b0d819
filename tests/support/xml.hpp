#ifndef TPUPLAN_TESTS_SUPPORT_XML_HPP
#define TPUPLAN_TESTS_SUPPORT_XML_HPP

#include <cctype>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// An element, in the order in which they begin, with the text directly in it.
struct xml_element {
  std::string name;
  std::string parent;
  std::map<std::string, std::string> attributes;
  std::string text;
};

/// Reads the part of XML that charts use, strictly: balanced tags, quoted attributes that occur once, no bare < or &.
class xml_reader {
 public:
  explicit xml_reader(std::string_view source) : rest_{source} {
    std::vector<std::size_t> open;
    while (!rest_.empty()) {
      if (rest_.front() != '<') {
        const std::string words = unescaped(take_until('<'));
        if (!open.empty()) elements_[open.back()].text += words;
        if (open.empty() && words.find_first_not_of(" \n") != std::string::npos) fail("text outside of the root");
      } else if (rest_.substr(0, 2) == "</") {
        rest_.remove_prefix(2);
        if (open.empty() || elements_[open.back()].name != take_until('>')) fail("a closing tag that was not opened");
        rest_.remove_prefix(1);
        open.pop_back();
      } else {
        begin_element(open);
      }
    }
    if (!open.empty()) fail("not closed: " + elements_[open.back()].name);
  }

  [[nodiscard]] const std::vector<xml_element>& elements() const { return elements_; }

 private:
  [[noreturn]] static void fail(const std::string& why) { throw std::runtime_error(why); }

  std::string take_until(char stop) {
    const std::string taken(rest_.substr(0, rest_.find(stop)));
    rest_.remove_prefix(taken.size());
    return taken;
  }

  static std::string unescaped(const std::string& words) {
    static const std::map<std::string, std::string> entities = {
        {"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"#39", "'"}};
    std::string result;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto byte = static_cast<unsigned char>(words[i]);
      if (byte < 0x20 && words[i] != '\n') fail("a control character");
      if (words[i] != '&') {
        result += words[i];
        continue;
      }
      const std::size_t end = words.find(';', i);
      const auto found = entities.find(words.substr(i + 1, end == std::string::npos ? 0 : end - i - 1));
      if (found == entities.end()) fail("a bare & in " + words);
      result += found->second;
      i = end;
    }
    return result;
  }

  void begin_element(std::vector<std::size_t>& open) {
    rest_.remove_prefix(1);
    xml_element element;
    while (!rest_.empty() && std::isalnum(static_cast<unsigned char>(rest_.front())) != 0) {
      element.name += rest_.front();
      rest_.remove_prefix(1);
    }
    if (element.name.empty()) fail("a bare <");
    if (!open.empty()) element.parent = elements_[open.back()].name;
    if (open.empty() && !elements_.empty()) fail("a second root");
    while (!rest_.empty() && rest_.front() == ' ') {
      rest_.remove_prefix(1);
      const std::string key = take_until('=');
      if (rest_.substr(0, 2) != "=\"") fail("an attribute without quotes: " + key);
      rest_.remove_prefix(2);
      const std::string value = take_until('"');
      if (value.find('<') != std::string::npos) fail("a bare < in " + key);
      if (!element.attributes.emplace(key, unescaped(value)).second) fail("twice: " + key);
      if (!rest_.empty()) rest_.remove_prefix(1);
    }
    const bool empty = rest_.substr(0, 2) == "/>";
    if (!empty && rest_.substr(0, 1) != ">") fail("a tag that does not end: " + element.name);
    rest_.remove_prefix(empty ? 2 : 1);
    if (!empty) open.push_back(elements_.size());
    elements_.push_back(element);
  }

  std::string_view rest_;
  std::vector<xml_element> elements_;
};

#endif
