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
    name: Optional[str] = None
    generation: Optional[str] = None
    topology: Optional[str] = None
    chips: Optional[int] = None
    tensorcores: Optional[int] = None
    jax_devices: Optional[int] = None
    vms: Optional[int] = None
    hosts: Optional[float] = None
    chips_per_vm: Optional[int] = None
    machine_type: Optional[str] = None
    wraparound: Optional[list[Optional[bool]]] = None
    schedulable: Optional[bool] = None
    usable_hbm_bytes: Optional[float] = None

    _reads = {'hosts': 'number', 'usable_hbm_bytes': 'number'}


@Given
class ProductShape(Struct):
    batch: Optional[int] = None
    inner: Optional[int] = None
    outer: Optional[int] = None


@Given
class BatchLevel(Struct):
    from_: Optional[Literal["hbm", "vmem", "pcie", "ici", "dcn"]] = None
    bandwidth_bytes_per_s: Optional[float] = None
    ridge_point_flops_per_byte: Optional[float] = None
    critical_batch_tokens: Optional[int] = None

    _reads = {'bandwidth_bytes_per_s': 'number', 'ridge_point_flops_per_byte': 'number'}


@Given
class ProductBound(Struct):
    batch: Optional[int] = None
    inner: Optional[int] = None
    outer: Optional[int] = None
    math_s: Optional[float] = None
    memory_s: Optional[float] = None
    limited_by: Optional[Literal["compute", "memory"]] = None
    critical_batch_with_activations: Optional[float] = None

    _reads = {'math_s': 'number', 'memory_s': 'number', 'critical_batch_with_activations': 'number'}


@Given
class PaddedDimension(Struct):
    given: Optional[int] = None
    padded: Optional[int] = None
    wasted: Optional[float] = None

    _reads = {'wasted': 'number'}


@Given
class PaddedMatrix(Struct):
    flop_utilization: Optional[float] = None
    stored_bytes: Optional[float] = None
    stored_waste_bytes: Optional[float] = None

    _reads = {'flop_utilization': 'number', 'stored_bytes': 'number', 'stored_waste_bytes': 'number'}


@Given
class ParameterCount(Struct):
    embedding: Optional[int] = None
    attention: Optional[int] = None
    recurrent: Optional[int] = None
    mlp: Optional[int] = None
    experts: Optional[int] = None
    router: Optional[int] = None
    norms: Optional[int] = None
    prediction: Optional[int] = None
    other: Optional[int] = None
    lm_head: Optional[int] = None
    vision: Optional[int] = None
    projector: Optional[int] = None
    head: Optional[int] = None
    total: Optional[int] = None
    active: Optional[int] = None
    matrices: Optional[int] = None


@Given
class PairFlops(Struct):
    encoder_flops: Optional[float] = None
    decoder_flops: Optional[float] = None
    total_flops: Optional[float] = None

    _reads = {'encoder_flops': 'number', 'decoder_flops': 'number', 'total_flops': 'number'}


@Given
class PairCache(Struct):
    self_bytes: Optional[float] = None
    cross_bytes: Optional[float] = None
    total_bytes: Optional[float] = None

    _reads = {'self_bytes': 'number', 'cross_bytes': 'number', 'total_bytes': 'number'}


@Given
class Assumption(Struct):
    field: Optional[str] = None
    value: Optional[str] = None
    why: Optional[str] = None


@Given
class TrainingJob(Struct):
    global_batch: Optional[int] = None
    sequence_length: Optional[int] = None
    compute: Optional[Literal["fp32", "bf16", "fp16", "fp8", "int8", "int4"]] = None
    weights: Optional[Literal["fp32", "bf16", "fp16", "fp8", "int8", "int4"]] = None
    moments: Optional[Literal["fp32", "bf16", "fp16", "fp8", "int8", "int4"]] = None
    first_moment_bf16: Optional[bool] = None
    optimizer: Optional[Literal["adamw", "adafactor", "lion", "sgd_momentum", "lars", "lamb", "sgd"]] = None
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
    parameters_bytes: Optional[float] = None
    optimizer_bytes: Optional[float] = None
    gradients_bytes: Optional[float] = None
    activations_bytes: Optional[float] = None
    logits_bytes: Optional[float] = None
    gathered_weights_bytes: Optional[float] = None
    workspace_bytes: Optional[float] = None
    total_bytes: Optional[float] = None
    low_bytes: Optional[float] = None
    high_bytes: Optional[float] = None
    usable_bytes: Optional[float] = None
    stage: Optional[Literal["logits", "layer", "update"]] = None

    _reads = {'parameters_bytes': 'number', 'optimizer_bytes': 'number', 'gradients_bytes': 'number', 'activations_bytes': 'number', 'logits_bytes': 'number', 'gathered_weights_bytes': 'number', 'workspace_bytes': 'number', 'total_bytes': 'number', 'low_bytes': 'number', 'high_bytes': 'number', 'usable_bytes': 'number'}


@Given
class AdvisedChange(Struct):
    kind: Optional[Literal["batch", "dimension", "heads", "vocabulary", "layout", "remat", "wraparound", "slices", "microbatch"]] = None
    subject: Optional[str] = None
    now: Optional[str] = None
    better: Optional[str] = None
    step_time_s: Optional[float] = None
    step_time_then_s: Optional[float] = None
    work: Optional[float] = None
    gain: Optional[float] = None

    _reads = {'step_time_s': 'number', 'step_time_then_s': 'number', 'work': 'number', 'gain': 'number'}


