// Random games of reversi from the leaves of a tree, played as in flat_refill.cl.

#define GAMES_ALONE
#include "reversi/flat_refill.cl"
#include "common/leaf_playouts.clh"
