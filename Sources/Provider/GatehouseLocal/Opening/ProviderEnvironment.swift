import GatehouseQueues

/// What the app configured a provider with. Some of it is the app's code: the delivery, the clocks, the log's handler.
///
/// Every part of the provider and every call under way holds this one object, never a part of the options alone. It
/// releases the options on the callback queue when the last of them has gone, wherever that is.
final class ProviderEnvironment: Sendable {
  /// Time, by the app's clocks.
  let time: Timekeeper
  /// What stands in for some of the options.
  let configuration = Lock(ProjectConfiguration())
  private let callbacks: CallbackQueue
  /// Emptied in the `deinit`.
  private let held: TakeOnce<LocalOptions>

  init(_ options: LocalOptions, callbacks: CallbackQueue) {
    let held = TakeOnce(options)
    self.held = held
    self.callbacks = callbacks
    time = Timekeeper { held.current?.clocks }
  }

  deinit { callbacks.release(held) }

  /// The options as they are in force, while this object lives.
  var options: LocalOptions {
    guard let options = held.current else { preconditionFailure("emptied only in the deinit") }
    return configuration.withLock { $0 }.applied(to: options)
  }
}
