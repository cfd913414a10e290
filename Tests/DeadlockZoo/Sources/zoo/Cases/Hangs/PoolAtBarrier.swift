/// AzureAD/microsoft-authentication-library-common-for-objc#911: every thread that dispatch makes waits to read,
/// behind a write that was handed in asynchronously, and finds no thread to run on.
extension Case {
  static let poolAtBarrier = Case(
    "pool-at-barrier", "All threads wait behind an asynchronous barrier that needs one of them",
    after: "AzureAD/microsoft-authentication-library-common-for-objc#911", is: .hang
  ) { run in
    let cache = ConcurrentQueue(label: "cache")
    let callers = ConcurrentQueue(label: "callers")
    let calls = run.hangs ? Machine.moreThanAllThreads : 1
    let done = Semaphore(value: 0)
    for _ in 0..<calls {
      callers.async {
        cache.asyncBarrier {}
        cache.sync {}
        done.signal()
      }
    }
    for _ in 0..<calls { done.wait() }
  }
}
