/* Descriptors that others may have set to be non-blocking: a shell, a terminal, a service manager. */
#ifndef PFI_BASE_DESCRIPTOR_H
#define PFI_BASE_DESCRIPTOR_H

#include <errno.h>
#include <poll.h>
#include <stdbool.h>

/* A read or write has failed with errno: shall it be tried again? Waits until the descriptor is ready for `event` (POLLIN,
 * POLLOUT) where it was not. */
static inline bool pfi_try_again(int fd, short event) {
    if (errno == EINTR) return true;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
    struct pollfd ready = {.fd = fd, .events = event};
    return poll(&ready, 1, -1) >= 0 || errno == EINTR;
}

#endif
