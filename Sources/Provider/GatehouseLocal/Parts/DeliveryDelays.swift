import GatehouseBase
import GatehouseQueues

/// The random times that messages wait before they are delivered.
///
/// They are bounded in number. Above the bound a message does not wait, and neither does one that is kept back.
@WorkQueue
final class DeliveryDelays {
  /// The maximum number of messages that wait.
  static let maximum = 1000

  private var ends: [Int: Promise<Void, QueueFailure<AuthError>>] = [:]
  private var number = 0
  private var isClosed = false

  nonisolated init() {}

  /// The number of messages that wait.
  var count: Int { ends.count }

  /// Waits for a random time, or until the delays are ended.
  func delay(by environment: ProviderEnvironment) async {
    guard !isClosed, ends.count < Self.maximum else { return }
    let end = Promise<Void, QueueFailure<AuthError>>()
    number += 1
    let own = number
    ends[own] = end
    let seconds = environment.options.maximumDeliveryDelay.inSeconds * environment.options.random.unit()
    let alarm = environment.time.after(seconds) { end.resolve(.success(())) }
    _ = await end.result()
    alarm.cancel()
    ends[own] = nil
  }

  /// Ends the delays in progress.
  func end() {
    for end in ends.values { end.resolve(.success(())) }
  }

  /// Ends the delays in progress, and has no later ones.
  func close() {
    isClosed = true
    end()
  }
}
