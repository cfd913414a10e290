import Foundation
package import GatehouseBase
import GatehouseCrypto

/// The work and the memory of one check of a password, and the maximum of both for all algorithms alike.
///
/// An import refuses a hash above the maximum. A hash above it that is in the database already is never computed.
package struct HashWork: Sendable {
  /// The work. One is that of a hash of `PasswordCost.standard`: about a quarter of a second of one processor.
  package let hashes: Double
  /// The memory, in bytes.
  package let memory: Double

  package static let maximum = HashWork(hashes: 16, memory: Double(Scrypt.maximumMemory))

  // Measured on one machine, and rounded so that the limits of the algorithms are as they are documented.

  /// The `n · r · p` of one hash of ours.
  private static let scrypt = 786_432.0
  /// The rounds of PBKDF2, multiplied by the blocks of the hash, that take as long.
  private static let rounds = 625_000.0
  /// The KiB of Argon2's memory, multiplied by the iterations, that take as long.
  private static let kibibytes = 262_144.0
  /// The cost of a bcrypt hash that takes as long.
  private static let bcrypt = 12
  /// The blocks of 64 bytes that take as long to digest.
  private static let blocks = 1_250_000.0
  /// The time for which a digest is set up, in blocks.
  private static let blocksOfSetup = 8.0

  /// The maximum number of PBKDF2 rounds for one block.
  static let maximumRounds = Int(maximum.hashes * rounds)
  /// The maximum cost of a bcrypt hash.
  static let maximumBcryptCost = bcrypt + 4
  /// The maximum of Argon2's memory, multiplied by the iterations, in KiB.
  static let maximumKibibytes = Int(maximum.hashes * kibibytes)

  /// Makes the work of a hash of ours.
  init(_ cost: PasswordCost) { self.init(n: Double(cost.n), r: Double(cost.r), p: Double(cost.p)) }

  /// Makes the work of another system's hash. Any numbers may be in it.
  init(_ hash: ImportedHash) {
    switch hash.way {
    case .firebaseScrypt(_, let rounds, let memoryCost, _):
      self.init(n: pow(2, Double(memoryCost)), r: Double(rounds), p: 1)
    case .scrypt(let n, let r, let p): self.init(n: Double(n), r: Double(r), p: Double(p))
    case .bcrypt:
      let cost = Bcrypt.cost(of: Array(hash.hash))
      self.init(hashes: cost.map { pow(2, Double($0 - Self.bcrypt)) } ?? 0, memory: 0)
    case .pbkdf2(let function, let rounds):
      // Each block of the hash is computed with all rounds.
      let blocks = (Double(hash.hash.count) / Double(function.length)).rounded(.up)
      self.init(hashes: Double(rounds) * blocks / Self.rounds, memory: 0)
    case .hmac, .hexadecimalMD5: self.init(rounds: 1, salt: hash.salt.count)
    case .digest(_, let rounds, _): self.init(rounds: rounds, salt: hash.salt.count)
    case .argon2(let argon2):
      let (iterations, memory) = (Double(argon2.iterations), Double(argon2.memory))
      self.init(hashes: iterations * memory / Self.kibibytes, memory: memory * 1024)
    }
  }

  /// Makes the work of a hash as the database has it.
  package init(stored text: String) throws(AuthError) { self = try StoredHash(text: text).work }

  /// Makes the work of a digest that is repeated on itself. The first one is that of the password and the salt; the
  /// length of the password is limited (`PasswordRules`).
  private init(rounds: Int, salt: Int) {
    self.init(hashes: (Double(rounds) * Self.blocksOfSetup + Double(salt / 64)) / Self.blocks, memory: 0)
  }

  private init(hashes: Double, memory: Double) { (self.hashes, self.memory) = (hashes, memory) }

  private init(n: Double, r: Double, p: Double) {
    self.init(hashes: n * r * p / Self.scrypt, memory: 128 * r * (n + p + 2))
  }

  /// Whether the hash may be computed.
  package var isAllowed: Bool { hashes <= Self.maximum.hashes && memory <= Self.maximum.memory }

  /// Whether the hash takes much more work or memory than one of ours, which has this work. Such a hash has a thread of
  /// its own.
  func isCostly(besides own: HashWork) -> Bool {
    isAllowed && (hashes > 2 * max(own.hashes, 1) || memory > max(own.memory, Self.ordinaryMemory))
  }

  /// The maximum memory of a hash that shares the threads of ours.
  private static let ordinaryMemory = Double(192 << 20)

  /// Refuses an import of a hash that may not be computed.
  func requireAllowed() throws(AuthError) {
    guard !isAllowed else { return }
    throw AuthError(
      .invalidArgument,
      """
      checking one password would cost as much as \(Self.rounded(hashes)) hashes of ours and \
      \(Self.rounded(memory / 1_048_576)) MiB; the maximum is \(Self.rounded(Self.maximum.hashes)) hashes and \
      \(Self.rounded(Self.maximum.memory / 1_048_576)) MiB. Import the account without its password, and let its user \
      reset it
      """, server: .invalidArgument)
  }

  /// The number with one digit after the point, rounded up, so that no number above the maximum looks like it.
  private static func rounded(_ number: Double) -> String {
    let tenths = (min(number, 1e12) * 10).rounded(.up)
    return tenths.truncatingRemainder(dividingBy: 10) == 0 ? "\(Int(tenths / 10))" : "\(tenths / 10)"
  }
}
