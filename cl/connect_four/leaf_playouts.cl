// Random games of Connect Four from the leaves of a tree, played as in flat_refill.cl.

#define GAMES_ALONE
#include "connect_four/flat_refill.cl"
#include "common/leaf_playouts.clh"
