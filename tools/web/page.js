// The page: controls make a question, the library answers it, the answer becomes tables and pictures. Nothing is sent.
// Whatever is shown enters the document as text or, of pictures, as elements of a short list: it cannot carry markup.

// ---- the library: WebAssembly without any script of its own

const inside = (id) => document.getElementById(id);

async function library_bytes() {
  const own = inside("wasm");  // of the page that is one file: gzip in base64
  if (!own) return (await fetch("tpuplan.wasm")).arrayBuffer();
  const packed = Uint8Array.from(atob(own.textContent), (c) => c.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

async function open_library() {
  const no_file = () => 8;  // EBADF: the library has no files
  const { instance } = await WebAssembly.instantiate(await library_bytes(), {
    env: { emscripten_notify_memory_growth() {} },
    wasi_snapshot_preview1: {
      fd_close: no_file, fd_seek: no_file, fd_write: no_file,
        proc_exit() { throw new Error("the library has stopped"); },
    },
  });
  const { memory, malloc, free, _initialize, tpuplan_ask, tpuplan_free, tpuplan_schema,
    tpuplan_version } = instance.exports;
  _initialize();
  const text_at = (place) => {
    const bytes = new Uint8Array(memory.buffer, place);
    return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
  };
  const taken = (place) => {
    if (place === 0) throw new Error("no memory for the answer");
    const text = text_at(place);
    tpuplan_free(place);
    return text;
  };
  return {
    version: text_at(tpuplan_version()),
    schema: JSON.parse(taken(tpuplan_schema())),
    ask(question) {
      const bytes = new TextEncoder().encode(question);
      const place = malloc(bytes.length);
      new Uint8Array(memory.buffer, place, bytes.length).set(bytes);
      let answer = 0;
      try {
        answer = tpuplan_ask(place, bytes.length);
      } catch {
        throw new Error("the library has stopped: no memory for the answer");
      }
      free(place);
      return taken(answer);
    },
  };
}

const library = await open_library().catch((problem) => {
  inside("summary").textContent = "The library cannot be loaded: " + problem.message;
  throw problem;
});
const ask = (question, request, beside = {}) =>
  JSON.parse(library.ask(JSON.stringify({ schema: "tpuplan/1", question, ...beside, request })));

// ---- what can be asked: one row for each control

const models = JSON.parse(inside("models").textContent);
const valid_of = (question, request) => ask(question, request).error.valid.split(", ");
const powers = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => 2 ** (from + i));
const decades = (from, to) => powers(0, to - from).flatMap((_, i) => [1, 2, 5].map((n) => n * 10 ** (from + i)));
const lengths = (n) => ({ mean: n, mean_square: n * n, longest: n });
const example = models["llama-3.1-8b"];
const generations = ask("chips", {}).answer.chips.map((chip) => chip.name);
const slices = ask("slices", {}).answer.slices;
const sizes = ["512x512", "1024x1024", "832x480", "1280x720"];
const regions = valid_of("serve", { config: example, slice: "v6e-8", region: "?" });
const questions = { plan: "Plan training", train: "Train", risk: "Chance to be done", fit: "Fit", serve: "Serve",
  plan_serving: "Plan serving", generate: "Make images or clips", plan_generation: "Plan images or clips",
  simulate_generation: "Images under traffic", train_generation: "Train on images or clips",
  plan_network: "Plan training of a network", train_network: "Train a network" };
/// The commands of questions that have another name.
const commands = { plan_serving: "plan --serve", plan_generation: "plan", simulate_generation: "simulate",
  train_generation: "train", plan_network: "plan", train_network: "train" };
/// What a question is asked of, and what a config.json is: models of text, of pictures, or networks as lists of layers.
const sort_of_question = (question) =>
  question.includes("generat") ? "pictures" : question.endsWith("_network") ? "networks" : "models";
const sort_of = (config) => config.type === "network" ? "networks"
  : ["_class_name", "_diffusers_version", "model_index", "transformer", "unet", "vae"]
    .some((key) => Object.hasOwn(config, key)) ? "pictures" : "models";
const folders = { models: "data/models/", pictures: "data/pipelines/", networks: "data/networks/" };
/// The models that are offered for a question, and the first to be shown.
const names_of = (question) =>
  Object.keys(models).filter((name) => sort_of(models[name]) === sort_of_question(question));
const first_of = (question) =>
  ({ models: "llama-3.1-8b", networks: "resnet-50" })[sort_of_question(question)] ?? names_of(question)[0];
const drawable = ask("chips", {}, { pictures: true }).error.valid.replace("one of ", "").split(", ");

/// key: in the address; row: the option or the path of a row of the question; stops: of the slider; more: below the
/// others. What a control is called, its unit, its choices and where it stands in the request are said by the row.
const shown = [
  { key: "slice", row: "--slice", list: slices.map((s) => s.name),
    of: "train risk fit serve generate simulate_generation train_generation train_network" },
  { key: "size", row: "--size", of: "generate plan_generation simulate_generation train_generation", list: sizes },
  { key: "frames", row: "--frames", of: "generate plan_generation simulate_generation train_generation",
    stops: [1, 17, 33, 49, 81, 121, 129] },
  { key: "steps", row: "--steps", of: "generate plan_generation simulate_generation",
    stops: [1, 4, 8, 20, 28, 30, 40, 50, 100] },
  { key: "guidance", row: "--guidance", of: "generate plan_generation simulate_generation",
    stops: [1, 2, 3.5, 5, 7.5] },
  { key: "items", row: "--items-per-hour", of: "plan_generation", stops: decades(0, 5) },
  { key: "latency", row: "--latency", of: "plan_generation", stops: decades(0, 3) },
  { key: "tokens", row: "--tokens", of: "plan train risk", stops: decades(9, 13) },
  { key: "deadline", row: "--deadline", of: "plan risk plan_network", unit: "days",
    stops: [0.1, 0.2, 0.5, 1, 2, 3, 5, 7, 10, 14, 21, 30, 45, 60, 90, 120, 180, 365] },
  { key: "budget", row: "--budget", of: "plan risk plan_network", stops: decades(1, 8) },
  { key: "batch_tokens", row: "--batch-tokens", of: "plan", stops: powers(17, 26) },
  { key: "batch", row: "--batch", stops: powers(0, 14), of: "train risk fit generate plan_generation " +
    "simulate_generation train_generation plan_network train_network" },
  { key: "seq", row: "--seq", of: "plan train risk fit", stops: powers(8, 17) },
  { key: "source", row: "--source-length", of: "plan train risk fit", stops: powers(6, 14), more: true },
  { key: "noise", row: "--noise-scale", of: "plan train", stops: decades(5, 8), more: true },
  { key: "input", row: "--input-len", of: "serve plan_serving", stops: powers(5, 17) },
  { key: "output", row: "--output-len", of: "serve plan_serving", stops: powers(3, 14) },
  { key: "rate", row: "--rate", of: "serve plan_serving", stops: [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500] },
  { key: "item_rate", row: "--rate", of: "simulate_generation",
    stops: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10] },
  { key: "item_p95", row: "--e2e-p95", of: "simulate_generation", stops: decades(0, 3) },
  { key: "examples", row: "--examples", of: "train_generation plan_network train_network", stops: decades(3, 8) },
  { key: "ttft_p99", row: "--ttft-p99", of: "serve plan_serving", stops: [0.1, 0.2, 0.5, 1, 2, 5, 10] },
  { key: "tpot_p95", row: "--tpot-p95", of: "serve plan_serving", unit: "ms", stops: [5, 10, 20, 30, 50, 100, 200] },
  { key: "hourly", row: "--budget", of: "plan_serving plan_generation", stops: decades(0, 4) },
  { key: "kinds", row: "--provisioning", of: "plan plan_serving plan_generation plan_network" },
  { key: "kind", row: "--provisioning", of: "risk generate simulate_generation" },
  { key: "generations", row: "--generation", of: "plan plan_serving plan_generation plan_network",
    many: generations },
  { key: "served_weights", row: "job.weights", of: "serve plan_serving" },
  { key: "cache", row: "--kv-dtype", of: "serve plan_serving" },
  { key: "remat", row: "--remat", of: "plan train risk fit",
    open: { plan: "the best one", train: "full", risk: "full", fit: "full" } },

  { key: "best", row: "--objective", of: "plan plan_serving plan_generation plan_network", more: true },
  { key: "regions", row: "--region", of: "plan plan_serving plan_generation plan_network", choices: regions,
    more: true },
  { key: "region", row: "--region", of: "train risk serve generate simulate_generation train_network", choices: regions,
    more: true },
  { key: "max_slices", row: "--max-slices", of: "plan", stops: powers(0, 6), more: true },
  { key: "max_chips", row: "--max-chips", of: "plan plan_serving plan_generation plan_network", stops: powers(2, 13),
    more: true },
  { key: "optimizer", row: "--optimizer", more: true,
    of: "plan train risk fit train_generation plan_network train_network" },
  { key: "lora", row: "--lora", of: "train_generation", stops: powers(2, 8), more: true },
  { key: "epochs", row: "--epochs", of: "train_generation plan_network train_network",
    stops: [1, 2, 5, 10, 20, 50, 90, 100, 200, 300], more: true },
  { key: "caching", row: "--cache-speedup", of: "generate plan_generation simulate_generation",
    stops: [1.2, 1.4, 1.75, 2], more: true },
  { key: "made_weights", row: "--weights", of: "generate plan_generation simulate_generation", more: true },
  { key: "compute", row: "--dtype", of: "plan train risk fit plan_network train_network", more: true },
  { key: "accumulation", row: "--accumulation", of: "train risk fit", stops: powers(0, 7), more: true },
  { key: "dcn", row: "--slices", stops: powers(0, 6), more: true,
    of: "train risk fit generate simulate_generation train_generation train_network" },
  ...["data", "fsdp", "tensor", "expert", "context", "pipeline"].map((axis) => (
    { key: axis, row: "--" + axis, stops: powers(0, axis === "fsdp" ? 13 : 8), more: true, of: "train risk fit" +
      (["expert", "pipeline"].includes(axis) ? "" : " generate simulate_generation train_generation") +
      (["data", "fsdp"].includes(axis) ? " train_network" : "") })),
  { key: "zone", row: "--zone", of: "risk", more: true },
  { key: "spare", row: "--spare", of: "risk", stops: powers(0, 3), more: true },
  { key: "mtbp", row: "--mtbp", of: "risk plan_network train_network", stops: decades(2, 5), more: true },
  { key: "exchange", row: "--context-exchange", of: "generate simulate_generation train_generation", more: true },
  { key: "fill", row: "--fill", of: "simulate_generation", stops: decades(0, 3), more: true },
  { key: "serve_tensor", row: "--tensor", of: "serve", stops: powers(0, 8), more: true },
  { key: "concurrency", row: "--concurrency", of: "serve plan_serving", stops: powers(0, 12), more: true },
  { key: "ttft", row: "--ttft", of: "serve plan_serving", stops: [0.1, 0.2, 0.5, 1, 2, 5, 10], more: true },
  { key: "tpot", row: "--tpot", of: "serve plan_serving", unit: "ms", stops: [5, 10, 20, 30, 50, 100, 200],
    more: true },
  { key: "engine", row: "--engine", of: "serve plan_serving", open: "what all have in common", more: true },
];
/// How a unit of time is shown: in seconds, and on the command line.
const times = { days: [86400, "d"], s: [1, "s"], ms: [1e-3, "ms"] };
/// The control of a question as its row says it.
function field_of(question, { row, ...own }) {
  const { path, option, title, unit, kind, usual, share, list, enum: names } =
    library.schema.requests[question].fields.find((one) => one.option === row || one.path === row);
  const [scale, suffix] = kind === "dollars_an_hour" ? [1 / 3600, ""]
    : kind === "time" || kind === "target" ? times[own.unit ?? unit] : [1, ""];
  const make = kind === "lengths" ? lengths : kind === "target" ? (n) => ({ share, limit_s: n })
    : list && !names && !own.many ? (one) => [one] : (one) => one;
  return { label: title, unit, at: path, option, open: usual, make, scale, suffix,
    ...(names && (list ? { many: names } : { choices: names })), ...own };
}
const fields = Object.fromEntries(Object.keys(questions).map((question) => [question,
  shown.filter((one) => one.of.split(" ").includes(question)).map((one) => field_of(question, one))]));
