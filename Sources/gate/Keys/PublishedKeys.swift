import ArgumentParser
import GatehouseAsyncHTTP
import GatehouseBase
import GatehouseHTTP
import GatehouseJOSE

/// Keys to verify with, at a file's path or a server's URL: a JWK set, or certificates by the names of their keys.
struct PublishedKeys {
  let place: String

  /// The keys of a server, whatever the place's text looks like: another server may have named it.
  func server() throws(AuthError) -> RemoteKeySet {
    try RemoteKeySet(url: place, transport: AsyncHTTPTransport(), options: RemoteKeyOptions(.either))
  }

  /// Refuses a URL that no keys can be fetched from. No error repeats it: it may hold a password.
  ///
  /// - Parameter option: the option that it was given by.
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
    do throws(AuthError) { try TransportRequest(.get, place).check() } catch {
      // AD FS has such an issuer for access tokens, which is a name and no address.
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

  /// The keys of a file.
  func file() throws(AuthError) -> JWKSet {
    let bytes = try Input.file(place).bytes(limit: 1 << 20)
    let keys: JWKSet
    do { keys = try JWKSet(published: bytes, at: SystemClocks().now().wall) } catch {
      throw AuthError(error.code, "\(place): \(error.message)\(advice(for: bytes))")
    }
    return try keys.requireUsable(at: place)
  }

  /// How to make a set of what is in the file: one key, or PEM.
  private func advice(for bytes: [UInt8]) -> String {
    let isPEM = bytes.firstRange(of: Array("-----BEGIN ".utf8)) != nil
    let json = try? JSONValue(parsing: bytes.withoutByteOrderMark)
    guard isPEM && json == nil || json?["kty"] != nil else { return "" }
    return "; to make a JWK set of \(isPEM ? "PEM" : "a key"): gate key convert \(place) --to jwks"
  }
}

extension JWKSet {
  /// The set, if any of its keys can be used; `keySetInvalid` if not: nothing that is verified with them would be good.
  func requireUsable(at place: String) throws(AuthError) -> JWKSet {
    if let unusable { throw AuthError(.keySetInvalid, "\(place): \(unusable.message)") }
    return self
  }
}
