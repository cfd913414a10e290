import GRDB
import GatehouseBase
import IdentityToolkit

/// A call that the embedded provider can answer.
protocol LocalCall<Response>: Call {
  /// Answers the call. Blocks: for background threads only.
  func answer(by provider: Provider) throws(AuthError) -> Response
}

/// A call that can be answered in two steps: a change, which shares its transaction with changes of other calls, and
/// the answer. No thread is blocked between them.
protocol GroupedCall<Response>: LocalCall {
  /// The outcome of the change.
  associatedtype Change: Sendable

  /// Makes the change. A refusal whose changes must be committed is returned; any other refusal is thrown. For
  /// background threads only.
  func change(by provider: Provider, in db: Database) throws -> Result<Change, AuthError>

  /// Answers the call after the change is on the disk. For background threads only.
  func answer(by provider: Provider, _ change: Change) throws(AuthError) -> Response
}

/// A call that may hash a password, which takes as much CPU time as a hundred other calls.
protocol HashingCall: Call {
  /// Whether this call has a password to hash.
  var hashes: Bool { get }
}

extension HashingCall {
  var hashes: Bool { true }
}

extension SignUp: HashingCall {
  var hashes: Bool { password != nil }
}
extension SignInWithPassword: HashingCall {}
extension Update: HashingCall {
  var hashes: Bool { password != nil }
}
extension ResetPassword: HashingCall {}

/// A call that changes nothing.
protocol ReadingCall: Call {}

extension Lookup: ReadingCall {}
extension ListSessions: ReadingCall {}
extension GetPasswordPolicy: ReadingCall {}

/// A call that may send messages.
protocol DeliveringCall<Response>: Call {
  /// Returns the answer, with the messages to send. Blocks: for background threads only.
  func answer(by provider: Provider) throws(AuthError) -> Answer<Response>
}

/// A call that presents a credential of an identity provider, which must be verified first.
protocol IdentifyingCall<Response>: Call {
  /// Returns the credential; `nil` if it cannot be read.
  ///
  /// - Parameter isUnverified: whether the provider accepts credentials without verification, as an emulator does.
  func credential(unverified isUnverified: Bool) -> IdentityCredential?
  /// The token that represents a credential which a server keeps.
  var pendingToken: Secret? { get }

  /// Answers the call for the verified identity. Blocks: for background threads only.
  func answer(by provider: Provider, _ identity: VerifiedIdentity) throws(AuthError) -> Response
}

/// An answer, and the messages to send with it.
struct Answer<Response: Sendable>: Sendable {
  let response: Response
  /// The message that the caller requested. The caller waits for its delivery, unless that would reveal whether an
  /// account exists.
  var message: OutgoingMessage?
  /// A message that the caller did not request.
  var notice: OutgoingMessage?
  /// A text to a phone. The caller waits for its delivery.
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