@Given
class StepBreakdown(Struct):
    dense_products_s: Optional[float] = None
    expert_products_s: Optional[float] = None
    logits_s: Optional[float] = None
    attention_s: Optional[float] = None
    vision_s: Optional[float] = None
    compute_s: Optional[float] = None
    elementwise_s: Optional[float] = None
    scores_s: Optional[float] = None
    operands_s: Optional[float] = None
    weight_reads_s: Optional[float] = None
    weight_update_s: Optional[float] = None
    dispatch_s: Optional[float] = None
    hbm_s: Optional[float] = None
    fsdp: Optional[CollectiveTime] = None
    data: Optional[CollectiveTime] = None
    tensor: Optional[CollectiveTime] = None
    expert: Optional[CollectiveTime] = None
    context: Optional[CollectiveTime] = None
    ici_s: Optional[float] = None
    overhead_s: Optional[float] = None
    bubble_s: Optional[float] = None
    jitter_s: Optional[float] = None
    dcn: Optional[CollectiveTime] = None
    host: Optional[CollectiveTime] = None
    software_s: Optional[float] = None
    total_s: Optional[float] = None
    low_s: Optional[float] = None
    high_s: Optional[float] = None
    band: Optional[float] = None
    kind: Optional[Literal["dense", "dense_eight_bit", "experts", "experts_eight_bit", "expert_parallel", "context_parallel", "small"]] = None
    software_taken: Optional[Literal["tuned", "general", "first_port"]] = None
    runs: Optional[int] = None
    sources: Optional[int] = None
    extrapolated: Optional[bool] = None
    remarks: Optional[StepRemarks] = None
    limited_by: Optional[Literal["compute", "hbm", "ici", "dcn", "overhead", "host"]] = None
    mfu: Optional[float] = None
    tokens_per_s: Optional[float] = None

    _reads = {'dense_products_s': 'number', 'expert_products_s': 'number', 'logits_s': 'number', 'attention_s': 'number', 'vision_s': 'number', 'compute_s': 'number', 'elementwise_s': 'number', 'scores_s': 'number', 'operands_s': 'number', 'weight_reads_s': 'number', 'weight_update_s': 'number', 'dispatch_s': 'number', 'hbm_s': 'number', 'fsdp': 'CollectiveTime', 'data': 'CollectiveTime', 'tensor': 'CollectiveTime', 'expert': 'CollectiveTime', 'context': 'CollectiveTime', 'ici_s': 'number', 'overhead_s': 'number', 'bubble_s': 'number', 'jitter_s': 'number', 'dcn': 'CollectiveTime', 'host': 'CollectiveTime', 'software_s': 'number', 'total_s': 'number', 'low_s': 'number', 'high_s': 'number', 'band': 'number', 'remarks': 'StepRemarks', 'mfu': 'number', 'tokens_per_s': 'number'}


@Given
class CollectiveTime(Struct):
    whole_s: Optional[float] = None
    exposed_s: Optional[float] = None

    _reads = {'whole_s': 'number', 'exposed_s': 'number'}


@Given
class StepRemarks(Struct):
    text_alone: Optional[bool] = None
    beyond_positions: Optional[bool] = None
    products_in_bf16: Optional[bool] = None


@Given
class RunPrice(Struct):
    kind: Optional[Literal["on_demand", "spot", "flex_start", "calendar", "commitment_1y", "commitment_3y"]] = None
    total_usd: Optional[float] = None
    total_low_usd: Optional[float] = None
    total_high_usd: Optional[float] = None
    wall_s: Optional[float] = None
    checkpoint_interval_s: Optional[float] = None
    price: Optional[PriceRow] = None

    _reads = {'total_usd': 'number', 'total_low_usd': 'number', 'total_high_usd': 'number', 'wall_s': 'number', 'checkpoint_interval_s': 'number', 'price': 'PriceRow'}


@Given
class PriceRow(Struct):
    generation: Optional[str] = None
    region: Optional[str] = None
    kind: Optional[Literal["on_demand", "spot", "flex_start", "calendar", "commitment_1y", "commitment_3y"]] = None
    smallest_chips: Optional[int] = None
    per_chip_usd_per_s: Optional[float] = None
    date: Optional[str] = None
    qualifier: Optional[Literal["exact", "not_before", "month"]] = None
    grade: Optional[str] = None

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
    refusal: Optional[Literal["none", "does_not_fit", "tpot_below_floor", "ttft_below_floor", "rate_above_capacity"]] = None
    floor_s: Optional[float] = None
    floor_limited_by: Optional[Literal["weights", "products", "cache", "collectives", "overhead", "paging", "dispatch"]] = None
    memory: Optional[ServingMemory] = None
    fit: Optional[Literal["yes", "uncertain", "no"]] = None
    replicas: Optional[int] = None
    largest_running: Optional[int] = None
    capacity_per_s: Optional[float] = None
    running: Optional[float] = None
    per_token: Optional[TokenTime] = None
    prefill_s: Optional[float] = None
    queue_s: Optional[float] = None
    first_token_s: Optional[float] = None
    requests_per_s: Optional[float] = None
    input_tokens_per_s: Optional[float] = None
    output_tokens_per_s: Optional[float] = None
    prefill_servers: Optional[float] = None
    meets_ttft: Optional[bool] = None
    meets_tpot: Optional[bool] = None

    _reads = {'floor_s': 'number', 'memory': 'ServingMemory', 'capacity_per_s': 'number', 'running': 'number', 'per_token': 'TokenTime', 'prefill_s': 'number', 'queue_s': 'number', 'first_token_s': 'number', 'requests_per_s': 'number', 'input_tokens_per_s': 'number', 'output_tokens_per_s': 'number', 'prefill_servers': 'number'}


@Given
class ServingMemory(Struct):
    weights_bytes: Optional[float] = None
    cache_bytes: Optional[float] = None
    workspace_bytes: Optional[float] = None
    total_bytes: Optional[float] = None
    low_bytes: Optional[float] = None
    high_bytes: Optional[float] = None
    usable_bytes: Optional[float] = None

    _reads = {'weights_bytes': 'number', 'cache_bytes': 'number', 'workspace_bytes': 'number', 'total_bytes': 'number', 'low_bytes': 'number', 'high_bytes': 'number', 'usable_bytes': 'number'}


@Given
class TokenTime(Struct):
    step: Optional[DecodeBreakdown] = None
    prompts_s: Optional[float] = None
    engine_s: Optional[float] = None
    total_s: Optional[float] = None
    low_s: Optional[float] = None
    high_s: Optional[float] = None
    band: Optional[float] = None
    extrapolated: Optional[bool] = None

    _reads = {'step': 'DecodeBreakdown', 'prompts_s': 'number', 'engine_s': 'number', 'total_s': 'number', 'low_s': 'number', 'high_s': 'number', 'band': 'number'}


@Given
class DecodeBreakdown(Struct):
    weights_s: Optional[float] = None
    products_s: Optional[float] = None
    cache_s: Optional[float] = None
    paging_s: Optional[float] = None
    dispatch_s: Optional[float] = None
    latency_s: Optional[float] = None
    collectives_s: Optional[float] = None
    total_s: Optional[float] = None
    low_s: Optional[float] = None
    high_s: Optional[float] = None
    band: Optional[float] = None
    extrapolated: Optional[bool] = None
    limited_by: Optional[Literal["weights", "products", "cache", "collectives", "overhead", "paging", "dispatch"]] = None

    _reads = {'weights_s': 'number', 'products_s': 'number', 'cache_s': 'number', 'paging_s': 'number', 'dispatch_s': 'number', 'latency_s': 'number', 'collectives_s': 'number', 'total_s': 'number', 'low_s': 'number', 'high_s': 'number', 'band': 'number'}


