import Gatehouse
import GatehouseSystem

/// Tests the promises in order. Each test begins in the state that the one before it has left.
package struct Tour {
  private let stage: Stage
  private let columns: Int
  private let stops: [TourStop]
  private let limit: Duration
  private let write: (String) throws -> Void

  /// Every promise.
  package static let stops: [TourStop] = [
    .signUp, .oneRefresh, .verification, .forgeries, .callbacksOnMain, .profileChanges, .callInPlace, .signOutWins,
    .passwordReset, .secondFactor,
  ]

  /// - Parameters:
  ///   - stage: where the promises are tested. The tour removes it.
  ///   - columns: the number of characters in a line; at most 80 are used.
  ///   - limit: how long one test may take until it counts as hanging. It is long, because a busy machine is no reason
  ///     for a promise to fail.
  ///   - write: prints a line.
  package init(
    on stage: Stage, columns: Int, stops: [TourStop] = Self.stops, limit: Duration = .seconds(600),
    write: @escaping (String) throws -> Void
  ) {
    self.stage = stage
    self.columns = min(columns, 80)
    self.stops = stops
    self.limit = limit
    self.write = write
  }

  /// Tests and reports every promise, and then removes what the tests have left on the disk.
  ///
  /// Throws only what `write` throws.
  ///
  /// - Returns: the number of promises that failed.
  package func run() async throws -> Int {
    let ending: [Signal] = [.interrupt, .terminate, .hangUp]
    let signals = SignalWatch(ending.filter { !$0.isIgnored }) { [stage] signal in
      stage.remove()
      CurrentProcess.obey(signal)
    }
    defer {
      signals.cancel()
      stage.remove()
    }
    let begin = ContinuousClock.now
    var failed = 0
    for stop in stops {
      let evidence = await evidence(for: stop)
      try write(evidence.report(of: stop.promise, columns: columns))
      if !evidence.holds { failed += 1 }
    }
    await stage.close()
    let count = stops.count
    let time = (ContinuousClock.now - begin).short
    try write("\n\(count - failed) of \(count) promises held, in \(time)")
    return failed
  }

  /// Tests one promise. If the test hangs, the program ends and says what it waited for: nothing can stop the test.
  private func evidence(for stop: TourStop) async -> Evidence {
    let watchdog = Task { [stage, limit] in
      // This clock does not count the time for which the machine is suspended.
      try await Task.sleep(for: limit, clock: .suspending)
      let awaited = stage.isAwaiting ?? "an answer of the SDK"
      let report = "✗ \(stop.promise)\n    waited \(limit.short) for \(awaited)\n"
      try? InheritedDescriptor.error.write(Array(report.utf8))
      stage.remove()
      CurrentProcess.exit(1)
    }
    defer { watchdog.cancel() }
    var evidence = Evidence()
    do {
      try await stop.show(stage, &evidence)
    } catch {
      evidence.expect("an error", "\(error)", is: "none")
    }
    return evidence
  }
}
