import Gatehouse
import GatehouseSystem

/// The keys of a home's sessions.
struct HomeEncryption: Sendable {
  let key: StoreKey
  let formerKeys: [StoreKey]
  /// The owner of these sessions. The sessions of other owners under the same key are not accepted in their place.
  let owner: String
}

extension Home {
  /// The session's store.
  var store: FileCredentialStore { store(at: session) }

  /// The store of a session at another backend.
  func store(at path: String) -> FileCredentialStore {
    FileCredentialStore(path: path, encryption: encryption(at: path), keepsUsers: keepsUsers)
  }

  /// Returns the encryption of a session's file. The file's name counts: each backend has one of its own, so a session
  /// is never sent to the server of another backend. The folder does not count: a home may be moved.
  func encryption(at path: String) -> StoreEncryption? {
    encryption.map {
      StoreEncryption($0.key, formerKeys: $0.formerKeys, name: "\($0.owner), \(FileLocation(path).name)")
    }
  }
}