@Given
class TokenPrice(Struct):
    provisioning: Optional[Literal["on_demand", "spot", "flex_start", "calendar", "commitment_1y", "commitment_3y"]] = None
    price_date: Optional[str] = None
    price_grade: Optional[str] = None
    usd_per_hour: Optional[float] = None
    input_usd_per_million: Optional[float] = None
    output_usd_per_million: Optional[float] = None
    all_on_output_usd_per_million: Optional[float] = None

    _reads = {'usd_per_hour': 'number', 'input_usd_per_million': 'number', 'output_usd_per_million': 'number', 'all_on_output_usd_per_million': 'number'}


@Given
class FrontierPoint(Struct):
    running: Optional[float] = None
    per_token_s: Optional[float] = None
    output_tokens_per_s: Optional[float] = None

    _reads = {'running': 'number', 'per_token_s': 'number', 'output_tokens_per_s': 'number'}


@Given
class ServedChange(Struct):
    kind: Optional[Literal["batch", "slots", "cache_dtype", "cache_sharding", "replicas"]] = None
    subject: Optional[str] = None
    now: Optional[str] = None
    better: Optional[str] = None
    output_tokens_per_s: Optional[float] = None
    output_tokens_per_s_then: Optional[float] = None
    per_token_then_s: Optional[float] = None
    gain: Optional[float] = None

    _reads = {'output_tokens_per_s': 'number', 'output_tokens_per_s_then': 'number', 'per_token_then_s': 'number', 'gain': 'number'}


@Given
class SimulationReport(Struct):
    first_token: Optional[MeasuredTimes] = None
    per_token: Optional[MeasuredTimes] = None
    inter_token: Optional[MeasuredTimes] = None
    end_to_end: Optional[MeasuredTimes] = None
    queue: Optional[MeasuredPercentiles] = None
    meets_first_token: Optional[bool] = None
    meets_per_token: Optional[bool] = None
    meets_end_to_end: Optional[bool] = None
    requests: Optional[int] = None
    good_share: Optional[float] = None
    arrivals_per_s: Optional[float] = None
    goodput_per_s: Optional[float] = None
    output_tokens_per_s: Optional[float] = None
    prompt_tokens_per_s: Optional[float] = None
    busy: Optional[float] = None
    running: Optional[float] = None
    cache: Optional[float] = None
    preemptions: Optional[int] = None

    _reads = {'first_token': 'MeasuredTimes', 'per_token': 'MeasuredTimes', 'inter_token': 'MeasuredTimes', 'end_to_end': 'MeasuredTimes', 'queue': 'MeasuredPercentiles', 'good_share': 'number', 'arrivals_per_s': 'number', 'goodput_per_s': 'number', 'output_tokens_per_s': 'number', 'prompt_tokens_per_s': 'number', 'busy': 'number', 'running': 'number', 'cache': 'number'}


@Given
class MeasuredTimes(Struct):
    value: Optional[TimePercentiles] = None
    error: Optional[TimePercentiles] = None
    count: Optional[int] = None

    _reads = {'value': 'TimePercentiles', 'error': 'TimePercentiles'}


@Given
class TimePercentiles(Struct):
    mean_s: Optional[float] = None
    p50_s: Optional[float] = None
    p90_s: Optional[float] = None
    p95_s: Optional[float] = None
    p99_s: Optional[float] = None

    _reads = {'mean_s': 'number', 'p50_s': 'number', 'p90_s': 'number', 'p95_s': 'number', 'p99_s': 'number'}


@Given
class MeasuredPercentiles(Struct):
    value: Optional[Percentiles] = None
    error: Optional[Percentiles] = None
    count: Optional[int] = None

    _reads = {'value': 'Percentiles', 'error': 'Percentiles'}


@Given
class Percentiles(Struct):
    mean: Optional[float] = None
    p50: Optional[float] = None
    p90: Optional[float] = None
    p95: Optional[float] = None
    p99: Optional[float] = None

    _reads = {'mean': 'number', 'p50': 'number', 'p90': 'number', 'p95': 'number', 'p99': 'number'}


@Given
class ServingChangeRow(Struct):
    change: Optional[Literal["rate", "prompt", "chunk", "weights"]] = None
    given: Optional[float] = None
    needed: Optional[float] = None
    weights: Optional[Literal["fp32", "bf16", "fp16", "fp8", "int8", "int4"]] = None

    _reads = {'given': 'number', 'needed': 'number'}


@Given
class SpotRun(Struct):
    work_s: Optional[float] = None
    checkpoint_interval_s: Optional[float] = None
    checkpoint_time_s: Optional[float] = None
    mean_time_between_preemptions_s: Optional[float] = None
    restart_time_s: Optional[float] = None
    queue_time_s: Optional[float] = None
    restart_can_be_preempted: Optional[bool] = None
    final_checkpoint: Optional[bool] = None

    _reads = {'work_s': 'number', 'checkpoint_interval_s': 'number', 'checkpoint_time_s': 'number', 'mean_time_between_preemptions_s': 'number', 'restart_time_s': 'number', 'queue_time_s': 'number'}


@Given
class ExpectedSpotRun(Struct):
    work_s: Optional[float] = None
    checkpoints_s: Optional[float] = None
    lost_work_s: Optional[float] = None
    restarts_s: Optional[float] = None
    queue_s: Optional[float] = None
    failure_free_s: Optional[float] = None
    billed_s: Optional[float] = None
    wall_s: Optional[float] = None
    preemptions: Optional[float] = None
    billed_factor: Optional[float] = None
    wall_factor: Optional[float] = None
    segments: Optional[int] = None

    _reads = {'work_s': 'number', 'checkpoints_s': 'number', 'lost_work_s': 'number', 'restarts_s': 'number', 'queue_s': 'number', 'failure_free_s': 'number', 'billed_s': 'number', 'wall_s': 'number', 'preemptions': 'number', 'billed_factor': 'number', 'wall_factor': 'number'}


@Given
class SpotComparison(Struct):
    on_demand_cost_usd: Optional[float] = None
    spot_cost_usd: Optional[float] = None
    saving_usd: Optional[float] = None
    saving_fraction: Optional[float] = None
    effective_price_usd_per_s: Optional[float] = None
    billed_factor: Optional[float] = None
    break_even_billed_factor: Optional[float] = None
    spot_is_cheaper: Optional[bool] = None

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
    mesh: Optional[ServingLayout] = None
    where: Optional[Slice] = None
    slices: Optional[int] = None
    prefill: Optional[Literal["mixed", "alone"]] = None

    _reads = {'mesh': 'ServingLayout', 'where': 'Slice'}


