// Plays random games of gomoku from the leaves of a tree, as flat_refill.cl does.

#define GAMES_ALONE
#include "gomoku/flat_refill.cl"
#include "common/leaf_playouts.clh"
