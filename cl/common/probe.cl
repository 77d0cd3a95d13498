// Performs a known amount of work, to check a device's timer. The kernel reads nothing. It never performs its only
// write, but compilers cannot prove this.

kernel void probe(global uint *unused, uint steps)
{
    uint x = (uint)get_global_id(0) + 1u;
    for (uint i = 0; i < steps; ++i) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    if (x == 0u)
        *unused = 1u;
}