@Given
class Slice(Struct):
    chip: Optional[ChipSpec] = None
    shape: Optional[Topology] = None
    chips_per_vm: Optional[int] = None

    _reads = {'chip': 'ChipSpec', 'shape': 'Topology'}


@Given
class LatencyPoint(Struct):
    rate_per_s: Optional[float] = None
    first: Optional[TimePercentiles] = None
    token: Optional[TimePercentiles] = None

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
    kind: Optional[Literal["on_demand", "spot", "flex_start", "calendar", "commitment_1y", "commitment_3y"]] = None
    price: Optional[PriceRow] = None
    rate_usd_per_s: Optional[float] = None
    run_s: Optional[float] = None
    overhead_s: Optional[float] = None
    unused_s: Optional[float] = None
    billed_s: Optional[float] = None
    queue_s: Optional[float] = None
    wall_s: Optional[float] = None
    total_usd: Optional[float] = None
    unused_cost_usd: Optional[float] = None
    checkpoint_interval_s: Optional[float] = None
    preemptions: Optional[float] = None
    pieces: Optional[int] = None

    _reads = {'price': 'PriceRow', 'rate_usd_per_s': 'number', 'run_s': 'number', 'overhead_s': 'number', 'unused_s': 'number', 'billed_s': 'number', 'queue_s': 'number', 'wall_s': 'number', 'total_usd': 'number', 'unused_cost_usd': 'number', 'checkpoint_interval_s': 'number', 'preemptions': 'number'}


@Given
class MissingPayment(Struct):
    provisioning: Optional[Literal["on_demand", "spot", "flex_start", "calendar", "commitment_1y", "commitment_3y"]] = None
    reason: Optional[str] = None


@Given
class PayBreakEven(Struct):
    spot_mtbp_against_on_demand_s: Optional[float] = None
    calendar_utilization_against_on_demand: Optional[float] = None
    calendar_utilization_against_spot: Optional[float] = None
    commitment_1y_utilization_against_on_demand: Optional[float] = None
    commitment_1y_utilization_against_spot: Optional[float] = None
    commitment_3y_utilization_against_on_demand: Optional[float] = None
    commitment_3y_utilization_against_spot: Optional[float] = None

    _reads = {'spot_mtbp_against_on_demand_s': 'number', 'calendar_utilization_against_on_demand': 'number', 'calendar_utilization_against_spot': 'number', 'commitment_1y_utilization_against_on_demand': 'number', 'commitment_1y_utilization_against_spot': 'number', 'commitment_3y_utilization_against_on_demand': 'number', 'commitment_3y_utilization_against_spot': 'number'}


@Given
class GpuComparisonRow(Struct):
    gpu: Optional[str] = None
    gpus: Optional[int] = None
    run_s: Optional[float] = None
    total_usd: Optional[float] = None
    against: Optional[Literal["on_demand", "spot", "flex_start", "calendar", "commitment_1y", "commitment_3y"]] = None
    saving: Optional[float] = None
    saving_on_flex_start: Optional[float] = None
    break_even_usd_per_chip_hour: Optional[float] = None
    saving_per_job_usd: Optional[float] = None
    months_to_pay_back: Optional[float] = None

    _reads = {'run_s': 'number', 'total_usd': 'number', 'saving': 'number', 'saving_on_flex_start': 'number', 'break_even_usd_per_chip_hour': 'number', 'saving_per_job_usd': 'number', 'months_to_pay_back': 'number'}


@Given
class KeptCheckpoints(Struct):
    kept_bytes: Optional[float] = None
    total_usd: Optional[float] = None

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
    rank: Optional[int] = None
    slice: Optional[str] = None
    slices: Optional[int] = None
    chips: Optional[int] = None
    remat: Optional[str] = None
    step_time_s: Optional[float] = None
    run_s: Optional[float] = None
    mfu: Optional[float] = None
    total_usd: Optional[float] = None
    wall_s: Optional[float] = None
    on_front: Optional[bool] = None
    plan: Optional[Plan] = None
    sensitivity: Optional[SensitivityRow] = None

    _reads = {'step_time_s': 'number', 'run_s': 'number', 'mfu': 'number', 'total_usd': 'number', 'wall_s': 'number', 'plan': 'Plan', 'sensitivity': 'SensitivityRow'}


@Given
class Plan(Struct):
    where: Optional[Slice] = None
    mesh: Optional[Layout] = None
    job: Optional[TrainingJob] = None
    memory: Optional[MemoryBreakdown] = None
    fit: Optional[Literal["yes", "uncertain", "no"]] = None
    step: Optional[StepBreakdown] = None
    steps: Optional[float] = None
    run_s: Optional[float] = None
    costs: Optional[list[PlanCost]] = None
    chosen: Optional[int] = None
    on_front: Optional[bool] = None
    deadline_at_risk: Optional[bool] = None
    budget_at_risk: Optional[bool] = None

    _reads = {'where': 'Slice', 'mesh': 'Layout', 'job': 'TrainingJob', 'memory': 'MemoryBreakdown', 'step': 'StepBreakdown', 'steps': 'number', 'run_s': 'number', 'costs': ['PlanCost']}


@Given
class PlanCost(Struct):
    kind: Optional[Literal["on_demand", "spot", "flex_start", "calendar", "commitment_1y", "commitment_3y"]] = None
    price: Optional[PriceRow] = None
    billed_s: Optional[float] = None
    wall_s: Optional[float] = None
    wall_low_s: Optional[float] = None
    wall_high_s: Optional[float] = None
    unused_s: Optional[float] = None
    unused_cost_usd: Optional[float] = None
    total_usd: Optional[float] = None
    low_usd: Optional[float] = None
    high_usd: Optional[float] = None
    checkpoint_interval_s: Optional[float] = None
    preemptions: Optional[float] = None
    goodput: Optional[float] = None

    _reads = {'price': 'PriceRow', 'billed_s': 'number', 'wall_s': 'number', 'wall_low_s': 'number', 'wall_high_s': 'number', 'unused_s': 'number', 'unused_cost_usd': 'number', 'total_usd': 'number', 'low_usd': 'number', 'high_usd': 'number', 'checkpoint_interval_s': 'number', 'preemptions': 'number', 'goodput': 'number'}


@Given
class SensitivityRow(Struct):
    price_down_usd: Optional[float] = None
    price_up_usd: Optional[float] = None
    step_low_usd: Optional[float] = None
    step_high_usd: Optional[float] = None
    twice_preempted_usd: Optional[float] = None
    twice_the_batch_usd: Optional[float] = None
    step_low_wall_s: Optional[float] = None
    step_high_wall_s: Optional[float] = None
    twice_preempted_wall_s: Optional[float] = None
    twice_the_batch_wall_s: Optional[float] = None

    _reads = {'price_down_usd': 'number', 'price_up_usd': 'number', 'step_low_usd': 'number', 'step_high_usd': 'number', 'twice_preempted_usd': 'number', 'twice_the_batch_usd': 'number', 'step_low_wall_s': 'number', 'step_high_wall_s': 'number', 'twice_preempted_wall_s': 'number', 'twice_the_batch_wall_s': 'number'}


