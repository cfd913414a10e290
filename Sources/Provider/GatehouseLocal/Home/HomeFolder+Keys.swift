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
  /// An unfinished key gets its name when the database names it, no file has that name, and its file holds that key. It
  /// is removed when the database does not name it. One beside the file of its name stays, and counts for nothing.
  /// Nothing changes when this throws for what it found. Call with the opening lock held.
  ///
  /// - Parameter rows: the keys that the database names.
  func settleKeys(named rows: [StoredKey]) throws(AuthError) {
    let named = Set(rows.map { Array($0.keyID.utf8) })
    if let unnamed = try keyIDs().first(where: { !named.contains(Array($0.utf8)) }) {
      throw AuthError(
        .providerDamaged,
        "\(keyPath(unnamed)) is a key that \(accounts) does not name: the database is older than its keys; "
          + "restore both from one backup, or move the key away to go on without what the database lost")
    }
    let leftovers = try keyFiles(ending: Self.unfinished)
    guard !leftovers.isEmpty else { return }
    // All of them are examined before anything changes.
    var whole: [String] = []
    for row in rows where leftovers.contains(where: { $0.isExactly(row.keyID) }) {
      guard try !HomeFile.isThere(keyPath(row.keyID)) else { continue }
      _ = try readKey(row.keyID, at: unfinishedPath(row.keyID))
      whole.append(row.keyID)
    }
    for row in rows where !whole.contains(where: { $0.isExactly(row.keyID) }) { _ = try readKey(row.keyID) }
    for keyID in whole { try finishKey(keyID) }
    for keyID in leftovers where !named.contains(Array(keyID.utf8)) { _ = Kernel.remove(unfinishedPath(keyID)) }
  }

  /// The private key of this name. Refuses a file that holds another key.
  func readKey(_ keyID: String) throws(AuthError) -> PrivateKey { try readKey(keyID, at: keyPath(keyID)) }

  private func readKey(_ keyID: String, at path: String) throws(AuthError) -> PrivateKey {
    let pem = Secret(String(decoding: try keyBytes(at: path), as: UTF8.self))
    let key: PrivateKey
    do throws(AuthError) {
      key = try PrivateKey(pem: pem)
    } catch {
      throw AuthError(
        .providerDamaged, "\(path) does not hold a private key (\(error.message)); restore it from a backup")
    }
    guard try key.thumbprint().isExactly(keyID) else {
      throw AuthError(.providerDamaged, "\(path) holds another key than its name says; restore it from a backup")
    }
    return key
  }

  /// The file of this key, byte for byte.
  func keyBytes(_ keyID: String) throws(AuthError) -> [UInt8] { try keyBytes(at: keyPath(keyID)) }

  private func keyBytes(at path: String) throws(AuthError) -> [UInt8] {
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
    try makeFolder(keys)
    try requireSafeFolder(keys)
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
    guard try HomeFile.isThere(keys) else { return [] }
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
