// Random games of reversi on any board from the leaves of a tree: the games of flat_refill_rows.cl.

#define OF_LEAVES
#include "reversi/flat_refill_rows.cl"
