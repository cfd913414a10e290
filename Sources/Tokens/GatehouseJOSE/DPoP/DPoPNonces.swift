public import FoundationEssentials
public import GatehouseBase
public import GatehouseCrypto

/// Makes the nonces that proofs must carry, and recognizes them (RFC 9449 §8 and §9).
///
/// A nonce is the HMAC of the interval of time in which it is made. It is accepted in this interval and in the next
/// one. Nothing is stored, and servers with the same key and interval accept each other's nonces. A client cannot make
/// proofs for later than that. Any thread, all at once.
public struct DPoPNonces: Sendable {
  /// The name of the header field that carries a nonce.
  public static let headerName = "DPoP-Nonce"
  /// The intervals that are accepted: one second to one day.
  public static let intervals: ClosedRange<Duration> = .seconds(1) ... .seconds(86_400)

  /// How long the same nonce is made. It is accepted for as long again.
  public let interval: Duration
  private let authenticator: MessageAuthenticator

  /// Nonces under a secret of this server, or of several servers that share it.
  ///
  /// Throws `keyInvalid` for a key of fewer than 32 bytes, and `invalidArgument` for an interval outside `intervals`.
  public init(key: SecretKey, interval: Duration = .seconds(120)) throws(AuthError) {
    guard Self.intervals.contains(interval) else {
      throw AuthError(.invalidArgument, "the interval of nonces must be from one second to one day")
    }
    self.interval = interval
    authenticator = try MessageAuthenticator(key: key, hash: .sha256)
  }

  /// Nonces under a new key: for one server. After a restart each client needs one more request.
  public static func generate(interval: Duration = .seconds(120)) throws(AuthError) -> DPoPNonces {
    try DPoPNonces(key: .generate(), interval: interval)
  }

  /// The nonce of a moment, for the header field `DPoP-Nonce`: 43 characters of base64url.
  public func nonce(at moment: Date) throws(AuthError) -> String { try nonce(ofInterval: number(at: moment.wall)) }

  /// Whether a nonce was made in the interval of a moment, or in the one before. Compared in constant time.
  public func accepts(_ nonce: String, at moment: Date) throws(AuthError) -> Bool {
    try accepts(nonce, at: moment.wall)
  }

  /// `accepts(_:at:)` at a moment in seconds since 1970.
  func accepts(_ nonce: String, at now: Double) throws(AuthError) -> Bool {
    let number = number(at: now)
    let isCurrent = constantTimeEquals(Array(nonce.utf8), Array(try self.nonce(ofInterval: number).utf8))
    let isPrevious = constantTimeEquals(Array(nonce.utf8), Array(try self.nonce(ofInterval: number - 1).utf8))
    return isCurrent || isPrevious
  }

  /// The number of a moment's interval. A `Double`, so that no moment is out of range.
  private func number(at now: Double) -> Double { (now / interval.inSeconds).rounded(.down) }

  private func nonce(ofInterval number: Double) throws(AuthError) -> String {
    // The purpose, so that the key makes nothing else by the same message.
    let message = "gatehouse DPoP nonce \(number)"
    return Base64URL.encode(try authenticator.tag(of: message.utf8.span))
  }
}
