/// What `gate queuecheck` does not see, each with the reason. The guide has the same lines.
enum Unseen {
  static let all = [
    """
    actors: Swift's runtime tells neither which task runs on one nor which one waits; a task that blocks its \
    thread is seen
    """,
    """
    locks that ask the kernel directly: `Synchronization.Mutex`, Rust's and Go's locks, `std::latch`, \
    `std::barrier`, `std::counting_semaphore`, `std::atomic::wait`
    """,
    "the C library's own locks: standard streams, the loader, fork, the allocator",
    "static variables of C++ functions, and `dispatch_once` in C: the compiler reads their flags itself",
    "lazy globals inside the Swift runtime: it calls its own `swift_once`",
    "calls that are bound inside an image: static linking, `-Bsymbolic`, protected symbols",
    """
    locks that no call initialized in thread-local variables, on stacks without frame pointers, and in memory of \
    an allocator that is not the C library's: the address may be another lock later
    """,
    """
    locks on a thread's stack that no call initialized, if another thread uses them first and that call has made no \
    thread: it is unknown which call has them
    """,
    "children of `fork` that start no other program: the record is their parent's",
    "process-shared and named semaphores: another program may give them",
    "semaphores with a first count above 1: it is unknown which signal ends which wait",
    "signals that different threads or queues give, and `pthread_barrier_wait`: any of them may end the wait",
    "waits with a limit: they end by themselves",
    """
    threads that were not made by `pthread_create` or `thrd_create`, and all threads under the thread \
    sanitizer: their ends are not known
    """,
    """
    the width of an operation queue with an `underlyingQueue`, or under `-static-stdlib`: its operations are not \
    known to exclude each other
    """,
    "asynchronous operations that other code ends: what they run is not known",
    "a wait for an operation queue that is empty at that moment: Foundation waits for nothing then",
    """
    hangs beside a handler for signals, or beside a timer that repeats on a queue that no waiting thread holds, \
    unless threads wait for each other: the next signal or tick may end the wait
    """,
    "waits for a file, a pipe, a socket, a signal, a timer or a child process: something outside may end them",
  ]
}
