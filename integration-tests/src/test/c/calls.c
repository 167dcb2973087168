/* The functions of the C library that are called, and what Platform takes for the same everywhere. MuslIT compares what it prints. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define FUNCTION(name) printf("%s %d\n", #name, (void *)(name) != NULL)
#define VALUE(name) printf("%s %lld\n", #name, (long long)(name))

int main(void) {
  FUNCTION(syscall); FUNCTION(madvise); FUNCTION(open); FUNCTION(mmap); FUNCTION(poll); FUNCTION(eventfd);
  FUNCTION(eventfd_read); FUNCTION(eventfd_write); FUNCTION(close); FUNCTION(fcntl); FUNCTION(getrusage);
  VALUE(SYS_futex); VALUE(SYS_epoll_create1); VALUE(SYS_epoll_ctl); VALUE(SYS_epoll_pwait); VALUE(SYS_epoll_wait);
  VALUE(O_RDWR); VALUE(O_SYNC); VALUE(O_CLOEXEC); VALUE(O_NONBLOCK); VALUE(F_GETFL); VALUE(F_SETFL); VALUE(MADV_REMOVE);
  VALUE(PROT_READ | PROT_WRITE); VALUE(MAP_SHARED); VALUE((long)MAP_FAILED);
  VALUE(EINTR); VALUE(EAGAIN); VALUE(ETIMEDOUT); VALUE(ENFILE); VALUE(EMFILE);
  VALUE(FUTEX_WAIT); VALUE(FUTEX_WAKE); VALUE(FUTEX_WAIT_BITSET);
  VALUE(EPOLLIN); VALUE(EPOLLERR); VALUE(EPOLLHUP); VALUE(EPOLLRDHUP); VALUE(EPOLLET); VALUE(EPOLL_CTL_ADD); VALUE(EPOLL_CTL_MOD); VALUE(EPOLL_CTL_DEL);
  VALUE(EPOLL_CLOEXEC); VALUE(POLLIN); VALUE(EFD_NONBLOCK | EFD_CLOEXEC);
  VALUE(sizeof(struct epoll_event)); VALUE(offsetof(struct epoll_event, data));
  VALUE(sizeof(struct timespec)); VALUE(offsetof(struct timespec, tv_nsec)); VALUE(sizeof(struct pollfd));
  VALUE(RUSAGE_CHILDREN); VALUE(offsetof(struct rusage, ru_nvcsw)); VALUE(sizeof(((struct rusage *)NULL)->ru_nvcsw));
  return 0;
}
