// Bandwidth of global memory.
//
// Each work-group has a contiguous part of a buffer, in which its work-items access adjacent vectors, so that
// a GPU's group reads whole cache lines. With one work-item per group, which suits processors, each reads its
// part from front to back.

#include "peaks/words.clh"

// The value written at a place depends on the place, so that a result shows whether all of it was written.
#define VALUE_AT(place, salt) (words_t)((uint)(place) ^ (salt))

// The first place of a work-item; its others follow at distances of GROUP vectors.
#define FIRST_PLACE(each) \
    ((size_t)get_group_id(0) * GROUP * (each) + (size_t)get_local_id(0))

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void write_words(
    global words_t *to, const uint each, const uint salt) {
    size_t place = FIRST_PLACE(each);
    for (uint i = 0; i < each; ++i) {
        to[place] = VALUE_AT(place, salt);
        place += GROUP;
    }
}

// Four sums, so that four loads are in flight. `each` is a multiple of 4.
kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void read_words(
    global const words_t *from, const uint each, global words_t *sums) {
    size_t place = FIRST_PLACE(each);
    words_t sum_0 = (words_t)(0u);
    words_t sum_1 = (words_t)(0u);
    words_t sum_2 = (words_t)(0u);
    words_t sum_3 = (words_t)(0u);
    for (uint i = 0; i < each; i += 4) {
        sum_0 += from[place];
        sum_1 += from[place + GROUP];
        sum_2 += from[place + 2 * GROUP];
        sum_3 += from[place + 3 * GROUP];
        place += 4 * GROUP;
    }
    sums[get_global_id(0)] = sum_0 + sum_1 + sum_2 + sum_3;
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void copy_words(
    global const words_t *restrict from, const uint each, global words_t *restrict to) {
    size_t place = FIRST_PLACE(each);
    for (uint i = 0; i < each; i += 4) {
        const words_t word_0 = from[place];
        const words_t word_1 = from[place + GROUP];
        const words_t word_2 = from[place + 2 * GROUP];
        const words_t word_3 = from[place + 3 * GROUP];
        to[place] = word_0;
        to[place + GROUP] = word_1;
        to[place + 2 * GROUP] = word_2;
        to[place + 3 * GROUP] = word_3;
        place += 4 * GROUP;
    }
}

// Copies every `apart`-th vector, for the host's check.
kernel void pick_words(global const words_t *from, const uint apart, global words_t *picked) {
    picked[get_global_id(0)] = from[get_global_id(0) * (size_t)apart];
}
