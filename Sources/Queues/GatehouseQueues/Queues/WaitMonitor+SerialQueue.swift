import CGatehouseWaits

extension WaitMonitor {
  /// Runs a block that calls an isolated closure on its actor. Adds no suspension point of its own.
  ///
  /// No test is set here: a test is set for a thread, and must not stay set there if the block suspends.
  ///
  /// - Parameter queue: the queue that the block holds while it runs.
  @MainActor
  static func holding(_ queue: SerialQueue, _ block: (isolated (any Actor)?) async -> Void) async {
    guard gw_is_on() else { return await block(MainActor.shared) }
    queue.enter()
    // The closure is isolated to the main actor, so it never runs elsewhere.
    gw_declare_main()
    await block(MainActor.shared)
    queue.leave()
  }
}
