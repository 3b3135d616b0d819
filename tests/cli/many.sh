#!/usr/bin/env bash
# many.sh PROGRAM PARALLEL FOLDER: `tpuplan ask` answers a file of questions line by line in their order, what is wrong with
# one too; shared out by GNU parallel it gives the same lines.
set -uo pipefail
program=$1 parallel=$2 folder=$3
mkdir -p "$folder" && cd "$folder" || exit 1
for chip in v5e v5p v6e v9; do
  for batch in 1 8 64 512 4096; do
    echo "{\"schema\":\"tpuplan/1\",\"question\":\"batch\",\"request\":{\"chip\":\"$chip\",\"shape\":{\"batch\":$batch,\"inner\":4096,\"outer\":4096}}}"
  done
done >questions.jsonl
echo 'no question' >>questions.jsonl

"$program" ask questions.jsonl >answers.jsonl || { echo "status $? of a file"; exit 1; }
"$program" ask <questions.jsonl | diff - answers.jsonl >/dev/null || { echo "standard input gives other answers"; exit 1; }
[[ $(wc -l <answers.jsonl) == 21 ]] || { echo "$(wc -l <answers.jsonl) answers to 21 questions"; exit 1; }
sed -n 1p answers.jsonl | grep -q '"critical_batch":241' || { echo "the first answer: $(sed -n 1p answers.jsonl)"; exit 1; }
sed -n 11p answers.jsonl | grep -q '"critical_batch":561' || { echo "the eleventh: $(sed -n 11p answers.jsonl)"; exit 1; }
sed -n 16p answers.jsonl | grep -q '"error".*v9' || { echo "of a chip that is none: $(sed -n 16p answers.jsonl)"; exit 1; }
sed -n 21p answers.jsonl | grep -q '"error"' || { echo "of no question: $(sed -n 21p answers.jsonl)"; exit 1; }

"$program" --json ask questions.jsonl >/dev/null 2>&1 && { echo "--json is not refused"; exit 1; }
said=$("$program" ask nowhere.jsonl 2>&1) && { echo "a file that is not there is none"; exit 1; }
[[ $said == *'nowhere.jsonl; valid: a file'* ]] || { echo "of a file that is not there: $said"; exit 1; }

[[ $parallel == */parallel ]] || { echo "without GNU parallel: not shared out"; exit 0; }
"$parallel" --will-cite --pipe --keep-order -N 4 --jobs 2 "$program" ask <questions.jsonl >shared.jsonl ||
  { echo "status $? of parallel"; exit 1; }
diff shared.jsonl answers.jsonl >/dev/null || { echo "shared out, the answers are others"; exit 1; }
