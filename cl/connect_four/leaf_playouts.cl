// Plays random games of Connect Four from the leaves of a tree, as flat_refill.cl does.

#define GAMES_ALONE
#include "connect_four/flat_refill.cl"
#include "common/leaf_playouts.clh"