const fields_of = (question) => fields[question];
const usual = { plan: { tokens: "1T", deadline: "30" }, train: { slice: "v6e-256", tokens: "1T", batch: "1024" },
  risk: { slice: "v6e-256", tokens: "1T", batch: "1024", deadline: "10", budget: "150000" },
  fit: { slice: "v6e-256", batch: "1024" }, serve: { slice: "v6e-8" },
  plan_serving: { rate: "20" }, generate: { slice: "v6e-8" }, plan_generation: { items: "100" },
  simulate_generation: { slice: "v6e-8", item_rate: "0.01" }, train_generation: { slice: "v5p-64" },
  plan_network: { examples: "1281167", epochs: "90", batch: "1024" },
  train_network: { slice: "v5e-8", examples: "1281167", epochs: "90", batch: "1024" } };
const launch_rows = library.schema.requests.launch.fields;
const targets = valid_of("launch", { target: "?" }).map((one) => one.trim());
const launch_fields = [...["name", "image", "project", "zone", "cluster", "checkpoint"].map((key) =>
  [key, launch_rows.find((row) => row.path === "request." + key).title]),
["command", "Program and arguments"], ["max_run", "Longest run, days"]];

// ---- numbers and words

const scales = { k: 1e3, K: 1e3, M: 1e6, B: 1e9, G: 1e9, T: 1e12, P: 1e15, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30,
  Ti: 2 ** 40 };
