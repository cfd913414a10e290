import CGatehouseWaits
import Dispatch

/// A queue for slow work, on a bounded number of threads: values in, values out.
///
/// Work of one party begins in the order in which it was submitted, and parties take turns; at most `width` pieces run
/// at once. Strangers' work waits in a line of its own (`runAsStranger`), and leaves one thread to all other work if
/// there are several. Usable from any thread.
public final class BackgroundQueue: Sendable {
  /// A piece of work that waits, and what is done instead if it has no room; `nil` if it always has room.
  private struct Piece: Sendable {
    let work: @Sendable () -> Void
    var refuse: (@Sendable () -> Void)?
    var isStranger = false
  }

  private struct State: Sendable {
    var running = 0
    /// The number of running pieces that are strangers'.
    var strangers = 0
    var waiting: GuardedLine<String, Piece>

    mutating func begin(_ piece: Piece) {
      running += 1
      if piece.isStranger { strangers += 1 }
    }

    mutating func end(_ piece: Piece) {
      running -= 1
      if piece.isStranger { strangers -= 1 }
    }
  }

  private let queue: DispatchQueue
  /// The queue's own threads; `nil` for Dispatch's.
  private let threads: WorkerPool?
  private let width: Int
  /// The maximum number of strangers' pieces that run at once.
  private let strangersWidth: Int
  private let state: Lock<State>
  /// The background queue that a thread of Dispatch works for.
  private static let current = DispatchSpecificKey<ObjectIdentifier>()

  /// Makes the queue.
  ///
  /// - Parameters:
  ///   - label: the queue's name in debuggers.
  ///   - width: the maximum number of pieces of work that run at once; at least 1.
  public convenience init(label: String, width: Int) { self.init(label: label, width: width, isCourteous: false) }

  /// - Parameters:
  ///   - label: the queue's name in debuggers.
  ///   - width: the maximum number of pieces of work that run at once; at least 1.
  ///   - isCourteous: whether the queue has threads of its own with a low priority; for work that keeps a processor
  ///     busy and can wait.
  ///   - mostStrangers: the maximum number of strangers' pieces of work that wait.
  ///   - mostOfKnown: the maximum number of pieces of one known party that wait (`runAsKnown`).
  package init(
    label: String, width: Int, isCourteous: Bool, mostStrangers: Int = .max, mostOfKnown: Int = .max
  ) {
    self.width = max(width, 1)
    strangersWidth = max(width - 1, 1)
    state = Lock(State(waiting: GuardedLine(mostStrangers: mostStrangers, mostOfKnown: mostOfKnown)))
    queue = DispatchQueue(label: label, attributes: .concurrent)
    threads = isCourteous ? WorkerPool(name: label, width: self.width, isCourteous: true) : nil
    queue.setSpecific(key: Self.current, value: ObjectIdentifier(self))
  }

