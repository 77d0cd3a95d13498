// Gives a device odd properties from public bug reports. Tests preload this layer before the OpenCL loader. It declares
// the parts of OpenCL that it needs.
//
// ODD holds words, separated by commas:
//
//   blank-name, amd-name, trademark-name   the name is empty, an AMD architecture, a trademark with trailing blanks
//   clock-0, units-0                       the driver reports a clock of 0 MHz, or 0 compute units
//   group-1                                work-groups are limited to one work-item
//   kernel-group-1                         the device reports 1024; each kernel allows 1 (Apple's CPU runtime)
//   kernel-group-lie                       each kernel reports 1024, but a launch allows only 1
//   no-double, embedded                    no double precision, or the embedded profile
//   memory-256                             256 MiB of memory, 217.6 MiB per buffer
//   half-memory, lazy-half                 buffers above half of the memory fail: when created, or at a launch
//   tick-NS                                the timer has steps of NS ns
//   watchdog-MS                            the device is lost after a launch of MS ms
//   fill-2g, fill-wrong                    a fill of 2 GiB is refused with -9999, or does nothing
//   gpu                                    a CPU reports that it is a GPU
//   bad-driver                             as the library of an .icd file: aborts when it is loaded
//   clash                                  as the library of two .icd files: the second one aborts

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void *handle;

enum { MEMORY = -4, RESOURCES = -5, VALUE = -30, GROUP = -54, VENDOR = -9999 };
enum { DEVICE_MEMORY = 0x101f, KERNEL_GROUP = 0x11b0, KERNEL_MULTIPLE = 0x11b3 };
static const size_t FILL = 1ull << 31;

/// Returns the text after `word` in an entry of ODD, or NULL if no entry begins with the word.
static const char *after(const char *word) {
    static char words[512];
    strncpy(words, getenv("ODD") ? getenv("ODD") : "", sizeof words - 1);
    for (char *rest = words, *entry; (entry = strsep(&rest, ","));) {
        if (strncmp(entry, word, strlen(word)) == 0) return entry + strlen(word);
    }
    return NULL;
}

static int odd(const char *word) {
    const char *rest = after(word);
    return rest && !*rest;
}

static uint64_t number_after(const char *word) {
    const char *rest = after(word);
    return rest ? strtoull(rest, NULL, 10) : 0;
}

static int is_preloaded(void) {
    Dl_info own;
    const char *list = getenv("LD_PRELOAD");
    return list && dladdr((void *)is_preloaded, &own) && strstr(list, own.dli_fname);
}

__attribute__((constructor)) static void load(void) {
    if (is_preloaded()) return;
    if (odd("bad-driver") || (odd("clash") && getenv("ODD_LOADED"))) {
        fprintf(stderr, "LLVM ERROR: inconsistency in registered CommandLine options\n");
        abort();
    }
    setenv("ODD_LOADED", "1", 1);
}

static void *real(const char *name) {
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW);
    void *found = library ? dlsym(library, name) : NULL;
    if (found) return found;
    fprintf(stderr, "odd: no %s in libOpenCL.so.1\n", name);
    abort();
}

#define REAL(name) ((__typeof__(&name))real(#name))

static int answer(const void *value, size_t length, size_t size, void *place, size_t *needed) {
    if (needed) *needed = length;
    if (place && size < length) return VALUE;
    if (place) memcpy(place, value, length);
    return 0;
}

static int one_item(void) {
    return odd("group-1") || odd("kernel-group-1") || odd("kernel-group-lie");
}

int clGetDeviceInfo(handle device, unsigned what, size_t size, void *place, size_t *needed) {
    const struct { const char *word; unsigned what; const char *text; } texts[] = {
        {"blank-name", 0x102b, ""},
        {"amd-name", 0x102b, "gfx1030:xnack-"},
        {"trademark-name", 0x102b, "Intel(R) Core(TM) i7-4770K CPU @ 3.50GHz  "},
        {"embedded", 0x102e, "EMBEDDED_PROFILE"},
    };
    const struct { const char *word; unsigned what; size_t size; uint64_t value; } numbers[] = {
        {"clock-0", 0x100c, 4, 0},
        {"units-0", 0x1002, 4, 0},
        {"group-1", 0x1004, 8, 1},
        {"kernel-group-1", 0x1004, 8, 1024},
        {"memory-256", DEVICE_MEMORY, 8, 256ull << 20},
        {"memory-256", 0x1010, 8, 228170137},
        {"no-double", 0x1032, 8, 0},
        {"gpu", 0x1000, 8, 4},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        if (texts[i].what == what && odd(texts[i].word))
            return answer(texts[i].text, strlen(texts[i].text) + 1, size, place, needed);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        if (numbers[i].what == what && odd(numbers[i].word))
            return answer(&numbers[i].value, numbers[i].size, size, place, needed);
    }
    const uint64_t step = number_after("tick-");
    if (what == 0x1025 && step) return answer(&step, 8, size, place, needed);
    if (what == 0x1005 && (odd("group-1") || odd("kernel-group-1"))) {
        const size_t most[3] = {odd("group-1") ? 1 : 1024, 1, 1};
        return answer(most, sizeof most, size, place, needed);
    }
    if (what == 0x1030 && odd("no-double")) {
        char text[1 << 14] = {0};
        const int status = REAL(clGetDeviceInfo)(device, what, sizeof text, text, NULL);
        char *name = strstr(text, "cl_khr_fp64");
        if (name) memset(name, ' ', strlen("cl_khr_fp64"));
        return status ? status : answer(text, strlen(text) + 1, size, place, needed);
    }
    return REAL(clGetDeviceInfo)(device, what, size, place, needed);
}

