/// A command-line program has no run loop: work for the main queue waits until a thread drains it.
extension Case {
  static let undrainedCallback = Case(
    "undrained-callback", "A callback is handed to main, which nobody drains", is: .hang, leavesMainUndrained: true
  ) { _ in
    let caller = Thread {
      let done = Semaphore(value: 0)
      SerialQueue.main.async { done.signal() }
      done.wait()
    }
    caller.join()
  }
}
