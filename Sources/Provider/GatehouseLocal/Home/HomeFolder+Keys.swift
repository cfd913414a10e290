package import GatehouseBase
package import GatehouseCrypto
import GatehouseJOSE
import GatehouseSystem

// The key files. A key is written before the database names it, and renamed to its final name after that. So `KID.pem`
// without a row proves that database contents were lost.
extension HomeFolder {
  /// Returns the IDs of the keys that have files.
  func keyIDs() throws(AuthError) -> [String] { try keyFiles(ending: Self.finished) }

  /// Completes the work of a killed process, and refuses keys that the database does not name.
  ///
  /// An unfinished key gets its final name if the database names it, no file has that name, and its file contains that
  /// key. It is removed if the database does not name it. An unfinished key beside its finished file is kept and
  /// ignored. If this throws because of the files' contents, nothing was changed. Call with the opening lock held.
  ///
  /// - Parameters:
  ///   - rowIDs: the IDs of the keys that the database names.
  ///   - removed: the IDs of the keys that are being removed; their files may still exist.
  func settleKeys(named rowIDs: [String], leaving removed: [String] = []) throws(AuthError) {
    let named = Set((rowIDs + removed).map { Array($0.utf8) })
    if let unnamed = try keyIDs().first(where: { !named.contains(Array($0.utf8)) }) {
      throw AuthError(
        .providerDamaged,
        "\(keyPath(unnamed)) is a key that \(accounts) does not name: the database is older than its keys; "
          + "restore both from one backup, or move the key away to go on without what the database lost")
    }
    let leftovers = try keyFiles(ending: Self.unfinished)
    guard !leftovers.isEmpty, let folder = try openedKeys() else { return }
    // All of them are examined before anything is changed.
    var whole: [String] = []
    for keyID in rowIDs where leftovers.contains(where: { $0.isExactly(keyID) }) {
      let isThere = try attempting("examine \(keyPath(keyID))") { () throws(SystemError) in
        try folder.status(of: keyID + Self.finished) != nil
      }
      guard !isThere else { continue }
      _ = try readKey(keyID, ending: Self.unfinished)
      whole.append(keyID)
    }
    for keyID in rowIDs where !whole.contains(where: { $0.isExactly(keyID) }) { _ = try readKey(keyID) }
    for keyID in whole { try finishKey(keyID) }
    for keyID in leftovers where !named.contains(Array(keyID.utf8)) { try? folder.remove(keyID + Self.unfinished) }
  }

  /// Returns the private key with this ID. Refuses a file that contains another key.
  func readKey(_ keyID: String) throws(AuthError) -> PrivateKey { try readKey(keyID, ending: Self.finished) }

  /// Returns a private key that the database names. Its file may still be unfinished, if another process is making it
  /// or was killed.
  func readNamedKey(_ keyID: String) throws(AuthError) -> PrivateKey {
    do throws(AuthError) { return try readKey(keyID) } catch {
      guard let key = try? readKey(keyID, ending: Self.unfinished) else {
        // The file may have been renamed between the two attempts.
        return try readKey(keyID)
      }
      return key
    }
  }

  /// Removes the files of a key, if they exist.
  func removeKey(_ keyID: String) throws(AuthError) {
    guard let folder = try openedKeys() else { return }
    try attempting("remove \(keyPath(keyID))") { () throws(SystemError) in
      for end in [Self.finished, Self.unfinished] {
        _ = try ifThere { () throws(SystemError) in try folder.remove(keyID + end) }
      }
      try folder.sync()
    }
  }

  private func readKey(_ keyID: String, ending end: String) throws(AuthError) -> PrivateKey {
    let path = "\(keys)/\(keyID)\(end)"
    let pem = Secret(String(decoding: try keyBytes(keyID, ending: end), as: UTF8.self))
    let key: PrivateKey
    do throws(AuthError) {
      key = try typed { try PrivateKey(pem: pem) }
    } catch {
      throw AuthError(
        .providerDamaged, "\(path) does not hold a private key (\(error.message)); restore it from a backup")
    }
    guard try key.thumbprint().isExactly(keyID) else {
      throw AuthError(.providerDamaged, "\(path) holds another key than its name says; restore it from a backup")
    }
    return key
  }

  /// Returns the file of a key, byte for byte.
  func keyBytes(_ keyID: String) throws(AuthError) -> [UInt8] { try keyBytes(keyID, ending: Self.finished) }

  private func keyBytes(_ keyID: String, ending end: String) throws(AuthError) -> [UInt8] {
    let path = "\(keys)/\(keyID)\(end)"
    guard let folder = try openedKeys() else { throw missing(path) }
    let opened = try attempting("open \(path)") { () throws(SystemError) in
      try ifThere { () throws(SystemError) in try folder.openOwn(keyID + end, .reading, .secret) }
    }
    guard let file = opened else { throw missing(path) }
    guard let bytes = try attempting("read \(path)", { () throws(SystemError) in try file.readAll(limit: 65536) })
    else { throw AuthError(.providerDamaged, "\(path) is longer than 65536 bytes; restore it from a backup") }
    return bytes
  }

  private func missing(_ path: String) -> AuthError {
    AuthError(.providerDamaged, "\(path) is missing; restore it from a backup")
  }

  /// Stores a private key that the database does not name yet. It is on the disk when this returns.
  package func writeUnfinishedKey(_ keyID: String, _ key: PrivateKey) throws(AuthError) {
    let bytes = Array(try typed { try key.pem().revealed.utf8 })
    try attempting("make \(keys)/\(keyID)\(Self.unfinished)") { () throws(SystemError) in
      try OpenFolder.own(path).ownOrMade("keys").make(keyID + Self.unfinished, with: bytes)
    }
  }

  /// Renames a key's file to its final name. Call when the database names the key.
  func finishKey(_ keyID: String) throws(AuthError) {
    try attempting("make \(keyPath(keyID))") { () throws(SystemError) in
      let folder = try OpenFolder.own(keys)
      try folder.rename(keyID + Self.unfinished, to: keyID + Self.finished)
      try folder.sync()
    }
  }

  static let finished = ".pem"
  private static let unfinished = ".pem.unfinished"

  /// The open folder of the keys; `nil` if it does not exist. Refuses a folder that other users can change.
  func openedKeys() throws(AuthError) -> OpenFolder? {
    try attempting("open \(keys)") { () throws(SystemError) in
      guard let status = try FileStatus.at(keys) else { return nil }
      try status.require(.folder, .unwritable, at: keys)
      return try OpenFolder.own(keys)
    }
  }

  private func keyFiles(ending end: String) throws(AuthError) -> [String] {
    guard let folder = try openedKeys() else { return [] }
    let names = try attempting("list \(keys)") { () throws(SystemError) in try folder.names() }
    return names.filter { $0.hasSuffix(end) }.map { String($0.dropLast(end.count)) }.sorted()
  }

  /// Returns the path of a key's file. The key's ID is its thumbprint in base64url, and therefore a valid file name.
  func keyPath(_ keyID: String) -> String { "\(keys)/\(keyID)\(Self.finished)" }
}

extension PrivateKey {
  /// Returns the key's ID: its RFC 7638 thumbprint, which is the same in every implementation.
  func thumbprint() throws(AuthError) -> String { try typed { try JWK(.publicKey(publicKey)).thumbprint() } }
}
