public import FoundationEssentials
import GatehouseBase
public import GatehouseCrypto

/// Makes and recognizes the nonces that proofs must contain (RFC 9449 §8 and §9).
///
/// A nonce is the HMAC of the time interval in which it is made. It is accepted in this interval and in the next one.
/// Nothing is stored, and servers with the same key and interval accept each other's nonces. A client cannot make
/// proofs for a later time. Usable from any thread.
public struct DPoPNonces: Sendable {
  /// The name of the header field that carries a nonce.
  public static let headerName = "DPoP-Nonce"
  /// The allowed intervals: one second to one day.
  public static let intervals: ClosedRange<Duration> = .seconds(1) ... .seconds(86_400)

  /// The time for which the same nonce is made. It is accepted for as long again.
  public let interval: Duration
  private let authenticator: MessageAuthenticator

  /// Makes nonces with a secret of this server, or of several servers that share it.
  ///
  /// Throws `keyInvalid` for a key of fewer than 32 bytes, and `invalidArgument` for an interval outside `intervals`.
  public init(key: SecretKey, interval: Duration = .seconds(120)) throws {
    guard Self.intervals.contains(interval) else {
      throw AuthError(.invalidArgument, "the interval of nonces must be from one second to one day")
    }
    self.interval = interval
    authenticator = try MessageAuthenticator(key: key, hash: .sha256)
  }

  /// Makes nonces with a new key, for one server. After a restart each client needs one more request.
  public static func generate(interval: Duration = .seconds(120)) throws -> DPoPNonces {
    try DPoPNonces(key: .generate(), interval: interval)
  }

  /// The nonce at a moment, for the header field `DPoP-Nonce`: 43 base64url characters.
  public func nonce(at moment: Date) throws -> String { try nonce(ofInterval: number(at: moment.wall)) }

  /// Whether a nonce was made in the interval of a moment, or in the one before. Compared in constant time.
  public func accepts(_ nonce: String, at moment: Date) throws -> Bool {
    try accepts(nonce, at: moment.wall)
  }

  /// `accepts(_:at:)` at a moment in seconds since 1970.
  func accepts(_ nonce: String, at now: Double) throws(AuthError) -> Bool {
    let number = number(at: now)
    let isCurrent = constantTimeEquals(Array(nonce.utf8), Array(try self.nonce(ofInterval: number).utf8))
    let isPrevious = constantTimeEquals(Array(nonce.utf8), Array(try self.nonce(ofInterval: number - 1).utf8))
    return isCurrent || isPrevious
  }

  /// The number of the interval at a moment. A `Double`, so that no moment is out of range.
  private func number(at now: Double) -> Double { (now / interval.inSeconds).rounded(.down) }

  private func nonce(ofInterval number: Double) throws(AuthError) -> String {
    // Includes the purpose, so that the key makes nothing else from the same message.
    let message = "gatehouse DPoP nonce \(number)"
    return Base64URL.encode(try typed { try authenticator.tag(of: message.utf8.span) })
  }
}
