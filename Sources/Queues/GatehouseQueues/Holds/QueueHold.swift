import CGatehouseWaits

/// An operation's hold on a serial task queue: in force until the operation has ended.
package final class QueueHold: Sendable {
  /// The holds of the current operation, and of the operations that wait for it.
  @TaskLocal package static var current: [QueueHold] = []

  let queue: any HeldQueue
  private let inForce = Lock(true)

  init(_ queue: any HeldQueue) { self.queue = queue }

  var isInForce: Bool { inForce.withLock { $0 } }
  func end() { inForce.withLock { $0 = false } }

  /// Runs a part of an operation that continues in a task off the work queue.
  static func with<Value>(_ holds: [QueueHold], _ body: () async -> Value) async -> Value {
    if holds.isEmpty { return await body() }
    return await $current.withValue(holds) { await body() }
  }
}

/// A queue whose turns operations hold.
protocol HeldQueue: AnyObject, Sendable {
  /// The current operation's identity for the wait monitor.
  var thing: gw_thing { get }
}
