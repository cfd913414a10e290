import GatehouseBase
import GatehouseCrypto
import GatehouseHTTP

/// The keys of a server's answer, and how long they may be kept. Throws if the answer cannot be used.
struct FetchedKeys: Sendable {
  let keys: JWKSet
  /// In seconds, as the server said; `nil` if it did not.
  let lifetime: Double?

  /// Checks an answer as if the transport had checked nothing.
  ///
  /// - Parameter now: which certificates are in their time, in seconds since 1970.
  init(
    _ response: TransportResponse, to request: TransportRequest, format: RemoteKeyOptions.Format, at now: Double
  ) throws(AuthError) {
    guard !response.isRedirect else {
      throw AuthError(.redirectRefused, "the key server answered with a redirect")
    }
    guard response.status == 200 else {
      throw AuthError(.responseInvalid, "the key server answered with status \(response.status)")
    }
    if !response.url.isExactly(request.url) {
      guard request.followsRedirects else {
        throw AuthError(.redirectRefused, "the response comes from another URL than requested")
      }
      try request.checkRedirect(to: response.url, count: 1)
    }
    guard response.body.count <= request.maximumResponseLength else {
      throw AuthError(.responseTooLarge, "the response is longer than \(request.maximumResponseLength) bytes")
    }
    guard let type = response.mediaType, Self.mediaTypes.contains(type) else {
      throw AuthError(.responseInvalid, "the response is not JSON")
    }
    keys =
      switch format {
      case .jwkSet: try JWKSet(parsing: response.body)
      case .certificates:
        try JWKSet(certificates: JSONObject(parsing: response.body, limits: .keys(JWKSet.maximumCount)), at: now)
      case .either: try JWKSet(published: response.body, at: now)
      }
    guard keys.keys.allSatisfy({ $0.key.publicKey != nil }) else {
      throw AuthError(.keySetInvalid, "the published set contains a shared secret")
    }
    lifetime = CacheControl.lifetime(in: response.headers)
  }

  private static let mediaTypes: Set<String> = ["application/json", "application/jwk-set+json"]
}

extension FetchedKeys {
  /// Fetched keys as they will be at hand, compared with those before. Made off the work queue: a set may be large.
  struct Kept: Sendable {
    let snapshot: KeySnapshot
    /// Whether the keys differ from those before.
    let isChanged: Bool
    /// Whether a key is removed or replaced, or its use changes.
    let losesKeys: Bool
  }

  func kept(begunAt begin: ClockReading, after before: KeySnapshot?, _ times: FetchTimes) -> Kept {
    let isSame = before?.isSame(as: keys) ?? false
    let snapshot = KeySnapshot(
      isSame ? before?.keys ?? keys : keys, generation: (before?.generation ?? 0) + (isSame ? 0 : 1), fetched: begin,
      lifetime: times.lifetime(lifetime))
    return Kept(snapshot: snapshot, isChanged: !isSame, losesKeys: before?.losesKeys(in: keys) == true)
  }
}