  /// Runs work on a background thread, in its turn, waits for it without blocking a thread, and returns its result.
  ///
  /// Throws what the work throws. Does not end early when the task is cancelled.
  public func run<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try await run(for: "", work)
  }

  /// - Parameter party: who wants the work. The parties that wait take turns, so that the queue is shared fairly,
  ///   however much one of them wants.
  package func run<Value: Sendable, Failure: Error>(
    for party: String, _ work: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await untilResumed { continuation in
      async(for: party) {
        do throws(Failure) {
          continuation.resume(returning: .success(try work()))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try result.get()
  }

  /// Does work as `run` does, for a party of which nothing is known. It takes turns with that of all other parties.
  ///
  /// - Returns: `nil`, at once or while the work waits, if there is no room for it.
  package func runAsStranger<Value: Sendable, Failure: Error>(
    for party: String, _ work: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value? { try await runIfRoom(for: party, isStranger: true, work) }

  /// Does work as `run` does, for a party that may have a limited number of pieces waiting.
  ///
  /// - Returns: `nil`, at once, if there is no room for it.
  package func runAsKnown<Value: Sendable, Failure: Error>(
    for party: String, _ work: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value? { try await runIfRoom(for: party, isStranger: false, work) }

  private func runIfRoom<Value: Sendable, Failure: Error>(
    for party: String, isStranger: Bool, _ work: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value? {
    let result: Result<Value?, Failure> = await untilResumed { continuation in
      asyncIfRoom(for: party, isStranger: isStranger) {
        do throws(Failure) {
          continuation.resume(returning: .success(try work()))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      } orRefuse: {
        continuation.resume(returning: .success(nil))
      }
    }
    return try result.get()
  }

  /// The number of pieces of work that wait: those of known parties, and those of strangers.
  package var waiting: (known: Int, strangers: Int) { state.withLock { $0.waiting.counts } }

  /// As `run`, but a task that already runs on one of the queue's threads, through its `executor`, does the work at
  /// once.
  package func runInPlace<Value: Sendable, Failure: Error>(
    for party: @autoclosure () -> String = "", _ work: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    if DispatchQueue.getSpecific(key: Self.current) == ObjectIdentifier(self) { return try work() }
    return try await run(for: party(), work)
  }

  /// Runs work on a background thread, in its turn, and returns its result. Blocks the caller's thread, so call it only
  /// from threads of another background queue.
  package func sync<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let outcome = Lock<Result<Value, Failure>?>(nil)
    let ended = WatchedSemaphore(value: 0)
    async {
      let result = Result { () throws(Failure) in try work() }
      outcome.withLock { $0 = result }
      ended.signal()
    }
    ended.wait()
    guard let result = outcome.withLock({ $0 }) else { preconditionFailure("signaled only after the outcome is there") }
    return try result.get()
  }

  /// Runs work on a background thread, in its turn. Does not wait for it.
  public func async(_ work: @escaping @Sendable () -> Void) { async(for: "", work) }

  private func async(for party: String, _ work: @escaping @Sendable () -> Void) {
    guard gw_is_on() else { return begin(for: party, work) }
    let carried = CarriedWork.current
    begin(for: party) { WaitMonitor.carrying(carried, work) }
  }

  func begin(for party: String = "", _ work: @escaping @Sendable () -> Void) {
    let piece = Piece(work: work)
    let begins = state.withLock { state in
      guard state.running < width else {
        state.waiting.append(piece, for: party)
        return false
      }
      state.begin(piece)
      return true
    }
    if begins { start(piece) }
  }

  private func asyncIfRoom(
    for party: String, isStranger: Bool, _ work: @escaping @Sendable () -> Void,
    orRefuse refuse: @escaping @Sendable () -> Void
  ) {
    var work = work
    if gw_is_on() {
      let carried = CarriedWork.current
      work = { [work] in WaitMonitor.carrying(carried, work) }
    }
    let piece = Piece(work: work, refuse: refuse, isStranger: isStranger)
    let (begins, refused) = state.withLock { state -> (Bool, Piece?) in
      guard state.running < width, !isStranger || state.strangers < strangersWidth else {
        if isStranger { return (false, state.waiting.append(piece, forStranger: party)) }
        guard state.waiting.hasRoom(for: party) else { return (false, piece) }
        state.waiting.append(piece, for: party)
        return (false, nil)
      }
      state.begin(piece)
      return (true, nil)
    }
    if begins { start(piece) }
    refused?.refuse?()
  }

  private func start(_ piece: Piece) {
    if let threads { return threads.async("work") { self.runAndGoOn(piece) } }
    queue.async(concurrentStep: "work") { self.runAndGoOn(piece) }
  }

  /// Runs work, and then waiting work on the same thread, because submitting a block to a thread costs more than a
  /// short piece of work. After `portion`, it gives the thread back, so that other work of the process has its turn.
  private func runAndGoOn(_ first: Piece) {
    var piece = first
    // Under a schedule, each piece of work is one step: the schedule decides which step is next.
    let end = Schedule.current == nil ? DispatchTime.now().uptimeNanoseconds + Self.portion : 0
    repeat {
      piece.work()
      let next: Piece? = state.withLock { [piece] state in
        state.end(piece)
        // A stranger's piece that waits while others' run is begun by the thread of one of them.
        let next = state.waiting.popFirst(withStrangers: state.strangers < strangersWidth)
        if let next { state.begin(next) }
        return next
      }
      guard let next else { return }
      piece = next
    } while DispatchTime.now().uptimeNanoseconds < end
    start(piece)
  }

  /// The time for which a thread takes further work, in nanoseconds.
  private static let portion: UInt64 = 500_000
}
