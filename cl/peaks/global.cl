// How many bytes a second go to and from global memory.
//
// Each work-group has a stretch of a buffer, its work-items vectors side by side in it, so that a
// GPU's group reads whole lines; with one work-item a group, which suits processors, each reads its
// stretch from front to back.

#include "peaks/words.clh"

// What is written at a place: the place itself, so that a result shows whether all was there.
#define VALUE_AT(place, salt) (words_t)((uint)(place) ^ (salt))

// The first place of a work-item; its others come GROUP vectors after each other.
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

// Four sums, so that four loads are under way. `each` is a multiple of 4.
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

// A vector in so many, for the host to look at.
kernel void pick_words(global const words_t *from, const uint apart, global words_t *picked) {
    picked[get_global_id(0)] = from[get_global_id(0) * (size_t)apart];
}
