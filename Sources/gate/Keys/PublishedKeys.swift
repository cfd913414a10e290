import ArgumentParser
import GatehouseAsyncHTTP
import GatehouseBase
import GatehouseHTTP
import GatehouseJOSE

/// Keys to verify with, in a file or at a server's URL: a JWK set, or certificates by key ID.
struct PublishedKeys {
  let place: String

  /// The keys of a server. The text of `place` is not checked for its form here, because another server may have named
  /// it.
  func server() throws(AuthError) -> RemoteKeySet {
    try typed { try RemoteKeySet(url: place, transport: AsyncHTTPTransport(), options: RemoteKeyOptions(.either)) }
  }

  /// Refuses a URL from which no keys can be fetched. The errors do not repeat the URL, because it may contain a
  /// password.
  ///
  /// - Parameter option: the option that the URL was given with.
  static func require(_ place: String, of option: String) throws {
    guard hasScheme(place) else { return }
    guard isURL(place) else {
      let or = option == "--jwks" ? "a file's name or " : ""
      throw ValidationError("\(option) is \(or)a URL that begins with https://, or http:// for this machine")
    }
    guard option == "--jwks" || !place.contains("{") else {
      throw ValidationError(
        "--issuer has a placeholder in braces; put the tenant's ID in its place, as the token's iss has it")
    }
    guard option == "--jwks" || !place.contains("?") else {
      throw ValidationError(
        "--issuer has a query (?…), so its keys cannot be looked up; leave it out, or give the keys with --jwks")
    }
    do throws(AuthError) { try typed { try TransportRequest(.get, place).check() } } catch {
      // AD FS has such an issuer for access tokens; it is a name and not an address.
      let advice = option == "--issuer" && error.code == .insecureConnection ? ", or give the keys with --jwks" : ""
      throw ValidationError("\(option): \(error.message)\(advice)")
    }
  }

  /// Whether the text begins as a URL does, whatever its scheme is.
  static func hasScheme(_ place: String) -> Bool { place.prefixMatch(of: /[A-Za-z][A-Za-z0-9+.-]*:\/\//) != nil }

  static func isURL(_ place: String) -> Bool {
    let begin = place.prefix(8).lowercased()
    return begin.hasPrefix("https://") || begin.hasPrefix("http://")
  }

  /// Reads the keys of a file.
  func file() throws(AuthError) -> JWKSet {
    let bytes = try Input.file(place).bytes(limit: 1 << 20)
    let keys: JWKSet
    do { keys = try JWKSet(published: bytes, at: SystemClocks().now().wall) } catch {
      throw AuthError(error.code, "\(place): \(error.message)\(advice(for: bytes))")
    }
    return try keys.requireUsable(at: place)
  }

  /// Returns advice on how to make a key set from what is in the file: a single key, or PEM.
  private func advice(for bytes: [UInt8]) -> String {
    let isPEM = bytes.firstRange(of: Array("-----BEGIN ".utf8)) != nil
    let json = try? JSONValue(reading: bytes.withoutByteOrderMark)
    guard isPEM && json == nil || json?["kty"] != nil else { return "" }
    return "; to make a JWK set of \(isPEM ? "PEM" : "a key"): gate key convert \(place) --to jwks"
  }
}

extension JWKSet {
  /// Returns the set if at least one of its keys can be used. Otherwise throws `keySetInvalid`, because no token could
  /// be verified with the set.
  func requireUsable(at place: String) throws(AuthError) -> JWKSet {
    if let unusable { throw AuthError(.keySetInvalid, "\(place): \(unusable.message)") }
    return self
  }
}
