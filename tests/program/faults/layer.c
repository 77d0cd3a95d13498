// Simulates a driver with faults. The tests preload it (LD_PRELOAD) before the OpenCL loader. It passes calls on to the
// loader, unless FAULT changes them. It declares the parts of OpenCL that it needs, so it compiles without headers.
//
// FAULT        the fault: one of the names in the functions below
// FAULT_AT     the launch of a technique's kernel, per process, at which the fault occurs; from 1, default 1
// FAULT_CALL   in device workers, the fault occurs at the first call of this function instead. Functions that
//              open a device count at once, and others once a technique's program is created
// FAULT_ONCE   a file: only the process that can create it has the fault, so that its successor has none
// DEVICE_NAME  the name that devices report
// SYNCED       a file that receives the inode of every file that is synced to the disk, one per line
// FAULT_DISK   a folder whose disk is full after FAULT_DISK_BYTES bytes were written below it. With
//              FAULT_DISK_FILE, only bytes of the file of this name count. With FAULT_DISK_TEXT, only writes
//              that begin with this text count
//
// Settings of the clock:
//
// CLOCK_STEP_NS  the step of the clock in ns, in every process and for libraries too
// STEADY_NS    for runs with reproducible times: in workers, each reading by the program advances the clock by
//              this number of ns, and nothing else does. In device workers, this begins with the first
//              technique, after the check of the timer

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef void *handle;

enum {
    DEVICE_NOT_FOUND = -1,
    DEVICE_NOT_AVAILABLE = -2,
    MEM_OBJECT_ALLOCATION_FAILURE = -4,
    OUT_OF_RESOURCES = -5,
    PROFILING_COMMAND_QUEUED = 0x1280,
    PROFILING_COMMAND_END = 0x1283,
    DEVICE_NAME = 0x102b,
    MOST_KERNELS = 1024,
    // The timer probe creates a buffer of one word.
    LEAST_BUFFER = 64,
};

static const char *setting(const char *name) {
    const char *text = getenv(name);
    return text ? text : "";
}

static int fault_is(const char *name) {
    return strcmp(setting("FAULT"), name) == 0;
}

/// True if this process has the fault: always, or only if it creates the FAULT_ONCE file.
static int is_ours(void) {
    static atomic_int known; // 0: unknown, 1: this process, 2: another process
    if (atomic_load(&known) == 0) {
        const char *once = setting("FAULT_ONCE");
        int ours = 1;
        if (*once) {
            const int file = open(once, O_CREAT | O_EXCL | O_WRONLY, 0666);
            ours = file >= 0;
            if (ours) close(file);
        }
        atomic_store(&known, ours ? 1 : 2);
    }
    return atomic_load(&known) == 1;
}

static void *real(const char *name) {
    static void *library;
    if (!library) library = dlopen("libOpenCL.so.1", RTLD_NOW);
    void *found = library ? dlsym(library, name) : NULL;
    if (!found) {
        fprintf(stderr, "layer: no %s in libOpenCL.so.1\n", name);
        abort();
    }
    return found;
}

// The real function that is wrapped by a function of the same name and type.
#define REAL(name) ((__typeof__(&name))real(#name))

/// True in a device worker, but not in the process that lists devices.
static int is_device_worker;
/// True if a technique's program was created, and not only the programs that test the device.
static atomic_int in_technique;

static long steady_ns;
static long step_ns;
static atomic_int is_steady;

/// Reads the settings. The clock of a host worker is steady from the start.
__attribute__((constructor)) static void begin(void) {
    steady_ns = atol(setting("STEADY_NS"));
    step_ns = atol(setting("CLOCK_STEP_NS"));
    char line[256] = {0};
    const int file = open("/proc/self/cmdline", O_RDONLY);
    const ssize_t length = file < 0 ? 0 : read(file, line, sizeof line - 1);
    if (file >= 0) close(file);
    const char *first = line + strlen(line) + 1;
    const int is_worker = length > 0 && first < line + length && strcmp(first, "worker") == 0;
    const char *second = is_worker ? first + strlen(first) + 1 : line;
    if (is_worker && strcmp(second, "--threads") == 0) atomic_store(&is_steady, 1);
    is_device_worker = is_worker && strcmp(second, "--device") == 0;
}

