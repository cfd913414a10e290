import GatehouseBase
import GatehouseCrypto
import GatehouseHTTP

/// The keys in a server's response, and how long they may be kept. Throws if the response cannot be used.
struct FetchedKeys: Sendable {
  let keys: JWKSet
  /// In seconds, as the server stated; `nil` if it did not.
  let lifetime: Double?

  /// Checks a response as if the transport had checked nothing.
  ///
  /// - Parameter now: the time at which certificates must be valid, in seconds since 1970.
  init(
    _ response: TransportResponse, to request: TransportRequest, format: RemoteKeyOptions.Format, at now: Double
  ) throws(AuthError) {
    guard !response.isRedirect else {
      throw AuthError(.redirectRefused, "the key server answered with a redirect")
    }
    guard response.status == 200 else {
      if let outage = Unavailability(response, at: now) {
        throw AuthError(.responseInvalid, "the key server \(outage.text)", retryAfter: outage.retryAfter)
      }
      throw AuthError(.responseInvalid, "the key server answered with \(Self.words(for: response.status))")
    }
    if !response.url.isExactly(request.url) {
      guard request.followsRedirects else {
        throw AuthError(.redirectRefused, "the response comes from another URL than requested")
      }
      try typed { try request.checkRedirect(to: response.url, count: 1) }
    }
    guard response.body.count <= request.maximumResponseLength else {
      throw AuthError(.responseTooLarge, "the response is longer than \(request.maximumResponseLength) bytes")
    }
    // Some servers send no type, or that of arbitrary text or bytes. The body decides.
    let type = response.mediaType ?? ""
    guard Self.mediaTypes.contains(type) || type.hasSuffix("+json") else {
      throw AuthError(.responseInvalid, "the key server's answer is not JSON by its type, \(type.printable())")
    }
    let json = try typed {
      try JSONValue(
        parsing: response.body.withoutByteOrderMark, limits: .keys(format == .jwkSet ? 64 : JWKSet.maximumCount))
    }
    // Keys that would be skipped also count.
    guard json["keys"]?.array?.contains(where: { $0["kty"]?.string == "oct" }) != true else {
      throw AuthError(.keySetInvalid, "the published set contains a shared secret")
    }
    keys =
      switch format {
      case .jwkSet: try typed { try JWKSet(json) }
      case .certificates: try JWKSet(certificates: json.requiredObject, at: now)
      case .either: try JWKSet(published: json, at: now)
      }
    lifetime = CacheControl.lifetime(in: response.headers)
  }

  /// Returns the text of a status, with an explanation where its reason is not obvious.
  static func words(for status: Int) -> String {
    let asksForCredentials = [401, 403, 407].contains(status)
    return "status \(status)" + (asksForCredentials ? " (keys must be public: no credentials are sent for them)" : "")
  }

  private static let mediaTypes: Set<String> = [
    "application/json", "text/json", "application/x-json", "text/plain", "application/octet-stream",
    "binary/octet-stream", "",
  ]
}

extension JSONValue {
  fileprivate var requiredObject: JSONObject {
    get throws(AuthError) {
      guard let object else { throw AuthError(.keySetInvalid, "expected an object of PEM certificates by `kid`") }
      return object
    }
  }
}

extension FetchedKeys {
  /// Fetched keys in their stored form, compared with those before. Made off the work queue, because a set may be
  /// large.
  struct Kept: Sendable {
    let snapshot: KeySnapshot
    /// Whether a key is removed or replaced, or its use changes.
    let losesKeys: Bool
  }

  /// Throws `keySetInvalid` for a set without a usable key after one that had some: that is the server's fault.
  func kept(
    begunAt begin: ClockReading, after before: KeySnapshot?, _ times: FetchTimes
  ) throws(AuthError) -> Kept {
    guard !keys.keys.isEmpty || before?.keys.keys.isEmpty ?? true else {
      throw AuthError(
        .keySetInvalid, keys.unusable?.message ?? "the published set is empty; the keys before it are kept")
    }
    let isSame = before?.isSame(as: keys) ?? false
    let snapshot = KeySnapshot(
      isSame ? before?.keys ?? keys : keys, generation: (before?.generation ?? 0) + (isSame ? 0 : 1), fetched: begin,
      lifetime: times.lifetime(lifetime))
    return Kept(snapshot: snapshot, losesKeys: before?.losesKeys(in: keys) == true)
  }
}