int clGetKernelWorkGroupInfo(
    handle kernel, handle device, unsigned what, size_t size, void *place, size_t *needed) {
    if (one_item() && (what == KERNEL_GROUP || what == KERNEL_MULTIPLE)) {
        const size_t most = odd("kernel-group-lie") && what == KERNEL_GROUP ? 1024 : 1;
        return answer(&most, sizeof most, size, place, needed);
    }
    return REAL(clGetKernelWorkGroupInfo)(kernel, device, what, size, place, needed);
}

static uint64_t memory, allocated, launched_at;
static int is_lost;

static uint64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/// Returns the status of a call that has waited for all launches.
static int waited(int status) {
    const uint64_t most = number_after("watchdog-");
    if (most && launched_at && now_ms() - launched_at > most) is_lost = 1;
    launched_at = 0;
    return is_lost ? RESOURCES : status;
}

static int is_over_half(void) {
    return memory && allocated > memory / 2;
}

handle clCreateContext(
    const intptr_t *properties, unsigned count, const handle *devices, void *notify, void *data, int *status) {
    if (count) REAL(clGetDeviceInfo)(devices[0], DEVICE_MEMORY, sizeof memory, &memory, NULL);
    return REAL(clCreateContext)(properties, count, devices, notify, data, status);
}

handle clCreateBuffer(handle context, uint64_t flags, size_t size, void *host, int *status) {
    allocated += size;
    if (odd("half-memory") && is_over_half()) {
        allocated -= size;
        if (status) *status = MEMORY;
        return NULL;
    }
    return REAL(clCreateBuffer)(context, flags, size, host, status);
}

int clEnqueueNDRangeKernel(
    handle queue, handle kernel, unsigned dimensions, const size_t *offset, const size_t *global,
    const size_t *local, unsigned waits, const handle *wait_list, handle *event) {
    if (is_lost) return RESOURCES;
    for (unsigned i = 0; local && one_item() && i < dimensions; ++i) {
        if (local[i] > 1) return GROUP;
    }
    if (odd("lazy-half") && is_over_half()) return MEMORY;
    if (!launched_at) launched_at = now_ms();
    return REAL(clEnqueueNDRangeKernel)(
        queue, kernel, dimensions, offset, global, local, waits, wait_list, event);
}

int clFinish(handle queue) {
    return waited(REAL(clFinish)(queue));
}

int clEnqueueReadBuffer(
    handle queue, handle buffer, unsigned blocking, size_t offset, size_t size, void *to,
    unsigned waits, const handle *wait_list, handle *event) {
    if (is_lost) return RESOURCES;
    const int status = REAL(clEnqueueReadBuffer)(
        queue, buffer, blocking, offset, size, to, waits, wait_list, event);
    return blocking ? waited(status) : status;
}

int clEnqueueFillBuffer(
    handle queue, handle buffer, const void *pattern, size_t pattern_size, size_t offset, size_t size,
    unsigned waits, const handle *wait_list, handle *event) {
    if (size >= FILL && odd("fill-2g")) return VENDOR;
    if (size >= FILL && odd("fill-wrong")) size = pattern_size;
    return REAL(clEnqueueFillBuffer)(
        queue, buffer, pattern, pattern_size, offset, size, waits, wait_list, event);
}

int clGetEventProfilingInfo(
    handle event, unsigned what, size_t size, void *place, size_t *needed) {
    const int status = REAL(clGetEventProfilingInfo)(event, what, size, place, needed);
    const uint64_t step = number_after("tick-");
    if (status == 0 && place && step) *(uint64_t *)place -= *(uint64_t *)place % step;
    return status;
}
