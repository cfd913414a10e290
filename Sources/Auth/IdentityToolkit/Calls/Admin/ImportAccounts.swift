public import GatehouseBase

/// Makes many accounts at once, with the password hashes of another system.
///
/// Source: https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/batchCreate
public struct ImportAccounts: AdminCall {
  /// The path of the REST call, after its host.
  public static let endpoint = "identitytoolkit.googleapis.com/v1/projects/{project}/accounts:batchCreate"
  /// How many it may have.
  public static let most = 1000

  /// The accounts.
  public var users: [ImportedAccount]
  /// How all their passwords are hashed: `SCRYPT`, `STANDARD_SCRYPT`, `BCRYPT`, `PBKDF2_SHA256`, `PBKDF_SHA1`,
  /// `HMAC_SHA512`, `HMAC_SHA256`, `HMAC_SHA1`, `HMAC_MD5`, `SHA512`, `SHA256`, `SHA1`, `MD5` or `ARGON2`. `nil` if
  /// none has a password.
  public var hashAlgorithm: String?
  /// The key of an HMAC, or Firebase's signer key, in base64.
  public var signerKey: Secret?
  /// What stands behind each salt, in base64.
  public var saltSeparator: String?
  /// How often it is hashed; of `SCRYPT`, scrypt's block size.
  public var rounds: Int?
  /// The logarithm of `SCRYPT`'s N.
  public var memoryCost: Int?
  /// The N of `STANDARD_SCRYPT`.
  public var cpuMemCost: Int?
  /// The p of `STANDARD_SCRYPT`.
  public var parallelization: Int?
  /// The r of `STANDARD_SCRYPT`.
  public var blockSize: Int?
  /// How many bytes `STANDARD_SCRYPT` derives.
  public var dkLen: Int?
  /// `SALT_AND_PASSWORD` or `PASSWORD_AND_SALT`: which comes first in what is hashed. `nil` for the algorithm's own.
  public var passwordHashOrder: String?
  /// How `ARGON2` hashes.
  public var argon2Parameters: Argon2Parameters?
  /// Whether an account takes the place of one with the same identifier.
  public var allowOverwrite: Bool?
  /// Whether one address twice among the accounts refuses all of them, and not the second one alone.
  public var sanityCheck: Bool?
  /// The tenant; `nil` for the project itself.
  public var tenantId: String?

  /// How Argon2 hashes.
  public struct Argon2Parameters: Codable, Sendable, Hashable {
    /// Bytes of a hash.
    public var hashLengthBytes: Int?
    /// `ARGON2_ID`, `ARGON2_I` or `ARGON2_D`.
    public var hashType: String?
    /// Its lanes.
    public var parallelism: Int?
    /// Its passes.
    public var iterations: Int?
    /// Its memory.
    public var memoryCostKib: Int?
    /// `VERSION_13` or `VERSION_10`.
    public var version: String?
    /// What is hashed besides, in base64.
    public var associatedData: String?

    /// Nothing is set yet.
    public init() {}
  }

  /// Asks for these accounts.
  public init(users: [ImportedAccount]) { self.users = users }

  /// What was not imported.
  public struct Response: Codable, Sendable, Hashable {
    /// One for each account that is not there now; `nil` for none.
    public var error: [Fault]?

    /// Answers with what was not imported.
    public init(error: [Fault] = []) { self.error = error.isEmpty ? nil : error }
  }

  /// Why one account was not imported.
  public struct Fault: Codable, Sendable, Hashable {
    /// Its place in the request, from 0.
    public var index: Int
    /// What is wrong, for people.
    public var message: String

    /// An account that was not imported.
    public init(index: Int, message: String) {
      self.index = index
      self.message = message
    }
  }
}

/// An account as another system had it.
public struct ImportedAccount: Codable, Sendable, Hashable {
  /// The user's identifier, 1 to 128 bytes; must be there.
  public var localId: String?
  /// The user's address.
  public var email: String?
  /// Whether the address is known to be the user's.
  public var emailVerified: Bool?
  /// The name to show.
  public var displayName: String?
  /// The picture's address.
  public var photoUrl: String?
  /// The phone number, as E.164 writes it.
  public var phoneNumber: String?
  /// Whether the user may not sign in.
  public var disabled: Bool?
  /// The password's hash, in base64; of bcrypt, the base64 of its text.
  public var passwordHash: Secret?
  /// The hash's salt, in base64.
  public var salt: Secret?
  /// The password itself, which the provider hashes as its own; a `passwordHash` goes before it.
  public var rawPassword: Secret?
  /// What ID tokens say of the user, as the text of a JSON object.
  public var customAttributes: String?
  /// The identity providers' users who sign in to the account.
  public var providerUserInfo: [Account.ProviderUserInfo]?
  /// The phones that are the account's second factors.
  public var mfaInfo: [CreateAccount.PhoneFactor]?
  /// When the account was made, in milliseconds since 1970; `nil` for now.
  public var createdAt: DecimalString?
  /// When the user last signed in, in milliseconds since 1970; `nil` for never.
  public var lastLoginAt: DecimalString?
  /// The tenant; the call's own, where it is given.
  public var tenantId: String?

  /// Why the account could not be read; never sent. It costs this account, and no other of the call.
  package var fault: String?

  /// An account with nothing but its identifier.
  public init(localId: String) { self.localId = localId }

  /// An account that could not be read.
  package init(fault: String) { self.fault = fault }

  private enum CodingKeys: String, CodingKey {
    case localId, email, emailVerified, displayName, photoUrl, phoneNumber, disabled, passwordHash, salt, rawPassword
    case customAttributes, providerUserInfo, mfaInfo, createdAt, lastLoginAt, tenantId
  }
}
