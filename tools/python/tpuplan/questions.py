"""The questions of tpuplan and the structs of their answers.

Written by generate.py from docs/ask_schema.json: do not edit."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal, Optional, Union

from .core import Answer, Config, Struct, ask_for

Given = dataclasses.dataclass(frozen=True)
Told = dataclasses.dataclass(frozen=True, repr=False)


@Given
class ChipSpec(Struct):
    name: Optional[str] = None
    announced_year: Optional[int] = None
    announced_only: Optional[bool] = None
    tensorcores: Optional[int] = None
    jax_devices: Optional[int] = None
    megacore: Optional[bool] = None
    mxu: Optional[MxuSpec] = None
    peak: Optional[PeakRates] = None
    clock_per_s: Optional[Union[float, Literal["absent", "unknown"]]] = None
    hbm: Optional[HbmSpec] = None
    on_chip: Optional[OnChipSpec] = None
    tiling: Optional[TilingSpec] = None
    sparsecores: Optional[Union[int, Literal["absent", "unknown"]]] = None
    ici: Optional[IciSpec] = None
    host: Optional[HostSpec] = None
    pod: Optional[PodSpec] = None
    slice_name_counts: Optional[Literal["tensorcores", "chips"]] = None

    _reads = {'mxu': 'MxuSpec', 'peak': 'PeakRates', 'clock_per_s': 'number', 'hbm': 'HbmSpec', 'on_chip': 'OnChipSpec', 'tiling': 'TilingSpec', 'ici': 'IciSpec', 'host': 'HostSpec', 'pod': 'PodSpec'}


@Given
class MxuSpec(Struct):
    per_tensorcore: Optional[int] = None
    side: Optional[int] = None
    macs_per_cell_cycle: Optional[int] = None


@Given
class PeakRates(Struct):
    bf16_flops_per_s: Optional[Union[float, Literal["absent", "unknown"]]] = None
    int8_flops_per_s: Optional[Union[float, Literal["absent", "unknown"]]] = None
    fp8_flops_per_s: Optional[Union[float, Literal["absent", "unknown"]]] = None
    int4_flops_per_s: Optional[Union[float, Literal["absent", "unknown"]]] = None

    _reads = {'bf16_flops_per_s': 'number', 'int8_flops_per_s': 'number', 'fp8_flops_per_s': 'number', 'int4_flops_per_s': 'number'}


@Given
class HbmSpec(Struct):
    capacity_bytes: Optional[float] = None
    documented_bytes: Optional[float] = None
    usable_per_device_bytes: Optional[Union[float, Literal["absent", "unknown"]]] = None
    bandwidth_bytes_per_s: Optional[float] = None

    _reads = {'capacity_bytes': 'number', 'documented_bytes': 'number', 'usable_per_device_bytes': 'number', 'bandwidth_bytes_per_s': 'number'}


@Given
class OnChipSpec(Struct):
    vmem_per_tensorcore_bytes: Optional[float] = None
    vmem_bandwidth_over_hbm: Optional[Union[float, Literal["absent", "unknown"]]] = None
    cmem_bytes: Optional[float] = None
    smem_per_tensorcore_bytes: Optional[Union[float, Literal["absent", "unknown"]]] = None

    _reads = {'vmem_per_tensorcore_bytes': 'number', 'vmem_bandwidth_over_hbm': 'number', 'cmem_bytes': 'number', 'smem_per_tensorcore_bytes': 'number'}


@Given
class TilingSpec(Struct):
    sublanes: Optional[int] = None
    lanes: Optional[int] = None
    large_tiles_of_16_bits: Optional[bool] = None


@Given
class IciSpec(Struct):
    links: Optional[int] = None
    axes: Optional[int] = None
    nominal_one_way_bytes_per_s: Optional[float] = None
    achievable_fraction: Optional[float] = None
    wraparound: Optional[Literal["whole_pod", "axis_of_16", "whole_cubes"]] = None
    die_to_die_over_link: Optional[Union[float, Literal["absent", "unknown"]]] = None

    _reads = {'nominal_one_way_bytes_per_s': 'number', 'achievable_fraction': 'number', 'die_to_die_over_link': 'number'}


@Given
class HostSpec(Struct):
    chips: Optional[int] = None
    dram_bytes: Optional[Union[float, Literal["absent", "unknown"]]] = None
    pcie_bytes_per_s: Optional[Union[float, Literal["absent", "unknown"]]] = None
    dcn_bytes_per_s: Optional[Union[float, Literal["absent", "unknown"]]] = None

    _reads = {'dram_bytes': 'number', 'pcie_bytes_per_s': 'number', 'dcn_bytes_per_s': 'number'}


@Given
class PodSpec(Struct):
    shape: Optional[Topology] = None
    largest_slice: Optional[int] = None

    _reads = {'shape': 'Topology'}


@Given
class Topology(Struct):
    dims: Optional[list[int]] = None
    axes: Optional[int] = None


@Given
class SliceFacts(Struct):
    name: str
    generation: str
    topology: str
    chips: int
    tensorcores: int
    jax_devices: int
    vms: int
    hosts: float
    chips_per_vm: int
    machine_type: Optional[str]
    wraparound: list[Optional[bool]]
    schedulable: bool
    usable_hbm_bytes: float

    _reads = {'hosts': 'number', 'usable_hbm_bytes': 'number'}


@Given
class ProductShape(Struct):
    batch: Optional[int] = None
    inner: Optional[int] = None
    outer: Optional[int] = None


@Given
class BatchLevel(Struct):
    from_: Literal["hbm", "vmem", "pcie", "ici", "dcn"]
    bandwidth_bytes_per_s: Optional[float]
    ridge_point_flops_per_byte: Optional[float]
    critical_batch_tokens: Optional[int]

    _reads = {'bandwidth_bytes_per_s': 'number', 'ridge_point_flops_per_byte': 'number'}


@Given
class ProductBound(Struct):
    batch: int
    inner: int
    outer: int
    math_s: float
    memory_s: float
    limited_by: Literal["compute", "memory"]
    critical_batch_with_activations: Optional[float]

    _reads = {'math_s': 'number', 'memory_s': 'number', 'critical_batch_with_activations': 'number'}


@Given
class PaddedDimension(Struct):
    given: int
    padded: int
    wasted: float

    _reads = {'wasted': 'number'}


@Given
class PaddedMatrix(Struct):
    flop_utilization: float
    stored_bytes: float
    stored_waste_bytes: float

    _reads = {'flop_utilization': 'number', 'stored_bytes': 'number', 'stored_waste_bytes': 'number'}


@Given
class ParameterCount(Struct):
    embedding: int
    attention: int
    recurrent: int
    mlp: int
    experts: int
    router: int
    norms: int
    prediction: int
    other: int
    lm_head: int
    vision: int
    projector: int
    head: int
    total: int
    active: int
    matrices: int


@Given
class PairFlops(Struct):
    encoder_flops: float
    decoder_flops: float
    total_flops: float

    _reads = {'encoder_flops': 'number', 'decoder_flops': 'number', 'total_flops': 'number'}


@Given
class PairCache(Struct):
    self_bytes: float
    cross_bytes: float
    total_bytes: float

    _reads = {'self_bytes': 'number', 'cross_bytes': 'number', 'total_bytes': 'number'}


@Given
class Assumption(Struct):
    field: str
    value: str
    why: str


@Given
class TrainingJob(Struct):
    global_batch: Optional[int] = None
    sequence_length: Optional[int] = None
    compute: Optional[Literal["fp32", "bf16", "fp16", "fp8", "int8", "int4"]] = None
    weights: Optional[Literal["fp32", "bf16", "fp16", "fp8", "int8", "int4"]] = None
    moments: Optional[Literal["fp32", "bf16", "fp16", "fp8", "int8", "int4"]] = None
    first_moment_bf16: Optional[bool] = None
    optimizer: Optional[Literal["adamw", "adafactor", "lion", "sgd_momentum", "lars", "lamb", "sgd", "adam"]] = None
    remat: Optional[RematPolicy] = None
    gradient_accumulation: Optional[int] = None
    pipeline_microbatches: Optional[int] = None
    pipeline_rounds: Optional[int] = None
    capacity_factor: Optional[float] = None
    vocabulary_tiles: Optional[int] = None
    logits_fraction: Optional[float] = None
    synchronous_collectives: Optional[bool] = None
    work_multiplier: Optional[float] = None
    images_per_sequence: Optional[int] = None
    freeze_vision: Optional[bool] = None
    software: Optional[Literal["tuned", "general", "first_port"]] = None
    attention: Optional[Literal["flash", "unfused"]] = None
    default_tiles: Optional[bool] = None
    ring_attention: Optional[bool] = None
    context_balanced: Optional[bool] = None
    gathers_quantised: Optional[bool] = None
    state_on_host: Optional[Literal["none", "optimizer", "parameters_and_optimizer"]] = None
    lora_rank: Optional[int] = None
    lora: Optional[LoraTargets] = None
    frozen_weights: Optional[Literal["fp32", "bf16", "fp16", "fp8", "int8", "int4"]] = None
    frozen_by_part: Optional[WeightBits] = None

    _reads = {'remat': 'RematPolicy', 'capacity_factor': 'number', 'logits_fraction': 'number', 'work_multiplier': 'number', 'lora': 'LoraTargets', 'frozen_by_part': 'WeightBits'}


@Given
class RematPolicy(Struct):
    layer_input: Optional[Literal["recompute", "device", "host"]] = None
    qkv: Optional[Literal["recompute", "device", "host"]] = None
    context: Optional[Literal["recompute", "device", "host"]] = None
    out_proj: Optional[Literal["recompute", "device", "host"]] = None
    mlp_up: Optional[Literal["recompute", "device", "host"]] = None
    mlp_down: Optional[Literal["recompute", "device", "host"]] = None
    elementwise: Optional[Literal["recompute", "device", "host"]] = None
    attention_again: Optional[bool] = None


@Given
class LoraTargets(Struct):
    q: Optional[bool] = None
    k: Optional[bool] = None
    v: Optional[bool] = None
    o: Optional[bool] = None
    gate: Optional[bool] = None
    up: Optional[bool] = None
    down: Optional[bool] = None


@Given
class WeightBits(Struct):
    attention: Optional[float] = None
    mlp: Optional[float] = None
    experts: Optional[float] = None

    _reads = {'attention': 'number', 'mlp': 'number', 'experts': 'number'}


@Given
class Layout(Struct):
    data: Optional[int] = None
    fsdp: Optional[int] = None
    tensor: Optional[int] = None
    expert: Optional[int] = None
    context: Optional[int] = None
    pipeline: Optional[int] = None
    dcn_data: Optional[int] = None
    dcn_fsdp: Optional[int] = None
    dcn_pipeline: Optional[int] = None
    unit: Optional[Literal["devices", "chips"]] = None


@Given
class MemoryBreakdown(Struct):
    parameters_bytes: float
    optimizer_bytes: float
    gradients_bytes: float
    activations_bytes: float
    logits_bytes: float
    gathered_weights_bytes: float
    workspace_bytes: float
    total_bytes: float
    low_bytes: float
    high_bytes: float
    usable_bytes: float
    on_host_bytes: float
    host_share_bytes: Union[float, Literal["absent", "unknown"]]
    stage: Literal["logits", "layer", "update"]

    _reads = {'parameters_bytes': 'number', 'optimizer_bytes': 'number', 'gradients_bytes': 'number', 'activations_bytes': 'number', 'logits_bytes': 'number', 'gathered_weights_bytes': 'number', 'workspace_bytes': 'number', 'total_bytes': 'number', 'low_bytes': 'number', 'high_bytes': 'number', 'usable_bytes': 'number', 'on_host_bytes': 'number', 'host_share_bytes': 'number'}


@Given
class AdvisedChange(Struct):
    kind: Literal["batch", "dimension", "heads", "vocabulary", "layout", "remat", "wraparound", "slices", "microbatch"]
    subject: str
    now: str
    better: str
    step_time_s: float
    step_time_then_s: float
    work: float
    gain: float

    _reads = {'step_time_s': 'number', 'step_time_then_s': 'number', 'work': 'number', 'gain': 'number'}


@Given
class StepBreakdown(Struct):
    dense_products_s: float
    expert_products_s: float
    logits_s: float
    attention_s: float
    vision_s: float
    compute_s: float
    elementwise_s: float
    scores_s: float
    operands_s: float
    weight_reads_s: float
    weight_update_s: float
    dispatch_s: float
    hbm_s: float
    fsdp: CollectiveTime
    data: CollectiveTime
    tensor: CollectiveTime
    expert: CollectiveTime
    context: CollectiveTime
    ici_s: float
    overhead_s: float
    bubble_s: float
    jitter_s: float
    dcn: CollectiveTime
    host: CollectiveTime
    software_s: float
    total_s: float
    floor_s: float
    low_s: float
    high_s: float
    band: float
    kind: Literal["dense", "dense_eight_bit", "experts", "experts_eight_bit", "expert_parallel", "context_parallel", "small"]
    software_taken: Literal["tuned", "general", "first_port"]
    runs: int
    sources: int
    extrapolated: bool
    remarks: StepRemarks
    limited_by: Literal["compute", "hbm", "ici", "dcn", "overhead", "host"]
    mfu: float
    tokens_per_s: float

    _reads = {'dense_products_s': 'number', 'expert_products_s': 'number', 'logits_s': 'number', 'attention_s': 'number', 'vision_s': 'number', 'compute_s': 'number', 'elementwise_s': 'number', 'scores_s': 'number', 'operands_s': 'number', 'weight_reads_s': 'number', 'weight_update_s': 'number', 'dispatch_s': 'number', 'hbm_s': 'number', 'fsdp': 'CollectiveTime', 'data': 'CollectiveTime', 'tensor': 'CollectiveTime', 'expert': 'CollectiveTime', 'context': 'CollectiveTime', 'ici_s': 'number', 'overhead_s': 'number', 'bubble_s': 'number', 'jitter_s': 'number', 'dcn': 'CollectiveTime', 'host': 'CollectiveTime', 'software_s': 'number', 'total_s': 'number', 'floor_s': 'number', 'low_s': 'number', 'high_s': 'number', 'band': 'number', 'remarks': 'StepRemarks', 'mfu': 'number', 'tokens_per_s': 'number'}


@Given
class CollectiveTime(Struct):
    whole_s: float
    exposed_s: float

    _reads = {'whole_s': 'number', 'exposed_s': 'number'}


@Given
class StepRemarks(Struct):
    text_alone: bool
    beyond_positions: bool
    products_in_bf16: bool
    host_untimed: bool


@Given
class RunPrice(Struct):
    kind: Literal["on_demand", "spot", "flex_start", "calendar", "commitment_1y", "commitment_3y"]
    total_usd: float
    total_low_usd: Optional[float]
    total_high_usd: Optional[float]
    wall_s: float
    checkpoint_interval_s: Optional[float]
    price: PriceRow

    _reads = {'total_usd': 'number', 'total_low_usd': 'number', 'total_high_usd': 'number', 'wall_s': 'number', 'checkpoint_interval_s': 'number', 'price': 'PriceRow'}


@Given
class PriceRow(Struct):
    generation: str
    region: str
    kind: Literal["on_demand", "spot", "flex_start", "calendar", "commitment_1y", "commitment_3y"]
    smallest_chips: int
    per_chip_usd_per_s: float
    date: str
    qualifier: Literal["exact", "not_before", "month"]
    grade: str

    _reads = {'per_chip_usd_per_s': 'number'}


@Given
class ServingJob(Struct):
    prompt: Optional[TokenLengths] = None
    output: Optional[TokenLengths] = None
    concurrency: Optional[int] = None
    request_rate_per_s: Optional[float] = None
    ttft_target_s: Optional[float] = None
    tpot_target_s: Optional[float] = None
    weights: Optional[Literal["fp32", "bf16", "fp16", "fp8", "int8", "int4"]] = None
    cache: Optional[Literal["fp32", "bf16", "fp16", "fp8", "int8", "int4"]] = None
    activations: Optional[Literal["fp32", "bf16", "fp16", "fp8", "int8", "int4"]] = None
    prefix_hit_rate: Optional[float] = None
    prefill_chunk: Optional[int] = None
    max_running: Optional[int] = None
    block_tokens: Optional[int] = None
    policy: Optional[Literal["paged", "reserved"]] = None
    engine: Optional[Literal["unnamed", "jetstream", "vllm", "vllm-torch-xla", "sglang-jax", "example"]] = None
    memory_fraction: Optional[float] = None
    beyond_max_positions: Optional[bool] = None
    percentiles: Optional[LatencyTargets] = None
    weights_by_part: Optional[WeightBits] = None

    _reads = {'prompt': 'TokenLengths', 'output': 'TokenLengths', 'request_rate_per_s': 'number', 'ttft_target_s': 'number', 'tpot_target_s': 'number', 'prefix_hit_rate': 'number', 'memory_fraction': 'number', 'percentiles': 'LatencyTargets', 'weights_by_part': 'WeightBits'}


@Given
class TokenLengths(Struct):
    mean: Optional[float] = None
    mean_square: Optional[float] = None
    longest: Optional[int] = None

    _reads = {'mean': 'number', 'mean_square': 'number'}


@Given
class LatencyTargets(Struct):
    first_token: Optional[LatencyTarget] = None
    per_token: Optional[LatencyTarget] = None
    end_to_end: Optional[LatencyTarget] = None

    _reads = {'first_token': 'LatencyTarget', 'per_token': 'LatencyTarget', 'end_to_end': 'LatencyTarget'}


@Given
class LatencyTarget(Struct):
    share: Optional[float] = None
    limit_s: Optional[float] = None

    _reads = {'share': 'number', 'limit_s': 'number'}


@Given
class ServingLayout(Struct):
    tensor: Optional[int] = None
    weights: Optional[Literal["one_dimension", "two_dimensions", "gathered"]] = None
    cache: Optional[Literal["heads", "batch"]] = None
    attention: Optional[int] = None


@Given
class ServingCalibration(Struct):
    weight_stream: Optional[float] = None
    cache_stream: Optional[float] = None
    decode_mxu: Optional[float] = None
    decode_collectives: Optional[float] = None
    layer_latency_s: Optional[float] = None
    sequence_work_flops: Optional[float] = None
    dispatch_passes: Optional[float] = None
    engine_step_s: Optional[float] = None
    engine_array_s: Optional[float] = None
    engine_sequence_s: Optional[float] = None
    prefill_mxu: Optional[float] = None
    prefill_attention: Optional[float] = None
    prefill_hbm_passes: Optional[float] = None
    prefill_collectives: Optional[float] = None
    engine_prefill: Optional[float] = None
    vllm: Optional[EngineFactors] = None
    vllm_torch_xla: Optional[EngineFactors] = None
    sglang_jax: Optional[EngineFactors] = None
    own_decode: Optional[list[OwnRun]] = None
    own_prefill: Optional[list[OwnRun]] = None

    _reads = {'weight_stream': 'number', 'cache_stream': 'number', 'decode_mxu': 'number', 'decode_collectives': 'number', 'layer_latency_s': 'number', 'sequence_work_flops': 'number', 'dispatch_passes': 'number', 'engine_step_s': 'number', 'engine_array_s': 'number', 'engine_sequence_s': 'number', 'prefill_mxu': 'number', 'prefill_attention': 'number', 'prefill_hbm_passes': 'number', 'prefill_collectives': 'number', 'engine_prefill': 'number', 'vllm': 'EngineFactors', 'vllm_torch_xla': 'EngineFactors', 'sglang_jax': 'EngineFactors', 'own_decode': ['OwnRun'], 'own_prefill': ['OwnRun']}


@Given
class EngineFactors(Struct):
    cache: Optional[float] = None
    paging: Optional[float] = None
    prefill: Optional[float] = None

    _reads = {'cache': 'number', 'paging': 'number', 'prefill': 'number'}


@Given
class OwnRun(Struct):
    about: Optional[RunFeatures] = None
    ratio: Optional[float] = None
    spread: Optional[float] = None
    weight: Optional[float] = None

    _reads = {'about': 'RunFeatures', 'ratio': 'number', 'spread': 'number', 'weight': 'number'}


@Given
class RunFeatures(Struct):
    size: Optional[float] = None
    load: Optional[float] = None
    length: Optional[float] = None
    chips: Optional[float] = None
    chip: Optional[int] = None
    kind: Optional[int] = None

    _reads = {'size': 'number', 'load': 'number', 'length': 'number', 'chips': 'number'}


@Given
class ServingEstimate(Struct):
    refusal: Literal["none", "does_not_fit", "tpot_below_floor", "ttft_below_floor", "rate_above_capacity"]
    floor_s: float
    floor_limited_by: Literal["weights", "products", "cache", "collectives", "overhead", "paging", "dispatch"]
    memory: ServingMemory
    fit: Literal["yes", "uncertain", "no"]
    replicas: int
    largest_running: int
    capacity_per_s: float
    running: float
    per_token: TokenTime
    prefill_s: float
    queue_s: float
    first_token_s: float
    requests_per_s: float
    input_tokens_per_s: float
    output_tokens_per_s: float
    prefill_servers: float
    meets_ttft: bool
    meets_tpot: bool

    _reads = {'floor_s': 'number', 'memory': 'ServingMemory', 'capacity_per_s': 'number', 'running': 'number', 'per_token': 'TokenTime', 'prefill_s': 'number', 'queue_s': 'number', 'first_token_s': 'number', 'requests_per_s': 'number', 'input_tokens_per_s': 'number', 'output_tokens_per_s': 'number', 'prefill_servers': 'number'}


@Given
class ServingMemory(Struct):
    weights_bytes: float
    cache_bytes: float
    workspace_bytes: float
    total_bytes: float
    low_bytes: float
    high_bytes: float
    usable_bytes: float

    _reads = {'weights_bytes': 'number', 'cache_bytes': 'number', 'workspace_bytes': 'number', 'total_bytes': 'number', 'low_bytes': 'number', 'high_bytes': 'number', 'usable_bytes': 'number'}


@Given
class TokenTime(Struct):
    step: DecodeBreakdown
    prompts_s: float
    engine_s: float
    total_s: float
    low_s: float
    high_s: float
    band: float
    extrapolated: bool

    _reads = {'step': 'DecodeBreakdown', 'prompts_s': 'number', 'engine_s': 'number', 'total_s': 'number', 'low_s': 'number', 'high_s': 'number', 'band': 'number'}


@Given
class DecodeBreakdown(Struct):
    weights_s: float
    products_s: float
    cache_s: float
    paging_s: float
    dispatch_s: float
    latency_s: float
    collectives_s: float
    total_s: float
    low_s: float
    high_s: float
    band: float
    extrapolated: bool
    limited_by: Literal["weights", "products", "cache", "collectives", "overhead", "paging", "dispatch"]

    _reads = {'weights_s': 'number', 'products_s': 'number', 'cache_s': 'number', 'paging_s': 'number', 'dispatch_s': 'number', 'latency_s': 'number', 'collectives_s': 'number', 'total_s': 'number', 'low_s': 'number', 'high_s': 'number', 'band': 'number'}


@Given
class TokenPrice(Struct):
    provisioning: Literal["on_demand", "spot", "flex_start", "calendar", "commitment_1y", "commitment_3y"]
    price_date: str
    price_grade: str
    usd_per_hour: float
    input_usd_per_million: float
    output_usd_per_million: float
    all_on_output_usd_per_million: float

    _reads = {'usd_per_hour': 'number', 'input_usd_per_million': 'number', 'output_usd_per_million': 'number', 'all_on_output_usd_per_million': 'number'}


@Given
class FrontierPoint(Struct):
    running: float
    per_token_s: float
    output_tokens_per_s: float

    _reads = {'running': 'number', 'per_token_s': 'number', 'output_tokens_per_s': 'number'}


@Given
class ServedChange(Struct):
    kind: Literal["batch", "slots", "cache_dtype", "cache_sharding", "replicas"]
    subject: str
    now: str
    better: str
    output_tokens_per_s: float
    output_tokens_per_s_then: float
    per_token_then_s: float
    gain: float

    _reads = {'output_tokens_per_s': 'number', 'output_tokens_per_s_then': 'number', 'per_token_then_s': 'number', 'gain': 'number'}


@Given
class SimulationReport(Struct):
    first_token: MeasuredTimes
    per_token: MeasuredTimes
    inter_token: MeasuredTimes
    end_to_end: MeasuredTimes
    queue: MeasuredPercentiles
    meets_first_token: bool
    meets_per_token: bool
    meets_end_to_end: bool
    requests: int
    good_share: float
    arrivals_per_s: float
    goodput_per_s: float
    output_tokens_per_s: float
    prompt_tokens_per_s: float
    busy: float
    running: float
    cache: float
    preemptions: int

    _reads = {'first_token': 'MeasuredTimes', 'per_token': 'MeasuredTimes', 'inter_token': 'MeasuredTimes', 'end_to_end': 'MeasuredTimes', 'queue': 'MeasuredPercentiles', 'good_share': 'number', 'arrivals_per_s': 'number', 'goodput_per_s': 'number', 'output_tokens_per_s': 'number', 'prompt_tokens_per_s': 'number', 'busy': 'number', 'running': 'number', 'cache': 'number'}


@Given
class MeasuredTimes(Struct):
    value: TimePercentiles
    error: TimePercentiles
    count: int

    _reads = {'value': 'TimePercentiles', 'error': 'TimePercentiles'}


@Given
class TimePercentiles(Struct):
    mean_s: float
    p50_s: float
    p90_s: float
    p95_s: float
    p99_s: float

    _reads = {'mean_s': 'number', 'p50_s': 'number', 'p90_s': 'number', 'p95_s': 'number', 'p99_s': 'number'}


@Given
class MeasuredPercentiles(Struct):
    value: Percentiles
    error: Percentiles
    count: int

    _reads = {'value': 'Percentiles', 'error': 'Percentiles'}


@Given
class Percentiles(Struct):
    mean: float
    p50: float
    p90: float
    p95: float
    p99: float

    _reads = {'mean': 'number', 'p50': 'number', 'p90': 'number', 'p95': 'number', 'p99': 'number'}


@Given
class ServingChangeRow(Struct):
    change: Literal["rate", "prompt", "chunk", "weights"]
    given: float
    needed: float
    weights: Optional[Literal["fp32", "bf16", "fp16", "fp8", "int8", "int4"]]

    _reads = {'given': 'number', 'needed': 'number'}


@Given
class SpotRun(Struct):
    work_s: float
    checkpoint_interval_s: float
    checkpoint_time_s: float
    mean_time_between_preemptions_s: float
    restart_time_s: float
    queue_time_s: float
    restart_can_be_preempted: bool
    final_checkpoint: bool

    _reads = {'work_s': 'number', 'checkpoint_interval_s': 'number', 'checkpoint_time_s': 'number', 'mean_time_between_preemptions_s': 'number', 'restart_time_s': 'number', 'queue_time_s': 'number'}


@Given
class ExpectedSpotRun(Struct):
    work_s: float
    checkpoints_s: float
    lost_work_s: float
    restarts_s: float
    queue_s: float
    failure_free_s: float
    billed_s: float
    wall_s: float
    preemptions: float
    billed_factor: float
    wall_factor: float
    segments: int

    _reads = {'work_s': 'number', 'checkpoints_s': 'number', 'lost_work_s': 'number', 'restarts_s': 'number', 'queue_s': 'number', 'failure_free_s': 'number', 'billed_s': 'number', 'wall_s': 'number', 'preemptions': 'number', 'billed_factor': 'number', 'wall_factor': 'number'}


@Given
class SpotComparison(Struct):
    on_demand_cost_usd: float
    spot_cost_usd: float
    saving_usd: float
    saving_fraction: float
    effective_price_usd_per_s: float
    billed_factor: float
    break_even_billed_factor: float
    spot_is_cheaper: bool

    _reads = {'on_demand_cost_usd': 'number', 'spot_cost_usd': 'number', 'saving_usd': 'number', 'saving_fraction': 'number', 'effective_price_usd_per_s': 'number', 'billed_factor': 'number', 'break_even_billed_factor': 'number'}


@Given
class LengthDistribution(Struct):
    quantiles: Optional[list[LengthQuantile]] = None
    median: Optional[float] = None
    spread: Optional[float] = None
    longest: Optional[int] = None

    _reads = {'quantiles': ['LengthQuantile'], 'median': 'number', 'spread': 'number'}


@Given
class LengthQuantile(Struct):
    share: Optional[float] = None
    tokens: Optional[int] = None

    _reads = {'share': 'number'}


@Given
class SimulatedRequest(Struct):
    arrival_s: Optional[float] = None
    prompt: Optional[int] = None
    output: Optional[int] = None
    cached: Optional[int] = None

    _reads = {'arrival_s': 'number'}


@Given
class ServingFleet(Struct):
    mesh: ServingLayout
    where: Slice
    slices: int
    prefill: Literal["mixed", "alone"]

    _reads = {'mesh': 'ServingLayout', 'where': 'Slice'}


@Given
class Slice(Struct):
    chip: Optional[ChipSpec] = None
    shape: Optional[Topology] = None
    chips_per_vm: Optional[int] = None

    _reads = {'chip': 'ChipSpec', 'shape': 'Topology'}


@Given
class LatencyPoint(Struct):
    rate_per_s: float
    first: TimePercentiles
    token: TimePercentiles

    _reads = {'rate_per_s': 'number', 'first': 'TimePercentiles', 'token': 'TimePercentiles'}


@Given
class GpuJob(Struct):
    gpu: Optional[str] = None
    gpus: Optional[int] = None
    run_s: Optional[float] = None
    usd_per_gpu_hour: Optional[float] = None
    engineering_usd: Optional[float] = None
    jobs_per_month: Optional[float] = None
    discount: Optional[float] = None

    _reads = {'run_s': 'number', 'usd_per_gpu_hour': 'number', 'engineering_usd': 'number', 'jobs_per_month': 'number', 'discount': 'number'}


@Given
class PaidRun(Struct):
    kind: Literal["on_demand", "spot", "flex_start", "calendar", "commitment_1y", "commitment_3y"]
    price: PriceRow
    rate_usd_per_s: float
    run_s: float
    overhead_s: float
    unused_s: float
    billed_s: float
    queue_s: float
    wall_s: float
    total_usd: float
    unused_cost_usd: float
    checkpoint_interval_s: float
    preemptions: float
    pieces: int

    _reads = {'price': 'PriceRow', 'rate_usd_per_s': 'number', 'run_s': 'number', 'overhead_s': 'number', 'unused_s': 'number', 'billed_s': 'number', 'queue_s': 'number', 'wall_s': 'number', 'total_usd': 'number', 'unused_cost_usd': 'number', 'checkpoint_interval_s': 'number', 'preemptions': 'number'}


@Given
class MissingPayment(Struct):
    provisioning: Literal["on_demand", "spot", "flex_start", "calendar", "commitment_1y", "commitment_3y"]
    reason: str


@Given
class PayBreakEven(Struct):
    spot_mtbp_against_on_demand_s: Optional[float]
    calendar_utilization_against_on_demand: Optional[float]
    calendar_utilization_against_spot: Optional[float]
    commitment_1y_utilization_against_on_demand: Optional[float]
    commitment_1y_utilization_against_spot: Optional[float]
    commitment_3y_utilization_against_on_demand: Optional[float]
    commitment_3y_utilization_against_spot: Optional[float]

    _reads = {'spot_mtbp_against_on_demand_s': 'number', 'calendar_utilization_against_on_demand': 'number', 'calendar_utilization_against_spot': 'number', 'commitment_1y_utilization_against_on_demand': 'number', 'commitment_1y_utilization_against_spot': 'number', 'commitment_3y_utilization_against_on_demand': 'number', 'commitment_3y_utilization_against_spot': 'number'}


@Given
class GpuComparisonRow(Struct):
    gpu: str
    gpus: int
    run_s: float
    total_usd: float
    against: Literal["on_demand", "spot", "flex_start", "calendar", "commitment_1y", "commitment_3y"]
    saving: float
    saving_on_flex_start: Optional[float]
    break_even_usd_per_chip_hour: float
    saving_per_job_usd: Optional[float]
    jobs_to_pay_back: Optional[float]
    months_to_pay_back: Optional[float]

    _reads = {'run_s': 'number', 'total_usd': 'number', 'saving': 'number', 'saving_on_flex_start': 'number', 'break_even_usd_per_chip_hour': 'number', 'saving_per_job_usd': 'number', 'jobs_to_pay_back': 'number', 'months_to_pay_back': 'number'}


@Given
class KeptCheckpoints(Struct):
    kept_bytes: float
    total_usd: float

    _reads = {'kept_bytes': 'number', 'total_usd': 'number'}


@Given
class FixedDegrees(Struct):
    data: Optional[int] = None
    fsdp: Optional[int] = None
    tensor: Optional[int] = None
    expert: Optional[int] = None
    context: Optional[int] = None
    pipeline: Optional[int] = None
    dcn_data: Optional[int] = None
    dcn_fsdp: Optional[int] = None
    dcn_pipeline: Optional[int] = None


@Given
class QuotaRow(Struct):
    generation: Optional[str] = None
    region: Optional[str] = None
    kind: Optional[Literal["on_demand", "spot", "flex_start", "calendar", "commitment_1y", "commitment_3y"]] = None
    chips: Optional[int] = None


@Given
class PlanRow(Struct):
    rank: int
    slice: str
    slices: int
    chips: int
    layout: str
    remat: str
    batch: int
    microbatches: int
    fits: Literal["yes", "uncertain", "no"]
    step_time_s: float
    step_time_low_s: float
    step_time_high_s: float
    run_s: float
    mfu: float
    paid_as: Optional[Literal["on_demand", "spot", "flex_start", "calendar", "commitment_1y", "commitment_3y"]]
    region: Optional[str]
    price_date: Optional[str]
    total_usd: Optional[float]
    total_low_usd: Optional[float]
    total_high_usd: Optional[float]
    wall_s: Optional[float]
    wall_low_s: Optional[float]
    wall_high_s: Optional[float]
    on_front: bool
    remarks: str
    plan: Plan
    sensitivity: SensitivityRow

    _reads = {'step_time_s': 'number', 'step_time_low_s': 'number', 'step_time_high_s': 'number', 'run_s': 'number', 'mfu': 'number', 'total_usd': 'number', 'total_low_usd': 'number', 'total_high_usd': 'number', 'wall_s': 'number', 'wall_low_s': 'number', 'wall_high_s': 'number', 'plan': 'Plan', 'sensitivity': 'SensitivityRow'}


@Given
class Plan(Struct):
    where: Slice
    mesh: Layout
    job: TrainingJob
    memory: MemoryBreakdown
    fit: Literal["yes", "uncertain", "no"]
    step: StepBreakdown
    steps: float
    run_s: float
    costs: list[PlanCost]
    chosen: int
    on_front: bool
    deadline_at_risk: bool
    budget_at_risk: bool

    _reads = {'where': 'Slice', 'mesh': 'Layout', 'job': 'TrainingJob', 'memory': 'MemoryBreakdown', 'step': 'StepBreakdown', 'steps': 'number', 'run_s': 'number', 'costs': ['PlanCost']}


@Given
class PlanCost(Struct):
    kind: Literal["on_demand", "spot", "flex_start", "calendar", "commitment_1y", "commitment_3y"]
    price: PriceRow
    billed_s: float
    wall_s: float
    wall_low_s: float
    wall_high_s: float
    unused_s: float
    unused_cost_usd: float
    total_usd: float
    low_usd: float
    high_usd: float
    checkpoint_interval_s: float
    preemptions: float
    goodput: float
    on_front: bool

    _reads = {'price': 'PriceRow', 'billed_s': 'number', 'wall_s': 'number', 'wall_low_s': 'number', 'wall_high_s': 'number', 'unused_s': 'number', 'unused_cost_usd': 'number', 'total_usd': 'number', 'low_usd': 'number', 'high_usd': 'number', 'checkpoint_interval_s': 'number', 'preemptions': 'number', 'goodput': 'number'}


@Given
class SensitivityRow(Struct):
    price_down_usd: float
    price_up_usd: float
    step_low_usd: Optional[float]
    step_high_usd: Optional[float]
    twice_preempted_usd: Optional[float]
    twice_the_batch_usd: Optional[float]
    step_low_wall_s: Optional[float]
    step_high_wall_s: Optional[float]
    twice_preempted_wall_s: Optional[float]
    twice_the_batch_wall_s: Optional[float]

    _reads = {'price_down_usd': 'number', 'price_up_usd': 'number', 'step_low_usd': 'number', 'step_high_usd': 'number', 'twice_preempted_usd': 'number', 'twice_the_batch_usd': 'number', 'step_low_wall_s': 'number', 'step_high_wall_s': 'number', 'twice_preempted_wall_s': 'number', 'twice_the_batch_wall_s': 'number'}


@Given
class LostRow(Struct):
    reason: Literal["no_such_rate", "no_layout", "batch_does_not_divide", "does_not_fit", "fit_uncertain", "no_price", "over_quota", "misses_deadline", "over_budget", "dominated"]
    slices: int
    closest: str


@Given
class RejectedRow(Struct):
    slice: str
    slices: int
    reason: Literal["no_such_rate", "no_layout", "batch_does_not_divide", "does_not_fit", "fit_uncertain", "no_price", "over_quota", "misses_deadline", "over_budget", "dominated"]
    amount: float
    by: Optional[str]

    _reads = {'amount': 'number'}


@Given
class SearchCounts(Struct):
    slices: int
    layouts: int
    pruned: int
    batches: int
    candidates: int
    priced: int


@Given
class PlanRequest(Struct):
    model: Transformer
    job: TrainingJob
    tokens: float
    smallest_batch_tokens: float
    largest_batch_tokens: float
    best: Literal["cheapest", "fastest", "fewest_chips"]
    kinds: list[Literal["on_demand", "spot", "flex_start", "calendar", "commitment_1y", "commitment_3y"]]
    regions: list[str]
    deadline_s: Optional[float]
    budget_usd: Optional[float]
    generations: list[str]
    chips: list[ChipSpec]
    smallest_chips: int
    largest_chips: int
    largest_slices: int
    degrees: FixedDegrees
    policies: list[RematPolicy]
    quotas: list[QuotaRow]
    accept_uncertain: bool
    most_plans: int
    terms: PaymentTerms
    prices: Any
    constants: Calibration

    _reads = {'model': 'Transformer', 'job': 'TrainingJob', 'tokens': 'number', 'smallest_batch_tokens': 'number', 'largest_batch_tokens': 'number', 'deadline_s': 'number', 'budget_usd': 'number', 'chips': ['ChipSpec'], 'degrees': 'FixedDegrees', 'policies': ['RematPolicy'], 'quotas': ['QuotaRow'], 'terms': 'PaymentTerms', 'constants': 'Calibration'}


@Given
class Transformer(Struct):
    name: str
    kind: Literal["decoder", "encoder", "encoder_decoder", "vision"]
    layers: int
    encoder_layers: int
    encoder_positions: int
    encoder_stem: int
    d_model: int
    vocab: int
    embedding_width: int
    layer_sets: int
    tied_embeddings: bool
    output_head: bool
    head_bias: bool
    learned_positions: int
    token_types: int
    extra_input_rows: int
    max_positions: int
    norms_per_layer: int
    norm_bias: bool
    embedding_norm: bool
    final_norm: bool
    pooler: bool
    head_transform: bool
    classes: int
    attention: AttentionSpec
    mlp: MlpSpec
    moe: MoeSpec
    prediction_layers: int
    other_products: int
    other_weights: int
    recurrent: RecurrentSpec
    vision: VisionSpec
    published_parameters: int
    published_active_parameters: int

    _reads = {'attention': 'AttentionSpec', 'mlp': 'MlpSpec', 'moe': 'MoeSpec', 'recurrent': 'RecurrentSpec', 'vision': 'VisionSpec'}


@Given
class AttentionSpec(Struct):
    heads: int
    kv_heads: int
    head_dim: int
    qkv_bias: bool
    key_bias: bool
    output_bias: bool
    qk_norm: bool
    wide_qk_norm: bool
    sinks: bool
    output_gate: bool
    latent: LatentAttentionSpec
    indexer: IndexerSpec
    window: int
    local_layers: int
    global_head_dim: int
    global_kv_heads: int
    global_kv_shared: bool
    kv_shared_layers: int
    single_kv: bool
    value_dim: int
    output_rank: int
    output_groups: int
    chosen_layers: int
    chosen_ratio: int
    merged_layers: int
    merged_ratio: int
    relative_buckets: int
    cross_layers: int

    _reads = {'latent': 'LatentAttentionSpec', 'indexer': 'IndexerSpec'}


@Given
class LatentAttentionSpec(Struct):
    q_lora_rank: int
    kv_lora_rank: int
    qk_nope_head_dim: int
    qk_rope_head_dim: int
    v_head_dim: int


@Given
class IndexerSpec(Struct):
    heads: int
    head_dim: int
    top_k: int
    layers: int


@Given
class MlpSpec(Struct):
    d_ff: int
    gated: bool
    bias: bool
    double_wide_in_shared: bool
    activation_weights: int
    absent: int


@Given
class MoeSpec(Struct):
    experts: int
    top_k: int
    expert_d_ff: int
    shared_d_ff: int
    parallel_dense_d_ff: int
    dense_layers: int
    router_bias: bool
    expert_bias: bool
    shared_gate: bool


@Given
class RecurrentSpec(Struct):
    kind: Literal["mamba", "mamba2", "gated_delta", "key_gated_delta", "lightning", "rg_lru", "rwkv", "mlstm", "short_convolution"]
    layers: int
    width: int
    heads: int
    key_heads: int
    key_dim: int
    kernel: int
    rank: int
    convolution_bias: bool
    projection_bias: bool
    inner_norm: bool
    beside_attention: bool
    idle_layers: int


@Given
class VisionSpec(Struct):
    image_size: int
    patch_size: int
    channels: int
    temporal_patch: int
    layers: int
    d_model: int
    heads: int
    d_ff: int
    gated: bool
    qkv_bias: bool
    output_bias: bool
    mlp_bias: bool
    norm_bias: bool
    patch_bias: bool
    class_token: bool
    learned_positions: int
    extra_norms: int
    other_weights: int
    tokens_per_image: int
    projector: ProjectorSpec

    _reads = {'projector': 'ProjectorSpec'}


@Given
class ProjectorSpec(Struct):
    norm_weights: int
    merge: int
    merge_matrix: bool
    input: int
    hidden: int
    inner: int
    output: int
    bias: bool


@Given
class PaymentTerms(Struct):
    spot: SpotTerms
    flex_start: FlexStartTerms
    rest_of_term_used: float

    _reads = {'spot': 'SpotTerms', 'flex_start': 'FlexStartTerms', 'rest_of_term_used': 'number'}


@Given
class SpotTerms(Struct):
    mean_time_between_preemptions_s: float
    correlation: float
    checkpoint_time_s: float
    restart_time_s: float
    queue_time_s: float

    _reads = {'mean_time_between_preemptions_s': 'number', 'correlation': 'number', 'checkpoint_time_s': 'number', 'restart_time_s': 'number', 'queue_time_s': 'number'}


@Given
class FlexStartTerms(Struct):
    limit_s: float
    checkpoint_time_s: float
    restart_time_s: float
    queue_time_s: float
    may_be_split: bool

    _reads = {'limit_s': 'number', 'checkpoint_time_s': 'number', 'restart_time_s': 'number', 'queue_time_s': 'number'}


@Given
class Calibration(Struct):
    chips: list[ChipConstants]
    other_mxu_fraction: float
    products_padded: bool
    attention_slowdown: float
    attention_block: float
    latent_values_padded: bool
    global_heads_apart: bool
    fixed_update: float
    hbm_passes: float
    operand_reads: float
    weight_reads: float
    dispatch_passes: float
    dispatch_on_every_shard: bool
    exposed_fsdp: float
    exposed_tensor: float
    general_exposed_tensor: float
    exposed_expert: float
    exposed_context: float
    exposed_dcn: float
    exposed_host: float
    hidden_by_work_only: bool
    slowdown_per_doubling: float
    low_precision_share: float
    general_software: float
    first_port: float
    default_tiles: float
    own_factor: float
    ring_step_s: float
    per_layer_pass_s: float
    own: list[OwnRun]

    _reads = {'chips': ['ChipConstants'], 'other_mxu_fraction': 'number', 'attention_slowdown': 'number', 'attention_block': 'number', 'fixed_update': 'number', 'hbm_passes': 'number', 'operand_reads': 'number', 'weight_reads': 'number', 'dispatch_passes': 'number', 'exposed_fsdp': 'number', 'exposed_tensor': 'number', 'general_exposed_tensor': 'number', 'exposed_expert': 'number', 'exposed_context': 'number', 'exposed_dcn': 'number', 'exposed_host': 'number', 'slowdown_per_doubling': 'number', 'low_precision_share': 'number', 'general_software': 'number', 'first_port': 'number', 'default_tiles': 'number', 'own_factor': 'number', 'ring_step_s': 'number', 'per_layer_pass_s': 'number', 'own': ['OwnRun']}


@Given
class ChipConstants(Struct):
    chip: str
    mxu_fraction: float

    _reads = {'mxu_fraction': 'number'}


@Given
class RelaxedRow(Struct):
    limit: Literal["deadline", "budget", "chips", "slices", "quotas", "kinds", "generation", "uncertain", "batch", "tpot", "ttft", "targets", "first_token", "per_token", "end_to_end"]
    given: float
    needed: float
    plan: Plan

    _reads = {'given': 'number', 'needed': 'number', 'plan': 'Plan'}


@Given
class ServingPlanRow(Struct):
    rank: int
    slice: str
    slices: int
    chips: int
    replica: str
    first_token_s: float
    per_token_s: float
    per_token_low_s: float
    per_token_high_s: float
    simulated_first_token_s: Optional[float]
    simulated_per_token_s: Optional[float]
    simulated_end_to_end_s: Optional[float]
    output_tokens_per_s: float
    capacity_requests_per_s: float
    capacity_at_targets_per_s: Optional[float]
    rate_usd_per_s: float
    million_input_usd: float
    million_output_usd: float
    million_all_on_output_usd: float
    memory_used_bytes: float
    memory_usable_bytes: float
    paid: str
    region: str
    price_date: str
    plan: ServingPlan

    _reads = {'first_token_s': 'number', 'per_token_s': 'number', 'per_token_low_s': 'number', 'per_token_high_s': 'number', 'simulated_first_token_s': 'number', 'simulated_per_token_s': 'number', 'simulated_end_to_end_s': 'number', 'output_tokens_per_s': 'number', 'capacity_requests_per_s': 'number', 'capacity_at_targets_per_s': 'number', 'rate_usd_per_s': 'number', 'million_input_usd': 'number', 'million_output_usd': 'number', 'million_all_on_output_usd': 'number', 'memory_used_bytes': 'number', 'memory_usable_bytes': 'number', 'plan': 'ServingPlan'}


@Given
class ServingPlan(Struct):
    where: Slice
    mesh: ServingLayout
    slices: int
    share: ServingJob
    estimate: ServingEstimate
    kind: Literal["on_demand", "spot", "flex_start", "calendar", "commitment_1y", "commitment_3y"]
    region: str
    price: PriceRow
    cost: ServingCost
    rate_usd_per_s: float
    term_s: float
    simulated: SimulationReport

    _reads = {'where': 'Slice', 'mesh': 'ServingLayout', 'share': 'ServingJob', 'estimate': 'ServingEstimate', 'price': 'PriceRow', 'cost': 'ServingCost', 'rate_usd_per_s': 'number', 'term_s': 'number', 'simulated': 'SimulationReport'}


@Given
class ServingCost(Struct):
    rate_usd_per_s: float
    input_usd: float
    output_usd: float
    all_on_output_usd: float

    _reads = {'rate_usd_per_s': 'number', 'input_usd': 'number', 'output_usd': 'number', 'all_on_output_usd': 'number'}


@Given
class LostServersRow(Struct):
    reason: Literal["no_layout", "not_of_engine", "does_not_fit", "misses_target", "too_many_chips", "not_simulated", "no_price", "over_budget", "too_few_chips", "dominated"]
    slices: int
    why: str
    closest: str


@Given
class RejectedServerRow(Struct):
    slice: str
    reason: Literal["no_layout", "not_of_engine", "does_not_fit", "misses_target", "too_many_chips", "not_simulated", "no_price", "over_budget", "too_few_chips", "dominated"]
    amount: float
    unit: str

    _reads = {'amount': 'number'}


@Given
class ServingRequest(Struct):
    model: Transformer
    job: ServingJob
    best: Literal["cheapest", "fastest", "fewest_chips"]
    kinds: list[Literal["on_demand", "spot", "flex_start", "calendar", "commitment_1y", "commitment_3y"]]
    regions: list[str]
    budget_usd_per_s: Optional[float]
    generations: list[str]
    chips: list[ChipSpec]
    smallest_chips: int
    largest_chips: int
    accept_uncertain: bool
    most_plans: int
    prices: Any
    constants: ServingCalibration

    _reads = {'model': 'Transformer', 'job': 'ServingJob', 'budget_usd_per_s': 'number', 'chips': ['ChipSpec'], 'constants': 'ServingCalibration'}


@Given
class RelaxedServingRow(Struct):
    limit: Literal["deadline", "budget", "chips", "slices", "quotas", "kinds", "generation", "uncertain", "batch", "tpot", "ttft", "targets", "first_token", "per_token", "end_to_end"]
    given: float
    needed: float
    plan: ServingPlanRow

    _reads = {'given': 'number', 'needed': 'number', 'plan': 'ServingPlanRow'}


@Given
class LaunchRequest(Struct):
    name: Optional[str] = None
    where: Optional[Slice] = None
    slices: Optional[int] = None
    capacity: Optional[Literal["on_demand", "spot", "flex_start", "calendar", "commitment_1y", "commitment_3y"]] = None
    reservation: Optional[str] = None
    project: Optional[str] = None
    zone: Optional[str] = None
    cluster: Optional[str] = None
    image: Optional[str] = None
    checkpoint: Optional[str] = None
    command: Optional[list[str]] = None
    max_restarts: Optional[int] = None
    run_s: Optional[float] = None
    max_run_s: Optional[float] = None
    args: Optional[list[str]] = None
    service_account: Optional[str] = None
    queue: Optional[str] = None
    location: Optional[str] = None
    tensorboard: Optional[str] = None
    output: Optional[str] = None

    _reads = {'where': 'Slice', 'run_s': 'number', 'max_run_s': 'number'}


@Given
class Picture(Struct):
    name: str
    title: str
    svg: str


@Told
class ChipsAnswer(Answer):
    chips: list[ChipSpec]

    _reads = {'chips': ['ChipSpec']}


@Told
class SlicesAnswer(Answer):
    slices: list[SliceFacts]

    _reads = {'slices': ['SliceFacts']}


@Told
class BatchAnswer(Answer):
    chip: str
    compute: Literal["fp32", "bf16", "fp16", "fp8", "int8", "int4"]
    weights: Literal["fp32", "bf16", "fp16", "fp8", "int8", "int4"]
    critical_batch: int
    recommended_batch: int
    levels: list[BatchLevel]
    shape: Optional[ProductBound]

    _reads = {'levels': ['BatchLevel'], 'shape': 'ProductBound'}


@Told
class PadAnswer(Answer):
    chip: str
    mxu_side: int
    dimensions: list[PaddedDimension]
    matrix: Optional[PaddedMatrix]

    _reads = {'dimensions': ['PaddedDimension'], 'matrix': 'PaddedMatrix'}


@Told
class ModelAnswer(Answer):
    name: str
    model_type: str
    architecture: Literal["decoder", "encoder", "encoder_decoder", "vision"]
    parameters: int
    active_parameters: int
    breakdown: ParameterCount
    kv_bytes_per_token: Optional[float]
    kv_dtype: Literal["fp32", "bf16", "fp16", "fp8", "int8", "int4"]
    state_bytes_per_sequence: Optional[float]
    forward_flops_per_token: Optional[float]
    training_flops_per_token: Optional[float]
    sequence_length: int
    source_length: Optional[int]
    flops_per_pair: Optional[PairFlops]
    cache_per_pair: Optional[PairCache]
    image_tokens: Optional[int]
    vision_flops_per_image: Optional[float]
    assumed: list[Assumption]
    not_read: list[str]

    _reads = {'breakdown': 'ParameterCount', 'kv_bytes_per_token': 'number', 'state_bytes_per_sequence': 'number', 'forward_flops_per_token': 'number', 'training_flops_per_token': 'number', 'flops_per_pair': 'PairFlops', 'cache_per_pair': 'PairCache', 'vision_flops_per_image': 'number', 'assumed': ['Assumption']}


@Told
class FitAnswer(Answer):
    fits: Literal["yes", "uncertain", "no"]
    used_bytes: float
    used_low_bytes: float
    used_high_bytes: float
    usable_bytes: float
    breakdown: MemoryBreakdown
    largest_batch: Optional[int]
    slice: str
    mesh: Layout
    job: TrainingJob
    assumed: list[Assumption]
    advice: Optional[list[AdvisedChange]]

    _reads = {'used_bytes': 'number', 'used_low_bytes': 'number', 'used_high_bytes': 'number', 'usable_bytes': 'number', 'breakdown': 'MemoryBreakdown', 'mesh': 'Layout', 'job': 'TrainingJob', 'assumed': ['Assumption'], 'advice': ['AdvisedChange']}


@Told
class TrainAnswer(Answer):
    step_time_s: float
    step_time_low_s: float
    step_time_high_s: float
    mfu: float
    tokens_per_s: float
    breakdown: StepBreakdown
    memory: FitAnswer
    advice: list[AdvisedChange]
    run_s: Optional[float]
    costs: Optional[list[RunPrice]]

    _reads = {'step_time_s': 'number', 'step_time_low_s': 'number', 'step_time_high_s': 'number', 'mfu': 'number', 'tokens_per_s': 'number', 'breakdown': 'StepBreakdown', 'memory': 'FitAnswer', 'advice': ['AdvisedChange'], 'run_s': 'number', 'costs': ['RunPrice']}


@Told
class ServeAnswer(Answer):
    fits: Literal["yes", "uncertain", "no"]
    estimate: ServingEstimate
    slice: str
    chips: int
    largest_context: int
    output_tokens_per_s_per_chip: Optional[float]
    costs: list[TokenPrice]
    frontier: list[FrontierPoint]
    advice: list[ServedChange]
    targets: Optional[LatencyTargets]
    simulated: Optional[SimulationReport]
    meets_targets: Optional[bool]
    changes: list[ServingChangeRow]
    assumed: list[Assumption]

    _reads = {'estimate': 'ServingEstimate', 'output_tokens_per_s_per_chip': 'number', 'costs': ['TokenPrice'], 'frontier': ['FrontierPoint'], 'advice': ['ServedChange'], 'targets': 'LatencyTargets', 'simulated': 'SimulationReport', 'changes': ['ServingChangeRow'], 'assumed': ['Assumption']}


@Told
class SpotAnswer(Answer):
    interval_s: float
    billed_s: float
    wall_s: float
    preemptions: float
    run: SpotRun
    expected: ExpectedSpotRun
    young_interval_s: float
    optimal_interval_s: float
    prices: Optional[SpotComparison]
    assumed: list[Assumption]

    _reads = {'interval_s': 'number', 'billed_s': 'number', 'wall_s': 'number', 'preemptions': 'number', 'run': 'SpotRun', 'expected': 'ExpectedSpotRun', 'young_interval_s': 'number', 'optimal_interval_s': 'number', 'prices': 'SpotComparison', 'assumed': ['Assumption']}


@Told
class SimulateAnswer(Answer):
    fleet: ServingFleet
    job: ServingJob
    replicas: int
    simulated_replicas: int
    capacity_per_s: float
    targets: LatencyTargets
    meets_targets: bool
    report: SimulationReport
    changes: list[ServingChangeRow]
    price: Optional[PriceRow]
    load: list[LatencyPoint]
    assumed: list[Assumption]

    _reads = {'fleet': 'ServingFleet', 'job': 'ServingJob', 'capacity_per_s': 'number', 'targets': 'LatencyTargets', 'report': 'SimulationReport', 'changes': ['ServingChangeRow'], 'price': 'PriceRow', 'load': ['LatencyPoint'], 'assumed': ['Assumption']}


@Told
class PayAnswer(Answer):
    slice: str
    slices: int
    chips: int
    region: str
    run_s: float
    slice_mtbp_s: float
    job_mtbp_s: float
    cheapest: Optional[Literal["on_demand", "spot", "flex_start", "calendar", "commitment_1y", "commitment_3y"]]
    rest_of_term_used: float
    ways: list[PaidRun]
    missing: list[MissingPayment]
    break_even: PayBreakEven
    against_gpu: Optional[GpuComparisonRow]
    checkpoints: Optional[KeptCheckpoints]
    assumed: list[Assumption]

    _reads = {'run_s': 'number', 'slice_mtbp_s': 'number', 'job_mtbp_s': 'number', 'rest_of_term_used': 'number', 'ways': ['PaidRun'], 'missing': ['MissingPayment'], 'break_even': 'PayBreakEven', 'against_gpu': 'GpuComparisonRow', 'checkpoints': 'KeptCheckpoints', 'assumed': ['Assumption']}


@Told
class PlanAnswer(Answer):
    schema: str
    parameters: int
    plans: list[PlanRow]
    lost: list[LostRow]
    rejected: list[RejectedRow]
    counts: SearchCounts
    assumed: list[Assumption]
    request: PlanRequest
    relax: Optional[list[RelaxedRow]]

    _reads = {'plans': ['PlanRow'], 'lost': ['LostRow'], 'rejected': ['RejectedRow'], 'counts': 'SearchCounts', 'assumed': ['Assumption'], 'request': 'PlanRequest', 'relax': ['RelaxedRow']}


@Told
class PlanServingAnswer(Answer):
    schema: str
    plans: list[ServingPlanRow]
    lost: list[LostServersRow]
    rejected: list[RejectedServerRow]
    candidates: int
    assumed: list[Assumption]
    request: ServingRequest
    relax: Optional[list[RelaxedServingRow]]
    changes: Optional[list[ServingChangeRow]]

    _reads = {'plans': ['ServingPlanRow'], 'lost': ['LostServersRow'], 'rejected': ['RejectedServerRow'], 'assumed': ['Assumption'], 'request': 'ServingRequest', 'relax': ['RelaxedServingRow'], 'changes': ['ServingChangeRow']}


@Told
class LaunchAnswer(Answer):
    text: str
    document: Any


def chips(
    name: Optional[str] = None,
) -> ChipsAnswer:
    """What is in the chip table?"""
    return ask_for("chips", ChipsAnswer, locals())


def slices(
    name: Optional[str] = None,
    *,
    generations: Optional[list[str]] = None,
) -> SlicesAnswer:
    """Which slices exist; what is in one of them?"""
    return ask_for("slices", SlicesAnswer, locals())


def batch(
    chip: Optional[str] = None,
    *,
    compute: Optional[Literal["fp32", "bf16", "fp16", "fp8", "int8", "int4"]] = None,
    weights: Optional[Literal["fp32", "bf16", "fp16", "fp8", "int8", "int4"]] = None,
    shape: Optional[ProductShape] = None,
) -> BatchAnswer:
    """From which batch on is a product limited by arithmetic?"""
    return ask_for("batch", BatchAnswer, locals())


def pad(
    chip: Optional[str] = None,
    dimensions: Optional[list[int]] = None,
    *,
    format: Optional[Literal["fp32", "bf16", "fp16", "fp8", "int8", "int4"]] = None,
) -> PadAnswer:
    """What does padding to the MXU waste?"""
    return ask_for("pad", PadAnswer, locals())


def model(
    config: Config = None,
    *,
    sequence_length: Optional[int] = None,
    kv_dtype: Optional[Literal["fp32", "bf16", "fp16", "fp8", "int8", "int4"]] = None,
) -> ModelAnswer:
    """How many parameters, FLOPs and KV bytes does a model have?"""
    return ask_for("model", ModelAnswer, locals())


def fit(
    config: Config = None,
    slice: Optional[str] = None,
    *,
    job: Optional[Union[TrainingJob, dict]] = None,
    batch_tokens: Optional[int] = None,
    mesh: Optional[Union[Layout, dict]] = None,
) -> FitAnswer:
    """Does a training job fit a slice?"""
    return ask_for("fit", FitAnswer, locals())


def train(
    config: Config = None,
    slice: Optional[str] = None,
    *,
    job: Optional[Union[TrainingJob, dict]] = None,
    batch_tokens: Optional[int] = None,
    mesh: Optional[Union[Layout, dict]] = None,
    tokens: Optional[float] = None,
    region: Optional[str] = None,
    prices: Config = None,
    mean_time_between_preemptions_s: Optional[float] = None,
    rest_of_term_used: Optional[float] = None,
) -> TrainAnswer:
    """How long does a step take, and how much time and money does a run take?"""
    return ask_for("train", TrainAnswer, locals())


def serve(
    config: Config = None,
    slice: Optional[str] = None,
    *,
    job: Optional[Union[ServingJob, dict]] = None,
    mesh: Optional[Union[ServingLayout, dict]] = None,
    constants: Optional[Union[ServingCalibration, dict]] = None,
    region: Optional[str] = None,
    prices: Config = None,
) -> ServeAnswer:
    """How fast does a slice answer, and at what price?"""
    return ask_for("serve", ServeAnswer, locals())


def spot(
    *,
    work_s: Optional[float] = None,
    checkpoint_time_s: Optional[float] = None,
    parameters: Optional[int] = None,
    mean_time_between_preemptions_s: Optional[float] = None,
    restart_time_s: Optional[float] = None,
    queue_time_s: Optional[float] = None,
    checkpoint_interval_s: Optional[float] = None,
    on_demand_usd_per_s: Optional[float] = None,
    spot_usd_per_s: Optional[float] = None,
    chips: Optional[int] = None,
) -> SpotAnswer:
    """How often to write checkpoints on spot capacity; what do preemptions add?"""
    return ask_for("spot", SpotAnswer, locals())


def simulate(
    config: Config = None,
    slice: Optional[str] = None,
    *,
    slices: Optional[int] = None,
    job: Optional[Union[ServingJob, dict]] = None,
    mesh: Optional[Union[ServingLayout, dict]] = None,
    constants: Optional[Union[ServingCalibration, dict]] = None,
    prefill: Optional[Literal["mixed", "alone"]] = None,
    prompts: Optional[LengthDistribution] = None,
    outputs: Optional[LengthDistribution] = None,
    variation: Optional[float] = None,
    requests: Optional[int] = None,
    seed: Optional[int] = None,
    trace: Optional[list[SimulatedRequest]] = None,
    load: Optional[bool] = None,
    region: Optional[str] = None,
    prices: Config = None,
) -> SimulateAnswer:
    """Do slices keep their targets under traffic?"""
    return ask_for("simulate", SimulateAnswer, locals())


def pay(
    slice: Optional[str] = None,
    *,
    slices: Optional[int] = None,
    run_s: Optional[float] = None,
    region: Optional[str] = None,
    prices: Config = None,
    market: Optional[Literal["calm", "cautious", "scarce"]] = None,
    mean_time_between_preemptions_s: Optional[float] = None,
    correlation: Optional[float] = None,
    checkpoint_time_s: Optional[float] = None,
    restart_time_s: Optional[float] = None,
    queue_time_s: Optional[float] = None,
    may_be_split: Optional[bool] = None,
    rest_of_term_used: Optional[float] = None,
    parameters: Optional[int] = None,
    checkpoints_kept: Optional[int] = None,
    storage_usd_per_gib_month: Optional[float] = None,
    against: Optional[GpuJob] = None,
) -> PayAnswer:
    """What does a run cost under each way of paying?"""
    return ask_for("pay", PayAnswer, locals())


def plan(
    config: Config = None,
    *,
    tokens: Optional[float] = None,
    job: Optional[Union[TrainingJob, dict]] = None,
    batch_tokens: Optional[int] = None,
    smallest_batch_tokens: Optional[float] = None,
    largest_batch_tokens: Optional[float] = None,
    deadline_s: Optional[float] = None,
    budget_usd: Optional[float] = None,
    best: Optional[Literal["cheapest", "fastest", "fewest_chips"]] = None,
    kinds: Optional[list[Literal["on_demand", "spot", "flex_start", "calendar", "commitment_1y", "commitment_3y"]]] = None,
    regions: Optional[list[str]] = None,
    generations: Optional[list[str]] = None,
    smallest_chips: Optional[int] = None,
    largest_chips: Optional[int] = None,
    largest_slices: Optional[int] = None,
    degrees: Optional[Union[FixedDegrees, dict]] = None,
    quotas: Optional[list[QuotaRow]] = None,
    accept_uncertain: Optional[bool] = None,
    mean_time_between_preemptions_s: Optional[float] = None,
    rest_of_term_used: Optional[float] = None,
    prices: Config = None,
) -> PlanAnswer:
    """Which slices should train this model?"""
    return ask_for("plan", PlanAnswer, locals())


def plan_serving(
    config: Config = None,
    *,
    job: Optional[Union[ServingJob, dict]] = None,
    constants: Optional[Union[ServingCalibration, dict]] = None,
    best: Optional[Literal["cheapest", "fastest", "fewest_chips"]] = None,
    kinds: Optional[list[Literal["on_demand", "spot", "flex_start", "calendar", "commitment_1y", "commitment_3y"]]] = None,
    regions: Optional[list[str]] = None,
    budget_usd_per_s: Optional[float] = None,
    generations: Optional[list[str]] = None,
    smallest_chips: Optional[int] = None,
    largest_chips: Optional[int] = None,
    accept_uncertain: Optional[bool] = None,
    most_plans: Optional[int] = None,
    prices: Config = None,
) -> PlanServingAnswer:
    """Which slices should serve this traffic?"""
    return ask_for("plan_serving", PlanServingAnswer, locals())


def launch(
    plan: Any = None,
    target: Optional[str] = None,
    *,
    rank: Optional[int] = None,
    request: Optional[Union[LaunchRequest, dict]] = None,
) -> LaunchAnswer:
    """What starts a plan?"""
    return ask_for("launch", LaunchAnswer, locals())


QUESTIONS = (chips, slices, batch, pad, model, fit, train, serve, spot, simulate, pay, plan, plan_serving, launch)
