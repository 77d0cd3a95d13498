// Random games of gomoku from the leaves of a tree: the games of flat_refill.cl.

#define OF_LEAVES
#include "gomoku/flat_refill.cl"
