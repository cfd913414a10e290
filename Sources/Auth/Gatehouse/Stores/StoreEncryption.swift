import GatehouseBase
import GatehouseCrypto

/// The encryption of a `FileCredentialStore`'s file: AES-256-GCM, with a new random nonce for each write.
///
/// A file that is not encrypted yet is read, and the next write encrypts it. So is a file under a former key: the next
/// write encrypts it under the new key. A former key is needed until all of its files have been written once more.
///
/// A key encrypts 2³² writes safely, in all of its stores together.
public struct StoreEncryption: Sendable {
  /// The key that every write uses.
  public let key: StoreKey
  /// Keys that files may still be encrypted under.
  public let formerKeys: [StoreKey]
  /// The purpose of the file.
  public let name: String

  /// Makes the encryption of one store.
  ///
  /// - Parameters:
  ///   - key: the key that every write uses.
  ///   - formerKeys: keys that the file may still be encrypted under.
  ///   - name: what the file is for, in words of your choice. It is not stored, but a file that was written for another
  ///     name does not count as this store's (`storeDamaged`). So give each user or account a name of its own: a program
  ///     that can write to the disk cannot swap their files then. A path is no good name, because a file may be moved.
  public init(_ key: StoreKey, formerKeys: [StoreKey] = [], name: String) {
    self.key = key
    self.formerKeys = formerKeys
    self.name = name
  }
}

extension StoreEncryption {
  /// All keys that are read with.
  var keys: [StoreKey] { [key] + formerKeys }

  func seal(_ document: [UInt8]) throws(AuthError) -> SealedDocument {
    let sealed = try AuthenticatedCipher.aes256GCM.seal(document, authenticating: label(of: key), key: key.bytes)
    return SealedDocument(key: key.id, nonce: sealed.nonce, ciphertext: sealed.ciphertext, tag: sealed.tag)
  }

  /// Decrypts a document; `nil` if it names none of the keys.
  ///
  /// Throws `decryptionFailed` if the document was changed, or was written for another name.
  func open(_ document: SealedDocument) throws(AuthError) -> [UInt8]? {
    guard let key = keys.first(where: { $0.id.isExactly(document.key) }) else { return nil }
    let sealed = SealedMessage(nonce: document.nonce, ciphertext: document.ciphertext, tag: document.tag)
    return try AuthenticatedCipher.aes256GCM.open(sealed, authenticating: label(of: key), key: key.bytes)
  }

  /// The data that is authenticated besides: the format, the key, and what the file is for. The identifiers have one
  /// length, so that no two labels are equal.
  private func label(of key: StoreKey) -> [UInt8] {
    Array("gatehouse store \(SealedDocument.format) \(key.id) \(name)".utf8)
  }
}
