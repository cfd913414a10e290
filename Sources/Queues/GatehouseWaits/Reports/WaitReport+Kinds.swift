extension WaitReport.Kind {
  /// The explanation of a kind of report, for `gate queuecheck --explain`, for rules in SARIF, and for the guide.
  package struct Explanation: Sendable {
    /// One sentence.
    package let meaning: String
    /// A few lines of Swift that cause this report.
    package let example: String
    /// One sentence or more.
    package let fix: String
  }

  /// The kind's name in SARIF and for `--explain`, such as `potential-deadlock`.
  package var identifier: String { rawValue.replacing(" ", with: "-") }

  /// The kind with this name, written with blanks or hyphens, in upper or lower case; nil if there is none.
  package init?(named name: String) {
    let wanted = name.lowercased().replacing("-", with: " ")
    guard let kind = Self.allCases.first(where: { $0.rawValue == wanted }) else { return nil }
    self = kind
  }

  package var explanation: Explanation {
    switch self {
    case .potentialDeadlock:
      Explanation(
        meaning: "Observed waits form a cycle. This run did not hang, but if the waits happen at once, none ends.",
        example: """
          accounts.sync { journal.sync { record() } }
          journal.sync { accounts.sync { audit() } }  // the other way round
          """,
        fix: """
          Wait in one direction. Decide which of the two resources comes first. In the other direction submit the work \
          with `async`, or release the one resource before you wait for the other. Take resources of one class in a \
          fixed order.
          """)
    case .waitForItself:
      Explanation(
        meaning: "A thread waits for a resource that it holds. On a plain dispatch queue the process crashes here.",
        example: """
          func theme() -> String { queue.sync { "dark" } }
          func summary() -> String { queue.sync { "The theme is \\(theme())." } }
          """,
        fix: """
          Split the function: an outer one that waits, for other callers, and an inner one that does not wait, for \
          code that already holds the resource.
          """)
    case .blockedPoolThread:
      Explanation(
        meaning: "A task blocks one of the few threads of Swift's pool. The pool has one thread for each processor.",
        example: """
          Task.detached { done.wait() }  // a semaphore
          """,
        fix: "Await instead: use a continuation, an async sequence, or a task's value.")
    case .stall:
      Explanation(
        meaning: "Threads wait, and none has made progress for a while. If they wait for each other, none ever will.",
        example: """
          one.lock(); other.lock()  // on one thread
          other.lock(); one.lock()  // at the same time, on another one
          """,
        fix: """
          The report shows the threads, what each holds and where it waits. Fix it like a potential deadlock.
          """)
    case .undrainedQueue:
      Explanation(
        meaning: "Work waits for a queue, usually main, that no thread drains.",
        example: """
          DispatchQueue.main.async { done.signal() }
          done.wait()  // on the main thread
          """,
        fix: """
          Run `dispatchMain()` or a run loop on the main thread, or use an `async` main function; deliver callbacks to \
          another queue; or use the `async` calls.
          """)
    case .poolExhausted:
      Explanation(
        meaning: "Blocks wait for a thread, and all threads of the pool are blocked.",
        example: """
          for request in requests { DispatchQueue.global().async { answer(request).wait() } }
          """,
        fix: """
          Do not wait in blocks on concurrent queues. Limit how many run at once, or continue in a completion handler.
          """)
    case .slowBlock:
      Explanation(
        meaning: "A block took too long on the SDK's work queue.",
        example: """
          workQueue.async { hash(password) }
          """,
        fix: "Do slow work in the background, on values, and return to the queue with the result.")
    }
  }
}

extension WaitReport.Kind.Explanation {
  /// The explanation as text of several lines, with the name of its kind.
  package func text(for kind: WaitReport.Kind) -> String {
    let example = example.split(separator: "\n", omittingEmptySubsequences: false).map { "    \($0)" }
    return """
      \(kind.rawValue)

      \(meaning)

      For example:
      \(example.joined(separator: "\n"))

      What to do: \(fix)
      Guide: \(WaitReport.guide)
      """
  }
}
