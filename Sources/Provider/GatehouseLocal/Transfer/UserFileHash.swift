package import GatehouseBase
import IdentityToolkit

/// The parameters of the password hashes of a file, which all its accounts share.
///
///     let hash = try UserFileHash(reading: bytes)   // of a file with the block that Firebase's console shows
///
/// Its description is the algorithm's name: a key of the hashes is not shown.
public struct UserFileHash: Sendable, Hashable {
  /// The parameters, as members of the protocol's call. It imports no accounts.
  let call: Parameters

  /// The members of `ImportAccounts` that describe hashes.
  struct Parameters: Sendable, Hashable {
    var algorithm: PasswordHashAlgorithm
    var signerKey: Secret?
    var saltSeparator: String?
    var rounds: Int?
    var memoryCost: Int?
    var cpuMemCost: Int?
    var parallelization: Int?
    var blockSize: Int?
    var dkLen: Int?
    var passwordHashOrder: String?
    var argon2: ImportAccounts.Argon2Parameters?
  }

  init(_ call: Parameters) { self.call = call }

  /// Reads parameters: the block `hash_config { … }` of Firebase's console, or a JSON object with the same names, those
  /// of the protocol, or those of the options of `firebase auth:import`.
  ///
  /// - Throws: `.invalidArgument` for text of another form, an unknown name, and parameters out of their limits.
  public init(reading bytes: some Sequence<UInt8>) throws {
    try self.init(parsing: bytes)
  }

  package init(parsing bytes: some Sequence<UInt8>) throws(AuthError) {
    let (object, isJSON) = try Self.object(of: Array(bytes))
    guard let name = try object.parameter(["algorithm", "hashalgorithm", "hashalgo"]), !name.isEmpty else {
      throw Self.malformed("the algorithm is missing")
    }
    let algorithm: PasswordHashAlgorithm
    do throws(AuthError) {
      algorithm = try PasswordHashAlgorithm(named: name.uppercased())
    } catch {
      throw Self.malformed(error.message)
    }
    var call = Parameters(algorithm: algorithm)
    call.signerKey = try object.parameter(["base64signerkey", "signerkey", "hashkey"]).map { Secret($0) }
    call.saltSeparator = try object.parameter(["base64saltseparator", "saltseparator"])
    call.rounds = try object.number(["rounds"])
    let cost = try object.number(["memcost"])
    // `firebase auth:import` has one option for both.
    let isPlain = algorithm == .scrypt
    call.memoryCost = try object.number(["memorycost"]) ?? (isPlain ? nil : cost)
    call.cpuMemCost = try object.number(["cpumemcost"]) ?? (isPlain ? cost : nil)
    call.parallelization = try object.number(["parallelization"])
    call.blockSize = try object.number(["blocksize"])
    call.dkLen = try object.number(["dklen"])
    call.passwordHashOrder = try object.parameter(["passwordhashorder", "hashinputorder"]).map { order in
      ["SALT_FIRST": "SALT_AND_PASSWORD", "PASSWORD_FIRST": "PASSWORD_AND_SALT"][order.uppercased()] ?? order
    }
    call.argon2 = try object.argon2()
    if let unknown = object.names.first(where: { !Self.names.contains(JSONObject.plain($0)) }) {
      throw Self.malformed("\(unknown.printable()) is no name of a parameter")
    }
    self.init(call)
    let names = HashParameterNames(of: object, isJSON: isJSON)
    if let missing = missing.map(names.spelling) {
      throw Self.malformed(isJSON ? "\(missing) is missing" : "the line \(missing) is missing")
    }
    do throws(AuthError) { _ = try hashes() } catch { throw Self.malformed(names.reason(of: error, call)) }
  }

  /// The first parameter that the algorithm needs and the file does not have.
  private var missing: HashParameterNames.Parameter? {
    let needed: [(HashParameterNames.Parameter, isThere: Bool)] =
      switch call.algorithm {
      case .firebaseScrypt:
        [(.signerKey, call.signerKey != nil), (.rounds, call.rounds != nil), (.memoryCost, call.memoryCost != nil)]
      case .scrypt:
        [
          (.cpuMemCost, call.cpuMemCost != nil), (.blockSize, call.blockSize != nil),
          (.parallelization, call.parallelization != nil), (.dkLen, call.dkLen != nil),
        ]
      case .hmacSHA512, .hmacSHA256, .hmacSHA1, .hmacMD5: [(.signerKey, call.signerKey != nil)]
      case .sha512, .sha256, .sha1: [(.rounds, call.rounds != nil)]
      // Rounds that are missing are none, and a text of bcrypt has its own. Argon2's are checked as a whole.
      case .bcrypt, .argon2, .pbkdf2SHA256, .pbkdf2SHA1, .md5: []
      }
    return needed.first { !$0.isThere }?.0
  }

