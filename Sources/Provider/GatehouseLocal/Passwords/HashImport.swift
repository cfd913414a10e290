import GatehouseBase
import GatehouseCrypto
import IdentityToolkit

/// The hash parameters that all accounts of an import share, checked once.
struct HashImport: Sendable {
  private let way: ImportedHash.Way
  /// The way as the accounts' hashes have it.
  private let wayText: String
  private let separator: [UInt8]
  /// The length of every hash; `nil` if each may have its own length.
  private let length: Int?

  /// Refuses missing values and values out of their limits, with the protocol's error codes.
  init(_ call: ImportAccounts) throws(AuthError) {
    separator = try call.saltSeparator.map { text throws(AuthError) in try Self.bytes(text, "saltSeparator") } ?? []
    guard separator.count <= 1024 else { throw .badHash("saltSeparator is longer than 1024 bytes") }
    guard let name = call.hashAlgorithm, !name.isEmpty else { throw AuthError(server: .missingHashAlgorithm) }
    switch try PasswordHashAlgorithm(named: name) {
    case .firebaseScrypt:
      let key = try Self.key(of: call)
      way = .firebaseScrypt(
        signerKey: .init(key), rounds: try Self.rounds(call, 1...8),
        memoryCost: try Self.number(call.memoryCost, 1...14, "memoryCost"),
        separator: separator.isEmpty ? nil : .init(separator))
      length = key.count
    case .scrypt:
      let cost = PasswordCost(
        n: try Self.number(call.cpuMemCost, 2...(1 << 24), "cpuMemCost"),
        r: try Self.number(call.blockSize, 1...64, "blockSize"),
        p: try Self.number(call.parallelization, 1...64, "parallelization"))
      guard cost.isValid else { throw .badHash("cpuMemCost must be a power of two") }
      try HashWork(cost).requireAllowed()
      way = .scrypt(n: cost.n, r: cost.r, p: cost.p)
      length = try Self.number(call.dkLen, Self.shortest...1024, "dkLen")
    case .bcrypt: (way, length) = (.bcrypt, 60)
    case .pbkdf2SHA256:
      (way, length) = (.pbkdf2(.sha256, rounds: max(try Self.rounds(call, 0...HashWork.maximumRounds), 1)), nil)
    case .pbkdf2SHA1:
      (way, length) = (.pbkdf2(.sha1, rounds: max(try Self.rounds(call, 0...HashWork.maximumRounds), 1)), nil)
    case .hmacSHA512: (way, length) = try Self.hmac(.sha512, call)
    case .hmacSHA256: (way, length) = try Self.hmac(.sha256, call)
    case .hmacSHA1: (way, length) = try Self.hmac(.sha1, call)
    case .hmacMD5: (way, length) = try Self.hmac(.md5, call)
    case .sha512: (way, length) = try Self.digest(.sha512, call)
    case .sha256: (way, length) = try Self.digest(.sha256, call)
    case .sha1: (way, length) = try Self.digest(.sha1, call)
    case .md5:
      let rounds = try Self.rounds(call, 0...8192)
      let passwordFirst = try Self.passwordFirst(call, otherwise: false)
      way =
        rounds == 0
        ? .hexadecimalMD5(passwordFirst: passwordFirst) : .digest(.md5, rounds: rounds, passwordFirst: passwordFirst)
      length = rounds == 0 ? 32 : 16
    case .argon2:
      let argon2 = try Self.argon2(call.argon2Parameters)
      (way, length) = (.argon2(argon2), argon2.length)
    }
    wayText = try way.text()
  }

  /// Returns the hash of one account, as it is stored. Refuses one that these parameters cannot produce.
  func text(_ hash: Secret, salt: Secret?) throws(AuthError) -> String { try self.hash(hash, salt: salt).text(wayText) }

  /// Returns the hash of one account. Refuses one that these parameters cannot produce.
  private func hash(_ hash: Secret, salt: Secret?) throws(AuthError) -> ImportedHash {
    let bytes = try Self.bytes(hash.revealed, "passwordHash")
    let salt = try salt.map { salt throws(AuthError) in try Self.bytes(salt.revealed, "salt") } ?? []
    guard (Self.shortest...1024).contains(bytes.count), length.map({ $0 == bytes.count }) ?? true, salt.count <= 1024
    else {
      throw .badHash("passwordHash has another length than its algorithm makes, or the salt is longer than 1024 bytes")
    }
    if case .bcrypt = way, !Bcrypt.isWellFormed(bytes) {
      throw .badHash(
        "passwordHash is not a bcrypt text such as $2b$10$… with a cost of 4 to \(HashWork.maximumBcryptCost)")
    }
    if case .argon2 = way, salt.count < 8 { throw .badHash("a salt of Argon2 has 8 bytes or more") }
    // bcrypt's text contains its salt.
    let isWhole = if case .bcrypt = way { true } else { false }
    let imported = ImportedHash(way, hash: bytes, salt: isWhole ? [] : salt + separator)
    try HashWork(imported).requireAllowed()
    return imported
  }

