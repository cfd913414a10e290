public import GatehouseBase

/// Imports many accounts at once, with the password hashes of another system.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/batchCreate
public struct ImportAccounts: AdminCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/projects/{project}/accounts:batchCreate"
  /// The maximum number of accounts in a request.
  public static let most = 1000

  /// The accounts.
  public var users: [ImportedAccount]
  /// The hash algorithm of all their passwords: `SCRYPT`, `STANDARD_SCRYPT`, `BCRYPT`, `PBKDF2_SHA256`, `PBKDF_SHA1`,
  /// `HMAC_SHA512`, `HMAC_SHA256`, `HMAC_SHA1`, `HMAC_MD5`, `SHA512`, `SHA256`, `SHA1`, `MD5` or `ARGON2`. `nil` if no
  /// account has a password.
  public var hashAlgorithm: String?
  /// The key of an HMAC, or Firebase's signer key, in base64.
  public var signerKey: Secret?
  /// The bytes that follow each salt, in base64.
  public var saltSeparator: String?
  /// The number of rounds; for `SCRYPT`, scrypt's block size.
  public var rounds: Int?
  /// The logarithm of `SCRYPT`'s N.
  public var memoryCost: Int?
  /// The N of `STANDARD_SCRYPT`.
  public var cpuMemCost: Int?
  /// The p of `STANDARD_SCRYPT`.
  public var parallelization: Int?
  /// The r of `STANDARD_SCRYPT`.
  public var blockSize: Int?
  /// The number of bytes that `STANDARD_SCRYPT` derives.
  public var dkLen: Int?
  /// The order in the hashed text: `SALT_AND_PASSWORD` or `PASSWORD_AND_SALT`. `nil` for the algorithm's default.
  public var passwordHashOrder: String?
  /// The parameters of `ARGON2`.
  public var argon2Parameters: Argon2Parameters?
  /// Whether an account replaces one with the same identifier.
  public var allowOverwrite: Bool?
  /// Whether a duplicate address among the accounts refuses all of them, instead of only the second one.
  public var sanityCheck: Bool?
  /// The tenant; `nil` for the project itself.
  public var tenantId: String?

  /// The parameters of Argon2.
  public struct Argon2Parameters: Codable, Sendable, Hashable {
    /// The length of a hash, in bytes.
    public var hashLengthBytes: Int?
    /// The variant: `ARGON2_ID`, `ARGON2_I` or `ARGON2_D`.
    public var hashType: String?
    /// The number of lanes.
    public var parallelism: Int?
    /// The number of passes.
    public var iterations: Int?
    /// The memory, in KiB.
    public var memoryCostKib: Int?
    /// The version: `VERSION_13` or `VERSION_10`.
    public var version: String?
    /// Additional data that is hashed, in base64.
    public var associatedData: String?

    /// Makes parameters with nothing set.
    public init() {}
  }

  /// Makes a request to import these accounts.
  public init(users: [ImportedAccount]) { self.users = users }

  /// The response: the accounts that were not imported.
  public struct Response: Codable, Sendable, Hashable {
    /// One error for each account that was not imported; `nil` for none.
    public var error: [Fault]?

    /// Makes a response with the errors.
    public init(error: [Fault] = []) { self.error = error.isEmpty ? nil : error }
  }

  /// The reason why one account was not imported.
  public struct Fault: Codable, Sendable, Hashable {
    /// The account's index in the request.
    public var index: Int
    /// The reason, for people to read.
    public var message: String

    /// Makes an error for an account that was not imported.
    public init(index: Int, message: String) {
      self.index = index
      self.message = message
    }
  }
}

/// An account from another system.
public struct ImportedAccount: Codable, Sendable, Hashable {
  /// The user's identifier, 1 to 128 bytes; required.
  public var localId: String?
  /// The user's address.
  public var email: String?
  /// Whether the address is verified.
  public var emailVerified: Bool?
  /// The user's display name.
  public var displayName: String?
  /// The picture's address.
  public var photoUrl: String?
  /// The phone number in E.164 form.
  public var phoneNumber: String?
  /// Whether the account is disabled.
  public var disabled: Bool?
  /// The password's hash, in base64; for bcrypt, the base64 of its text.
  public var passwordHash: Secret?
  /// The hash's salt, in base64.
  public var salt: Secret?
  /// The password itself, which the provider hashes with its own algorithm; a `passwordHash` takes precedence.
  public var rawPassword: Secret?
  /// The custom claims of the user's ID tokens, as the text of a JSON object.
  public var customAttributes: String?
  /// The users of identity providers who sign in to the account.
  public var providerUserInfo: [Account.ProviderUserInfo]?
  /// The phones that are the account's second factors.
  public var mfaInfo: [CreateAccount.PhoneFactor]?
  /// The time of the account's creation, in milliseconds since 1970; `nil` for now.
  public var createdAt: DecimalString?
  /// The time of the last sign-in, in milliseconds since 1970; `nil` for never.
  public var lastLoginAt: DecimalString?
  /// The time at which the password was set; `nil` for now.
  public var passwordUpdatedAt: Milliseconds?
  /// The time before which sign-ins are revoked, in seconds since 1970; `nil` for now.
  public var validSince: DecimalString?
  /// Whether the account signs in with custom tokens.
  public var customAuth: Bool?
  /// The tenant; the call's own tenant, if that is given.
  public var tenantId: String?

  /// The reason why the account could not be read; never sent. It only affects this account of the call.
  package var fault: String?

  /// Makes an account that has only an identifier.
  public init(localId: String) { self.localId = localId }

  /// Makes a placeholder for an account that could not be read.
  package init(fault: String) { self.fault = fault }

  private enum CodingKeys: String, CodingKey {
    case localId, email, emailVerified, displayName, photoUrl, phoneNumber, disabled, passwordHash, salt, rawPassword
    case customAttributes, providerUserInfo, mfaInfo, createdAt, lastLoginAt, passwordUpdatedAt, validSince, customAuth
    case tenantId
  }
}
