// A kernel a node, which enqueues its children's (Kawakami and Wang, section 5.4).

#include "gomoku/nodes.clh"
