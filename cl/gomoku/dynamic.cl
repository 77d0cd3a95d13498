// Runs one kernel per node. It enqueues the kernels for the node's children (Kawakami and Wang, section 5.4).

#include "gomoku/nodes.clh"
