import GatehouseBase

/// An answer, and the messages to send with it.
struct Answer<Response: Sendable>: Sendable {
  /// The response, or a refusal that must not roll back the call's transaction.
  let result: Result<Response, AuthError>
  /// The message that the caller requested. The caller waits for its delivery, unless that would reveal whether an
  /// account exists.
  var message: OutgoingMessage?
  /// Whether the message is not sent. It was made only so that the answer takes as long.
  var isKeptBack = false
  /// A message that the caller did not request.
  var notice: OutgoingMessage?
  /// A text to a phone. The caller waits for its delivery.
  var text: OutgoingText?

  init(_ response: Response, sending message: OutgoingMessage? = nil, andTelling notice: OutgoingMessage? = nil) {
    result = .success(response)
    self.message = message
    self.notice = notice
  }

  init(refusing error: AuthError, andTelling notice: OutgoingMessage? = nil) {
    result = .failure(error)
    self.notice = notice
  }

  init(_ response: Response, texting text: OutgoingText) {
    result = .success(response)
    self.text = text
  }
}
