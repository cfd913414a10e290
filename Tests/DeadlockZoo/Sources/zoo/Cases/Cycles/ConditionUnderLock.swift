#if RAW
  /// A request waits on a condition for its reply, under the lock of the connection. The reader of replies takes that
  /// lock before it passes a reply on.
  extension Case {
    static let conditionUnderLock = Case(
      "condition-under-lock", "A condition is awaited under a lock that its giver takes first", is: .cycle,
      isRawOnly: true
    ) { run in
      let connection = Lock(0)
      let reply = Reply()
      run.orders({
        let isHeld = Event(times: run.hangs ? 1 : 0)
        let isRead = Event(times: run.hangs ? 0 : 1)
        let isAwaited = Event()
        let reader = Thread {
          isHeld.wait()
          connection.withLock { $0 += 1 }
          isRead.happen()
          isAwaited.wait()
          reply.give()
        }
        isRead.wait()
        connection.withLock { _ in
          isHeld.happen()
          reply.wait(isAwaited)
        }
        reader.join()
      })
    }
  }
#endif
