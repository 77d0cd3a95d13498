// A known amount of work for the check of a device's timer. It reads nothing. Its only write never happens, but
// compilers cannot prove this.

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