function number_of(text) {
  const parts = /^\s*(\d[\d,]*(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*([KMGT]i|[kKMBGTP])?\s*$/.exec(text);
  return parts ? Number(parts[1].replaceAll(",", "")) * (scales[parts[2]] ?? 1) : NaN;
}
/// "1T", "4Mi", "4096": the shortest that number_of and the command read as the same number.
function short(number) {
  const forms = [["T", 1e12], ["B", 1e9], ["Mi", 2 ** 20], ["M", 1e6]].map(([name, size]) => number / size + name);
  return forms.find((form) => /^[1-9]\d{0,3}(\.\d{1,2})?[A-Z]/.test(form) &&
    number_of(form) === number) ?? String(number);
}
const digits = (x) => (x === 0 ? "0" : x >= 1000 ? Math.round(x).toString()
  : Number(x.toPrecision(3)).toPrecision(3).replace(/e\+?.*$/, ""));
const in_units = (x, units) => {
  const [size, name] = units.find(([from, , at_least = 1]) => x >= from * at_least) ?? units[units.length - 1];
  return digits(x / size) + name;
};
const time = (x) => (x === 0 ? "0 s" : in_units(x,
  [[86400, " days", 2], [3600, " hours", 2], [60, " min", 2], [1, " s"], [1e-3, " ms"], [1e-6, " µs"]]));
const count = (x) => in_units(x, [[1e12, " T"], [1e9, " B"], [1e6, " M"], [1e4, " k", 1],
  [1, ""]].map(([s, n, l]) => (s === 1e4 ? [1e3, n, 10] : [s, n, l])));
const words = (name) => name.replaceAll("_", " ");
// ---- the document

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== undefined && child !== null));
  return made;
}
/// Heads that begin with ">" are those of numbers.
function table(caption, heads, rows) {
  const side = heads.map((head) => (head.startsWith(">") ? { class: "number" } : {}));
  return element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": caption },
    element("table", {}, element("caption", {}, caption),
      element("thead", {}, element("tr", {}, ...heads.map((head, i) =>
        element("th", { scope: "col", ...side[i] }, head.replace(">", ""))))),
      element("tbody", {}, ...rows.map((row) =>
        element("tr", {}, ...row.map((cell, i) =>
        element(i ? "td" : "th", { ...(i ? {} : { scope: "row" }), ...side[i] }, cell)))))));
}

