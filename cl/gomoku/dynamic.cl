// Runs one kernel per node. Each kernel enqueues the kernels of its node's children (Kawakami and Wang, section 5.4).

#include "gomoku/nodes.clh"
