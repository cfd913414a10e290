import GatehouseBase
import GatehouseCrypto
import GatehouseSystem

/// A key that a `FileCredentialStore` encrypts its file under: 32 random bytes, for AES-256-GCM.
///
/// It is overwritten in memory when the last copy is released, and is never printed. Usable from any thread.
public struct StoreKey: Sendable {
  /// The length of a key, in bytes.
  public static let length = 32

  let bytes: SecretBytes
  /// The key's identifier: 16 hexadecimal digits of a hash of the key. It reveals nothing of the key. A file that is
  /// encrypted names it, so that another key is not taken for damage.
  public let id: String

  /// Makes a key of 32 bytes. They must be random, not a password: no slow function stands between them and an
  /// attacker who tries them.
  ///
  /// Throws `keyInvalid` for another length.
  public init(_ bytes: [UInt8]) throws { try self.init(checking: bytes) }

  package init(checking bytes: [UInt8]) throws(AuthError) {
    guard bytes.count == Self.length else {
      throw AuthError(.keyInvalid, "the key of a store has \(Self.length) bytes; this one has \(bytes.count)")
    }
    let digest = try HashAlgorithm.sha256.digest(of: Array("gatehouse store key\0".utf8) + bytes)
    id = digest.prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    self.bytes = SecretBytes(bytes)
  }

  /// Makes a new random key.
  public static func generate() throws -> StoreKey { try random() }

  package static func random() throws(AuthError) -> StoreKey {
    var bytes = try RandomBytes.bytes(length)
    defer { bytes.cleanse() }
    return try StoreKey(checking: bytes)
  }

  /// Reads a key from a file: 32 bytes as base64 or as 64 hexadecimal digits, and a line end after them or not, as
  /// `openssl rand -base64 32` and `openssl rand -hex 32` print them. Blocks its thread.
  ///
  /// The file must be a plain file of this program's user or of root, and no other user may read or write it. Throws
  /// `storeUnreadable`, `storeUnsafe`, or `keyInvalid` for other content.
  ///
  /// - Parameter path: the file's path. Links are followed.
  public init(file path: String) throws { try self.init(reading: path) }

  package init(reading path: String) throws(AuthError) {
    var content: [UInt8]?
    do throws(SystemError) {
      let file = try OpenFile(path)
      try file.status().requireSecretSettings(at: path)
      content = try file.readAll(limit: 128)
    } catch {
      throw AuthError(
        error.isUnsafe ? .storeUnsafe : .storeUnreadable, "the file of the key cannot be used: \(error)")
    }
    defer { content?.cleanse() }
    guard var bytes = content.flatMap(Self.parse) else {
      throw AuthError(
        .keyInvalid,
        "\(path.printable()) is no key: it must hold 32 bytes as base64 or as 64 hexadecimal digits, in one line; "
          + "make one: gate agent make-key FILE")
    }
    defer { bytes.cleanse() }
    try self.init(checking: bytes)
  }

  /// The bytes of a text; `nil` if it is no key.
  private static func parse(_ content: [UInt8]) -> [UInt8]? {
    var text = content
    if text.last == UInt8(ascii: "\n") { text.removeLast() }
    if text.last == UInt8(ascii: "\r") { text.removeLast() }
    if text.count == 2 * length {
      let digits = text.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
      guard digits.count == text.count else { return nil }
      return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
    return (try? Base64.decode(text)).flatMap { $0.count == length ? $0 : nil }
  }

  /// A copy of the key. Search for this name to find where keys of stores are exposed.
  public var revealedBytes: [UInt8] { bytes.revealed }

  /// The content of a file that `init(file:)` reads.
  package var revealedFile: [UInt8] { Array("\(Base64.encode(bytes.revealed))\n".utf8) }
}

extension StoreKey: Equatable {}

extension StoreKey: CustomStringConvertible, CustomReflectable {
  /// `•••`.
  public var description: String { "•••" }
  /// Empty.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
