// Prices of options by binomial trees: a thread has an option, its values are in local registers and
// shared memory.
extern "C" __global__ void binomial(const float* strike, float* price, int steps) {
  __shared__ float value[257];
  const int t = threadIdx.x;
  const float spot = 100.0f, rate = 0.02f, volatility = 0.3f, years = 1.0f;
  const float dt = years / (float)steps, up = expf(volatility * sqrtf(dt));
  const float discount = expf(-rate * dt), chance = (expf(rate * dt) - 1.0f / up) / (up - 1.0f / up);
  const float a = discount * chance, b = discount * (1.0f - chance);
  const float exercised = strike[blockIdx.x];
  for (int k = t; k <= steps; k += blockDim.x) {
    const float at_end = spot * expf(volatility * sqrtf(dt) * (float)(2 * k - steps));
    value[k] = fmaxf(at_end - exercised, 0.0f);
  }
  __syncthreads();
  for (int last = steps; last > 0; --last) {
    float next = 0;
    if (t < last) next = a * value[t + 1] + b * value[t];
    __syncthreads();
    if (t < last) value[t] = next;
    __syncthreads();
  }
  if (t == 0) price[blockIdx.x] = value[0];
}
