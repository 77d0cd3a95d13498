// A kernel a node, as dynamic.cl has it, for devices whose kernels cannot enqueue kernels: the host
// enqueues a node's children from what the node's kernel has written.

#define BY_HOST 1

#include "gomoku/nodes.clh"
