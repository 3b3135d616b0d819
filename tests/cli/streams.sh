#!/usr/bin/env bash
# streams.sh PROGRAM DATA WORK: streams that are closed or full, pipes as files, names that speak to terminals.
set -u
program=$1 data=$2 folder=$3/streams
rm -rf "$folder" && mkdir -p "$folder" || exit 1
llama=$data/models/llama-3.1-8b.json
failed=0
fail() {
  printf '%s\n' "$*"
  failed=1
}
# expect STATUS WHAT GOT
expect() { [[ $3 -eq $1 ]] || fail "$2: status $3 instead of $1"; }

# An answer that cannot be written is status 3, and said where that can be.
message=$("$program" model "$llama" 2>&1 >/dev/full)
expect 3 "an answer to a full disk" $?
[[ $message == *"cannot be written"* ]] || fail "a full disk: $message"
"$program" model "$llama" >&- 2>/dev/null
expect 3 "an answer to a closed stream" $?
"$program" --json plan "$llama" --tokens 1T >/dev/full 2>/dev/full
expect 3 "nothing can be written" $?
# A refusal stays a refusal.
"$program" model nowhere.json 2>&-
expect 2 "a refusal to a closed stream" $?
"$program" model nowhere.json 2>/dev/full
expect 2 "a refusal to a full disk" $?
"$program" --nonsense 2>/dev/full >/dev/full
expect 2 "a refusal of the command line to a full disk" $?
# Of an answer that is refused in the middle nothing is seen.
answer=$("$program" model "$llama" --seq 9e15 2>/dev/null)
expect 2 "half an answer" $?
[[ -z $answer ]] || fail "half an answer: $answer"
# A broken pipe ends the program as it ends others, without a word.
errors=$({ "$program" --json plan "$llama" --tokens 1T 2>&3; echo "${PIPESTATUS[0]}" >"$folder/status"; } 3>&1 | head -c 10 >/dev/null)
[[ -z $errors ]] || fail "a broken pipe: $errors"

# Pipes are files.
for way in process standard; do
  if [[ $way == process ]]; then answer=$("$program" model <(cat "$llama") 2>&1); else answer=$("$program" model - <"$llama" 2>&1); fi
  expect 0 "a config through a $way pipe" $?
  [[ $answer == *8,030,261,248* ]] || fail "a config through a $way pipe: $answer"
done

# No escape sequence reaches the terminal, from names of files and options, nor from a model's name.
escape=$'\e[31mred\e[0m'
cp "$llama" "$folder/$escape.json"
for arguments in "model|$folder/$escape.json" "model|nowhere$escape.json" "model|$llama|--$escape" "$escape" \
  "plan|$folder/$escape.json|--tokens|1T" "chips|$escape" "train|$llama|--slice|$escape"; do
  IFS='|' read -ra words <<<"$arguments"
  answer=$("$program" "${words[@]}" 2>&1)
  [[ $answer == *$'\e'* ]] && fail "an escape sequence: ${words[*]}"
done
document=$("$program" --json plan "$folder/$escape.json" --tokens 1T --rows 1)
[[ $document == *$'\e'* ]] && fail "an escape sequence in JSON"
"$program" launch - --target gke --image a/b:c <<<"$document" >/dev/null 2>"$folder/errors"
expect 0 "a plan of a model with such a name: $(<"$folder/errors")" $?

# The data of the program in another form.
mkdir "$folder/data"
for bad in '' '[]' '{"generations": 1}' '{"generations": [{"id": "v5e", "fields": {"clock": 1}}]}' '{"generations": []}'; do
  printf '%s' "$bad" >"$folder/data/hardware.json"
  message=$("$program" --data-dir "$folder/data" chips v5e 2>&1 >"$folder/answer")
  expect 2 "hardware.json of '$bad'" $?
  [[ $message == tpuplan:*hardware.json* && ! -s $folder/answer ]] || fail "hardware.json of '$bad': $message"
done
rm -rf "$folder"
exit $failed
