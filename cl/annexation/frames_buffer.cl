// Playouts as frames with buffers instead of images: the same pixels, the same steps.

#include "annexation/frames.clh"

// Draws the state before the first turn.
__kernel void begin(__global uchar4 *state, const int cells, const int2 starts)
{
    const int x = (int)get_global_id(0);
    const int y = (int)get_global_id(1);
    if (x < cells) {
        const uint4 pixel = x == starts.x ? RED : x == starts.y ? BLUE : WHITE;
        state[y * cells + x] = convert_uchar4(pixel);
    }
}

// A cell's pixel in a row of the next frame.
IN_CALLER uchar4 pixel_after(
    __global const uint *board,
    __global const uchar4 *before,
    int cells,
    int neighbours,
    uint2 key,
    ulong block,
    uint number,
    int x,
    int y)
{
    const int mover_is_red = (number & 1u) == 0u;
    uchar4 pixel = before[y * cells + x];
    // A pixel with an owner does not change and needs no colour.
    if (IS_WHITE(pixel) && board[x] == colour_named(key, block, (uint)y, number)) {
        int is_next_to = 0;
        for (int place = 1; place <= neighbours; ++place) {
            const uint other = board[place * cells + x];
            if (other != NO_CELL) {
                const uchar4 owner = before[y * cells + (int)other];
                is_next_to |= !IS_WHITE(owner) && IS_RED(owner) == mover_is_red;
            }
        }
        pixel = is_next_to ? convert_uchar4(mover_is_red ? RED : BLUE) : pixel;
    }
    return pixel;
}

// A frame: a turn of every row. Playout 32 x `block` is row 0.
__kernel void turn(
    __global const uint *board,
    __global const uchar4 *before,
    __global uchar4 *after,
    const int cells,
    const int neighbours,
    const uint2 key,
    const ulong block,
    const uint number)
{
    const int x = (int)get_global_id(0);
    const int y = (int)get_global_id(1);
    if (x < cells) {
        after[y * cells + x]
            = pixel_after(board, before, cells, neighbours, key, block, number, x, y);
    }
}

// The same, and writes `number` + 1 to the last of the totals if a pixel of the rows from `rows.x` to
// `rows.y` stays white, so that it could still be gained. Turns come in ascending order, so the word need not
// be cleared between them.
__kernel void turn_and_ask(
    __global const uint *board,
    __global const uchar4 *before,
    __global uchar4 *after,
    const int cells,
    const int neighbours,
    const uint2 key,
    const ulong block,
    const uint number,
    const int2 rows,
    __global uint *totals)
{
    __local uint whites;
    const int x = (int)get_global_id(0);
    const int y = (int)get_global_id(1);
    const int is_first = get_local_id(0) == 0 && get_local_id(1) == 0;
    if (is_first) {
        whites = 0u;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x < cells) {
        const uchar4 pixel
            = pixel_after(board, before, cells, neighbours, key, block, number, x, y);
        after[y * cells + x] = pixel;
        if (IS_WHITE(pixel) && y >= rows.x && y < rows.y) {
            atomic_or(&whites, 1u);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_first && whites != 0u) {
        atomic_max(&totals[3], number + 1u);
    }
}

// Counts the rows from `rows.x` to `rows.y`, one per work-item; the starts count as additional cells.
__kernel void count(
    __global const uchar4 *state,
    const int cells,
    const int2 rows,
    const int2 more,
    __global uint *totals)
{
    const int y = (int)get_global_id(0);
    if (y >= rows.x && y < rows.y) {
        int red = more.x, blue = more.y;
        for (int x = 0; x < cells; ++x) {
            const uchar4 pixel = state[y * cells + x];
            red += IS_RED(pixel) ? 1 : 0;
            blue += IS_WHITE(pixel) || IS_RED(pixel) ? 0 : 1;
        }
        count_row(totals, red, blue);
    }
}