  /// The names of parameters, in lower case and without underscores and hyphens.
  private static let names: Set<String> = [
    "algorithm", "hashalgorithm", "hashalgo", "base64signerkey", "signerkey", "hashkey", "base64saltseparator",
    "saltseparator", "rounds", "memcost", "memorycost", "cpumemcost", "parallelization", "blocksize", "dklen",
    "passwordhashorder", "hashinputorder", "argon2parameters",
  ]

  /// Reads the console's block, or a JSON object.
  private static func object(of bytes: [UInt8]) throws(AuthError) -> (JSONObject, isJSON: Bool) {
    let mark = [UInt8]([0xEF, 0xBB, 0xBF])
    let bytes = bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes
    guard bytes.count <= 1 << 16, let text = String(validating: bytes, as: UTF8.self) else {
      throw malformed("it is longer than 64 KiB, or not UTF-8")
    }
    if text.drop(while: \.isWhitespace).first == "{", let object = try? JSONObject(reading: bytes) {
      return (object, true)
    }
    var object = JSONObject()
    let inner = text.replacing("hash_config", with: "", maxReplacements: 1)
    for (number, row) in inner.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      for line in row.split(whereSeparator: { ",{};".contains($0) }) {
        guard let line = line.trimmed else { continue }
        let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmed ?? "" }
        // The line itself may have the key.
        guard parts.count == 2 else { throw malformed("line \(number + 1) is not NAME: VALUE") }
        let value =
          parts[1].hasPrefix("\"") && parts[1].hasSuffix("\"") ? parts[1].dropFirst().dropLast() : parts[1][...]
        guard object[parts[0]] == nil else { throw malformed("\(parts[0].printable()) is in it twice") }
        object[parts[0]] = .string(String(value))
      }
    }
    return (object, false)
  }

  fileprivate static func malformed(_ reason: String) -> AuthError {
    AuthError(.invalidArgument, "the parameters of the password hashes cannot be read: \(reason)")
  }

  /// The parameters, checked.
  func hashes() throws(AuthError) -> HashImport {
    var draft = ImportAccounts(users: [])
    draft.hashAlgorithm = call.algorithm.rawValue
    draft.signerKey = call.signerKey
    draft.saltSeparator = call.saltSeparator
    draft.rounds = call.rounds
    draft.memoryCost = call.memoryCost
    draft.cpuMemCost = call.cpuMemCost
    draft.parallelization = call.parallelization
    draft.blockSize = call.blockSize
    draft.dkLen = call.dkLen
    draft.passwordHashOrder = call.passwordHashOrder
    draft.argon2Parameters = call.argon2
    return try HashImport(draft)
  }
}

extension UserFileHash: CustomStringConvertible, CustomReflectable {
  /// The algorithm, without its key.
  public var description: String { call.algorithm.rawValue }
  /// Empty.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension JSONObject {
  /// A name in lower case, without underscores and hyphens.
  static func plain(_ name: String) -> String { name.lowercased().filter { $0 != "_" && $0 != "-" } }

  private func member(_ names: [String]) -> (name: String, value: JSONValue)? {
    members.first { names.contains(Self.plain($0.name)) && !$0.value.isNull }.map { ($0.name, $0.value) }
  }

  /// The text of the first of these names that is there.
  fileprivate func parameter(_ names: [String]) throws(AuthError) -> String? {
    guard let (name, value) = member(names) else { return nil }
    guard let text = value.string ?? value.number?.text else {
      throw UserFileHash.malformed("\(name.printable()) is neither text nor a number")
    }
    return text
  }

  fileprivate func number(_ names: [String]) throws(AuthError) -> Int? {
    guard let text = try parameter(names), !text.isEmpty else { return nil }
    guard let number = Int(text) else {
      throw UserFileHash.malformed("\(member(names)?.name.printable() ?? names[0]) is no whole number")
    }
    return number
  }

  fileprivate func argon2() throws(AuthError) -> ImportAccounts.Argon2Parameters? {
    guard let object = member(["argon2parameters"])?.value.object else { return nil }
    var parameters = ImportAccounts.Argon2Parameters()
    parameters.hashLengthBytes = try object.number(["hashlengthbytes"])
    parameters.hashType = try object.parameter(["hashtype"])
    parameters.parallelism = try object.number(["parallelism"])
    parameters.iterations = try object.number(["iterations"])
    parameters.memoryCostKib = try object.number(["memorycostkib"])
    parameters.version = try object.parameter(["version"])
    parameters.associatedData = try object.parameter(["associateddata"])
    return parameters
  }
}

extension StringProtocol {
  /// The text without white space at its ends; `nil` if it is empty then.
  fileprivate var trimmed: String? {
    let text = drop(while: \.isWhitespace)
    guard let last = text.lastIndex(where: { !$0.isWhitespace }) else { return nil }
    return String(text[...last])
  }
}
