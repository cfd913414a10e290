public import GatehouseBase

// Reasons why a token was rejected. Tell the sender only that it was.
extension AuthError.Code {
  /// Not a compact JWS with three parts, or not a compact JWE with five parts of the lengths that its algorithms
  /// require.
  public static let tokenMalformed = Self(number: 19100)
  /// The token or one of its parts is longer than the policy allows.
  public static let tokenTooLarge = Self(number: 19101)
  /// The header names an algorithm that is unknown, not allowed, or not the key's.
  public static let algorithmRefused = Self(number: 19102)
  /// The header names a key that is not in the set, or names none.
  public static let unknownKey = Self(number: 19103)
  /// Signature verification failed.
  public static let signatureInvalid = Self(number: 19104)
  /// The token has expired: `exp`, or the policy's maximum age.
  public static let tokenExpired = Self(number: 19105)
  /// `nbf`, `iat` or `auth_time` is in the future.
  public static let tokenNotYetValid = Self(number: 19106)
  /// `iss` is not one of the policy's issuers, or not the one that the token's key signs for.
  public static let issuerMismatch = Self(number: 19107)
  /// `aud` or `azp` is not the policy's.
  public static let audienceMismatch = Self(number: 19108)
  /// A claim is missing or has the wrong type or value.
  public static let claimInvalid = Self(number: 19109)
  /// The token has another type than required.
  public static let typeMismatch = Self(number: 19110)
  /// The header marks an extension as critical that is not supported.
  public static let criticalHeader = Self(number: 19111)
  /// A header parameter has the wrong type or value.
  public static let headerInvalid = Self(number: 19112)
  /// The key set cannot be used: duplicate `kid`, secrets among public keys, too many keys, …
  public static let keySetInvalid = Self(number: 19113)
  /// No usable keys are stored, and they could not be fetched.
  public static let keysUnavailable = Self(number: 19114)
  /// The token or proof was used before, but may be used only once.
  public static let tokenReplayed = Self(number: 19115)
  /// The proof of possession is not for this request, this access token or this key.
  public static let proofMismatch = Self(number: 19116)
  /// The user's tokens were revoked, and this one is older than the revocation.
  public static let tokenRevoked = Self(number: 19117)
  /// The replay store is full; the token was not accepted.
  public static let replayStoreFull = Self(number: 19118)
  /// The client's share of the replay store is full; the token or proof was not accepted.
  public static let replayShareFull = Self(number: 19119)
  /// The message is compressed (`zip`): its decompressed size has no limit, and its length reveals content.
  public static let compressionRefused = Self(number: 19120)
  /// The proof of possession has no nonce from this server, or an expired one: `use_dpop_nonce`.
  public static let proofNonceRequired = Self(number: 19121)
  /// The token is bound to a key (`cnf`) and the policy accepts only bearer tokens, or it must be bound and is not.
  public static let proofRequired = Self(number: 19122)
}

extension AuthError {
  /// The refusal of a token that has expired, with the time since then, which tells an old token from a wrong clock.
  ///
  /// - Parameters:
  ///   - expiry: the token's `exp`, in seconds since 1970.
  ///   - now: the time at which the token was verified, in seconds since 1970.
  static func tokenExpired(at expiry: Double, now: Double) -> AuthError {
    let late = now - expiry
    let since: String
    switch late {
    case 0..<2: since = "\(Int(late)) second\(late < 1 ? "s" : "") ago"
    case 2..<120: since = "\(Int(late)) seconds ago"
    case 120..<7_200: since = "\(Int(late / 60)) minutes ago"
    case 7_200..<172_800: since = "\(Int(late / 3_600)) hours ago"
    case 172_800..<1e12: since = "\(Int(late / 86_400)) days ago"
    default: since = "in the past"  // or the clock returns no number
    }
    return AuthError(.tokenExpired, "the token expired \(since) by this machine's clock")
  }
}
