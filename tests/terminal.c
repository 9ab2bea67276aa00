/* A terminal for tests: runs a command on a pseudo-terminal, types what standard input says, and shows what the command wrote.
 *
 *   send TEXT     types it; \r is Enter, \t Tab, \c Ctrl-C, \d Ctrl-D
 *   expect TEXT   waits until the command has written it, after what was expected before
 *   pause MS      waits
 *   busy MS       waits until the command has worked so many milliseconds more, in CPU time
 *
 * Exit status: that of the command; 98 where it ended, or wrote nothing for a minute, before what was expected; 99 where there are
 * no pseudo-terminals. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 60000, NAP = 10, ROOM = 1 << 20, LOST = 98, NO_TERMINAL = 99 };

static char output[ROOM];
static size_t written, seen; /* bytes of the output; and where what was expected ended */

static void fail(const char *what) {
    fwrite(output, 1, written, stdout);
    printf("\nterminal: %s\n", what);
    exit(LOST);
}

/* A terminal shows nothing for a NUL, which would end the text here. */
static size_t without_nuls(char *bytes, size_t n) {
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (bytes[i]) bytes[kept++] = bytes[i];
    return kept;
}

/* Reads what there is within so many milliseconds. False: nothing, or the end. */
static bool take(int fd, int milliseconds) {
    struct pollfd waits = {.fd = fd, .events = POLLIN};
    if (poll(&waits, 1, milliseconds) <= 0) return false;
    ssize_t n = read(fd, output + written, ROOM - 1 - written);
    if (n <= 0) return false;
    written += without_nuls(output + written, (size_t)n);
    output[written] = 0;
    return true;
}

static void expect(int fd, const char *text) {
    char words[300];
    const char *at;
    while (!(at = strstr(output + seen, text)))
        if (!take(fd, PATIENCE)) {
            snprintf(words, sizeof words, "expected %s", text);
            fail(words);
        }
    seen = (size_t)(at - output) + strlen(text);
}

static void send(int fd, const char *text) {
    for (; *text; text++) {
        char c = *text;
        if (c == '\\' && text[1]) {
            text++;
            c = *text == 'r' ? '\r' : *text == 't' ? '\t' : *text == 'c' ? 3 : *text == 'd' ? 4 : *text;
        }
        if (write(fd, &c, 1) != 1) fail("the command reads no more");
    }
}

static long worked(clockid_t clock) {
    struct timespec time;
    if (clock_gettime(clock, &time)) fail("the command has ended");
    return (long)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void pass_time(int fd, int milliseconds) {
    for (int waited = 0; waited < milliseconds; waited += NAP) {
        poll(NULL, 0, NAP);
        take(fd, 0);
    }
}

static void wait_for_work(int fd, pid_t child, int milliseconds) {
    clockid_t clock;
    if (clock_getcpuclockid(child, &clock)) fail("the command has no clock");
    long begin = worked(clock);
    for (int waited = 0; worked(clock) - begin < milliseconds; waited += NAP) {
        if (waited > PATIENCE) fail("the command does nothing");
        pass_time(fd, NAP);
    }
}

/* The command must not hold the master open: it is to be hung up when the driver ends. */
static void become(int master, char **argv) {
    struct winsize size = {.ws_row = 50, .ws_col = 200};
    const char *name = ptsname(master);
    close(master);
    setsid();
    int fd = open(name, O_RDWR);
    if (fd < 0) _exit(NO_TERMINAL);
    ioctl(fd, TIOCSCTTY, 0);
    ioctl(fd, TIOCSWINSZ, &size);
    for (int i = 0; i < 3; i++) dup2(fd, i);
    if (fd > 2) close(fd);
    execvp(argv[0], argv);
    _exit(127);
}

int main(int argc, char **argv) {
    char line[1000];
    int status, fd = posix_openpt(O_RDWR | O_NOCTTY);
    if (argc < 2 || fd < 0 || grantpt(fd) || unlockpt(fd)) return NO_TERMINAL;
    pid_t child = fork();
    if (child == 0) become(fd, argv + 1);
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "send ", 5) == 0) send(fd, line + 5);
        else if (strncmp(line, "expect ", 7) == 0) expect(fd, line + 7);
        else if (strncmp(line, "pause ", 6) == 0) pass_time(fd, atoi(line + 6));
        else if (strncmp(line, "busy ", 5) == 0) wait_for_work(fd, child, atoi(line + 5));
        else fail(line);
    }
    while (take(fd, PATIENCE)) {}
    fwrite(output, 1, written, stdout);
    close(fd); /* a command that waits for more is hung up */
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(status) ? WEXITSTATUS(status) : LOST;
}