@Given
class LostRow(Struct):
    reason: Optional[Literal["no_such_rate", "no_layout", "batch_does_not_divide", "does_not_fit", "fit_uncertain", "no_price", "over_quota", "misses_deadline", "over_budget", "dominated"]] = None
    slices: Optional[int] = None
    closest: Optional[str] = None


@Given
class RejectedRow(Struct):
    slice: Optional[str] = None
    slices: Optional[int] = None
    reason: Optional[Literal["no_such_rate", "no_layout", "batch_does_not_divide", "does_not_fit", "fit_uncertain", "no_price", "over_quota", "misses_deadline", "over_budget", "dominated"]] = None
    amount: Optional[float] = None
    by: Optional[str] = None

    _reads = {'amount': 'number'}


@Given
class SearchCounts(Struct):
    slices: Optional[int] = None
    layouts: Optional[int] = None
    pruned: Optional[int] = None
    batches: Optional[int] = None
    candidates: Optional[int] = None
    priced: Optional[int] = None


@Given
class PlanRequest(Struct):
    model: Optional[Transformer] = None
    job: Optional[TrainingJob] = None
    tokens: Optional[float] = None
    smallest_batch_tokens: Optional[float] = None
    largest_batch_tokens: Optional[float] = None
    best: Optional[Literal["cheapest", "fastest", "fewest_chips"]] = None
    kinds: Optional[list[Literal["on_demand", "spot", "flex_start", "calendar", "commitment_1y", "commitment_3y"]]] = None
    regions: Optional[list[str]] = None
    deadline_s: Optional[float] = None
    budget_usd: Optional[float] = None
    generations: Optional[list[str]] = None
    chips: Optional[list[ChipSpec]] = None
    smallest_chips: Optional[int] = None
    largest_chips: Optional[int] = None
    largest_slices: Optional[int] = None
    degrees: Optional[FixedDegrees] = None
    policies: Optional[list[RematPolicy]] = None
    quotas: Optional[list[QuotaRow]] = None
    accept_uncertain: Optional[bool] = None
    most_plans: Optional[int] = None
    terms: Optional[PaymentTerms] = None
    prices: Any = None
    constants: Optional[Calibration] = None

    _reads = {'model': 'Transformer', 'job': 'TrainingJob', 'tokens': 'number', 'smallest_batch_tokens': 'number', 'largest_batch_tokens': 'number', 'deadline_s': 'number', 'budget_usd': 'number', 'chips': ['ChipSpec'], 'degrees': 'FixedDegrees', 'policies': ['RematPolicy'], 'quotas': ['QuotaRow'], 'terms': 'PaymentTerms', 'constants': 'Calibration'}


@Given
class Transformer(Struct):
    name: Optional[str] = None
    kind: Optional[Literal["decoder", "encoder", "encoder_decoder", "vision"]] = None
    layers: Optional[int] = None
    encoder_layers: Optional[int] = None
    encoder_positions: Optional[int] = None
    encoder_stem: Optional[int] = None
    d_model: Optional[int] = None
    vocab: Optional[int] = None
    embedding_width: Optional[int] = None
    layer_sets: Optional[int] = None
    tied_embeddings: Optional[bool] = None
    output_head: Optional[bool] = None
    head_bias: Optional[bool] = None
    learned_positions: Optional[int] = None
    token_types: Optional[int] = None
    extra_input_rows: Optional[int] = None
    max_positions: Optional[int] = None
    norms_per_layer: Optional[int] = None
    norm_bias: Optional[bool] = None
    embedding_norm: Optional[bool] = None
    final_norm: Optional[bool] = None
    pooler: Optional[bool] = None
    head_transform: Optional[bool] = None
    classes: Optional[int] = None
    attention: Optional[AttentionSpec] = None
    mlp: Optional[MlpSpec] = None
    moe: Optional[MoeSpec] = None
    prediction_layers: Optional[int] = None
    other_products: Optional[int] = None
    other_weights: Optional[int] = None
    recurrent: Optional[RecurrentSpec] = None
    vision: Optional[VisionSpec] = None
    published_parameters: Optional[int] = None
    published_active_parameters: Optional[int] = None

    _reads = {'attention': 'AttentionSpec', 'mlp': 'MlpSpec', 'moe': 'MoeSpec', 'recurrent': 'RecurrentSpec', 'vision': 'VisionSpec'}


@Given
class AttentionSpec(Struct):
    heads: Optional[int] = None
    kv_heads: Optional[int] = None
    head_dim: Optional[int] = None
    qkv_bias: Optional[bool] = None
    key_bias: Optional[bool] = None
    output_bias: Optional[bool] = None
    qk_norm: Optional[bool] = None
    wide_qk_norm: Optional[bool] = None
    sinks: Optional[bool] = None
    output_gate: Optional[bool] = None
    latent: Optional[LatentAttentionSpec] = None
    indexer: Optional[IndexerSpec] = None
    window: Optional[int] = None
    local_layers: Optional[int] = None
    global_head_dim: Optional[int] = None
    global_kv_heads: Optional[int] = None
    global_kv_shared: Optional[bool] = None
    kv_shared_layers: Optional[int] = None
    single_kv: Optional[bool] = None
    value_dim: Optional[int] = None
    output_rank: Optional[int] = None
    output_groups: Optional[int] = None
    chosen_layers: Optional[int] = None
    chosen_ratio: Optional[int] = None
    merged_layers: Optional[int] = None
    merged_ratio: Optional[int] = None
    relative_buckets: Optional[int] = None
    cross_layers: Optional[int] = None

    _reads = {'latent': 'LatentAttentionSpec', 'indexer': 'IndexerSpec'}


@Given
class LatentAttentionSpec(Struct):
    q_lora_rank: Optional[int] = None
    kv_lora_rank: Optional[int] = None
    qk_nope_head_dim: Optional[int] = None
    qk_rope_head_dim: Optional[int] = None
    v_head_dim: Optional[int] = None


@Given
class IndexerSpec(Struct):
    heads: Optional[int] = None
    head_dim: Optional[int] = None
    top_k: Optional[int] = None
    layers: Optional[int] = None


