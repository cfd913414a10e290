import Gatehouse
import GatehouseSystem

/// The promises in their order, each tried on the stage where the one before left it.
struct Tour {
  let stage: Stage

  private static let stops: [TourStop] = [
    .signUp, .oneRefresh, .verification, .forgeries, .callbacksOnMain, .profileChanges, .callInPlace, .signOutWins,
    .passwordReset, .secondFactor,
  ]
  /// In seconds; a stop that takes longer hangs.
  private static let patience = 60

  /// Shows every promise, and removes what the stage left on the disk.
  ///
  /// - Returns: how many promises failed.
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

  /// Tries one promise. A promise that hangs ends the program, because nothing can stop it.
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

/// One promise, and how it is put to the test.
struct TourStop: Sendable {
  let promise: String
  let show: @Sendable (Stage, inout Evidence) async throws -> Void

  init(_ promise: String, show: @escaping @Sendable (Stage, inout Evidence) async throws -> Void) {
    self.promise = promise
    self.show = show
  }
}
