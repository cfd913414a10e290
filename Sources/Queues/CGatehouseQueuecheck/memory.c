// The memory that this process shares with gate, and how gate gets it.

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "queues.h"
#include "real.h"
#include "record.h"

gwr_header *record, *record_of_parent;
static bool is_counted_child;
// The locks that the calling thread of such a child holds.
static __thread uint32_t child_holds __attribute__((tls_model("initial-exec")));

void *record_memory(size_t size) {
  static char *chunk;
  static size_t used;
  static int lock;
  enum { CHUNK = 1 << 20 };
  size = (size + 15) & ~(size_t)15;
  while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) {}
  if (chunk == NULL || used + size > CHUNK) {
    void *made = mmap(NULL, CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    chunk = made == MAP_FAILED ? NULL : made;
    used = 0;
  }
  void *found = chunk == NULL ? NULL : chunk + used;
  used += size;
  __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
  return found;
}

// MARK: - The layout

static void place(gwr_header *header, gwr_table *table, uint64_t rows, size_t size) {
  table->at = (header->size + 63) & ~63ull;
  table->room = rows;
  header->size = table->at + table->room * size;
}

// The maximum number of times that the tables are halved. Where memory or file size is limited, a small record is
// better than none.
enum { HALVINGS = 14 };

// Pages that are never touched take no memory, so the tables are larger than most programs need.
static void lay_out(gwr_header *header, unsigned halvings) {
  header->size = sizeof *header;
  place(header, &header->threads, (1 << 15) >> halvings, sizeof(gw_thread));
  place(header, &header->more, 256 >> halvings, sizeof(gw_more));
  place(header, &header->classes, (1 << 17) >> halvings, sizeof(gwr_class));
  place(header, &header->edges, (1 << 18) >> halvings, sizeof(gw_edge));
  place(header, &header->waits, 16384 >> halvings, sizeof(gwr_wait));
  place(header, &header->queues, (1 << 18) >> halvings, sizeof(gwr_queue));
  place(header, &header->moments, header->is_traced ? (1 << 17) >> halvings : 1, sizeof(gwr_moment));
  place(header, &header->maps, (1 << 23) >> halvings, 1);
}

// A file that is larger than the limit would end the program with SIGXFSZ.
static bool is_allowed(uint64_t size) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && (limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur);
}

// Makes the memory, as large as possible. Returns null on failure.
static gwr_header *make(gwr_header *header, int *file) {
  *file = memfd_create("gatehouse-queuecheck", MFD_CLOEXEC);
  for (unsigned halvings = 0; *file >= 0 && halvings <= HALVINGS; halvings++) {
    lay_out(header, halvings);
    if (!is_allowed(header->size) || ftruncate(*file, (off_t)header->size) != 0) continue;
    void *mapped = mmap(NULL, header->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, *file, 0);
    if (mapped != MAP_FAILED) return mapped;
  }
  return NULL;
}

// MARK: - Sending the memory to gate

// Sends a file to the socket with that name in the abstract namespace. Does not wait: the message stays in the socket
// until gate receives it.
static bool send_file(const char *name, int file) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t length = strlen(name);
  if (length + 1 > sizeof address.sun_path) return false;
  memcpy(address.sun_path + 1, name, length);
  int socket_file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket_file < 0) return false;
  char letter = 'r';
  struct iovec text = {.iov_base = &letter, .iov_len = 1};
  union { char bytes[CMSG_SPACE(sizeof(int))]; struct cmsghdr aligned; } control = {0};
  struct msghdr message = {
      .msg_iov = &text, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(rights), &file, sizeof file);
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
  bool is_sent = connect(socket_file, (struct sockaddr *)&address, size) == 0 &&
    sendmsg(socket_file, &message, MSG_NOSIGNAL) == 1;
  close(socket_file);
  return is_sent;
}

// MARK: - Start

// Stops recording in the child. The record is the parent's, and a child that continues without exec would write into
// it. If such a child takes locks under locks, it is counted.
static void forked(void) {
  gw_forked();
  if (record != NULL) record_of_parent = record;
  is_counted_child = false;
  child_holds = 0;
  __atomic_store_n(&record, NULL, __ATOMIC_RELEASE);
}

void record_child_asks(bool is_lock) {
  if (child_holds > 0) record_note_child();
  if (is_lock) child_holds++;
}

void record_child_leaves(void) {
  if (child_holds > 0) child_holds--;
}

void record_note_child(void) {
  if (record_of_parent == NULL || __atomic_exchange_n(&is_counted_child, true, __ATOMIC_RELAXED)) return;
  __atomic_fetch_add(&record_of_parent->forked, 1, __ATOMIC_RELAXED);
}

bool record_uncount_child(void) {
  if (record_of_parent == NULL || !__atomic_exchange_n(&is_counted_child, false, __ATOMIC_RELAXED)) return false;
  __atomic_fetch_sub(&record_of_parent->forked, 1, __ATOMIC_RELAXED);
  return true;
}

static gwr_header described(bool is_asked_for) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (gwr_header){
      .version = GWR_VERSION, .pid = (uint32_t)getpid(), .main_tid = (uint32_t)getpid(), .is_asked_for = is_asked_for,
      .uses_dispatch = real_has_dispatch(), .is_traced = getenv(GWR_TRACE_VARIABLE) != NULL,
      .begun_at = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec};
}

__attribute__((constructor(101))) static void begin(void) {
  const char *name = getenv(GWR_SOCKET_VARIABLE), *parent = getenv(GWR_PARENT_VARIABLE);
  if (name == NULL || parent == NULL) return;
  bool is_asked_for = atoi(parent) == (int)getppid();
  gwr_header header = described(is_asked_for);
  int file = -1;
  gwr_header *mapped = make(&header, &file);
  bool is_recorded = mapped != NULL && record_begin();
  if (is_recorded) {
    *mapped = header;
    __atomic_store_n(&mapped->magic, GWR_MAGIC, __ATOMIC_RELEASE);
    is_recorded = send_file(name, file);
  }
  if (file >= 0) close(file);
  if (!is_recorded) return;
  // The program must end with gate, even if gate is killed. The thread that started this process lives as long as gate.
  if (is_asked_for) prctl(PR_SET_PDEATHSIG, SIGKILL);
  gwr_header *done = mapped;
  __atomic_store_n(&record, done, __ATOMIC_RELEASE);
  images_begin();
  gw_begin(record_edge, (gw_room){
      .threads = ROWS(gw_thread, threads), .thread_count = header.threads.room, .more = ROWS(gw_more, more),
      .more_count = header.more.room, .threads_used = &record->threads.count, .losses = &record->losses});
  pthread_atfork(NULL, NULL, forked);
  if (header.uses_dispatch) queues_begin();
}

__attribute__((destructor)) static void end(void) {
  if (record_is_on() && record->pid == (uint32_t)getpid()) images_copy();
}
