// Rate of atomic additions in global and in local memory.
//
// Each work-item adds its own number, which is loaded, and uses the result: a compiler that combines a warp's
// additions, as NVIDIA's does for equal numbers, cannot do so here.

#include "peaks/words.clh"

// Additions of a work-item in a round.
#define ADDITIONS 8

// There are `mask` + 1 places, a power of two: with 0 all work-items add to one.
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void add_global(
    global const uint *numbers,
    const uint mask,
    const uint rounds,
    volatile global uint *places,
    global uint *seen) {
    const int item = (int)get_global_id(0);
    volatile global uint *place = places + ((uint)item & mask);
    const uint number = numbers[get_local_id(0)];
    uint got = 0;
    for (uint round = 0; round < rounds; ++round) {
        for (int i = 0; i < ADDITIONS; ++i) {
            got ^= atomic_add(place, number);
        }
    }
    seen[item] = got;
}

// The same in each group's local memory, whose final values are added to `places`.
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void add_local(
    global const uint *numbers,
    const uint mask,
    const uint rounds,
    global uint *places,
    global uint *seen) {
    local uint own[GROUP];
    const int item = (int)get_local_id(0);
    own[item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    volatile local uint *place = own + ((uint)item & mask);
    const uint number = numbers[item];
    uint got = 0;
    for (uint round = 0; round < rounds; ++round) {
        for (int i = 0; i < ADDITIONS; ++i) {
            got ^= atomic_add(place, number);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    places[get_global_id(0)] = own[item];
    seen[get_global_id(0)] = got;
}