const svg_elements = new Set(["svg", "title", "line", "polyline", "polygon", "rect", "circle", "text"]);
const svg_attributes = new Set(["viewBox", "role", "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity",
  "stroke-dasharray",
  "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "width", "height", "points", "text-anchor", "font-size",
    "transform"]);
/// A copy of what a picture may consist of; nothing else of it reaches the page.
function drawn(node) {
  const copy = document.createElementNS("http://www.w3.org/2000/svg", node.localName);
  for (const { name, value } of node.attributes) if (svg_attributes.has(name)) copy.setAttribute(name, value);
  for (const child of node.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) copy.append(child.data);
    else if (child.nodeType === Node.ELEMENT_NODE && svg_elements.has(child.localName)) copy.append(drawn(child));
  }
  return copy;
}
function figure({ name, title, svg }) {
  const root = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  if (root.localName !== "svg") return element("p", {}, "The picture cannot be drawn.");
  return element("figure", { "data-picture": name, tabindex: "0", "aria-label": title }, drawn(root));
}

// ---- answers: the library says what a reader sees, here it becomes elements

/// A part of a view: sentences, a table and notes; what is folded opens when the reader asks. `cell_of` makes a cell.
function part_elements(part, caption, cell_of) {
  const hints = (sentences) => sentences.map((one) => element("p", { class: "hint" }, one));
  const heads = part.columns.map((column) => (column.at_end ? ">" : "") + column.title);
  const rows = part.rows.map((row) => row.map((cell, i) => cell_of(row, cell, i)));
  const made = rows.length ? table(part.title || caption, heads, rows) : null;
  if (heads.length > 6) made?.classList.add("plans");
  const shown = [...hints(part.sentences), made, ...hints(part.notes)];
  if (part.folded) return [element("details", {}, element("summary", {}, part.title), ...shown)];
  return part.title && !rows.length ? [element("h3", {}, part.title), ...shown] : shown;
}
/// The question whose answer is this plan alone.
function as_train(row) {
  const { job, mesh } = row.plan;
  const values = { slice: row.slice, tokens: state.values.tokens, batch: String(job.global_batch),
    seq: String(job.sequence_length), source: state.values.source, remat: row.remat,
    accumulation: String(job.gradient_accumulation), dcn: String(mesh.dcn_data), optimizer: state.values.optimizer,
      compute: state.values.compute,
    region: row.plan.costs[row.plan.chosen]?.price.region };
  for (const axis of ["data", "fsdp", "tensor", "expert", "context", "pipeline"]) if (mesh[axis] > 1 ||
    axis === "fsdp") values[axis] = String(mesh[axis]);
  return { ...state, question: "train", values };
}
/// Cells as text; the slice of a plan leads to its training.
const cell_of = (plans) => (row, { text }, i) => {
  const plan = i === 1 && plans?.find(({ rank }) => rank === row[0].value);
  return plan ? element("a", { href: address_of(as_train(plan)), "aria-label": "Train on " + text }, text) : text;
};
/// The parts of an answer's view. Of plans the first has some, and all where the reader asks.
function view_elements({ view, answer }, again) {
  const plans = state.question === "plan" ? answer.plans : null;
  const parts = view.parts.map((part, i) => part_elements(part, view.title, cell_of(i === 0 ? plans : null)));
  if (plans && view.parts[0]?.rows.length < plans.length) {
    const all = () => part_elements(again({ rows: plans.length }).parts[0], "All plans", cell_of(plans));
    parts[0].push(element("details", { ontoggle: (event) => event.target.lastChild.tagName === "SUMMARY" &&
      event.target.append(...all().filter(Boolean)) },
      element("summary", {}, "All " + plans.length + " plans")));
  }
  return { before: parts[0] ?? [], after: parts.slice(1).flat() };
}
/// Latency against load by simulation, around the rate that was asked or half of what the slice can serve; none where a
/// simulation, which has no targets by the mean, cannot answer the question.
function load_pictures(request, capacity) {
  const rate = request.job?.request_rate_per_s ?? Number((capacity / 2).toPrecision(2));
  const { config, slice, slices, mesh } = { config: config_of(), ...request };
  const { concurrency, ttft_target_s, tpot_target_s, ...job } = { ...request.job, request_rate_per_s: rate };
  return ask("simulate", { config, slice, slices, mesh, job, requests: 300 }, { pictures: true }).pictures ?? [];
}
/// The MLP's first product in a decode step under the chip's roof, where the config.json says its widths.
function roofline_pictures(answer, request) {
  const { hidden_size: inner, intermediate_size: outer } = config_of().text_config ?? config_of();
  const chip = slices.find((slice) => slice.name === answer.slice)?.generation;
  const batch = Math.max(1, Math.round(answer.estimate.running / answer.estimate.replicas));
  const weights = request.job?.weights ?? "bf16";
  return ask("batch", { chip, weights, shape: { batch, inner, outer } }, { pictures: true }).pictures ?? [];
}

