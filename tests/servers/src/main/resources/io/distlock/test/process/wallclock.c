/*
 * Shifts the wall clock of a program by as many nanoseconds as a mapped file says, from one call to the next. The monotonic clock stays.
 * Loaded before the C library's functions of the same names (LD_PRELOAD). Without headers, which need not be installed; without an
 * allocator, since allocators ask for the time as well.
 */
typedef long word;
struct timespec { word seconds, nanos; };
struct timeval { word seconds, micros; };

extern word syscall(word number, ...);
extern int open(const char *path, int flags, ...);
extern void *mmap(void *at, unsigned long length, int access, int flags, int file, word offset);
extern char *getenv(const char *name);

#if defined(__x86_64__)
enum { CLOCK_GETTIME = 228 };
#elif defined(__aarch64__)
enum { CLOCK_GETTIME = 113 };
#endif
enum { REALTIME = 0, REALTIME_COARSE = 5, READ = 1, SHARED = 1, GIGA = 1000000000 };

static volatile const word *ahead;

__attribute__((constructor)) static void map(void) {
    const char *path = getenv("WALL_CLOCK");
    int file = path ? open(path, 0) : -1;
    void *at = file < 0 ? (void *) -1 : mmap(0, sizeof(word), READ, SHARED, file, 0);
    if (at != (void *) -1) {
        ahead = at;
    }
}

int clock_gettime(int clock, struct timespec *time) {
    word failed = syscall(CLOCK_GETTIME, clock, time);
    if (!failed && ahead && (clock == REALTIME || clock == REALTIME_COARSE)) {
        word by = *ahead;
        word nanos = time->nanos + by % GIGA + GIGA;
        time->seconds += by / GIGA + nanos / GIGA - 1;
        time->nanos = nanos % GIGA;
    }
    return (int) failed;
}

int gettimeofday(struct timeval *time, void *zone) {
    struct timespec now;
    (void) zone;
    clock_gettime(REALTIME, &now);
    time->seconds = now.seconds;
    time->micros = now.nanos / 1000;
    return 0;
}

word time(word *seconds) {
    struct timespec now;
    clock_gettime(REALTIME, &now);
    if (seconds) {
        *seconds = now.seconds;
    }
    return now.seconds;
}
