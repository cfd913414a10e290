import Gatehouse
import GatehouseBase
import GatehouseLocal
import GatehouseQueues
import IdentityToolkit
import Testing

/// Keeps the texts that a provider sends to phones.
final class Pager: TextDelivery {
  private let kept = Lock<[OutgoingText]>([])

  var texts: [OutgoingText] { kept.withLock { $0 } }
  /// The code of the latest text.
  var code: Secret { texts.last?.code ?? Secret("there is no text") }

  func deliver(_ text: OutgoingText) async throws(AuthError) { kept.withLock { $0.append(text) } }
}

/// A provider that sends codes to phones.
struct PhoneScene: Sendable {
  static let number = "+12025550123"

  let scene: Scene
  let pager: Pager

  init(_ adjust: (inout LocalOptions) -> Void = { _ in }) {
    let pager = Pager()
    self.pager = pager
    scene = Scene {
      $0.textDelivery = pager
      adjust(&$0)
    }
  }

  /// Has a code sent.
  ///
  /// - Returns: what names the message.
  func send(_ number: String = Self.number) async throws -> Secret {
    try await scene.backend.answer(SendVerificationCode(phoneNumber: number)).sessionInfo
  }

  @discardableResult
  func signIn(
    _ proof: PhoneProof, _ operation: SignInWithPhoneNumber.Operation = .signUpOrIn, of idToken: Secret? = nil
  ) async throws -> SignInWithPhoneNumber.Response {
    try await scene.backend.answer(SignInWithPhoneNumber(proof, operation, of: idToken))
  }

  /// Has a code sent, and signs in with it.
  @discardableResult
  func signIn(_ number: String = Self.number) async throws -> SignInWithPhoneNumber.Response {
    let session = try await send(number)
    return try await signIn(.code(pager.code, sessionInfo: session))
  }

  /// A code of six digits that is not this one.
  static func wrong(_ code: Secret) -> Secret { Secret(code.revealed == "000000" ? "000001" : "000000") }
}