/// True if an address belongs to the program itself and not to a library.
static int is_the_programs(void *address) {
    Dl_info found;
    const uintptr_t page = 4095;
    return dladdr(address, &found)
        && (uintptr_t)found.dli_fbase == (getauxval(AT_PHDR) & ~page);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*real_clock)(clockid_t, struct timespec *);
    static atomic_long looked;
    static struct timespec begun_at;
    if (!real_clock) real_clock = (__typeof__(real_clock))dlsym(RTLD_NEXT, "clock_gettime");
    if (steady_ns == 0 || clock != CLOCK_MONOTONIC || !atomic_load(&is_steady)
        || !is_the_programs(__builtin_return_address(0))) {
        const int status = real_clock(clock, now);
        if (status == 0 && step_ns > 0 && clock == CLOCK_MONOTONIC) {
            // Steps divide a second evenly.
            now->tv_nsec -= now->tv_nsec % step_ns;
        }
        return status;
    }
    if (begun_at.tv_sec == 0) real_clock(clock, &begun_at);
    const long ns = begun_at.tv_nsec + steady_ns * atomic_fetch_add(&looked, 1);
    now->tv_sec = begun_at.tv_sec + ns / 1000000000;
    now->tv_nsec = ns % 1000000000;
    return 0;
}

static handle kernels[MOST_KERNELS];
static atomic_int kernel_count;
static atomic_int launches;
/// Set at the launch at which the fault occurs.
static atomic_int begun;

static int is_technique(handle kernel) {
    const int count = atomic_load(&kernel_count);
    for (int i = 0; i < count && i < MOST_KERNELS; ++i) {
        if (kernels[i] == kernel) return 1;
    }
    return 0;
}

/// After an illegal access, NVIDIA's driver returns this error for every later call of the process.
static int is_poisoned(void) {
    return fault_is("poison") && atomic_load(&begun);
}

static void *chatter(void *unused) {
    (void)unused;
    for (int i = 0;; ++i) {
        const char *said = i % 2 ? "driver: \xff\xfe no end of line " : "driver: a whole line\n";
        if (write(1, said, strlen(said)) < 0) return NULL;
        if (write(2, said, strlen(said)) < 0) return NULL;
        usleep(50);
    }
}

/// Writes an endless line to stdout and to stderr.
static void flood(void) {
    static char line[1 << 16];
    memset(line, 'x', sizeof line);
    for (;;) {
        const ssize_t out = write(1, line, sizeof line);
        const ssize_t error = write(2, line, sizeof line);
        if (out < 0 && error < 0) pause();
    }
}

/// Answers every request of the parent as if the device had needed 7 ns.
static void forge(void) {
    for (int id = 0; id < 100; ++id) {
        const char *sample =
            "{\"samples\":{\"Ok\":[{\"at_ns\":0,\"total_ns\":7,\"opponent_ns\":0,\"parts\":{\"upload_ns\":0,"
            "\"queue_ns\":0,\"kernel_ns\":0,\"download_ns\":0,\"host_ns\":0,\"launches\":0,\"bytes\":0},"
            "\"counters\":{\"nodes\":1,\"leaves\":1,\"playouts\":0,\"plies\":0},\"answer\":null}]}}";
        dprintf(1, "\n@plybench %s\n{\"id\":%d,\"reply\":%s}\n", sample, id, sample);
        dprintf(2, "\n@plybench %s\n{\"id\":%d,\"reply\":%s}\n", sample, id, sample);
    }
}

/// The faults that end or stop the process.
static void go_wrong(void) {
    if (fault_is("segfault") || fault_is("vanish")) {
        int *volatile nowhere = NULL;
        *nowhere = 1;
    }
    if (fault_is("killed")) raise(SIGKILL);
    if (fault_is("stopped")) raise(SIGSTOP);
    if (fault_is("flood")) flood();
    if (fault_is("forge")) forge();
    if (fault_is("exit") || fault_is("forge")) _exit(0);
    if (fault_is("hang")) for (;;) pause();
}

/// Triggers the fault if FAULT_CALL names this function.
static void at_call(const char *name, int opens) {
    static atomic_int calls;
    if (!is_device_worker || strcmp(setting("FAULT_CALL"), name) != 0) return;
    if (!opens && !atomic_load(&in_technique)) return;
    if (atomic_fetch_add(&calls, 1) == 0 && is_ours()) go_wrong();
}

