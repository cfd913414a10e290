public import GatehouseBase

/// Signs in with the code that was sent to a phone, or, with an ID token, gives the number to that token's account.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/signInWithPhoneNumber
public struct SignInWithPhoneNumber: TenantCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/accounts:signInWithPhoneNumber"

  /// The identifier of the message.
  public var sessionInfo: Secret?
  /// The code in the message.
  public var code: Secret?
  /// The proof from an earlier answer, instead of a code; used with `phoneNumber`.
  public var temporaryProof: Secret?
  /// The number that the proof is about.
  public var phoneNumber: String?
  /// The ID token of the account that gets the number; `nil` signs in.
  public var idToken: Secret?
  /// The requested operation, if it must be known.
  public var operation: Operation?
  /// The tenant; see `TenantCall`.
  public var tenantId: String?

  /// The operations of the call.
  public struct Operation: Codable, Sendable, Hashable, RawRepresentable {
    /// The protocol's name.
    public let rawValue: String
    /// Makes the operation with a name, which need not have a constant here.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Sign in, or create an account.
    public static let signUpOrIn = Self(rawValue: "SIGN_UP_OR_IN")
    /// Sign in to an account that already has the number.
    public static let reauthenticate = Self(rawValue: "REAUTH")
    /// Give a number to an account that has none.
    public static let link = Self(rawValue: "LINK")
    /// Give an account another number.
    public static let update = Self(rawValue: "UPDATE")
  }

  /// Makes a request for a sign-in, or for giving a number to an account.
  ///
  /// - Parameters:
  ///   - proof: the proof of the number.
  ///   - operation: the requested operation.
  ///   - idToken: the ID token of the account that gets the number; `nil` signs in.
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

  /// The response: the user and their tokens; or, without tokens, a proof of a number that another account has.
  public struct Response: Codable, Sendable, Hashable {
    /// The user's identifier.
    public var localId: String?
    /// The number.
    public var phoneNumber: String?
    /// The ID token.
    public var idToken: Secret?
    /// The refresh token.
    public var refreshToken: Secret?
    /// The lifetime of the ID token, in seconds.
    public var expiresIn: DecimalString?
    /// Whether the sign-in created the account.
    public var isNewUser: Bool?
    /// The proof of the number for a later sign-in, if another account has the number.
    public var temporaryProof: Secret?
    /// The lifetime of that proof, in seconds.
    public var temporaryProofExpiresIn: DecimalString?

    /// Makes an empty response.
    public init() {}
  }
}

/// The proof that a user has a phone.
public enum PhoneProof: Sendable, Hashable {
  /// The code of a message, and the message's identifier.
  case code(Secret, sessionInfo: Secret)
  /// The proof from an earlier answer, and the number.
  case temporary(Secret, number: String)
}
