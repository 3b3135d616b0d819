# awk -f functions.awk -v helpers=PATTERN HEADER... PAGE: the page with the functions of each of its questions written anew. A question is a
# heading with a line `<!-- NAME NAME: HEADER HEADER -->` below it; what stands between that line and the next heading is
# made of the headers: the signature of each function of that name, and the example of its comment. On standard error: what a
# question names and no header has, a header of its functions that those in the line above it do not include, and public
# functions that no question names, helpers apart.
FNR == 1 { ++file_number; in_detail = in_readable = 0; comment = ""; group = ""; in_signature = 0; space = "" }
FILENAME ~ /[.]md$/ { page[++lines] = $0; next }

# headers
/^#include <tpuplan\// {
  included = $0
  gsub(/^.*<tpuplan\/|>.*$/, "", included)
  includes[FILENAME] = includes[FILENAME] " " included
}
/^namespace (math|blocks) / { space = $2 "::" }
/^}  \/\/ namespace (math|blocks)$/ { space = "" }
/^namespace ([a-z_]+::)*detail/ { in_detail = 1 }
/^}  \/\/ namespace ([a-z_]+::)*detail/ { in_detail = 0 }
/^namespace readable/ { in_readable = 1 }
/^}  \/\/ namespace readable/ { in_readable = 0 }
in_detail || in_readable { next }
in_signature { add_to_signature($0); next }
/^\/\/\/ @{/ { comment = ""; in_group = 1; next }
/^\/\/\/ @}/ { in_group = 0; group = comment = ""; next }
/^\/\/\// { if (!following) comment = ""; following = 1; comment = comment substr($0, 4); if (in_group) group = comment; next }
/^template/ { next }
/^(\[\[nodiscard\]\] |inline |constexpr |\[\[gnu::[a-z_]+\]\] )/ && /\(/ {
  following = 0
  head = substr($0, 1, index($0, "(") - 1)
  if (head ~ /[={]|operator/) { comment = ""; next }
  signature = ""
  add_to_signature($0)
  next
}
{ following = 0 }
/^$/ { comment = "" }

function add_to_signature(line,   i, c) {
  in_signature = 1
  sub(/^ +/, " ", line)
  if (signature ~ /\($/) sub(/^ /, "", line)
  for (i = 1; i <= length(line); ++i) {
    c = substr(line, i, 1)
    if (c == "(") ++depth
    if (c == ")") --depth
    if (depth == 0 && (c == ";" || (c == "{" && signature ~ /\)/))) return end_of_signature()
    signature = signature c
  }
}

function end_of_signature(   name, words, at) {
  in_signature = depth = 0
  while (sub(/^(\[\[[a-z:_]+\]\] |inline |constexpr )/, "", signature)) {}
  sub(/ +$/, "", signature)
  sub(/ noexcept$/, "", signature)
  name = substr(signature, 1, index(signature, "(") - 1)
  sub(/^.*[ *&]/, "", name)
  if (name ~ /:/) return
  at = index(signature, name "(")
  signature = substr(signature, 1, at - 1) space substr(signature, at)
  file = FILENAME
  sub(/^.*tpuplan\//, "", file)
  words = comment != "" ? comment : group
  if (!sub(/^.*Worked: /, "", words)) words = ""
  sub(/ +(Source|Throws|Refuses)[: ].*$/, "", words)
  gsub(/\|/, "\\|", words)
  signatures[name] = signatures[name] "\n" file "\t" signature "\t" words
  if (!in_group) comment = ""
}

# Marks a header, and those that it includes.
function reach(header,   list, n, k) {
  if (header in reached) return
  reached[header] = 1
  n = split(includes[header], list, " ")
  for (k = 1; k <= n; ++k) reach(list[k])
}

# The list of one question, whose headers stand in the line `shown`.
function write_functions(line, shown,   parts, names, files, i, j, count, rows, cells, found) {
  split("", reached)
  while (match(shown, /<tpuplan\/[^>]+>/)) {
    reach(substr(shown, RSTART + 9, RLENGTH - 10))
    shown = substr(shown, RSTART + RLENGTH)
  }
  gsub(/<!-- | -->/, "", line)
  split(line, parts, ": ")
  count = split(parts[1], names, " ")
  for (i = 1; i <= count; ++i) {
    rows = split(substr(signatures[names[i]], 2), cells, "\n")
    found = 0
    for (j = 1; j <= rows; ++j) {
      split(cells[j], files, "\t")
      if (!in_headers(files[1], parts[2])) continue
      found = 1
      if (!(files[1] in reached))
        print "docs/functions.md: " names[i] " is in " files[1] ", which no header of its question includes" > "/dev/stderr"
      print "- `" files[2] "`" (files[3] == "" ? "" : "<br>" files[3])
    }
    listed[names[i]] = 1
    if (!found) print "docs/functions.md: no " names[i] " in " parts[2] > "/dev/stderr"
  }
  print ""
}

# Whether a header is one of those named, or stands behind one that is a door.
function in_headers(file, named,   list, n, k, door) {
  n = split(named, list, " ")
  for (k = 1; k <= n; ++k) {
    door = list[k]
    sub(/[.]hpp$/, "/", door)
    if (file == list[k] || index(file, door) == 1) return 1
  }
  return 0
}

END {
  for (i = 1; i <= lines; ++i) {
    if (!skipping || page[i] ~ /^#/) { skipping = 0; print page[i] }
    if (page[i] ~ /^<!-- [a-z0-9_ ]+: [a-z0-9_\/. ]+ -->$/) { print ""; write_functions(page[i], page[i - 2]); skipping = 1 }
  }
  for (name in signatures)
    if (!(name in listed) && name !~ helpers) {
      split(substr(signatures[name], 2), where, "\t")
      print "docs/functions.md does not list " name " of " where[1] > "/dev/stderr"
    }
}
