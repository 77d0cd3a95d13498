// Runs playouts as frames, as in "The awesome GPU". In a state texture, each row of pixels is a playout, and each pixel
// is a cell. Each turn reads one of two state textures and writes the other. Row 0 of the board texture has the colours
// of the cells, and the rows below have their neighbours. With IMAGES, textures are images, as published, and the board
// texture stores numbers in base 256. Otherwise, textures are buffers.

#include "annexation/draws.clh"

#if IMAGES
#define READ_TEXTURE __read_only image2d_t
#define WRITE_TEXTURE __write_only image2d_t
#define BOARD READ_TEXTURE
#define PIXEL(state, x, y) read_imageui(state, NEAREST, (int2)(x, y))
#define SET_PIXEL(state, x, y, pixel) write_imageui(state, (int2)(x, y), pixel)
#define NUMBER(board, x, y) number_of(PIXEL(board, x, y))
__constant sampler_t NEAREST = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
typedef uint4 pixel_t;
#else
#define READ_TEXTURE __global const uchar4 *
#define WRITE_TEXTURE __global uchar4 *
#define BOARD __global const uint *
#define PIXEL(state, x, y) (state)[(y) * cells + (x)]
#define SET_PIXEL(state, x, y, pixel) (state)[(y) * cells + (x)] = (pixel)
#define NUMBER(board, x, y) (board)[(y) * cells + (x)]
typedef uchar4 pixel_t;
#endif

// Pixels of a state texture, by owner: none, player 1 and player 2. They differ in their red and green channels.
#define WHITE ((pixel_t)(255, 255, 255, 255))
#define RED ((pixel_t)(255, 0, 0, 255))
#define BLUE ((pixel_t)(0, 0, 255, 255))
#define IS_WHITE(pixel) ((pixel).y != 0)
#define IS_RED(pixel) ((pixel).x != 0 && (pixel).y == 0)

// Marks an unused entry of a list of neighbours in the board texture.
#define NO_CELL 0xffffffffu

#if IMAGES
// Returns the number stored in a pixel of the board texture.
IN_CALLER uint number_of(uint4 pixel)
{
    return pixel.x | pixel.y << 8 | pixel.z << 16 | pixel.w << 24;
}

// Draws the board texture from `numbers`, which lists its pixels row by row.
__kernel void paint_board(
    __global const uint *numbers, const int cells, __write_only image2d_t board)
{
    const int x = (int)get_global_id(0);
    const int y = (int)get_global_id(1);
    const uint number = numbers[y * cells + x];
    const uint4 pixel
        = (uint4)(number & 255u, number >> 8 & 255u, number >> 16 & 255u, number >> 24);
    SET_PIXEL(board, x, y, pixel);
}
#endif

// Returns the colour that a row's playout names. Every pixel of the row computes this colour again.
IN_CALLER uint colour_named(uint2 key, ulong block, uint row, uint turn)
{
    const uint4 draw = draw_of(key, block + (ulong)(row / 32u), turn);
    const uint bit = row & 31u;
    return (draw.x >> bit & 1u) | (draw.y >> bit & 1u) << 1 | (draw.z >> bit & 1u) << 2;
}

// Draws the state before the first turn.
__kernel void begin(WRITE_TEXTURE state, const int cells, const int2 starts)
{
    const int x = (int)get_global_id(0);
    const int y = (int)get_global_id(1);
    if (x < cells) {
        SET_PIXEL(state, x, y, x == starts.x ? RED : x == starts.y ? BLUE : WHITE);
    }
}

// Draws one frame: plays turn `number` in every row. Row 0 is playout 32 x `block`. With ASKS, if a pixel in rows
// `rows.x` to `rows.y` stays white, a later turn could still annex its cell. The kernel then also writes `number` + 1
// to the last total. Turns run in ascending order, so this word is not reset between them.
__kernel void turn(
    BOARD board,
    READ_TEXTURE before,
    WRITE_TEXTURE after,
    const int cells,
    const int neighbours,
    const uint2 key,
    const ulong block,
    const uint number,
    const int2 rows,
    __global uint *totals)
{
    const int x = (int)get_global_id(0);
    const int y = (int)get_global_id(1);
#if ASKS
    __local uint whites;
    const int is_first = get_local_id(0) == 0 && get_local_id(1) == 0;
    if (is_first) {
        whites = 0u;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    if (x < cells) {
        const int mover_is_red = (number & 1u) == 0u;
        pixel_t pixel = PIXEL(before, x, y);
        // An owned pixel does not change, so the colour is not needed.
        if (IS_WHITE(pixel) && NUMBER(board, x, 0) == colour_named(key, block, (uint)y, number)) {
            int is_next_to = 0;
            for (int place = 1; place <= neighbours; ++place) {
                const uint other = NUMBER(board, x, place);
                if (other != NO_CELL) {
                    const pixel_t owner = PIXEL(before, (int)other, y);
                    is_next_to |= !IS_WHITE(owner) && IS_RED(owner) == mover_is_red;
                }
            }
            pixel = is_next_to ? (mover_is_red ? RED : BLUE) : pixel;
        }
        SET_PIXEL(after, x, y, pixel);
#if ASKS
        if (IS_WHITE(pixel) && y >= rows.x && y < rows.y) {
            atomic_or(&whites, 1u);
        }
#endif
    }
#if ASKS
    barrier(CLK_LOCAL_MEM_FENCE);
    if (is_first && whites != 0u) {
        atomic_max(&totals[3], number + 1u);
    }
#endif
}

// Counts each player's cells in rows `rows.x` to `rows.y`, one row per work-item. Adds the results to the numbers of
// playouts won, lost and counted. `more`: number of additional cells that each start stands for.
__kernel void count(
    READ_TEXTURE state,
    const int cells,
    const int2 rows,
    const int2 more,
    __global uint *totals)
{
    const int y = (int)get_global_id(0);
    if (y >= rows.x && y < rows.y) {
        int red = more.x, blue = more.y;
        for (int x = 0; x < cells; ++x) {
            const pixel_t pixel = PIXEL(state, x, y);
            red += IS_RED(pixel) ? 1 : 0;
            blue += IS_WHITE(pixel) || IS_RED(pixel) ? 0 : 1;
        }
        if (red > blue) {
            atomic_inc(&totals[0]);
        }
        if (red < blue) {
            atomic_inc(&totals[1]);
        }
        atomic_inc(&totals[2]);
    }
}
