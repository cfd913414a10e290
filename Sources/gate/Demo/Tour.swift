import Gatehouse
import GatehouseSystem

/// Tests the promises in order. Each test begins in the state that the one before it has left.
struct Tour {
  let stage: Stage

  private static let stops: [TourStop] = [
    .signUp, .oneRefresh, .verification, .forgeries, .callbacksOnMain, .profileChanges, .callInPlace, .signOutWins,
    .passwordReset, .secondFactor,
  ]
  /// The maximum duration of one test, in seconds. One that takes longer counts as hanging.
  private static let patience = 60

  /// Tests and reports every promise, and then removes what the tests have left on the disk.
  ///
  /// - Returns: the number of promises that failed.
  func run() async throws(AuthError) -> Int {
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
    let columns = InheritedDescriptor.output.lineLength
    var failed = 0
    for stop in Self.stops {
      let evidence = await evidence(for: stop)
      try StandardOutput.write(line: evidence.report(of: stop.promise, columns: columns))
      if !evidence.holds { failed += 1 }
    }
    try? await stage.auth.close()
    let count = Self.stops.count
    let time = (ContinuousClock.now - begin).short
    try StandardOutput.write(line: "\n\(count - failed) of \(count) promises held, in \(time)")
    return failed
  }

  /// Tests one promise. If the test hangs, the program ends, because nothing can stop the test.
  private func evidence(for stop: TourStop) async -> Evidence {
    let watchdog = Task { [stage] in
      try await Task.sleep(for: .seconds(Self.patience))
      StandardError.say("✗ \(stop.promise)\n    expected an end within \(Self.patience) s, and saw none")
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

/// One promise, and the test of it.
struct TourStop: Sendable {
  let promise: String
  let show: @Sendable (Stage, inout Evidence) async throws -> Void

  init(_ promise: String, show: @escaping @Sendable (Stage, inout Evidence) async throws -> Void) {
    self.promise = promise
    self.show = show
  }
}
