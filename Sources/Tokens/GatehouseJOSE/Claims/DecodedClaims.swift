import FoundationEssentials
public import GatehouseBase

extension TokenClaims {
  /// The claims as a type of one's own.
  ///
  /// A `Date` is a NumericDate (RFC 7519 §2): seconds since 1970, whole or with a fraction.
  ///
  /// Throws `claimInvalid`, with the place where the claims are not what the type asks for.
  public func decode<Claims: Decodable>(_ type: Claims.Type = Claims.self) throws(AuthError) -> Claims {
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

extension DecodingError {
  /// The path to the claim that does not decode, never the value there.
  fileprivate var place: String {
    let (path, what): ([any CodingKey], String) =
      switch self {
      case .typeMismatch(let type, let context): (context.codingPath, "no \(type)")
      case .valueNotFound(let type, let context): (context.codingPath, "null instead of a \(type)")
      case .keyNotFound(let key, let context): (context.codingPath + [key], "missing")
      case .dataCorrupted(let context): (context.codingPath, "not readable")
      @unknown default: ([], "not readable")
      }
    return path.isEmpty ? what : "\(path.claimPath) is \(what)"
  }
}
