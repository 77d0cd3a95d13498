// Playouts as frames with buffers in the place of images: the same pixels, the same steps.

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
        const int mover_is_red = (number & 1u) == 0u;
        const uint named = colour_named(key, block, (uint)y, number);
        uchar4 pixel = before[y * cells + x];
        if (IS_WHITE(pixel) && board[x] == named) {
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
        after[y * cells + x] = pixel;
    }
}

// Counts the rows from `rows.x` to `rows.y`, a work-item a row; the starts count as so many cells more.
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

// Counts the rows in which somebody could still gain a cell: those with a white pixel.
__kernel void unsettled(
    __global const uchar4 *state, const int cells, const int2 rows, __global uint *totals)
{
    const int y = (int)get_global_id(0);
    if (y >= rows.x && y < rows.y) {
        int white = 0;
        for (int x = 0; x < cells && !white; ++x) {
            white = IS_WHITE(state[y * cells + x]);
        }
        if (white) {
            atomic_inc(&totals[3]);
        }
    }
}
