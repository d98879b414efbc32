// Blocks that do between their barriers what a plan says: the same in most rounds and blocks, and
// something else in some.
extern "C" __global__ void intervals(int* out, const int* in, const int* plan, int* count,
                                     int rounds) {
  __shared__ int part[256];
  __shared__ short halves[256];
  const int t = threadIdx.x, n = blockDim.x, i = blockIdx.x * n + t;
  part[t] = in[i];
  halves[t] = (short)t;
  int sum = 0, awaited = 0;
  for (int round = 0; round < rounds; ++round) {
    __syncthreads();
    sum += awaited; // a read before the barrier
    awaited = 0;
    const int planned = plan[blockIdx.x * rounds + round];
    switch (planned % 32) {
    case 0: sum += part[t ^ 1]; break;
    case 1: sum += part[t * 2 % n]; break;
    case 2: // some lanes, then all
      if (t % 3 == 0) sum += part[t / 3];
      sum += part[t];
      break;
    case 3: // as case 0 at first
      sum += part[t ^ 1];
      sum += part[t ^ 4];
      break;
    case 4: part[t] = sum + round; break;
    case 5: // a race
      part[t / 2] = sum;
      sum += part[n - 1 - t];
      break;
    case 6: // a race behind a barrier of some warps
      sum += part[t];
      if (t < 64 && n > 64) asm volatile("bar.sync 1, 64;" ::: "memory");
      if (t % 64 == 7) part[t ^ 32] = t;
      break;
    case 7:
      part[t] = sum;
      __threadfence();
      sum += part[t];
      break;
    case 8:
      if (t % 32 == 0) atomicAdd(count, part[t]);
      break;
    case 9: out[(i + 5) % (n * gridDim.x)] = round; break; // a race of warps and blocks
    case 10: sum += in[i] + halves[t ^ 1]; break;
    case 11:
      if (t >= n - 32) {
        out[i] = sum;
        return;
      }
      sum += part[t];
      break;
    case 12: sum += in[blockIdx.x + round]; break; // begins at another place of a group
    case 13: awaited = in[i + 1]; break;
    case 14: awaited = in[i + 1] + part[t ^ 2]; break;
    case 15: awaited = part[t ^ 2]; break;
    case 16: // of one's own part, or a race with another warp
      part[(t + planned / 32 * 32) % n] = sum;
      sum += part[t];
      break;
    default: break;
    }
  }
  out[i] = sum;
}
