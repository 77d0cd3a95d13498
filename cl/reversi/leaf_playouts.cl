// Random games of reversi from the leaves of a tree: the games of flat_refill.cl.

#define OF_LEAVES
#include "reversi/flat_refill.cl"
