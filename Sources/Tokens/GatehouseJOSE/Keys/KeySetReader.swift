import GatehouseBase
import GatehouseCrypto

/// Reads the keys of a published set one by one: keeps the usable ones, and the reasons for the rest (RFC 7517 §5).
struct KeySetReader {
  /// The usable keys so far, with their offsets in the published set.
  private var candidates: [(index: Int, key: JWK)] = []
  private(set) var omissions: [JWKSet.Omission] = []
  /// Whether a bad key makes the set invalid. Sets of shared secrets are the program's own: no server publishes them.
  let isStrict: Bool

  init(isStrict: Bool = false) { self.isStrict = isStrict }

  /// Reads the list of a JWK set. Throws `keySetInvalid` for a private key, and in strict mode the error of a bad key.
  mutating func read(_ list: [JSONValue]) throws(AuthError) {
    for (index, element) in list.enumerated() {
      guard let object = element.object else {
        skip(index, nil, AuthError(.keyInvalid, "expected a JWK: a JSON object"))
        continue
      }
      try read(object, at: index)
    }
  }

  private mutating func read(_ object: JSONObject, at index: Int) throws(AuthError) {
    let keyID = object["kid"]?.string.flatMap { $0.utf8.count <= JWK.maximumKeyIDLength ? $0 : nil }
    var members = JSONObject()
    for member in object.members where isStrict || member.value != .null { members[member.name] = member.value }
    guard !members.holdsPrivateKey else { throw JWKSet.privateKey }
    do throws(AuthError) {
      let key = try JWK(bare: members, allowingLeadingZeros: true)
      guard key.isForSignatures else { throw AuthError(.keyUnsupported, "the key is not for signatures") }
      guard key.permitsVerifying else { throw AuthError(.keyUnsupported, "`key_ops` does not permit `verify`") }
      if key.issuer == nil, let stated = members["issuer"], stated != .null {
        ignore("issuer", index, keyID, "`issuer` is not a string, or is empty")
      }
      for name in JWK.optionalMembers where object[name] == .null {
        ignore(name, index, keyID, "`\(name)` is null")
      }
      add(certified(key, by: members, at: index), at: index)
    } catch {
      guard !isStrict || error.code == .keyUnsupported || members["use"] == "enc" else { throw error }
      skip(index, keyID, error)
    }
  }

  /// Adds a usable key, by its offset in the published set.
  mutating func add(_ key: JWK, at index: Int) { candidates.append((index, key)) }

  /// Records that a key is skipped.
  mutating func skip(_ index: Int, _ keyID: String?, _ reason: AuthError) {
    omissions.append(JWKSet.Omission(index: index, keyID: keyID, member: nil, reason))
  }

  /// Records that a member of a key is ignored.
  private mutating func ignore(_ member: String, _ index: Int, _ keyID: String?, _ reason: String) {
    omissions.append(JWKSet.Omission(index: index, keyID: keyID, member: member, AuthError(.keyInvalid, reason)))
  }

  /// The key with those of its certificates and hashes that are usable.
  private mutating func certified(_ key: JWK, by members: JSONObject, at index: Int) -> JWK {
    // Checks only its form: a SHA-1 hash proves nothing, and is not kept.
    if let stated = members["x5t"], stated.string.flatMap({ try? Base64URL.bytes(of: $0).count }) != 20 {
      ignore("x5t", index, key.keyID, "`x5t` is not a SHA-1 hash in base64url")
    }
    var certified = key
    do throws(AuthError) { certified = try certified.certified(byChain: members) } catch {
      ignore("x5c", index, key.keyID, error.message)
      if members["x5t#S256"] != nil {
        ignore("x5t#S256", index, key.keyID, "the certificate that `x5t#S256` names cannot be used")
      }
      return certified
    }
    do throws(AuthError) { certified = try certified.certified(byHash: members) } catch {
      ignore("x5t#S256", index, key.keyID, error.message)
    }
    return certified
  }

  /// Returns the keys to verify with, and the ambiguous ones: other keys have their `kid`, and each of their algorithms.
  ///
  /// The second occurrence of a key is dropped.
  mutating func finish() -> (keys: [JWK], ambiguous: [JWK]) {
    if isStrict { return (candidates.map(\.key), []) }
    var kept: [(index: Int, key: JWK)] = []
    for candidate in candidates where !kept.contains(where: { $0.key.isIdentical(to: candidate.key) }) {
      kept.append(candidate)
    }
    var keys: [JWK] = []
    var ambiguous: [JWK] = []
    for (index, key) in kept {
      let rivals = kept.filter { $0.key.isRival(of: key) }
      if rivals.isEmpty || key.algorithms.contains(where: { own in !rivals.contains { $0.key.verifies(own) } }) {
        keys.append(key)
      } else {
        ambiguous.append(key)
        skip(
          index, key.keyID,
          AuthError(
            .keySetInvalid, "another key of the set, or this one with another `issuer`, has the same `kid` and `alg`"))
      }
    }
    omissions.sort { ($0.index, $0.member ?? "") < ($1.index, $1.member ?? "") }
    return (keys, ambiguous)
  }
}

extension JWK {
  /// The optional members of a key.
  fileprivate static let optionalMembers = ["kid", "alg", "use", "key_ops", "x5c", "x5t", "x5t#S256", "x5u", "issuer"]

  /// The algorithms of tokens that the key may verify.
  fileprivate var algorithms: [JWSAlgorithm] { JWSAlgorithm.allCases.filter(verifies) }

  /// Whether some algorithm is for both keys.
  func sharesAlgorithm(with other: JWK) -> Bool { algorithms.contains(where: other.verifies) }

  /// Whether both are the same key, with the same `kid` and `issuer`: either may verify a token.
  func isInterchangeable(with other: JWK) -> Bool {
    isNamed(like: other) && key.isSame(as: other.key)
      && issuer.map { Array($0.utf8) } == other.issuer.map { Array($0.utf8) }
  }

  /// Whether both have the same `kid`, and tokens of one would not be tokens of the other.
  fileprivate func isRival(of other: JWK) -> Bool {
    keyID != nil && isNamed(like: other) && !isInterchangeable(with: other)
  }

  /// Whether both have the same `kid`, compared as bytes, or both have none.
  private func isNamed(like other: JWK) -> Bool {
    switch (keyID, other.keyID) {
    case (nil, nil): true
    case (let own?, let other?): own.isExactly(other)
    default: false
    }
  }

  /// Whether both are the same key, with the same ID, use and issuer.
  fileprivate func isIdentical(to other: JWK) -> Bool {
    isInterchangeable(with: other) && algorithm == other.algorithm && use == other.use && operations == other.operations
  }
}

extension JWK.Key {
  /// Whether both are the same public key.
  fileprivate func isSame(as other: JWK.Key) -> Bool {
    guard case .publicKey(let own) = self, case .publicKey(let other) = other else { return false }
    return own == other
  }
}

extension JSONObject {
  /// Whether this JWK has a private number: `d`, or one of RSA's others, which also reveal the key.
  fileprivate var holdsPrivateKey: Bool {
    switch self["kty"]?.string {
    case "oct"?: false
    case "RSA"?: ["d", "p", "q", "dp", "dq", "qi", "oth"].contains { self[$0] != nil }
    default: self["d"] != nil
    }
  }
}
