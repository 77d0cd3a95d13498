// Random games of gomoku from the leaves of a tree, played as in flat_refill.cl.

#define GAMES_ALONE
#include "gomoku/flat_refill.cl"
#include "common/leaf_playouts.clh"
