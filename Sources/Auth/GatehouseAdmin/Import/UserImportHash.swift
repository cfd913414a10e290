import GatehouseBase
import IdentityToolkit

/// The hash of the imported users' passwords, which is the same for all of them.
///
///     try await admin.importUsers(users, hash: .bcrypt)
///
/// The provider verifies a password against the given hash at the user's first sign-in.
public struct UserImportHash: Sendable, Hashable {
  /// The order of salt and password in the hashed text.
  public enum Order: Sendable, Hashable {
    /// The salt, then the password.
    case saltAndPassword
    /// The password, then the salt.
    case passwordAndSalt
  }

  private let algorithm: String
  private var key: [UInt8]?
  private var separator: [UInt8]?
  private var rounds: Int?
  private var memoryCost: Int?
  private var scrypt: PlainScrypt?
  private var order: Order?
  private var argon2: Argon2?

  private struct PlainScrypt: Hashable { let n, r, p, length: Int }

  private init(_ algorithm: String, rounds: Int? = nil, key: [UInt8]? = nil, order: Order? = nil) {
    self.algorithm = algorithm
    self.rounds = rounds
    self.key = key
    self.order = order
  }

  /// Firebase's own scrypt. Firebase's console shows a project's parameters.
  ///
  /// - Parameters:
  ///   - key: the project's signer key.
  ///   - saltSeparator: the bytes that follow each salt.
  ///   - rounds: 1 to 8.
  ///   - memoryCost: the logarithm of scrypt's N: 1 to 14.
  public static func scrypt(
    key: [UInt8], saltSeparator: [UInt8] = [], rounds: Int, memoryCost: Int
  ) -> UserImportHash {
    var hash = UserImportHash("SCRYPT", rounds: rounds, key: key)
    hash.separator = saltSeparator
    hash.memoryCost = memoryCost
    return hash
  }

  /// scrypt (RFC 7914).
  ///
  /// - Parameters:
  ///   - cost: N, a power of two.
  ///   - blockSize: r.
  ///   - parallelization: p.
  ///   - derivedKeyLength: the length of a hash in bytes.
  public static func standardScrypt(
    cost: Int, blockSize: Int, parallelization: Int, derivedKeyLength: Int
  ) -> UserImportHash {
    var hash = UserImportHash("STANDARD_SCRYPT")
    hash.scrypt = PlainScrypt(n: cost, r: blockSize, p: parallelization, length: derivedKeyLength)
    return hash
  }

  /// bcrypt. A user's hash is its text, `$2b$10$…`, which contains the salt.
  public static let bcrypt = UserImportHash("BCRYPT")

  /// PBKDF2 with SHA-256, with 0 to 120,000 rounds.
  public static func pbkdf2SHA256(rounds: Int) -> UserImportHash { UserImportHash("PBKDF2_SHA256", rounds: rounds) }

  /// PBKDF2 with SHA-1, with 0 to 120,000 rounds.
  public static func pbkdfSHA1(rounds: Int) -> UserImportHash { UserImportHash("PBKDF_SHA1", rounds: rounds) }

  /// HMAC with SHA-512, over the password and then the salt unless `order` says otherwise.
  public static func hmacSHA512(key: [UInt8], order: Order = .passwordAndSalt) -> UserImportHash {
    UserImportHash("HMAC_SHA512", key: key, order: order)
  }

  /// HMAC with SHA-256, over the password and then the salt unless `order` says otherwise.
  public static func hmacSHA256(key: [UInt8], order: Order = .passwordAndSalt) -> UserImportHash {
    UserImportHash("HMAC_SHA256", key: key, order: order)
  }

  /// HMAC with SHA-1, over the password and then the salt unless `order` says otherwise.
  public static func hmacSHA1(key: [UInt8], order: Order = .passwordAndSalt) -> UserImportHash {
    UserImportHash("HMAC_SHA1", key: key, order: order)
  }

  /// HMAC with MD5, over the password and then the salt unless `order` says otherwise.
  public static func hmacMD5(key: [UInt8], order: Order = .passwordAndSalt) -> UserImportHash {
    UserImportHash("HMAC_MD5", key: key, order: order)
  }