@Given
class MlpSpec(Struct):
    d_ff: Optional[int] = None
    gated: Optional[bool] = None
    bias: Optional[bool] = None
    double_wide_in_shared: Optional[bool] = None
    activation_weights: Optional[int] = None
    absent: Optional[int] = None


@Given
class MoeSpec(Struct):
    experts: Optional[int] = None
    top_k: Optional[int] = None
    expert_d_ff: Optional[int] = None
    shared_d_ff: Optional[int] = None
    parallel_dense_d_ff: Optional[int] = None
    dense_layers: Optional[int] = None
    router_bias: Optional[bool] = None
    expert_bias: Optional[bool] = None
    shared_gate: Optional[bool] = None


@Given
class RecurrentSpec(Struct):
    kind: Optional[Literal["mamba", "mamba2", "gated_delta", "key_gated_delta", "lightning", "rg_lru", "rwkv", "mlstm", "short_convolution"]] = None
    layers: Optional[int] = None
    width: Optional[int] = None
    heads: Optional[int] = None
    key_heads: Optional[int] = None
    key_dim: Optional[int] = None
    kernel: Optional[int] = None
    rank: Optional[int] = None
    convolution_bias: Optional[bool] = None
    projection_bias: Optional[bool] = None
    inner_norm: Optional[bool] = None
    beside_attention: Optional[bool] = None
    idle_layers: Optional[int] = None


@Given
class VisionSpec(Struct):
    image_size: Optional[int] = None
    patch_size: Optional[int] = None
    channels: Optional[int] = None
    temporal_patch: Optional[int] = None
    layers: Optional[int] = None
    d_model: Optional[int] = None
    heads: Optional[int] = None
    d_ff: Optional[int] = None
    gated: Optional[bool] = None
    qkv_bias: Optional[bool] = None
    output_bias: Optional[bool] = None
    mlp_bias: Optional[bool] = None
    norm_bias: Optional[bool] = None
    patch_bias: Optional[bool] = None
    class_token: Optional[bool] = None
    learned_positions: Optional[int] = None
    extra_norms: Optional[int] = None
    other_weights: Optional[int] = None
    tokens_per_image: Optional[int] = None
    projector: Optional[ProjectorSpec] = None

    _reads = {'projector': 'ProjectorSpec'}


@Given
class ProjectorSpec(Struct):
    norm_weights: Optional[int] = None
    merge: Optional[int] = None
    merge_matrix: Optional[bool] = None
    input: Optional[int] = None
    hidden: Optional[int] = None
    inner: Optional[int] = None
    output: Optional[int] = None
    bias: Optional[bool] = None


@Given
class PaymentTerms(Struct):
    spot: Optional[SpotTerms] = None
    flex_start: Optional[FlexStartTerms] = None
    rest_of_term_used: Optional[float] = None

    _reads = {'spot': 'SpotTerms', 'flex_start': 'FlexStartTerms', 'rest_of_term_used': 'number'}


@Given
class SpotTerms(Struct):
    mean_time_between_preemptions_s: Optional[float] = None
    correlation: Optional[float] = None
    checkpoint_time_s: Optional[float] = None
    restart_time_s: Optional[float] = None
    queue_time_s: Optional[float] = None

    _reads = {'mean_time_between_preemptions_s': 'number', 'correlation': 'number', 'checkpoint_time_s': 'number', 'restart_time_s': 'number', 'queue_time_s': 'number'}


@Given
class FlexStartTerms(Struct):
    limit_s: Optional[float] = None
    checkpoint_time_s: Optional[float] = None
    restart_time_s: Optional[float] = None
    queue_time_s: Optional[float] = None
    may_be_split: Optional[bool] = None

    _reads = {'limit_s': 'number', 'checkpoint_time_s': 'number', 'restart_time_s': 'number', 'queue_time_s': 'number'}


@Given
class Calibration(Struct):
    chips: Optional[list[ChipConstants]] = None
    other_mxu_fraction: Optional[float] = None
    products_padded: Optional[bool] = None
    attention_slowdown: Optional[float] = None
    attention_block: Optional[float] = None
    latent_values_padded: Optional[bool] = None
    global_heads_apart: Optional[bool] = None
    fixed_update: Optional[float] = None
    hbm_passes: Optional[float] = None
    operand_reads: Optional[float] = None
    weight_reads: Optional[float] = None
    dispatch_passes: Optional[float] = None
    dispatch_on_every_shard: Optional[bool] = None
    exposed_fsdp: Optional[float] = None
    exposed_tensor: Optional[float] = None
    general_exposed_tensor: Optional[float] = None
    exposed_expert: Optional[float] = None
    exposed_context: Optional[float] = None
    exposed_dcn: Optional[float] = None
    exposed_host: Optional[float] = None
    hidden_by_work_only: Optional[bool] = None
    slowdown_per_doubling: Optional[float] = None
    low_precision_share: Optional[float] = None
    general_software: Optional[float] = None
    first_port: Optional[float] = None
    default_tiles: Optional[float] = None
    own_factor: Optional[float] = None
    ring_step_s: Optional[float] = None
    per_layer_pass_s: Optional[float] = None
    own: Optional[list[OwnRun]] = None

    _reads = {'chips': ['ChipConstants'], 'other_mxu_fraction': 'number', 'attention_slowdown': 'number', 'attention_block': 'number', 'fixed_update': 'number', 'hbm_passes': 'number', 'operand_reads': 'number', 'weight_reads': 'number', 'dispatch_passes': 'number', 'exposed_fsdp': 'number', 'exposed_tensor': 'number', 'general_exposed_tensor': 'number', 'exposed_expert': 'number', 'exposed_context': 'number', 'exposed_dcn': 'number', 'exposed_host': 'number', 'slowdown_per_doubling': 'number', 'low_precision_share': 'number', 'general_software': 'number', 'first_port': 'number', 'default_tiles': 'number', 'own_factor': 'number', 'ring_step_s': 'number', 'per_layer_pass_s': 'number', 'own': ['OwnRun']}


@Given
class ChipConstants(Struct):
    chip: Optional[str] = None
    mxu_fraction: Optional[float] = None

    _reads = {'mxu_fraction': 'number'}


@Given
class RelaxedRow(Struct):
    limit: Optional[Literal["deadline", "budget", "chips", "slices", "quotas", "kinds", "generation", "uncertain", "batch", "tpot", "ttft", "targets", "first_token", "per_token", "end_to_end"]] = None
    given: Optional[float] = None
    needed: Optional[float] = None
    plan: Optional[Plan] = None

    _reads = {'given': 'number', 'needed': 'number', 'plan': 'Plan'}


