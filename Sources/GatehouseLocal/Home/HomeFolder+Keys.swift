import Foundation
import GatehouseBase
import GatehouseCrypto

// The files of the keys. A key is written before the database names it, and gets its name when the database does:
// `KID.pem` without a row is a sign of a lost database, whatever else happened.
extension HomeFolder {
  /// The names of the keys that there are files of.
  func keyIDs() throws(AuthError) -> [String] { try keyFiles(ending: ".pem") }

  /// Completes what a process that was killed began, and refuses keys that the database does not name.
  ///
  /// - Parameter named: the names of the keys that the database names. Call with the opening lock held.
  func settleKeys(named: [String]) throws(AuthError) {
    let named = Set(named.map { Array($0.utf8) })
    if let unnamed = try keyIDs().first(where: { !named.contains(Array($0.utf8)) }) {
      throw AuthError(
        .providerDamaged,
        "\(keyPath(unnamed)) is a key that \(accounts) does not name: the database is older than its keys; "
          + "restore both from one backup, or move the key away to go on without what the database lost")
    }
    for keyID in try keyFiles(ending: Self.unfinished) {
      if named.contains(Array(keyID.utf8)) {
        try finishKey(keyID)
      } else {
        _ = Kernel.remove(unfinishedPath(keyID))
      }
    }
  }

  /// The private key of this name.
  func readKey(_ keyID: String) throws(AuthError) -> PrivateKey {
    let path = keyPath(keyID)
    let pem = Secret(String(decoding: try keyBytes(keyID), as: UTF8.self))
    do throws(AuthError) {
      return try PrivateKey(pem: pem)
    } catch {
      throw AuthError(
        .providerDamaged, "\(path) does not hold a private key (\(error.message)); restore it from a backup")
    }
  }

  /// The file of this key, byte for byte.
  func keyBytes(_ keyID: String) throws(AuthError) -> [UInt8] {
    let path = keyPath(keyID)
    guard try FileStatus(at: path) != nil else {
      throw AuthError(.providerDamaged, "\(path) is missing; restore it from a backup")
    }
    let file = try HomeFile(reading: path)
    try file.requirePlain()
    let status = try file.status()
    try status.requireOurs(path)
    try status.requireClosed(path, to: 0o077, advice: "chmod 600")
    return try file.contents(atMost: 65536)
  }

  /// Stores a private key that the database does not name yet. It is on the disk when this returns.
  func writeUnfinishedKey(_ keyID: String, _ key: PrivateKey) throws(AuthError) {
    let file = try HomeFile(making: unfinishedPath(keyID))
    try file.append(Array(try key.pem().revealed.utf8))
    try file.synchronize()
    try HomeFile(reading: keys).synchronize()
  }

  /// Gives a key its name. Call when the database names it.
  func finishKey(_ keyID: String) throws(AuthError) {
    guard Kernel.rename(unfinishedPath(keyID), to: keyPath(keyID)) == 0 else {
      throw KernelError.latest.refusal("make \(keyPath(keyID))")
    }
    try HomeFile(reading: keys).synchronize()
  }

  private static let unfinished = ".pem.unfinished"

  private func keyFiles(ending end: String) throws(AuthError) -> [String] {
    do {
      let names = try FileManager.default.contentsOfDirectory(atPath: keys)
      return names.filter { $0.hasSuffix(end) }.map { String($0.dropLast(end.count)) }.sorted()
    } catch {
      throw AuthError(.providerUnavailable, "cannot list \(keys): \(error.localizedDescription)")
    }
  }

  /// A key's name is its thumbprint in base64url, and so a file's name as well.
  func keyPath(_ keyID: String) -> String { "\(keys)/\(keyID).pem" }
  private func unfinishedPath(_ keyID: String) -> String { "\(keys)/\(keyID)\(Self.unfinished)" }
}