  // MARK: The parameters of a call

  /// The minimum length of a hash in bytes. A shorter one fits passwords other than the user's, too.
  private static let shortest = 16

  private static func number(
    _ value: Int?, _ range: ClosedRange<Int>, _ name: String
  ) throws(AuthError) -> Int {
    guard let value, range.contains(value) else {
      throw .badHash("\(name) must be \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  private static func rounds(_ call: ImportAccounts, _ range: ClosedRange<Int>) throws(AuthError) -> Int {
    // A missing value is zero, as in the rest of the protocol.
    let rounds = call.rounds ?? 0
    guard range.contains(rounds) else {
      throw AuthError(server: .invalidHashRounds, "rounds must be \(range.lowerBound) to \(range.upperBound)")
    }
    return rounds
  }

  private static func key(of call: ImportAccounts) throws(AuthError) -> [UInt8] {
    let key = try call.signerKey.map { key throws(AuthError) in try bytes(key.revealed, "signerKey") } ?? []
    guard (1...1024).contains(key.count) else { throw .badHash("signerKey must have 1 to 1024 bytes") }
    return key
  }

  private static func passwordFirst(_ call: ImportAccounts, otherwise: Bool) throws(AuthError) -> Bool {
    switch call.passwordHashOrder {
    case nil, "", "UNSPECIFIED_ORDER": otherwise
    case "PASSWORD_AND_SALT": true
    case "SALT_AND_PASSWORD": false
    default: throw .badHash("passwordHashOrder must be SALT_AND_PASSWORD or PASSWORD_AND_SALT")
    }
  }

  private static func hmac(
    _ function: LegacyHash, _ call: ImportAccounts
  ) throws(AuthError) -> (ImportedHash.Way, length: Int?) {
    let first = try passwordFirst(call, otherwise: true)
    return (.hmac(function, key: .init(try key(of: call)), passwordFirst: first), function.length)
  }

  private static func digest(
    _ function: LegacyHash, _ call: ImportAccounts
  ) throws(AuthError) -> (ImportedHash.Way, length: Int?) {
    let first = try passwordFirst(call, otherwise: false)
    return (.digest(function, rounds: try rounds(call, 1...8192), passwordFirst: first), function.length)
  }

  private static func argon2(_ given: ImportAccounts.Argon2Parameters?) throws(AuthError) -> Argon2 {
    guard let given, let kind = given.hashType.flatMap(Argon2.Kind.init) else {
      throw .badHash("argon2Parameters with a hashType of ARGON2_ID, ARGON2_I or ARGON2_D must be there")
    }
    let version: Argon2.Version
    switch given.version {
    case nil, "", "VERSION_UNSPECIFIED", "VERSION_13": version = .version13
    case "VERSION_10": version = .version10
    default: throw .badHash("the version of argon2Parameters must be VERSION_13 or VERSION_10")
    }
    let argon2 = Argon2(
      kind: kind, version: version, length: try number(given.hashLengthBytes, shortest...1024, "hashLengthBytes"),
      lanes: try number(given.parallelism, 1...16, "parallelism"),
      iterations: try number(given.iterations, 1...16, "iterations"),
      memory: try number(given.memoryCostKib, 8...(1 << 20), "memoryCostKib"),
      associated: try given.associatedData.map { text throws(AuthError) in try bytes(text, "associatedData") } ?? [])
    guard argon2.isUsable else {
      throw .badHash("memoryCostKib must be 8 times parallelism or more")
    }
    guard argon2.iterations * argon2.memory <= HashWork.maximumKibibytes else {
      throw .badHash("memoryCostKib times iterations must be at most \(HashWork.maximumKibibytes)")
    }
    return argon2
  }

  /// Decodes base64 of either alphabet, with or without padding.
  private static func bytes(_ text: String, _ name: String) throws(AuthError) -> [UInt8] {
    var letters = text.utf8.map { letter in
      switch letter {
      case UInt8(ascii: "+"): UInt8(ascii: "-")
      case UInt8(ascii: "/"): UInt8(ascii: "_")
      default: letter
      }
    }
    while letters.last == UInt8(ascii: "=") { letters.removeLast() }
    guard let bytes = try? Base64URL.bytes(of: String(decoding: letters, as: UTF8.self)) else {
      throw .badHash("\(name) is not base64")
    }
    return bytes
  }
}

extension PasswordHashAlgorithm {
  /// The algorithm of this name; throws the protocol's error if there is none.
  init(named name: String) throws(AuthError) {
    guard let algorithm = PasswordHashAlgorithm(rawValue: name) else {
      throw AuthError(server: .invalidHashAlgorithm, "\(name.printable()) is not known")
    }
    self = algorithm
  }
}

extension AuthError {
  fileprivate static func badHash(_ reason: String) -> AuthError {
    AuthError(.invalidArgument, reason, server: .invalidArgument)
  }
}