  /// SHA-512 over the salt and then the password unless `order` says otherwise; 1 to 8192 rounds.
  public static func sha512(rounds: Int, order: Order = .saltAndPassword) -> UserImportHash {
    UserImportHash("SHA512", rounds: rounds, order: order)
  }

  /// SHA-256 over the salt and then the password unless `order` says otherwise; 1 to 8192 rounds.
  public static func sha256(rounds: Int, order: Order = .saltAndPassword) -> UserImportHash {
    UserImportHash("SHA256", rounds: rounds, order: order)
  }

  /// SHA-1 over the salt and then the password unless `order` says otherwise; 1 to 8192 rounds.
  public static func sha1(rounds: Int, order: Order = .saltAndPassword) -> UserImportHash {
    UserImportHash("SHA1", rounds: rounds, order: order)
  }

  /// MD5 over the salt and then the password unless `order` says otherwise; 0 to 8192 rounds. With 0 rounds, a hash is
  /// the hexadecimal text.
  public static func md5(rounds: Int, order: Order = .saltAndPassword) -> UserImportHash {
    UserImportHash("MD5", rounds: rounds, order: order)
  }

  /// Argon2 (RFC 9106), version 1.3.
  public static func argon2(_ parameters: Argon2) -> UserImportHash {
    var hash = UserImportHash("ARGON2")
    hash.argon2 = parameters
    return hash
  }

  /// The parameters of Argon2.
  public struct Argon2: Sendable, Hashable {
    /// The variants of Argon2.
    public enum Variant: String, Sendable, Hashable {
      /// Argon2id.
      case id = "ARGON2_ID"
      /// Argon2i.
      case i = "ARGON2_I"
      /// Argon2d.
      case d = "ARGON2_D"
    }

    /// The variant.
    public var variant: Variant
    /// The length of a hash in bytes: 4 to 1024.
    public var hashLength: Int
    /// The number of lanes: 1 to 16.
    public var parallelism: Int
    /// The number of passes: 1 to 16.
    public var iterations: Int
    /// The memory in KiB: 8 times the number of lanes, up to 32,768.
    public var memoryKiB: Int
    /// Additional data that is hashed; not a secret.
    public var associatedData: [UInt8] = []

    /// Makes parameters without associated data.
    public init(
      _ variant: Variant = .id, hashLength: Int, parallelism: Int, iterations: Int, memoryKiB: Int
    ) {
      self.variant = variant
      self.hashLength = hashLength
      self.parallelism = parallelism
      self.iterations = iterations
      self.memoryKiB = memoryKiB
    }
  }

  /// Writes the hash's parameters into a call.
  func write(to call: inout ImportAccounts) {
    call.hashAlgorithm = algorithm
    call.signerKey = key.map { Secret(Base64.encode($0)) }
    call.saltSeparator = separator.map(Base64.encode)
    call.rounds = rounds
    call.memoryCost = memoryCost
    call.cpuMemCost = scrypt?.n
    call.blockSize = scrypt?.r
    call.parallelization = scrypt?.p
    call.dkLen = scrypt?.length
    call.passwordHashOrder = order.map { $0 == .saltAndPassword ? "SALT_AND_PASSWORD" : "PASSWORD_AND_SALT" }
    call.argon2Parameters = argon2.map { argon2 in
      var parameters = ImportAccounts.Argon2Parameters()
      parameters.hashType = argon2.variant.rawValue
      parameters.hashLengthBytes = argon2.hashLength
      parameters.parallelism = argon2.parallelism
      parameters.iterations = argon2.iterations
      parameters.memoryCostKib = argon2.memoryKiB
      parameters.version = "VERSION_13"
      parameters.associatedData = argon2.associatedData.isEmpty ? nil : Base64.encode(argon2.associatedData)
      return parameters
    }
  }
}

extension UserImportHash: CustomStringConvertible, CustomReflectable {
  /// The algorithm, without its key.
  public var description: String { algorithm }
  /// Empty.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