@Given
class ServingPlanRow(Struct):
    slice: Optional[str] = None
    slices: Optional[int] = None
    chips: Optional[int] = None
    output_tokens_per_s: Optional[float] = None
    capacity_requests_per_s: Optional[float] = None
    plan: Optional[ServingPlan] = None

    _reads = {'output_tokens_per_s': 'number', 'capacity_requests_per_s': 'number', 'plan': 'ServingPlan'}


@Given
class ServingPlan(Struct):
    where: Optional[Slice] = None
    mesh: Optional[ServingLayout] = None
    slices: Optional[int] = None
    share: Optional[ServingJob] = None
    estimate: Optional[ServingEstimate] = None
    kind: Optional[Literal["on_demand", "spot", "flex_start", "calendar", "commitment_1y", "commitment_3y"]] = None
    region: Optional[str] = None
    price: Optional[PriceRow] = None
    cost: Optional[ServingCost] = None
    rate_usd_per_s: Optional[float] = None
    term_s: Optional[float] = None
    simulated: Optional[SimulationReport] = None

    _reads = {'where': 'Slice', 'mesh': 'ServingLayout', 'share': 'ServingJob', 'estimate': 'ServingEstimate', 'price': 'PriceRow', 'cost': 'ServingCost', 'rate_usd_per_s': 'number', 'term_s': 'number', 'simulated': 'SimulationReport'}


@Given
class ServingCost(Struct):
    rate_usd_per_s: Optional[float] = None
    input_usd: Optional[float] = None
    output_usd: Optional[float] = None
    all_on_output_usd: Optional[float] = None

    _reads = {'rate_usd_per_s': 'number', 'input_usd': 'number', 'output_usd': 'number', 'all_on_output_usd': 'number'}


@Given
class RejectedServerRow(Struct):
    slice: Optional[str] = None
    reason: Optional[Literal["no_layout", "does_not_fit", "misses_target", "too_many_chips", "no_price", "over_budget", "dominated"]] = None
    amount: Optional[float] = None

    _reads = {'amount': 'number'}


@Given
class ServingRequest(Struct):
    model: Optional[Transformer] = None
    job: Optional[ServingJob] = None
    best: Optional[Literal["cheapest", "fastest", "fewest_chips"]] = None
    kinds: Optional[list[Literal["on_demand", "spot", "flex_start", "calendar", "commitment_1y", "commitment_3y"]]] = None
    regions: Optional[list[str]] = None
    budget_usd_per_s: Optional[float] = None
    generations: Optional[list[str]] = None
    chips: Optional[list[ChipSpec]] = None
    smallest_chips: Optional[int] = None
    largest_chips: Optional[int] = None
    accept_uncertain: Optional[bool] = None
    most_plans: Optional[int] = None
    prices: Any = None
    constants: Optional[ServingCalibration] = None

    _reads = {'model': 'Transformer', 'job': 'ServingJob', 'budget_usd_per_s': 'number', 'chips': ['ChipSpec'], 'constants': 'ServingCalibration'}


@Given
class RelaxedServingRow(Struct):
    limit: Optional[Literal["deadline", "budget", "chips", "slices", "quotas", "kinds", "generation", "uncertain", "batch", "tpot", "ttft", "targets", "first_token", "per_token", "end_to_end"]] = None
    given: Optional[float] = None
    needed: Optional[float] = None
    plan: Optional[ServingPlanRow] = None

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
    name: Optional[str] = None
    title: Optional[str] = None
    svg: Optional[str] = None


@Told
class ChipsAnswer(Answer):
    chips: Optional[list[ChipSpec]] = None

    _reads = {'chips': ['ChipSpec']}


@Told
class SlicesAnswer(Answer):
    slices: Optional[list[SliceFacts]] = None

    _reads = {'slices': ['SliceFacts']}


@Told
class BatchAnswer(Answer):
    chip: Optional[str] = None
    compute: Optional[Literal["fp32", "bf16", "fp16", "fp8", "int8", "int4"]] = None
    weights: Optional[Literal["fp32", "bf16", "fp16", "fp8", "int8", "int4"]] = None
    critical_batch: Optional[int] = None
    recommended_batch: Optional[int] = None
    levels: Optional[list[BatchLevel]] = None
    shape: Optional[ProductBound] = None

    _reads = {'levels': ['BatchLevel'], 'shape': 'ProductBound'}


@Told
class PadAnswer(Answer):
    chip: Optional[str] = None
    mxu_side: Optional[int] = None
    dimensions: Optional[list[PaddedDimension]] = None
    matrix: Optional[PaddedMatrix] = None

    _reads = {'dimensions': ['PaddedDimension'], 'matrix': 'PaddedMatrix'}


@Told
class ModelAnswer(Answer):
    name: Optional[str] = None
    model_type: Optional[str] = None
    architecture: Optional[Literal["decoder", "encoder", "encoder_decoder", "vision"]] = None
    parameters: Optional[int] = None
    active_parameters: Optional[int] = None
    breakdown: Optional[ParameterCount] = None
    kv_bytes_per_token: Optional[float] = None
    kv_dtype: Optional[Literal["fp32", "bf16", "fp16", "fp8", "int8", "int4"]] = None
    state_bytes_per_sequence: Optional[float] = None
    forward_flops_per_token: Optional[float] = None
    training_flops_per_token: Optional[float] = None
    sequence_length: Optional[int] = None
    source_length: Optional[int] = None
    flops_per_pair: Optional[PairFlops] = None
    cache_per_pair: Optional[PairCache] = None
    image_tokens: Optional[int] = None
    vision_flops_per_image: Optional[float] = None
    assumed: Optional[list[Assumption]] = None
    not_read: Optional[list[str]] = None

    _reads = {'breakdown': 'ParameterCount', 'kv_bytes_per_token': 'number', 'state_bytes_per_sequence': 'number', 'forward_flops_per_token': 'number', 'training_flops_per_token': 'number', 'flops_per_pair': 'PairFlops', 'cache_per_pair': 'PairCache', 'vision_flops_per_image': 'number', 'assumed': ['Assumption']}


@Told
class FitAnswer(Answer):
    fits: Optional[Literal["yes", "uncertain", "no"]] = None
    used_bytes: Optional[float] = None
    used_low_bytes: Optional[float] = None
    used_high_bytes: Optional[float] = None
    usable_bytes: Optional[float] = None
    breakdown: Optional[MemoryBreakdown] = None
    largest_batch: Optional[int] = None
    slice: Optional[str] = None
    mesh: Optional[Layout] = None
    job: Optional[TrainingJob] = None
    assumed: Optional[list[Assumption]] = None
    advice: Optional[list[AdvisedChange]] = None

    _reads = {'used_bytes': 'number', 'used_low_bytes': 'number', 'used_high_bytes': 'number', 'usable_bytes': 'number', 'breakdown': 'MemoryBreakdown', 'mesh': 'Layout', 'job': 'TrainingJob', 'assumed': ['Assumption'], 'advice': ['AdvisedChange']}


