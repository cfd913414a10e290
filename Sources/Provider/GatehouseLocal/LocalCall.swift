import GatehouseBase
import IdentityToolkit

/// A call that the embedded provider knows how to answer.
protocol LocalCall<Response>: Call {
  /// Answers it. Blocks: for background threads only.
  func answer(by provider: Provider) throws(AuthError) -> Response
}

/// A call that may hash a password, which takes a processor for as long as a hundred other calls.
protocol HashingCall: Call {}

extension SignUp: HashingCall {}
extension SignInWithPassword: HashingCall {}
extension Update: HashingCall {}
extension ResetPassword: HashingCall {}

/// A call that changes nothing.
protocol ReadingCall: Call {}

extension Lookup: ReadingCall {}
extension ListSessions: ReadingCall {}
extension GetPasswordPolicy: ReadingCall {}

/// A call that may send messages.
protocol DeliveringCall<Response>: Call {
  /// Answers it, and says what is to be sent. Blocks: for background threads only.
  func answer(by provider: Provider) throws(AuthError) -> Answer<Response>
}

/// A call that presents a credential of an identity provider, which must be asked before.
protocol IdentifyingCall<Response>: Call {
  /// The credential; `nil` where it cannot be read.
  var credential: IdentityCredential? { get }
  /// Stands for a credential that a server keeps.
  var pendingToken: Secret? { get }

  /// Answers it, for who has presented the credential. Blocks: for background threads only.
  func answer(by provider: Provider, _ identity: VerifiedIdentity) throws(AuthError) -> Response
}

/// An answer, and the messages that go with it.
struct Answer<Response: Sendable>: Sendable {
  let response: Response
  /// What the caller has asked for: it waits for the delivery, unless that would tell that an account exists.
  var message: OutgoingMessage?
  /// What the caller need not know of.
  var notice: OutgoingMessage?
  /// What goes to a phone: its caller waits for it.
  var text: OutgoingText?

  init(_ response: Response, sending message: OutgoingMessage? = nil, andTelling notice: OutgoingMessage? = nil) {
    self.response = response
    self.message = message
    self.notice = notice
  }

  init(_ response: Response, texting text: OutgoingText) {
    self.response = response
    self.text = text
  }
}
