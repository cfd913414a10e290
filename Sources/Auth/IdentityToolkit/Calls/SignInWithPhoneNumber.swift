public import GatehouseBase

/// Signs in with the code that was sent to a phone; with an ID token, gives the number to that token's account.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/signInWithPhoneNumber
public struct SignInWithPhoneNumber: TenantCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/accounts:signInWithPhoneNumber"

  /// Names the message that was sent.
  public var sessionInfo: Secret?
  /// The code in it.
  public var code: Secret?
  /// An earlier answer's proof, in place of a code; with `phoneNumber`.
  public var temporaryProof: Secret?
  /// The number that the proof is of.
  public var phoneNumber: String?
  /// The ID token of the account that gets the number; `nil` signs in.
  public var idToken: Secret?
  /// What is asked for, where that must be known.
  public var operation: Operation?
  /// The tenant; see `TenantCall`.
  public var tenantId: String?

  /// What a call is for.
  public struct Operation: Codable, Sendable, Hashable, RawRepresentable {
    /// The protocol's word.
    public let rawValue: String
    /// The operation of a word, which need not have a name here.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A sign-in, or a new account.
    public static let signUpOrIn = Self(rawValue: "SIGN_UP_OR_IN")
    /// A sign-in to an account that has the number already.
    public static let reauthenticate = Self(rawValue: "REAUTH")
    /// A number for an account that has none.
    public static let link = Self(rawValue: "LINK")
    /// Another number for an account.
    public static let update = Self(rawValue: "UPDATE")
  }

  /// Asks for a sign-in, or for a number.
  ///
  /// - Parameters:
  ///   - proof: what proves the number.
  ///   - operation: what is asked for.
  ///   - idToken: the account that gets the number; `nil` signs in.
  public init(_ proof: PhoneProof, _ operation: Operation, of idToken: Secret? = nil) {
    switch proof {
    case .code(let code, let sessionInfo):
      self.code = code
      self.sessionInfo = sessionInfo
    case .temporary(let proof, let number):
      temporaryProof = proof
      phoneNumber = number
    }
    self.operation = operation
    self.idToken = idToken
  }

  /// The user and their tokens; or, without tokens, a proof of a number that another account has.
  public struct Response: Codable, Sendable, Hashable {
    /// The user's identifier.
    public var localId: String?
    /// The number.
    public var phoneNumber: String?
    /// The ID token.
    public var idToken: Secret?
    /// The refresh token.
    public var refreshToken: Secret?
    /// How long the ID token lives, in seconds.
    public var expiresIn: DecimalString?
    /// Whether the sign-in made the account.
    public var isNewUser: Bool?
    /// Proves the number in a later sign-in, where another account has it.
    public var temporaryProof: Secret?
    /// How long that is good, in seconds.
    public var temporaryProofExpiresIn: DecimalString?

    /// Answers with nothing yet.
    public init() {}
  }
}

/// What proves that a user has a phone.
public enum PhoneProof: Sendable, Hashable {
  /// The code of a message, and what names that message.
  case code(Secret, sessionInfo: Secret)
  /// What an earlier answer has given, and the number.
  case temporary(Secret, number: String)
}
