// tpuplan completion
#include <memory>

#include "cli/commands.hpp"
#include "cli/parse.hpp"
#include "cli/print.hpp"

namespace cli {

namespace {

using tpuplan::errc;

/// "chips slices …", and for each command its options.
std::string names_of(const session& with) {
  std::string names;
  for (const command& one : with.commands) names += (names.empty() ? "" : " ") + one.name;
  return names;
}
std::string options_of(const command& one) {
  std::string names = "--help --json";
  for (const option& each : one.options) {
    if (each.name.front() == '-') names += " " + each.name;
  }
  return names;
}

std::string bash_script(const session& with) {
  std::string cases;
  for (const command& one : with.commands) cases += fmt::format("    {}) words='{}' ;;\n", one.name, options_of(one));
  return fmt::format(R"sh(# bash completion of tpuplan: eval "$(tpuplan completion bash)"
_tpuplan() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} words='--help --version --json --data-dir {}' asked='' i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case ${{COMP_WORDS[i]}} in
      --data-dir) ((++i)) ;;
      -*) ;;
      *) asked=${{COMP_WORDS[i]}} && break ;;
    esac
  done
  case $asked in
{}  esac
  if [[ $i -gt $COMP_CWORD || (-n $asked && $word != -*) ]]; then COMPREPLY=(); return; fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}}
complete -o default -F _tpuplan tpuplan
)sh",
                     names_of(with), cases);
}

std::string zsh_script(const session& with) {
  return "# zsh completion of tpuplan: source <(tpuplan completion zsh)\nautoload -Uz bashcompinit && bashcompinit\n" +
         bash_script(with);
}

/// Words of fish in single quotes.
std::string fish_words(const std::string& words) {
  std::string text = "'";
  for (const char c : words) text += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return text + "'";
}

std::string fish_script(const session& with) {
  std::string script = "# fish completion of tpuplan: tpuplan completion fish | source\n";
  for (const command& one : with.commands) {
    script += fmt::format("complete -c tpuplan -n __fish_use_subcommand -a {} -d {}\n", one.name, fish_words(one.help));
    for (const option& each : one.options) {
      if (each.name.front() != '-') continue;
      script += fmt::format("complete -c tpuplan -n '__fish_seen_subcommand_from {}' -l {}{} -d {}\n", one.name,
                            each.name.substr(2), each.form == option::shape::flag ? "" : " -r", fish_words(each.help));
    }
  }
  return script;
}

}  // namespace

std::string completion_script(const session& with, const std::string& shell) {
  if (shell == "bash") return bash_script(with);
  if (shell == "zsh") return zsh_script(with);
  if (shell == "fish") return fish_script(with);
  refuse("SHELL", shell, "bash, zsh or fish", errc::unknown_name);
}

void add_completion_command(session& with) {
  command& added = with.commands.emplace_back("completion", "a script that completes commands and options in a shell");
  const auto shell = std::make_shared<std::string>();
  added.argument("shell", *shell, "bash, zsh or fish").required();
  added.run = [shell, &with] {
    if (with.json) refuse("--json", "given without effect", "without it: a script is no document");
    write_words(completion_script(with, *shell));
  };
}

}  // namespace cli
