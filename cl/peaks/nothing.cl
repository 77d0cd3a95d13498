// The smallest kernel whose launches can be counted, to measure the cost of a launch.

kernel void count_launch(global uint *launches, const uint number) {
    launches[0] += number;
}
