/// A description of an account's second factor, without its secret.
public struct SecondFactor: Sendable, Hashable, Codable {
  private enum CodingKeys: String, CodingKey {
    case uid, factorID, displayName, phoneNumber
    case enrollmentSeconds = "enrollmentTime"
  }

  /// The factor's identifier, unique within its account.
  public var uid: String
  /// The kind of the factor: `totp` for an authenticator app, or `phone`.
  public var factorID: String
  /// The name that the user gave it.
  public var displayName: String?
  /// The phone number that receives codes, possibly partly masked; for a phone only.
  public var phoneNumber: String?
  /// The enrollment time, in seconds since 1970.
  package var enrollmentSeconds: Double?

  /// Creates a factor with only its identifiers.
  public init(uid: String, factorID: String) {
    self.uid = uid
    self.factorID = factorID
  }
}

/// A sign-in whose first factor was accepted, and which requires a second one.
public struct PendingSignIn: Sendable, Hashable {
  /// The credential that continues the sign-in together with a second factor; valid for minutes.
  public let credential: Secret
  /// The account's second factors.
  public let factors: [SecondFactor]
  /// The account, for the audit log of a provider in this process.
  package var uid: String?

  /// Creates a pending sign-in.
  public init(credential: Secret, factors: [SecondFactor]) {
    self.credential = credential
    self.factors = factors
  }
}
