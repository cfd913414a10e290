public import GatehouseBase

// Why a token was refused. To whoever sent the token say only that it was.
extension AuthError.Code {
  /// Not three parts of base64url with a header, a payload and a signature; for an encrypted message, not five, or
  /// one whose size its algorithm does not give.
  public static let tokenMalformed = Self(rawValue: 19100)
  /// The token or one of its parts is longer than the policy allows.
  public static let tokenTooLarge = Self(rawValue: 19101)
  /// The header asks for an algorithm that is unknown, not allowed, or not the key's.
  public static let algorithmRefused = Self(rawValue: 19102)
  /// The header names a key that is not in the set, or names none.
  public static let unknownKey = Self(rawValue: 19103)
  /// The signature is not this key's signature of this token.
  public static let signatureInvalid = Self(rawValue: 19104)
  /// The token's time is over.
  public static let tokenExpired = Self(rawValue: 19105)
  /// The token, or what it tells of, lies in the future.
  public static let tokenNotYetValid = Self(rawValue: 19106)
  /// The token comes from somebody else.
  public static let issuerMismatch = Self(rawValue: 19107)
  /// The token is meant for somebody else.
  public static let audienceMismatch = Self(rawValue: 19108)
  /// A claim is missing, or is not what such a claim must be.
  public static let claimInvalid = Self(rawValue: 19109)
  /// The token is of another type than asked for.
  public static let typeMismatch = Self(rawValue: 19110)
  /// The header marks something as critical; nothing of the kind is understood here.
  public static let criticalHeader = Self(rawValue: 19111)
  /// A header parameter is not what such a parameter must be.
  public static let headerInvalid = Self(rawValue: 19112)
  /// A set of keys that cannot be used: two keys with one name, secrets among public keys, too large, …
  public static let keySetInvalid = Self(rawValue: 19113)
  /// The keys to verify with cannot be had: there are none at hand, or none that are recent enough.
  public static let keysUnavailable = Self(rawValue: 19114)
  /// The token or proof was used before, and may be used once.
  public static let tokenReplayed = Self(rawValue: 19115)
  /// The proof of possession is not for this request, this access token or this key.
  public static let proofMismatch = Self(rawValue: 19116)
  /// Everything that the user was given before a moment was revoked, and this token is older.
  public static let tokenRevoked = Self(rawValue: 19117)
  /// There is no room to remember another token that may be used once.
  public static let replayStoreFull = Self(rawValue: 19118)
  /// The message was compressed before it was encrypted: what it becomes has no limit, and its length tells of it.
  public static let compressionRefused = Self(rawValue: 19120)
}
