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
    spin locks that no call initialized in thread-local variables, on stacks, and in memory of an allocator that is \
    not the C library's: the address may be another lock later, and there is no room for a mark
    """,
    """
    signals of conditions that no call initialized in those places, from a thread that did not take the condition's \
    mutex for them: the address may be another condition by then
    """,
    """
    children of `fork` that start no other program: the record is their parent's. Those that take locks under locks \
    are counted
    """,
    """
    tools that build programs, if another program starts them: `swiftc`, and names that begin with `swift-`, `clang` \
    or `sourcekit`. If tests of a Swift package run, all programs but those that run them
    """,
    "a program beside others that has no room for its record: too few files, or too little memory",
    """
    plug-ins that are loaded with `RTLD_DEEPBIND`, and what `dlopen` brings for them: their calls pass by the \
    preloaded library
    """,
    """
    Python's locks: the interpreter tries each of them before it waits, and makes locks and signals of the same \
    semaphores
    """,
    """
    `NSConditionLock`, and any other state behind a condition: the mutex is released while the state is held, so no \
    thread seems to hold it
    """,
    """
    a wait for an operation by way of its dependencies: no thread waits for those, and Foundation starts the operation \
    when the last of them has ended
    """,
    """
    a lock that is had by a try: no thread waits for it then. `std::lock` and `std::scoped_lock` try all their locks \
    but one, and in another run they wait for another one
    """,
    """
    the last wait for a queue by an object that ends, if blocks that the object handed in do not keep it: they look \
    like those that do, after which nothing is left to wait for
    """,
    """
    a pool of the program's own threads that is too small for what its work waits for: nothing is held while the work \
    waits. The hang itself is seen
    """,
    """
    a condition that holds already, and a future that is ready already: no thread waits for them then
    """,
    """
    signals in both directions whose givers hold what the other side needs, if they are no answers of a queue: threads \
    that take turns look the same
    """,
    "process-shared and named semaphores: another program may give them",
    "semaphores with a first count above 1: it is unknown which signal ends which wait",
    "a semaphore of one that one block takes and another one gives: no thread holds it meanwhile",
    """
    the end of an object whose lock a free list uses again without initializing it: the next object seems to have the \
    same lock
    """,
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
