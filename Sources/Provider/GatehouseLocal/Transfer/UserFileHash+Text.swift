import GatehouseBase
import GatehouseCrypto
import IdentityToolkit

extension UserFileHash {
  /// The parameters as a file that `init(reading:)` reads: the block of Firebase's console. For Argon2, which has no
  /// block, a JSON object.
  var text: String {
    if let argon2 = call.argon2 {
      var object: JSONObject = [:]
      object["hashLengthBytes"] = argon2.hashLengthBytes.map { .number(JSONNumber($0)) }
      object["hashType"] = argon2.hashType.map(JSONValue.string)
      object["parallelism"] = argon2.parallelism.map { .number(JSONNumber($0)) }
      object["iterations"] = argon2.iterations.map { .number(JSONNumber($0)) }
      object["memoryCostKib"] = argon2.memoryCostKib.map { .number(JSONNumber($0)) }
      object["version"] = argon2.version.map(JSONValue.string)
      object["associatedData"] = argon2.associatedData.map(JSONValue.string)
      return "\(["algorithm": .string(call.algorithm.rawValue), "argon2Parameters": .object(object)] as JSONObject)\n"
    }
    let lines: [(name: String, value: String?)] = [
      ("algorithm", call.algorithm.rawValue), ("base64_signer_key", call.signerKey?.revealed),
      ("base64_salt_separator", call.saltSeparator), ("rounds", call.rounds.map { "\($0)" }),
      ("mem_cost", (call.memoryCost ?? call.cpuMemCost).map { "\($0)" }),
      ("parallelization", call.parallelization.map { "\($0)" }), ("block_size", call.blockSize.map { "\($0)" }),
      ("dk_len", call.dkLen.map { "\($0)" }), ("password_hash_order", call.passwordHashOrder),
    ]
    let known = lines.compactMap { line in line.value.map { "  \(line.name): \($0),\n" } }
    return "hash_config {\n\(known.joined())}\n"
  }

  /// The parameters of a password that was set here.
  init(of hash: PasswordHash) {
    var call = Parameters(algorithm: .scrypt)
    call.cpuMemCost = hash.cost.n
    call.blockSize = hash.cost.r
    call.parallelization = hash.cost.p
    call.dkLen = hash.hash.count
    self.init(call)
  }

  /// The parameters of an imported password.
  init(of hash: ImportedHash) {
    switch hash.way {
    case .firebaseScrypt(let key, let rounds, let memoryCost, let separator):
      var call = Parameters(algorithm: .firebaseScrypt)
      call.signerKey = Secret(Base64.encode(key))
      call.saltSeparator = separator.map { Base64.encode($0) }
      (call.rounds, call.memoryCost) = (rounds, memoryCost)
      self.init(call)
    case .scrypt(let n, let r, let p):
      var call = Parameters(algorithm: .scrypt)
      (call.cpuMemCost, call.blockSize, call.parallelization, call.dkLen) = (n, r, p, hash.hash.count)
      self.init(call)
    case .bcrypt: self.init(Parameters(algorithm: .bcrypt))
    case .pbkdf2(let function, let rounds):
      // An import makes these two.
      var call = Parameters(algorithm: function == .sha1 ? .pbkdf2SHA1 : .pbkdf2SHA256)
      call.rounds = rounds
      self.init(call)
    case .hmac(let function, let key, let passwordFirst):
      var call = Parameters(algorithm: Self.hmac(function))
      call.signerKey = Secret(Base64.encode(key))
      call.passwordHashOrder = Self.order(passwordFirst)
      self.init(call)
    case .digest(let function, let rounds, let passwordFirst):
      var call = Parameters(algorithm: Self.digest(function))
      call.rounds = rounds
      call.passwordHashOrder = Self.order(passwordFirst)
      self.init(call)
    case .hexadecimalMD5(let passwordFirst):
      var call = Parameters(algorithm: .md5)
      call.rounds = 0
      call.passwordHashOrder = Self.order(passwordFirst)
      self.init(call)
    case .argon2(let argon2):
      var call = Parameters(algorithm: .argon2)
      var parameters = ImportAccounts.Argon2Parameters()
      parameters.hashLengthBytes = argon2.length
      parameters.hashType = argon2.kind.rawValue
      parameters.parallelism = argon2.lanes
      parameters.iterations = argon2.iterations
      parameters.memoryCostKib = argon2.memory
      parameters.version = argon2.version.rawValue
      parameters.associatedData = argon2.associated.isEmpty ? nil : Base64.encode(argon2.associated)
      call.argon2 = parameters
      self.init(call)
    }
  }

  private static func hmac(_ function: LegacyHash) -> PasswordHashAlgorithm {
    switch function {
    case .md5: .hmacMD5
    case .sha1: .hmacSHA1
    case .sha256: .hmacSHA256
    case .sha512: .hmacSHA512
    }
  }

  private static func digest(_ function: LegacyHash) -> PasswordHashAlgorithm {
    switch function {
    case .md5: .md5
    case .sha1: .sha1
    case .sha256: .sha256
    case .sha512: .sha512
    }
  }

  private static func order(_ passwordFirst: Bool) -> String {
    passwordFirst ? "PASSWORD_AND_SALT" : "SALT_AND_PASSWORD"
  }
}
