#!/usr/bin/env bash
# effects.sh PROGRAM DATA WORK: options x commands. Every option of every command is in effects.txt, where it changes the
# answer (--wide, which changes wide tables alone, apart); every option given to other commands, three of them in turn, is
# refused by its name, with the commands that it belongs to.
set -u
program=$1 data=$2 folder=$3/effects
table=$(dirname "$0")/effects.txt plans=$(dirname "$0")/plans
rm -rf "$folder" && mkdir -p "$folder" || exit 1
failed=0
fail() {
  printf '%s\n' "$*"
  failed=1
}
needed_of() { "$program" "$1" --help | sed -nE 's/^  (--[a-z0-9-]+) REQUIRED.*/\1/p'; }
help_of() { "$program" "$1" --help | sed -nE 's/^  (-h,)?(--[a-z0-9-]+).*/\2/p' | grep -v -e '^--help$'; }
commands=$("$program" --help | sed -n '/Subcommands:/,$p' | sed -nE 's/^  ([a-z]+) .*/\1/p')
[[ -n $commands ]] || fail "no commands in --help"

declare -A base seen
while IFS= read -r line; do
  [[ -z $line || $line == \#* ]] && continue
  line=${line//\{data\}/$data}
  line=${line//\{plans\}/$plans}
  line=${line//\{work\}/$folder}
  if [[ $line == "= "* || $line == "? "* ]]; then
    read -ra question <<<"${line#[=?] }"
    plain=$("$program" "${question[@]}" </dev/null 2>&1)
    (($? == 2)) && refused=1 || refused=0
    [[ $refused -eq 0 || $line == "? "* ]] || fail "${question[*]}: $plain"
    base[${question[0]}]=${base[${question[0]}]:-${question[*]}}
    continue
  fi
  read -ra added <<<"$line"
  for word in "${added[@]}"; do [[ $word == --* ]] && seen["${question[0]} $word"]=1; done
  rm -f "$folder"/picture.svg "$folder"/report.html
  answer=$("$program" "${question[@]}" "${added[@]}" </dev/null 2>&1)
  (($? < 2)) || fail "${question[*]} ${added[*]}: $answer"
  if [[ $answer == "$plain" && ! ($line == *--svg* && -s $folder/picture.svg) &&
        ! ($line == *--html* && -s $folder/report.html) ]]; then
    fail "no effect: ${question[*]} ${added[*]}"
  fi
done <"$table"

turn=0
all=$(for command in $commands; do help_of "$command"; done | sort -u)
for command in $commands; do
  own=$(help_of "$command")
  for option in $(needed_of "$command"); do seen["$command $option"]=1; done  # refused without it: cases.txt
  for option in $own; do
    [[ $option == --wide || -n ${seen["$command $option"]:-} ]] || fail "not in effects.txt: $command $option"
  done
  [[ -n ${base[$command]:-} ]] || { fail "no question in effects.txt: $command"; continue; }
  read -ra question <<<"${base[$command]}"
  for option in $all; do
    (((turn = (turn + 1) % 5) < 1)) || continue
    grep -qx -e "$option" <<<"$own" && continue
    message=$("$program" "${question[@]}" "$option" 1 </dev/null 2>&1 >/dev/null)
    status=$?
    [[ $status -eq 2 && $message == *"option is $option; valid: an option of tpuplan $command; this one belongs to "* ]] ||
      fail "$command $option: status $status, $message"
  done
done
rm -rf "$folder"
exit $failed
