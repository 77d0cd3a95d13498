// Runs one kernel per node, as dynamic.cl does, on devices without device-side enqueue. The host enqueues a node's
// children from the output of the node's kernel.

#define BY_HOST 1

#include "gomoku/nodes.clh"
