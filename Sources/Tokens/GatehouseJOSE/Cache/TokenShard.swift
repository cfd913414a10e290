import GatehouseBase
import GatehouseCrypto

/// A verified token, with the times that must be checked when it is found again.
struct CachedToken: Sendable {
  let token: VerifiedToken
  let times: Times
  /// The time of its verification, by the boot clock.
  let verifiedAt: Double
  /// Its approximate size in memory, in bytes.
  let bytes: Int
}

/// A part of a cache: its tokens, and the order of eviction.
///
/// Evicts by the clock algorithm: a token that was found since the hand last passed it stays, and the next other one is
/// evicted. So finding a token writes one bit and moves nothing.
struct TokenShard {
  private struct Place {
    let key: SHA256Fingerprint
    let token: CachedToken
    var wasFound = false
  }

  private let most: Int
  private let mostBytes: Int
  private var indices: [SHA256Fingerprint: Int] = [:]
  private var places: [Place] = []
  private var hand = 0
  private(set) var bytes = 0

  init(tokens: Int, bytes: Int) {
    most = tokens
    mostBytes = bytes
  }

  var count: Int { places.count }

  mutating func find(_ key: SHA256Fingerprint) -> CachedToken? {
    guard let index = indices[key] else { return nil }
    places[index].wasFound = true
    return places[index].token
  }

  mutating func insert(_ token: CachedToken, as key: SHA256Fingerprint) {
    remove(key)
    guard token.bytes <= mostBytes else { return }
    while places.count >= most || bytes + token.bytes > mostBytes { evictOne() }
    indices[key] = places.count
    places.append(Place(key: key, token: token))
    bytes += token.bytes
  }

  mutating func remove(_ key: SHA256Fingerprint) { if let index = indices[key] { remove(at: index) } }

  mutating func removeAll(where isMeant: (CachedToken) -> Bool) {
    // From the end, because the last token moves to the index of a removed one.
    for index in places.indices.reversed() where isMeant(places[index].token) { remove(at: index) }
  }

  private mutating func evictOne() {
    while true {
      if hand >= places.count { hand = 0 }
      guard places[hand].wasFound else { return remove(at: hand) }
      places[hand].wasFound = false
      hand += 1
    }
  }

  private mutating func remove(at index: Int) {
    let gone = places[index]
    indices[gone.key] = nil
    bytes -= gone.token.bytes
    let last = places.removeLast()
    guard index < places.count else { return }
    places[index] = last
    indices[last.key] = index
  }
}
