import GatehouseBase
import IdentityToolkit

/// A call that the embedded provider knows how to answer.
protocol LocalCall<Response>: Call {
  /// Answers it. Blocks: for background threads only.
  func answer(by provider: Provider) throws(AuthError) -> Response
}

/// A call that may send messages.
protocol DeliveringCall<Response>: Call {
  /// Answers it, and says what is to be sent. Blocks: for background threads only.
  func answer(by provider: Provider) throws(AuthError) -> Answer<Response>
}

/// An answer, and the messages that go with it.
struct Answer<Response: Sendable>: Sendable {
  let response: Response
  /// What the caller has asked for: it waits for the delivery, unless that would tell that an account exists.
  var message: OutgoingMessage?
  /// What the caller need not know of.
  var notice: OutgoingMessage?

  init(_ response: Response, sending message: OutgoingMessage? = nil, andTelling notice: OutgoingMessage? = nil) {
    self.response = response
    self.message = message
    self.notice = notice
  }
}
