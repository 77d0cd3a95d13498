// Defines kernels for the tests of `opencl`.

#include "half.clh"

kernel void add(global const uint *from, global uint *to, uint more)
{
    size_t i = get_global_id(0);
    to[i] = from[i] + more + HALF;
}

kernel void group_sum(global const uint *from, global uint *sums, local uint *scratch)
{
    size_t lid = get_local_id(0);
    scratch[lid] = from[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t step = get_local_size(0) / 2; step > 0; step /= 2) {
        if (lid < step)
            scratch[lid] += scratch[lid + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0)
        sums[get_group_id(0)] = scratch[0];
}

kernel void spin(global uint *out, uint steps)
{
    uint x = (uint)get_global_id(0) + 1u;
    for (uint i = 0; i < steps; ++i) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    out[get_global_id(0)] = x;
}
