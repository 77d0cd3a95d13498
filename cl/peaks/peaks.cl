// Loads of src/peaks: the smallest kernel, and a copy within the device's memory.

// Adds `step` to a counter, so that the host can check that every launch ran.
__kernel void count_launch(__global uint *count, const uint step) {
    count[0] += step;
}

// Copies `vectors` vectors of four words.
__kernel void copy(__global const uint4 *from, __global uint4 *to, const uint vectors) {
    const uint stride = (uint)get_global_size(0);
    for (uint at = (uint)get_global_id(0); at < vectors; at += stride) {
        to[at] = from[at];
    }
}
