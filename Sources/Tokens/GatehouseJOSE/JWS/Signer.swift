public import Dispatch
public import Foundation
public import GatehouseBase
import GatehouseCrypto
import GatehouseQueues

/// Makes signatures with an external key: in a hardware module, or at a cloud service.
///
/// `TokenSigner` is also one, with its key in this process.
public protocol Signer: Sendable {
  /// The algorithm of the signatures, for the header's `alg`.
  var algorithm: JWSAlgorithm { get }
  /// The key ID, for the header's `kid`.
  var keyID: String? { get }
  /// Members of each header besides `alg`, `kid` and `typ`, such as `x5c`; none by default.
  var headerMembers: JSONObject { get }

  /// Signs a message. The signature is in JOSE's form: for ECDSA r and s, not DER (see
  /// `ECDSAEncoding.raw(fromDER:on:)`).
  ///
  /// Called off the work queue, on any thread.
  func signature(of message: [UInt8]) async throws(AuthError) -> [UInt8]
}

extension Signer {
  /// None.
  public var headerMembers: JSONObject { [:] }
}

extension Signer {
  /// Signs a token with these claims, and `type` as its `typ`.
  ///
  /// Throws the errors of the signer, `invalidArgument` if its `headerMembers` contain one that this method writes, and
  /// `cryptoFailed` for a signature of a length that the algorithm cannot have. For claims of a type of the caller see
  /// `JSONObject.init(claims:limits:)`.
  @concurrent
  public func token(_ claims: JSONObject, type: String? = "JWT") async throws -> String {
    let members = headerMembers
    try members.refuseNames(SignatureHeader.namesOfEachHeader)
    let header = JSONObject.signed(algorithm, keyID, type: type, members)
    var token = Base64URL.encodedBytes(header.serialized()) + [UInt8(ascii: ".")]
    Base64URL.append(claims.serialized().span, to: &token)
    let signature = try await signature(of: token)
    guard algorithm.mayHaveSignature(of: signature.count) else {
      throw AuthError(
        .cryptoFailed,
        "the signer returned \(signature.count) bytes, which is not a signature of \(algorithm.rawValue); "
          + "for ECDSA return r and s, not DER")
    }
    token.append(UInt8(ascii: "."))
    Base64URL.append(signature.span, to: &token)
    return String(decoding: token, as: UTF8.self)
  }
}

extension Signer {
  /// `token(_:type:)` with a completion. It begins on the work queue, in call order, runs in the background, and calls
  /// its completion exactly once, on the main queue unless the closure is isolated to an actor.
  public func token(
    _ claims: JSONObject, type: String? = "JWT",
    @_inheritActorContext completion: @escaping @isolated(any) @Sendable (Result<String, AuthError>) -> Void
  ) {
    token(claims, type: type, callbackQueue: .main, completion: completion)
  }

  /// `token(_:type:completion:)` with a callback queue.
  ///
  /// - Parameters:
  ///   - claims: the token's claims.
  ///   - type: the header's `typ`.
  ///   - callbackQueue: the queue on which a completion without an isolation of its own is called. On a concurrent
  ///     queue, completions have no order among each other.
  ///   - completion: called with the token, exactly once.
  public func token(
    _ claims: JSONObject, type: String? = "JWT", callbackQueue: DispatchQueue,
    @_inheritActorContext completion: @escaping @isolated(any) @Sendable (Result<String, AuthError>) -> Void
  ) {
    Completions(on: callbackQueue).deliver(to: completion) { () async throws(AuthError) in
      try await typed { try await token(claims, type: type) }
    }
  }
}

extension TokenSigner: Signer {}

extension JWSAlgorithm {
  /// Whether a signature of this algorithm may have this length, in bytes.
  fileprivate func mayHaveSignature(of count: Int) -> Bool {
    switch self {
    case .HS256: count == 32
    case .HS384: count == 48
    case .HS512: count == 64
    case .RS256, .RS384, .RS512, .PS256, .PS384, .PS512: (256...1024).contains(count)
    case .ES256, .ES256K, .Ed25519: count == 64
    case .ES384: count == 96
    case .ES512: count == 132
    case .EdDSA: count == 64 || count == 114
    case .Ed448: count == 114
    }
  }
}
