// Tests kernels that enqueue kernels: a tree whose values return to the root.

// The elements of `counts`: number of nodes that ran, and number of kernels that the device rejected.
#define RAN 0
#define REFUSED 1

#ifndef FLAGS
#define FLAGS CLK_ENQUEUE_FLAGS_NO_WAIT
#endif

// Nodes are numbered as in a heap: the children of n begin at n * fanout + 1. `sizes` receives the number of nodes in
// each subtree. The last child to finish adds up its siblings, because no kernel may wait for another. If a kernel is
// rejected, nothing is added up, and the host sees the count.
kernel void tree(global uint *counts, global volatile uint *sizes, global atomic_uint *missing,
                 uint node, uint depth, uint fanout)
{
    atomic_inc(&counts[RAN]);
    if (depth > 0) {
        atomic_store_explicit(&missing[node], fanout, memory_order_relaxed, memory_scope_device);
        queue_t queue = get_default_queue();
        for (uint child = 0; child < fanout; ++child) {
            int status = enqueue_kernel(queue, FLAGS, ndrange_1D(1), ^{
                tree(counts, sizes, missing, node * fanout + 1 + child, depth - 1, fanout);
            });
            if (status != CLK_SUCCESS)
                atomic_inc(&counts[REFUSED]);
        }
        return;
    }
    sizes[node] = 1;
    while (node > 0) {
        node = (node - 1) / fanout;
        if (atomic_fetch_sub_explicit(&missing[node], 1, memory_order_acq_rel,
                                      memory_scope_device) > 1)
            return;
        uint size = 1;
        for (uint child = 0; child < fanout; ++child)
            size += sizes[node * fanout + 1 + child];
        sizes[node] = size;
    }
}
