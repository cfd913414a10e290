import FoundationEssentials
import GatehouseBase

extension TokenClaims {
  /// Decodes the claims as a type of the caller.
  ///
  /// A `Date` is a NumericDate (RFC 7519 §2): seconds since 1970, whole or with a fraction.
  ///
  /// In an `init(from:)` of your own, decode times with `container.decode(Date.self, forKey:)`. `Date(from: decoder)`
  /// reads the number as seconds since 2001, 31 years later, and no decoder can change that.
  ///
  /// Throws `claimInvalid`, with the place where the claims do not match the type.
  public func decode<Claims: Decodable>(_ type: Claims.Type = Claims.self) throws -> Claims {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    do {
      return try decoder.decode(type, from: Data(claims.serialized()))
    } catch let error as DecodingError {
      throw AuthError(.claimInvalid, "the claims do not decode as \(type): \(error.place)")
    } catch {
      throw AuthError(.claimInvalid, "the claims do not decode as \(type)")
    }
  }
}
