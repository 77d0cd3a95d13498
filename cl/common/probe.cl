// Work of a known kind, to check a device's timer with: nothing is read, and the one write never
// happens, which no compiler can know.

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
