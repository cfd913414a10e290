import CGatehouseWaits

extension WaitMonitor {
  /// Runs a block that calls an isolated closure on its actor. It suspends nowhere before its end.
  ///
  /// No test is carried here: the test's mark belongs to a thread, and must not stay there if the block suspends.
  ///
  /// - Parameter queue: the queue that the block holds while it runs.
  @MainActor
  static func holding(_ queue: SerialQueue, _ block: () async -> Void) async {
    guard gw_is_on() else { return await block() }
    queue.enter()
    // The closure is the main actor's: it never runs elsewhere.
    gw_declare_main()
    await block()
    queue.leave()
  }
}