/// Pictures of other questions about the same, beside those of the answer.
function further_pictures(answer, request) {
  if (state.question === "serve" && answer.estimate.refusal === "none" && answer.estimate.running > 0)
    return [...load_pictures(request, answer.estimate.capacity_per_s), ...roofline_pictures(answer, request)];
  const best = state.question === "plan_serving" && answer.plans[0];
  return best ? load_pictures({ ...request, slice: best.slice, slices: best.slices, mesh: best.plan.mesh },
    best.capacity_requests_per_s) : [];
}

// ---- the question: in the state, in the address, in the controls

let state = { question: "plan", model: "", own: null, values: {} };
let answered = null;  // the last answer, whole

function address_of({ question, model, own, values }) {
  const address = new URLSearchParams({ question, model });
  if (own) address.set("config", JSON.stringify(own));
  for (const { key } of fields_of(question)) if (values[key]) address.set(key, values[key]);
  return "#" + address;
}
function read_address() {
  const given = new URLSearchParams(location.hash.slice(1));
  const question = Object.hasOwn(questions, given.get("question") ?? "") ? given.get("question") : "plan";
  state = { question, model: given.get("model") ?? first_of(question), own: null,
    values: given.has("question") ? {} : { ...usual[question] } };
  for (const { key } of fields_of(question)) if (given.has(key)) state.values[key] = given.get(key);
  try {
    if (given.has("config")) state.own = JSON.parse(given.get("config"));
  } catch {
    state.model = "the config.json in the address, which is not JSON";
  }
}
/// The config.json that is asked about, which says its name.
function config_of() {
  const config = state.own ?? (Object.hasOwn(models, state.model) ? models[state.model] : null);
  if (!config || Object.hasOwn(config, "schema") || sort_of(config) !== "models") return config;
  return { _name_or_path: state.model.replace(/\.json$/, ""), ...config };
}

