// Plays random games of reversi from the leaves of a tree, as flat_refill.cl does.

#define GAMES_ALONE
#include "reversi/flat_refill.cl"
#include "common/leaf_playouts.clh"
