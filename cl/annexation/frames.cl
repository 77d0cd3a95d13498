// Playouts as frames, as published, with images: the board texture has the cells' colours in row 0 and their
// neighbours in the rows below, as numbers in base 256 over RGBA; two state textures are read and written
// alternately.

#include "annexation/frames.clh"

__constant sampler_t NEAREST = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;

// The number in a pixel of the board texture.
IN_CALLER uint number_of(uint4 pixel)
{
    return pixel.x | pixel.y << 8 | pixel.z << 16 | pixel.w << 24;
}

// Draws the board texture, row after row of `numbers`.
__kernel void paint_board(
    __global const uint *numbers, const int cells, __write_only image2d_t board)
{
    const int x = (int)get_global_id(0);
    const int y = (int)get_global_id(1);
    const uint number = numbers[y * cells + x];
    const uint4 pixel
        = (uint4)(number & 255u, number >> 8 & 255u, number >> 16 & 255u, number >> 24);
    write_imageui(board, (int2)(x, y), pixel);
}

// Draws the state before the first turn.
__kernel void begin(__write_only image2d_t state, const int cells, const int2 starts)
{
    const int x = (int)get_global_id(0);
    const int y = (int)get_global_id(1);
    if (x < cells) {
        write_imageui(state, (int2)(x, y), x == starts.x ? RED : x == starts.y ? BLUE : WHITE);
    }
}

// A frame: a turn of every row. Playout 32 x `block` is row 0.
__kernel void turn(
    __read_only image2d_t board,
    __read_only image2d_t before,
    __write_only image2d_t after,
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
        uint4 pixel = read_imageui(before, NEAREST, (int2)(x, y));
        // A pixel with an owner does not change and needs no colour.
        if (IS_WHITE(pixel)
            && number_of(read_imageui(board, NEAREST, (int2)(x, 0)))
                == colour_named(key, block, (uint)y, number)) {
            int is_next_to = 0;
            for (int place = 1; place <= neighbours; ++place) {
                const uint other = number_of(read_imageui(board, NEAREST, (int2)(x, place)));
                if (other != NO_CELL) {
                    const uint4 owner = read_imageui(before, NEAREST, (int2)((int)other, y));
                    is_next_to |= !IS_WHITE(owner) && IS_RED(owner) == mover_is_red;
                }
            }
            pixel = is_next_to ? (mover_is_red ? RED : BLUE) : pixel;
        }
        write_imageui(after, (int2)(x, y), pixel);
    }
}

// Counts the rows from `rows.x` to `rows.y`, one per work-item; the starts count as additional cells.
__kernel void count(
    __read_only image2d_t state,
    const int cells,
    const int2 rows,
    const int2 more,
    __global uint *totals)
{
    const int y = (int)get_global_id(0);
    if (y >= rows.x && y < rows.y) {
        int red = more.x, blue = more.y;
        for (int x = 0; x < cells; ++x) {
            const uint4 pixel = read_imageui(state, NEAREST, (int2)(x, y));
            red += IS_RED(pixel) ? 1 : 0;
            blue += IS_WHITE(pixel) || IS_RED(pixel) ? 0 : 1;
        }
        count_row(totals, red, blue);
    }
}