handle clCreateContext(
    const intptr_t *properties, unsigned count, const handle *devices, void *notify, void *data, int *status) {
    at_call("clCreateContext", 1);
    return REAL(clCreateContext)(properties, count, devices, notify, data, status);
}

handle clCreateCommandQueue(handle context, handle device, uint64_t properties, int *status) {
    at_call("clCreateCommandQueue", 1);
    return REAL(clCreateCommandQueue)(context, device, properties, status);
}

handle clCreateProgramWithSource(
    handle context, unsigned count, const char **texts, const size_t *lengths, int *status) {
    for (unsigned i = 0; i < count; ++i) {
        const size_t length = lengths && lengths[i] ? lengths[i] : strlen(texts[i]);
        const char tries[] = "kernel void probe(";
        if (!memmem(texts[i], length, tries, sizeof tries - 1)) atomic_store(&in_technique, 1);
    }
    at_call("clCreateProgramWithSource", 0);
    return REAL(clCreateProgramWithSource)(context, count, texts, lengths, status);
}

int clBuildProgram(
    handle program, unsigned count, const handle *devices, const char *options, void *notify, void *data) {
    at_call("clBuildProgram", 0);
    return REAL(clBuildProgram)(program, count, devices, options, notify, data);
}

int clSetKernelArg(handle kernel, unsigned index, size_t size, const void *value) {
    at_call("clSetKernelArg", 0);
    return REAL(clSetKernelArg)(kernel, index, size, value);
}

int clReleaseMemObject(handle buffer) {
    at_call("clReleaseMemObject", 0);
    return REAL(clReleaseMemObject)(buffer);
}

handle clCreateKernel(handle program, const char *name, int *status) {
    at_call("clCreateKernel", 0);
    const handle kernel = REAL(clCreateKernel)(program, name, status);
    if (kernel && strcmp(name, "probe") != 0) {
        atomic_store(&is_steady, 1);
        const int place = atomic_fetch_add(&kernel_count, 1);
        if (place < MOST_KERNELS) kernels[place] = kernel;
        if (place == 0 && fault_is("chatter")) {
            pthread_t thread;
            pthread_create(&thread, NULL, chatter, NULL);
        }
    }
    return kernel;
}

int clEnqueueNDRangeKernel(
    handle queue, handle kernel, unsigned dimensions, const size_t *offset, const size_t *global,
    const size_t *local, unsigned waits, const handle *wait_list, handle *event) {
    at_call("clEnqueueNDRangeKernel", 0);
    const char *at = setting("FAULT_AT");
    if (!*setting("FAULT_CALL") && is_technique(kernel) && atomic_fetch_add(&launches, 1) + 1 == (*at ? atoi(at) : 1) && is_ours()) {
        atomic_store(&begun, 1);
        go_wrong();
        if (fault_is("lazy-memory")) return MEM_OBJECT_ALLOCATION_FAILURE;
        if (fault_is("unplugged")) return DEVICE_NOT_AVAILABLE;
        if (fault_is("vendor-status")) return -9999;
    }
    if (is_poisoned()) return OUT_OF_RESOURCES;
    return REAL(clEnqueueNDRangeKernel)(
        queue, kernel, dimensions, offset, global, local, waits, wait_list, event);
}

int clEnqueueReadBuffer(
    handle queue, handle buffer, unsigned blocking, size_t offset, size_t size, void *to,
    unsigned waits, const handle *wait_list, handle *event) {
    at_call("clEnqueueReadBuffer", 0);
    if (is_poisoned()) return OUT_OF_RESOURCES;
    const int status = REAL(clEnqueueReadBuffer)(
        queue, buffer, blocking, offset, size, to, waits, wait_list, event);
    if (fault_is("wrong") && atomic_load(&begun) && size >= sizeof(int)) {
        const int value = -500000;
        memcpy(to, &value, sizeof value);
    }
    return status;
}

int clEnqueueWriteBuffer(
    handle queue, handle buffer, unsigned blocking, size_t offset, size_t size, const void *from,
    unsigned waits, const handle *wait_list, handle *event) {
    at_call("clEnqueueWriteBuffer", 0);
    if (is_poisoned()) return OUT_OF_RESOURCES;
    return REAL(clEnqueueWriteBuffer)(
        queue, buffer, blocking, offset, size, from, waits, wait_list, event);
}

