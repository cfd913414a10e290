import GatehouseBase
import GatehouseLocal
import GatehouseQueues
import IdentityToolkit

/// Keeps the messages that a provider sends.
final class Outbox: MessageDelivery {
  private struct State: Sendable {
    var messages: [OutgoingMessage] = []
    var failure: AuthError?
    var isHolding = false
    var held: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Lock(State())

  var messages: [OutgoingMessage] { state.withLock { $0.messages } }

  /// The code of the latest message that was asked for.
  var code: Secret {
    messages.last { ![.recoverEmail, .revertSecondFactorAddition].contains($0.type) }?.code
      ?? Secret("there is no message")
  }

  /// Refuses every message from now on.
  func fail(with error: AuthError) { state.withLock { $0.failure = error } }

  /// Keeps deliveries waiting until `release`.
  func hold() { state.withLock { $0.isHolding = true } }

  func release() {
    let held = state.withLock { state in
      defer { state.held = [] }
      state.isHolding = false
      return state.held
    }
    for delivery in held { delivery.resume() }
  }

  func deliver(_ message: OutgoingMessage) async throws(AuthError) {
    await withCheckedContinuation { delivery in
      let goesOn = state.withLock { state in
        if state.isHolding { state.held.append(delivery) }
        return !state.isHolding
      }
      if goesOn { delivery.resume() }
    }
    try state.withLock { state throws(AuthError) in
      if let failure = state.failure { throw failure }
      state.messages.append(message)
    }
  }
}

extension Scene {
  /// The latest message of a type, which may be delivered after its call: closing the provider waits for it, another
  /// call does not.
  func message(_ type: ActionCodeType, in outbox: Outbox) async throws -> OutgoingMessage {
    while true {
      if let message = outbox.messages.last(where: { $0.type == type }) { return message }
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  /// A scene whose provider sends messages.
  static func sending(_ adjust: (inout LocalOptions) -> Void = { _ in }) -> (scene: Scene, outbox: Outbox) {
    let outbox = Outbox()
    let scene = Scene {
      $0.delivery = outbox
      adjust(&$0)
    }
    return (scene, outbox)
  }
}