@Told
class TrainAnswer(Answer):
    step_time_s: Optional[float] = None
    step_time_low_s: Optional[float] = None
    step_time_high_s: Optional[float] = None
    mfu: Optional[float] = None
    tokens_per_s: Optional[float] = None
    breakdown: Optional[StepBreakdown] = None
    memory: Optional[FitAnswer] = None
    advice: Optional[list[AdvisedChange]] = None
    run_s: Optional[float] = None
    costs: Optional[list[RunPrice]] = None

    _reads = {'step_time_s': 'number', 'step_time_low_s': 'number', 'step_time_high_s': 'number', 'mfu': 'number', 'tokens_per_s': 'number', 'breakdown': 'StepBreakdown', 'memory': 'FitAnswer', 'advice': ['AdvisedChange'], 'run_s': 'number', 'costs': ['RunPrice']}


@Told
class ServeAnswer(Answer):
    fits: Optional[Literal["yes", "uncertain", "no"]] = None
    estimate: Optional[ServingEstimate] = None
    slice: Optional[str] = None
    chips: Optional[int] = None
    largest_context: Optional[int] = None
    output_tokens_per_s_per_chip: Optional[float] = None
    costs: Optional[list[TokenPrice]] = None
    frontier: Optional[list[FrontierPoint]] = None
    advice: Optional[list[ServedChange]] = None
    targets: Optional[LatencyTargets] = None
    simulated: Optional[SimulationReport] = None
    meets_targets: Optional[bool] = None
    changes: Optional[list[ServingChangeRow]] = None
    assumed: Optional[list[Assumption]] = None

    _reads = {'estimate': 'ServingEstimate', 'output_tokens_per_s_per_chip': 'number', 'costs': ['TokenPrice'], 'frontier': ['FrontierPoint'], 'advice': ['ServedChange'], 'targets': 'LatencyTargets', 'simulated': 'SimulationReport', 'changes': ['ServingChangeRow'], 'assumed': ['Assumption']}


@Told
class SpotAnswer(Answer):
    interval_s: Optional[float] = None
    billed_s: Optional[float] = None
    wall_s: Optional[float] = None
    preemptions: Optional[float] = None
    run: Optional[SpotRun] = None
    expected: Optional[ExpectedSpotRun] = None
    young_interval_s: Optional[float] = None
    optimal_interval_s: Optional[float] = None
    prices: Optional[SpotComparison] = None
    assumed: Optional[list[Assumption]] = None

    _reads = {'interval_s': 'number', 'billed_s': 'number', 'wall_s': 'number', 'preemptions': 'number', 'run': 'SpotRun', 'expected': 'ExpectedSpotRun', 'young_interval_s': 'number', 'optimal_interval_s': 'number', 'prices': 'SpotComparison', 'assumed': ['Assumption']}


@Told
class SimulateAnswer(Answer):
    fleet: Optional[ServingFleet] = None
    job: Optional[ServingJob] = None
    replicas: Optional[int] = None
    simulated_replicas: Optional[int] = None
    targets: Optional[LatencyTargets] = None
    meets_targets: Optional[bool] = None
    report: Optional[SimulationReport] = None
    changes: Optional[list[ServingChangeRow]] = None
    price: Optional[PriceRow] = None
    load: Optional[list[LatencyPoint]] = None
    assumed: Optional[list[Assumption]] = None

    _reads = {'fleet': 'ServingFleet', 'job': 'ServingJob', 'targets': 'LatencyTargets', 'report': 'SimulationReport', 'changes': ['ServingChangeRow'], 'price': 'PriceRow', 'load': ['LatencyPoint'], 'assumed': ['Assumption']}


@Told
class PayAnswer(Answer):
    slice: Optional[str] = None
    slices: Optional[int] = None
    chips: Optional[int] = None
    region: Optional[str] = None
    run_s: Optional[float] = None
    slice_mtbp_s: Optional[float] = None
    job_mtbp_s: Optional[float] = None
    cheapest: Optional[Literal["on_demand", "spot", "flex_start", "calendar", "commitment_1y", "commitment_3y"]] = None
    rest_of_term_used: Optional[float] = None
    ways: Optional[list[PaidRun]] = None
    missing: Optional[list[MissingPayment]] = None
    break_even: Optional[PayBreakEven] = None
    against_gpu: Optional[GpuComparisonRow] = None
    checkpoints: Optional[KeptCheckpoints] = None
    assumed: Optional[list[Assumption]] = None

    _reads = {'run_s': 'number', 'slice_mtbp_s': 'number', 'job_mtbp_s': 'number', 'rest_of_term_used': 'number', 'ways': ['PaidRun'], 'missing': ['MissingPayment'], 'break_even': 'PayBreakEven', 'against_gpu': 'GpuComparisonRow', 'checkpoints': 'KeptCheckpoints', 'assumed': ['Assumption']}


@Told
class PlanAnswer(Answer):
    schema: Optional[str] = None
    parameters: Optional[int] = None
    plans: Optional[list[PlanRow]] = None
    lost: Optional[list[LostRow]] = None
    rejected: Optional[list[RejectedRow]] = None
    counts: Optional[SearchCounts] = None
    assumed: Optional[list[Assumption]] = None
    request: Optional[PlanRequest] = None
    relax: Optional[list[RelaxedRow]] = None

    _reads = {'plans': ['PlanRow'], 'lost': ['LostRow'], 'rejected': ['RejectedRow'], 'counts': 'SearchCounts', 'assumed': ['Assumption'], 'request': 'PlanRequest', 'relax': ['RelaxedRow']}


@Told
class PlanServingAnswer(Answer):
    schema: Optional[str] = None
    plans: Optional[list[ServingPlanRow]] = None
    rejected: Optional[list[RejectedServerRow]] = None
    candidates: Optional[int] = None
    assumed: Optional[list[Assumption]] = None
    request: Optional[ServingRequest] = None
    relax: Optional[list[RelaxedServingRow]] = None
    changes: Optional[list[ServingChangeRow]] = None

    _reads = {'plans': ['ServingPlanRow'], 'rejected': ['RejectedServerRow'], 'assumed': ['Assumption'], 'request': 'ServingRequest', 'relax': ['RelaxedServingRow'], 'changes': ['ServingChangeRow']}


@Told
class LaunchAnswer(Answer):
    text: Optional[str] = None
    document: Any = None


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
