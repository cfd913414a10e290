/// A second factor that an account has: what it is, never its secret.
public struct SecondFactor: Sendable, Hashable, Codable {
  private enum CodingKeys: String, CodingKey {
    case uid, factorID, displayName, phoneNumber
    case enrollmentSeconds = "enrollmentTime"
  }

  /// Names the factor among those of its account.
  public var uid: String
  /// What it is: `totp` for an authenticator app, `phone`.
  public var factorID: String
  /// The name that its user gave it.
  public var displayName: String?
  /// Where codes are sent, of a phone; parts of it may be masked.
  public var phoneNumber: String?
  /// When it was enrolled, in seconds since 1970.
  package var enrollmentSeconds: Double?

  /// Makes a factor with nothing but its names.
  public init(uid: String, factorID: String) {
    self.uid = uid
    self.factorID = factorID
  }
}

/// A sign-in whose first factor was accepted, and which waits for a second one.
public struct PendingSignIn: Sendable, Hashable {
  /// Goes on with the sign-in, together with a second factor; good for minutes.
  public let credential: Secret
  /// The factors that the account has.
  public let factors: [SecondFactor]

  /// Makes a pending sign-in.
  public init(credential: Secret, factors: [SecondFactor]) {
    self.credential = credential
    self.factors = factors
  }
}