int clFinish(handle queue) {
    at_call("clFinish", 0);
    return is_poisoned() ? OUT_OF_RESOURCES : REAL(clFinish)(queue);
}

handle clCreateBuffer(handle context, uint64_t flags, size_t size, void *host, int *status) {
    at_call("clCreateBuffer", 0);
    const int is_full = fault_is("memory") && size >= LEAST_BUFFER && is_ours();
    if (is_full || is_poisoned()) {
        if (status) *status = is_full ? MEM_OBJECT_ALLOCATION_FAILURE : OUT_OF_RESOURCES;
        return NULL;
    }
    return REAL(clCreateBuffer)(context, flags, size, host, status);
}

int clGetDeviceIDs(
    handle platform, uint64_t kind, unsigned most, handle *devices, unsigned *count) {
    at_call("clGetDeviceIDs", 1);
    // If the file exists, the device vanished in an earlier process.
    if (fault_is("vanish") && access(setting("FAULT_ONCE"), F_OK) == 0) return DEVICE_NOT_FOUND;
    return REAL(clGetDeviceIDs)(platform, kind, most, devices, count);
}

int clGetDeviceInfo(handle device, unsigned what, size_t size, void *answer, size_t *needed) {
    const char *name = setting("DEVICE_NAME");
    if (what != DEVICE_NAME || !*name) return REAL(clGetDeviceInfo)(device, what, size, answer, needed);
    if (needed) *needed = strlen(name) + 1;
    if (answer) strncpy(answer, name, size);
    return 0;
}

int clGetEventProfilingInfo(
    handle event, unsigned what, size_t size, void *answer, size_t *needed) {
    at_call("clGetEventProfilingInfo", 0);
    const int late = atomic_load(&begun);
    if (answer && (fault_is("swapped-stamps") || (fault_is("late-swapped-stamps") && late))) {
        // Swap the queue and end timestamps.
        if (what == PROFILING_COMMAND_QUEUED) what = PROFILING_COMMAND_END;
        else if (what == PROFILING_COMMAND_END) what = PROFILING_COMMAND_QUEUED;
    }
    const int status = REAL(clGetEventProfilingInfo)(event, what, size, answer, needed);
    if (answer && (fault_is("zero-stamps") || (fault_is("late-zero-stamps") && late))) {
        memset(answer, 0, size);
    }
    return status;
}

int fsync(int file) {
    int (*const real_fsync)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    struct stat about;
    const char *list = setting("SYNCED");
    if (*list && fstat(file, &about) == 0) {
        const int to = open(list, O_CREAT | O_APPEND | O_WRONLY, 0666);
        dprintf(to, "%llu\n", (unsigned long long)about.st_ino);
        close(to);
    }
    return real_fsync(file);
}

/// Wraps every write of the process, so that a disk can be full at any byte. As on a real disk, a write may be partial.
ssize_t write(int file, const void *bytes, size_t count) {
    static ssize_t (*real_write)(int, const void *, size_t);
    static atomic_long written;
    if (!real_write) real_write = (__typeof__(real_write))dlsym(RTLD_NEXT, "write");
    const char *disk = setting("FAULT_DISK");
    if (*disk) {
        char link[64], path[4096];
        snprintf(link, sizeof link, "/proc/self/fd/%d", file);
        const ssize_t length = readlink(link, path, sizeof path - 1);
        if (length > 0) path[length] = 0;
        const char *name = setting("FAULT_DISK_FILE");
        const size_t begins = length > 0 && strlen(name) < (size_t)length ? (size_t)length - strlen(name) : 0;
        // A file has a random name until it is complete, so its text identifies it.
        const char *text = setting("FAULT_DISK_TEXT");
        const int is_text = strlen(text) <= count && memcmp(bytes, text, strlen(text)) == 0;
        if (length > 0 && is_text && strncmp(path, disk, strlen(disk)) == 0 && strcmp(path + begins, name) == 0) {
            const long room = atol(setting("FAULT_DISK_BYTES")) - atomic_load(&written);
            if (room <= 0) {
                errno = ENOSPC;
                return -1;
            }
            if ((long)count > room) count = (size_t)room;
            atomic_fetch_add(&written, (long)count);
        }
    }
    return real_write(file, bytes, count);
}