class refusal extends Error {
  constructor(field, text) { super(text); this.field = field; }
}
/// The value of a control as the request has it; nothing where it is left open.
function value_of(field) {
  const text = (state.values[field.key] ?? "").trim();
  if (!text) return undefined;
  if (field.many) return text.split(",");
  if (!field.stops) return field.make(text);
  const number = number_of(text);
  if (!Number.isFinite(number)) throw new refusal(field,
    field.label + ": " + text + " is not a number; valid: 4096, 1.5T, 4Mi");
  return field.make(number * field.scale);
}
function request_of() {
  const request = {};
  for (const field of fields_of(state.question)) {
    const value = value_of(field);
    if (value === undefined) continue;
    const path = field.at.split(".");
    const last = path.pop();
    let into = request;
    for (const key of path) into = into[key] ??= {};
    into[last] = value;
  }
  if (state.question === "plan_serving") request.most_plans = 8;  // as the command has it
  return request;
}

function text_control(field, id) {
  const input = element("input", { type: "text", id, inputmode: field.stops ? "decimal" : false,
    list: field.list ? id + "-list" : false, spellcheck: "false",
    "aria-describedby": field.unit ? id + "-unit" : false });
  const slider = field.stops && element("input",
    { type: "range", id: id + "-slider", min: "0", max: String(field.stops.length - 1), step: "1",
    "aria-label": field.label + ", slider" });
  const follow = () => {
    if (!slider) return;
    const number = number_of(input.value);
    const at = field.stops.findIndex((stop) => stop >= number);
    slider.value = Number.isFinite(number) ? (at < 0 ? field.stops.length - 1 : at)
      : Math.floor(field.stops.length / 2);
    slider.classList.toggle("open", !input.value);
    slider.setAttribute("aria-valuetext", input.value ? input.value + " " + (field.unit ?? "") : "left open");
  };
  input.addEventListener("input", () => { follow(); changed(field.key, input.value); });
  slider?.addEventListener("input", () => {
    input.value = short(field.stops[slider.value]);
    follow();
    changed(field.key, input.value);
  });
  input.value = state.values[field.key] ?? "";
  if (!field.list) input.placeholder = "left open";
  follow();
  return [element("div", { class: "entry" }, input,
    field.unit && element("span", { class: "unit", id: id + "-unit" }, field.unit)), slider,
    field.list && element("datalist", { id: id + "-list" },
      ...field.list.map((one) => element("option", { value: one })))];
}
function choice_control(field, id) {
  const open = typeof field.open === "object" ? field.open[state.question] : field.open;
  const given = state.values[field.key] ?? "";
  const list = given && !field.choices.includes(given) ? [...field.choices, given] : field.choices;
  const select = element("select", { id, onchange: () => changed(field.key, select.value) },
    element("option", { value: "" }, words(open) + " (left open)"),
      ...list.map((one) => element("option", { value: one }, words(one))));
  select.value = given;
  return [select];
}
function many_control(field, id) {
  const given = (state.values[field.key] ?? "").split(",");
  const boxes = field.many.map((one) => element("input",
    { type: "checkbox", id: id + "-" + one, value: one, checked: given.includes(one) }));
  for (const box of boxes) box.addEventListener("change",
    () => changed(field.key, boxes.filter((b) => b.checked).map((b) => b.value).join(",")));
  return [element("div", { class: "many", role: "group", id, "aria-label": field.label },
    ...boxes.map((box) => element("label", {}, box, " " + words(box.value))))];
}
function control(field) {
  const id = "field-" + field.key;
  const parts = field.many ? many_control(field, id) : field.choices ? choice_control(field, id)
    : text_control(field, id);
  const label = field.many ? element("span", { class: "label" }, field.label)
    : element("label", { for: id }, field.label);
  return element("div", { class: "field" }, label, ...parts);
}

/// The controls as the state has it.
function show_controls() {
  for (const box of inside("kinds").querySelectorAll("input")) box.checked = box.value === state.question;
  const select = inside("model");
  const offered = names_of(state.question);
  const names = [...offered, ...(offered.includes(state.model) && !state.own ? [] : [state.model])];
  select.replaceChildren(...names.map((name, i) => element("option", { value: String(i) }, name)));
  select.value = String(state.own ? names.length - 1 : names.indexOf(state.model));
  const rows = fields_of(state.question);
  inside("fields").replaceChildren(inside("fields").firstElementChild,
    ...rows.filter((field) => !field.more).map(control));
  inside("more-fields").replaceChildren(...rows.filter((field) => field.more).map(control));
  if (rows.some((field) => field.more && state.values[field.key])) inside("more").open = true;
  show_model();
}
function show_model() {
  const config = config_of();
  const sort = config ? sort_of(config) : "models";
  if (sort === "networks") return inside("model-facts").textContent = "";
  const { answer } = ask(sort === "pictures" ? "model_generation" : "model", { config });
  inside("model-facts").textContent = !answer ? "" : answer.name + ": " + count(answer.parameters) + " parameters" +
    ((answer.active_parameters ?? answer.parameters) !== answer.parameters
      ? ", " + count(answer.active_parameters) + " active" : "") +
    (answer.kv_bytes_per_token ? ", " + digits(answer.kv_bytes_per_token / 1024) + " KiB of KV cache per token" : "");
}

