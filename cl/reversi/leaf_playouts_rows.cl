// Random games of reversi on any board from the leaves of a tree: the games of flat_refill_rows.cl.

#define GAMES_ALONE
#include "reversi/flat_refill_rows.cl"
#include "common/leaf_playouts.clh"
