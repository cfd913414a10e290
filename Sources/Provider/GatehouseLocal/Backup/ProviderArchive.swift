import GatehouseBase
import GatehouseCrypto

/// The contents of a backup: a database and the keys that it names, of one moment.
///
/// The format is a tar archive of these files, in this order: `provider/FORMAT`, `provider/accounts.sqlite`,
/// `provider/keys/KID.pem` for each key, and `provider/SHA256SUMS` of them all. Nothing else is accepted.
struct ProviderArchive: Sendable {
  struct Key: Sendable {
    let keyID: String
    /// The key's file, byte for byte.
    let pem: [UInt8]
  }

  let database: [UInt8]
  let keys: [Key]

  /// The maximum length of an archive, in bytes: a backup is made and checked in memory.
  static let limit = 1 << 30

  /// The maximum number of files in an archive, because a hostile one may contain millions.
  private static let fileLimit = 1000

  private static let format = 1
  private static let formatLine = "gatehouse provider backup "
  private static let folder = "provider/"

  init(database: [UInt8], keys: [Key]) {
    self.database = database
    self.keys = keys
  }

  /// - Parameter time: the time of the backup, in seconds since 1970.
  func written(at time: Int64) throws(AuthError) -> [UInt8] {
    var entries = [TarArchive.Entry(name: "FORMAT", bytes: Array("\(Self.formatLine)\(Self.format)\n".utf8))]
    entries.append(TarArchive.Entry(name: "accounts.sqlite", bytes: database))
    for key in keys { entries.append(TarArchive.Entry(name: "keys/\(key.keyID).pem", bytes: key.pem)) }
    entries.append(try Self.sums(of: entries))
    for index in entries.indices { entries[index].name = Self.folder + entries[index].name }
    return TarArchive.write(entries, at: time)
  }

  /// Reads a backup, and verifies every byte.
  ///
  /// - Parameter file: the file's name, for errors: `.backupInvalid`, `.providerTooNew`.
  init(_ bytes: [UInt8], from file: String) throws(AuthError) {
    func invalid(_ reason: String) -> AuthError {
      AuthError(.backupInvalid, "\(file) is not a whole backup of a provider: \(reason); take another one")
    }
    guard var entries = TarArchive.read(bytes, limit: Self.fileLimit),
      entries.allSatisfy({ $0.name.hasPrefix(Self.folder) })
    else {
      throw invalid("it is not an archive of gate provider backup, or it was cut short or changed")
    }
    for index in entries.indices { entries[index].name.removeFirst(Self.folder.count) }
    guard let first = entries.first, first.name.isExactly("FORMAT"), let format = Self.format(of: first.bytes) else {
      throw invalid("it does not begin with its format")
    }
    guard format == Self.format else {
      throw AuthError(
        .providerTooNew, "\(file) has format \(format) and this version reads \(Self.format); update this program")
    }
    guard let sums = entries.popLast(), sums == (try Self.sums(of: entries)) else {
      throw invalid("a SHA-256 differs, so that a file in it was changed")
    }
    guard entries.count > 2, entries[1].name.isExactly("accounts.sqlite") else {
      throw invalid("it has no database, or no key")
    }
    database = entries[1].bytes
    var keys: [Key] = []
    for entry in entries[2...] {
      guard let keyID = Self.keyID(of: entry.name), !keys.contains(where: { $0.keyID.isExactly(keyID) }) else {
        throw invalid("it holds a file that is not a key's")
      }
      keys.append(Key(keyID: keyID, pem: entry.bytes))
    }
    self.keys = keys
  }

  private static func format(of bytes: [UInt8]) -> Int? {
    guard let text = String(validating: bytes, as: UTF8.self), text.hasPrefix(formatLine), text.hasSuffix("\n") else {
      return nil
    }
    return Int(text.dropFirst(formatLine.count).dropLast())
  }

  /// Returns the key's identifier in a file name: a thumbprint in base64url with 43 characters, which cannot lead out
  /// of the folder.
  private static func keyID(of name: String) -> String? {
    guard name.hasPrefix("keys/"), name.hasSuffix(".pem") else { return nil }
    let keyID = String(name.dropFirst(5).dropLast(4))
    guard (try? Base64URL.bytes(of: keyID))?.count == 32 else { return nil }
    return keyID
  }

  /// Makes the checksums in the format of `sha256sum`.
  private static func sums(of entries: [TarArchive.Entry]) throws(AuthError) -> TarArchive.Entry {
    var text = ""
    for entry in entries {
      let sum = try HashAlgorithm.sha256.digest(of: entry.bytes)
      text += sum.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "  \(entry.name)\n"
    }
    return TarArchive.Entry(name: "SHA256SUMS", bytes: Array(text.utf8))
  }
}