let waiting = false, writing = 0;
/// The answer is worked out before the next frame, the address written when changes pause.
function changed(key, text) {
  if (key) state.values[key] = text;
  if (!waiting) requestAnimationFrame(() => { waiting = false; show_answer(); });
  waiting = true;
  write_address();
}
function write_address() {
  clearTimeout(writing);
  writing = setTimeout(() => history.replaceState(null, "", address_of(state)), 250);
}

// ---- the answer in the document

function refused(text, key) {
  inside("problem").textContent = text;
  inside("summary").textContent = "No answer.";
  inside("glance").textContent = text;
  inside("details").replaceChildren();
  answered = null;
  if (key) inside("field-" + key)?.setAttribute("aria-invalid", "true");
}
function show_answer() {
  const from = performance.now();
  for (const control of document.querySelectorAll("[aria-invalid]")) control.removeAttribute("aria-invalid");
  inside("problem").textContent = "";
  inside("launch").hidden = true;
  document.body.dataset.state = "answered";
  let request;
  try {
    request = request_of();
  } catch (problem) {
    return refused(problem.message, problem.field?.key);
  }
  show_copies(request);
  const config = config_of();
  if (!config) return refused("Model: there is none called " + state.model + ".", null);
  const whole = (beside) => ask(state.question, { config, ...request }, beside);
  const document_of = whole({ pictures: drawable.includes(state.question), view: true });
  if (document_of.error) {
    const { message, field } = document_of.error;
    const last = field.split(".").pop();
    return refused(message, fields_of(state.question).find((one) => one.at.split(".").pop() === last)?.key);
  }
  answered = document_of;
  const { view, answer } = document_of;
  inside("summary").textContent = view.summary;
  inside("glance").textContent = view.summary;
  const { before, after } = view_elements(document_of, (options) => whole({ view: options }).view);
  const pictures = [...(document_of.pictures ?? []), ...further_pictures(answer, request)];
  inside("details").replaceChildren(...[...before, ...pictures.map(figure), ...after].filter(Boolean));
  inside("launch").hidden = !(state.question === "plan" && answer.plans.length);
  if (!inside("launch").hidden) show_launch();
  document.body.dataset.ms = (performance.now() - from).toFixed(1);
}

const plain_name = (name) => name.replace(/[^A-Za-z0-9._-]/g, "_").replace(/^[-.]+/, "_") || "config.json";
const file_name = () => (state.own ? plain_name(state.model)
  : folders[sort_of(models[state.model] ?? {})] + plain_name(state.model) + ".json");
function show_copies(request) {
  const options = fields_of(state.question).filter((field) => state.values[field.key]?.trim()).map((field) => {
    const text = state.values[field.key].trim();
    const shown = field.stops ? short(number_of(text)) + (field.suffix ?? "") : text;
    return field.option + " " + (/^[A-Za-z0-9_.,:+-]+$/.test(shown) ? shown
      : "'" + shown.replaceAll("'", "'\\''") + "'");
  });
  const [name, ...flags] = (commands[state.question] ?? state.question).split(" ");
  const command = [name, file_name(), ...flags];
  inside("command").textContent = ["tpuplan", ...command, ...options].join(" ");
  const question = { schema: "tpuplan/1", question: state.question, request };
  inside("cpp").textContent = `// g++ -std=c++17 -Iinclude question.cpp -o question, with nlohmann_json
#include <iostream>
#include <tpuplan/ask.hpp>

int main() {
  nlohmann::json question = nlohmann::json::parse(R"json(${JSON.stringify(question, null, 2)})json");
  question["request"]["config"] = tpuplan::load_json("${file_name()}");
  std::cout << tpuplan::ask(question).dump(2) << "\\n";
}
`;
  inside("json").textContent = JSON.stringify({ ...question, request: { config: config_of(), ...request } }, null, 2);
}

function save(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }));
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

