// Random games of Connect Four from the leaves of a tree: the games of flat_refill.cl.

#define OF_LEAVES
#include "connect_four/flat_refill.cl"
