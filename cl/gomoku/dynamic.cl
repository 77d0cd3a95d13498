// One kernel per node, which enqueues the kernels for its children (Kawakami and Wang, section 5.4).

#include "gomoku/nodes.clh"
