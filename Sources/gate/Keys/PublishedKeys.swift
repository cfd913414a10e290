import GatehouseBase
import GatehouseJOSE
import GatehouseURLSession

/// Keys to verify with, at a file's path or a server's URL: a JWK set, or certificates by the names of their keys.
struct PublishedKeys {
  let place: String

  /// The keys that are there now.
  ///
  /// Throws `keySetInvalid` if none of them can be used: nothing that is verified with them would be good.
  func read() async throws(AuthError) -> JWKSet {
    try usable(Self.isURL(place) ? await fetched() : file())
  }

  /// The keys of a server, whatever the place's text looks like: another server may have named it.
  func fetch() async throws(AuthError) -> JWKSet { try usable(await fetched()) }

  private func usable(_ keys: JWKSet) throws(AuthError) -> JWKSet {
    if let reason = keys.unusable { throw AuthError(.keySetInvalid, "\(place): \(reason.message)") }
    return keys
  }

  static func isURL(_ place: String) -> Bool {
    let begin = place.prefix(8).lowercased()
    return begin.hasPrefix("https://") || begin.hasPrefix("http://")
  }

  private func fetched() async throws(AuthError) -> JWKSet {
    let options = RemoteKeyOptions(.either)
    return try await RemoteKeySet(url: place, transport: URLSessionTransport(), options: options).keys()
  }

  private func file() throws(AuthError) -> JWKSet {
    let bytes = try Input.file(place).bytes(limit: 1 << 20)
    do { return try JWKSet(published: bytes, at: SystemClocks().now().wall) } catch {
      throw AuthError(error.code, "\(place): \(error.message)")
    }
  }
}
