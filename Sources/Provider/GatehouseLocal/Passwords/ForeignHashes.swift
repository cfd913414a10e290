import CGatehousePasswords
import GatehouseBase
import GatehouseCrypto

// Password hashes that OpenSSL lacks, by the libraries that the system's own login uses. Slow on purpose.

/// bcrypt, through libcrypt.
enum Bcrypt {
  /// Whether a password has this hash: `$2a$10$…` with its salt, also as `$2b$` and `$2y$`.
  static func matches(_ password: [UInt8], _ hash: [UInt8]) throws(AuthError) -> Bool {
    // A C string ends at its first NUL, so a password that contains one was never hashed completely.
    guard !password.contains(0), isWellFormed(hash) else { return false }
    SlowWork.begins(.passwordHash)
    // `unsafe`: C. Both texts end with a NUL, the memory has the size that `crypt_rn` requires, and the result is in
    // it.
    var memory = [UInt8](repeating: 0, count: MemoryLayout<crypt_data>.size)
    defer { memory.cleanse() }
    let found: [UInt8]? = unsafe (password + [0]).withUnsafeBufferPointer { password in
      unsafe (hash + [0]).withUnsafeBufferPointer { hash in
        unsafe password.withMemoryRebound(to: CChar.self) { password in
          unsafe hash.withMemoryRebound(to: CChar.self) { hash in
            guard let password = password.baseAddress, let hash = hash.baseAddress,
              let answer = unsafe memory.withUnsafeMutableBytes({ memory in
                unsafe crypt_rn(password, hash, memory.baseAddress, Int32(memory.count)).map {
                  unsafe Array(String(cString: $0).utf8)
                }
              })
            else { return nil }
            return answer
          }
        }
      }
    }
    guard let found else { throw AuthError(.cryptoFailed, "this system's libcrypt has no bcrypt") }
    return constantTimeEquals(found, hash)
  }

  /// Whether the hash is `$2a$`, `$2b$` or `$2y$`, a cost of 4 to 31, and 53 letters. This excludes libcrypt's other
  /// methods. A cost of 31 takes hours (`HashWork`).
  static func isWellFormed(_ hash: [UInt8]) -> Bool { cost(of: hash).map((4...31).contains) ?? false }

  /// The cost of a hash, the base-2 logarithm of its rounds; `nil` for other texts.
  static func cost(of hash: [UInt8]) -> Int? {
    guard hash.count == 60, let text = String(validating: hash, as: UTF8.self) else { return nil }
    return text.firstMatch(of: #/^\$2[aby]\$([0-9]{2})\$[./A-Za-z0-9]{53}$/#).flatMap { Int($0.1) }
  }
}

/// Argon2 (RFC 9106), through libargon2.
struct Argon2: Codable, Sendable, Equatable {
  enum Kind: String, Codable, Sendable {
    case d = "ARGON2_D"
    case i = "ARGON2_I"
    case id = "ARGON2_ID"
  }
  enum Version: String, Codable, Sendable {
    case version10 = "VERSION_10"
    case version13 = "VERSION_13"
  }

  var kind: Kind
  var version: Version
  /// The length of a hash, in bytes.
  var length: Int
  var lanes: Int
  var iterations: Int
  /// The memory, in KiB.
  var memory: Int
  var associated: [UInt8]

  /// Whether the parameters are within the limits. They are Google's, except for the memory: other systems often use
  /// more than 32 MiB. The limit here is scrypt's, 1 GiB. `HashWork` limits all passes together.
  var isUsable: Bool {
    (4...1024).contains(length) && (1...16).contains(lanes) && (1...16).contains(iterations)
      && (8 * lanes...(1 << 20)).contains(memory) && associated.count <= 1024
  }

  func hash(_ password: [UInt8], salt: [UInt8]) throws(AuthError) -> [UInt8] {
    guard isUsable, (8...1024).contains(salt.count) else {
      throw AuthError(.cryptoFailed, "Argon2 exceeds its limits, or the salt has not 8 to 1024 bytes")
    }
    SlowWork.begins(.passwordHash)
    var (output, password, salt, associated) = ([UInt8](repeating: 0, count: length), password, salt, associated)
    // `unsafe`: C. Each buffer has the count that is passed, and outlives the call.
    let answer = unsafe output.withUnsafeMutableBufferPointer { output in
      unsafe password.withUnsafeMutableBufferPointer { password in
        unsafe salt.withUnsafeMutableBufferPointer { salt in
          unsafe associated.withUnsafeMutableBufferPointer { associated in
            var context = unsafe argon2_context()
            unsafe (context.out, context.outlen) = (output.baseAddress, UInt32(output.count))
            unsafe (context.pwd, context.pwdlen) = (password.baseAddress, UInt32(password.count))
            unsafe (context.salt, context.saltlen) = (salt.baseAddress, UInt32(salt.count))
            unsafe (context.ad, context.adlen) = (associated.baseAddress, UInt32(associated.count))
            unsafe (context.t_cost, context.m_cost) = (UInt32(iterations), UInt32(memory))
            // Computes the lanes one after the other, without starting threads.
            unsafe (context.lanes, context.threads) = (UInt32(lanes), 1)
            unsafe context.version = version == .version10 ? 0x10 : 0x13
            return unsafe argon2_ctx(&context, kind == .d ? Argon2_d : kind == .i ? Argon2_i : Argon2_id)
          }
        }
      }
    }
    guard answer == 0 else { throw AuthError(.cryptoFailed, "Argon2 failed (\(answer))") }
    return output
  }
}
