#if RAW
  /// The reply is there before the lock is needed.
  extension Case {
    static let conditionBeforeLock = Case(
      "condition-before-lock", "A condition is awaited under a lock that its giver takes afterwards", is: .innocent,
      isRawOnly: true
    ) { run in
      let connection = Lock(0)
      @Sendable func request() {
        let reply = Reply()
        let isAwaited = Event()
        let reader = Thread {
          isAwaited.wait()
          reply.give()
          connection.withLock { $0 += 1 }
        }
        connection.withLock { _ in reply.wait(isAwaited) }
        reader.join()
      }
      run.together(request, request)
    }
  }
#endif
