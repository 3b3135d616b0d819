// Recurrent layers by hand. It compiles, so it passes.
#include <tpuplan/model/kv_cache.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/model/recurrent.hpp>

using namespace tpuplan;

namespace static_model_recurrent_tests {

namespace {

// Mamba 2 of width 8 in 2 heads, one group of keys of 4, four taps with a bias, before a residual stream of 4.
constexpr recurrent_spec small() {
  recurrent_spec r;
  r.kind = recurrence::mamba2;
  r.layers = 3;
  r.width = 8;
  r.heads = 2;
  r.key_dim = 4;
  r.kernel = 4;
  r.convolution_bias = r.inner_norm = true;
  return r;
}
constexpr transformer stack() {
  transformer m;
  m.layers = m.mlp.absent = 3;
  m.d_model = 4;
  m.vocab = 10;
  m.attention = {2, 2, 4};
  m.norms_per_layer = 1;
  m.recurrent = small();
  return m;
}
// Gate, values, keys, queries and steps: 8 + 8 + 4 + 4 + 2; the convolution is over values, keys and queries.
static_assert(detail::widths_in(small(), 4).in == 26 && detail::widths_in(small(), 4).channels == 16);
static_assert(parameters(stack()).recurrent == 3 * (4 * 26 + 8 * 4 + 16 * 5 + 3 * 2 + 8));
static_assert(parameters(stack()).attention == 0 && parameters(stack()).mlp == 0);
static_assert(parameters(stack()).norms == 4 * (3 + 1));
static_assert(detail::state_of(small()) == 32);
static_assert(detail::core_flops(small(), 4).value() == 7 * 32 + 2 * 4 * 16);
static_assert(state_bytes_per_sequence(stack()) == bytes{3 * (4.0 * 32 + 2.0 * 3 * 16)});
static_assert(kv_bytes_per_token(stack()) == bytes{0});
static_assert(attention_layers(stack()) == 0 && dense_layers(stack()) == 0 && has_recurrence(stack()));

// mLSTM has no convolution, so that taps and their bias weigh nothing: projections to values, two keys, a gate, and two
// gates of each head with a bias; and a norm. Its state is a matrix, a key and a maximum of each head.
constexpr transformer matrix_memory(std::int64_t taps) {
  transformer m = stack();
  m.recurrent.kind = recurrence::mlstm;
  m.recurrent.inner_norm = false;
  m.recurrent.kernel = taps;
  return m;
}
static_assert(parameters(matrix_memory(0)).recurrent == 3 * (4 * (8 + 4 + 4 + 8 + 2 * 2) + 8 * 4 + 2 * 2 + 8));
static_assert(parameters(matrix_memory(4)).recurrent == parameters(matrix_memory(0)).recurrent);
static_assert(detail::core_flops(matrix_memory(4).recurrent, 4).value() == 5 * (8 * 4 + 4 + 2));

}  // namespace

}  // namespace static_model_recurrent_tests
