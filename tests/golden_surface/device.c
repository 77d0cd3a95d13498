// A preload library that reports fixed device properties, so that golden files do not depend on the machine.
//
// CLASS  the device class: cpu or gpu.
// HURRY  the speed-up of the clock: with 8, a budget of two minutes ends after 15 seconds.
//
// The library declares the parts of OpenCL that it needs, so it compiles without headers.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void *handle;

enum { NAME = 0x102b, KERNEL_GROUP = 0x11b0, KERNEL_MULTIPLE = 0x11b3, INVALID_VALUE = -30 };

struct property {
    unsigned what;
    size_t size;
    uint64_t cpu, gpu;
};

static const struct property properties[] = {
    {0x1000, 8, 2, 4},                      // type
    {0x1002, 4, 8, 8},                      // compute units
    {0x100c, 4, 3000, 1500},                // clock, MHz
    {0x1004, 8, 4096, 1024},                // work-items per group
    {0x101f, 8, 4ull << 30, 4ull << 30},    // bytes of global memory
    {0x1010, 8, 1ull << 30, 1ull << 30},    // bytes per allocation
    {0x1011, 8, 8192, 8192},                // width of an image
    {0x1012, 8, 8192, 8192},                // height of an image
    {0x1023, 8, 256 << 10, 48 << 10},       // bytes of local memory
    {0x1038, 4, 8, 1},                      // native vector width of int
    {KERNEL_GROUP, 8, 4096, 1024},
    {KERNEL_MULTIPLE, 8, 8, 32},
};

int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*real_clock)(clockid_t, struct timespec *);
    if (!real_clock) real_clock = (__typeof__(real_clock))dlsym(RTLD_NEXT, "clock_gettime");
    const int status = real_clock(clock, now);
    const char *hurry = getenv("HURRY");
    if (status == 0 && hurry && clock == CLOCK_MONOTONIC) {
        const __int128 ns = ((__int128)now->tv_sec * 1000000000 + now->tv_nsec) * atol(hurry);
        now->tv_sec = (time_t)(ns / 1000000000);
        now->tv_nsec = (long)(ns % 1000000000);
    }
    return status;
}

static int is_gpu(void) {
    const char *class = getenv("CLASS");
    return class && strcmp(class, "gpu") == 0;
}

static void *real(const char *name) {
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW);
    void *found = library ? dlsym(library, name) : NULL;
    if (!found) {
        fprintf(stderr, "device: no %s in libOpenCL.so.1\n", name);
        abort();
    }
    return found;
}

static int answer(const void *value, size_t length, size_t size, void *place, size_t *needed) {
    if (needed) *needed = length;
    if (place && size < length) return INVALID_VALUE;
    if (place) memcpy(place, value, length);
    return 0;
}

static int fixed(unsigned what, size_t size, void *place, size_t *needed, int *status) {
    for (size_t i = 0; i < sizeof properties / sizeof *properties; ++i) {
        const struct property *it = &properties[i];
        if (it->what != what) continue;
        const uint64_t value = is_gpu() ? it->gpu : it->cpu;
        *status = answer(&value, it->size, size, place, needed);
        return 1;
    }
    return 0;
}

int clGetDeviceInfo(handle device, unsigned what, size_t size, void *place, size_t *needed) {
    int status = 0;
    if (fixed(what, size, place, needed, &status)) return status;
    const char *name = is_gpu() ? "golden-gpu" : "golden-cpu";
    if (what == NAME) return answer(name, strlen(name) + 1, size, place, needed);
    return ((__typeof__(&clGetDeviceInfo))real("clGetDeviceInfo"))(device, what, size, place, needed);
}

int clGetKernelWorkGroupInfo(
    handle kernel, handle device, unsigned what, size_t size, void *place, size_t *needed) {
    int status = 0;
    if (fixed(what, size, place, needed, &status)) return status;
    return ((__typeof__(&clGetKernelWorkGroupInfo))real("clGetKernelWorkGroupInfo"))(
        kernel, device, what, size, place, needed);
}