const launch = { rank: "1", target: "gke", name: "tpuplan" };
function show_launch() {
  if (!inside("launch").open || !answered) return;
  const ranks = inside("launch-rank");
  if (Number(launch.rank) > answered.answer.plans.length) launch.rank = "1";
  ranks.replaceChildren(...answered.answer.plans.map((row) =>
    element("option", { value: String(row.rank) }, row.rank + ": " + row.slice + ", " + time(row.run_s))));
  ranks.value = launch.rank;
  const request = {};
  for (const [key] of launch_fields) {
    const text = (launch[key] ?? "").trim();
    inside("launch-" + key).removeAttribute("aria-invalid");
    if (!text) continue;
    if (key === "command") request.command = text.split(/\s+/);
    else if (key === "max_run") request.max_run_s = number_of(text) * 86400;
    else request[key] = text;
  }
  const { answer, error } = ask("launch", { plan: answered.answer, rank: Number(launch.rank), target: launch.target,
    request });
  inside("launch-problem").textContent = error ? error.message : "";
  if (error) inside("launch-" + error.field.split(".").pop().replace(/_s$/, ""))?.setAttribute("aria-invalid", "true");
  inside("launch-text").textContent = answer ? answer.text : "";
  inside("launch-save").disabled = !answer;
}
function launch_name(text) {
  return plain_name(launch.name) + (text.startsWith("#!") ? ".sh" : text.trimStart().startsWith("{") ? ".json"
    : ".yaml");
}

// ---- what starts it

async function take(file) {
  try {
    if (file.size > 4e6) throw new Error("larger than 4 MB");
    const config = JSON.parse(await file.text());
    if (config === null || typeof config !== "object" ||
      Array.isArray(config)) throw new Error("not an object of JSON");
    state.own = config;
    state.model = file.name;
    show_controls();
    changed();
  } catch (problem) {
    refused(file.name + ": " + problem.message, null);
  }
}

function build() {
  inside("version").textContent = "tpuplan " + library.version;
  for (const [value, label] of Object.entries(questions))
    inside("kinds").append(element("label", {}, element("input", {
      type: "radio", name: "question", value, onchange: () => {
        state.question = value;
        const offered = names_of(value);
        if (!state.own && Object.hasOwn(models, state.model) && !offered.includes(state.model))
          state.model = first_of(value);
        for (const [key, text] of Object.entries(usual[value])) state.values[key] ||= text;
        show_controls();
        changed();
      } }), label));
  inside("model").addEventListener("change", (event) => {
    const name = names_of(state.question)[event.target.value];
    if (!name) return;
    state.own = null;
    state.model = name;
    show_controls();
    changed();
  });
  inside("file").addEventListener("change", (event) => event.target.files[0] && take(event.target.files[0]));
  inside("reset").addEventListener("click", () =>
    { state.values = { ...usual[state.question] }; show_controls(); changed(); });
  inside("question").addEventListener("submit", (event) => event.preventDefault());
  inside("skip").addEventListener("click", (event) => { event.preventDefault(); inside("answer").focus(); });

  const select = (key, label, choices) => element("div", { class: "field" },
    element("label", { for: "launch-" + key }, label),
    element("select", { id: "launch-" + key, onchange: (event) =>
      { launch[key] = event.target.value; show_launch(); } },
      ...choices.map((one) => element("option", { value: one }, one))));
  inside("launch-fields").append(element("div", { class: "pairs" }, select("rank", "Plan", []),
    select("target", "For", targets),
    ...launch_fields.map(([key, label]) => element("div", { class: "field" },
      element("label", { for: "launch-" + key }, label),
      element("input", { type: "text", id: "launch-" + key, value: launch[key] ?? "", spellcheck: "false",
        oninput: (event) => { launch[key] = event.target.value; show_launch(); } })))));
  inside("launch-target").value = launch.target;
  inside("launch").addEventListener("toggle", show_launch);
  inside("launch-save").addEventListener("click",
    () => save(launch_name(inside("launch-text").textContent), inside("launch-text").textContent));
  inside("answer-save").addEventListener("click",
    () => answered && save("answer.json", JSON.stringify(answered, null, 2)));
  for (const button of document.querySelectorAll("[data-copy]")) {
    const said = button.textContent;
    button.addEventListener("click", async () => {
      const from = inside(button.dataset.copy);
      try {
        await navigator.clipboard.writeText(from.textContent);
        button.textContent = "Copied";
      } catch {  // without the right to the clipboard the text is selected, ready for the keys that copy
        getSelection().selectAllChildren(from);
        from.focus();
        button.textContent = "Selected";
      }
      setTimeout(() => { button.textContent = said; }, 2000);
    });
  }

  addEventListener("dragover", (event) => { event.preventDefault(); document.body.classList.add("dropping"); });
  addEventListener("dragleave", () => document.body.classList.remove("dropping"));
  addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    if (event.dataTransfer.files[0]) take(event.dataTransfer.files[0]);
  });
  inside("glance").addEventListener("click", () => inside("answer").scrollIntoView());
  new IntersectionObserver(([seen]) => { inside("glance").hidden = seen.isIntersecting; }).observe(inside("answer"));
  addEventListener("hashchange", () => { read_address(); show_controls(); show_answer(); inside("answer").focus(); });
  read_address();
  show_controls();
  show_answer();
  write_address();
}

build();
globalThis.tpuplan = { ask: library.ask };  // for the console, and for the tests of this page
