import Gatehouse
import GatehouseAgentServer
import GatehouseBase
import GatehouseSystem

/// The keys that the sessions of `gate agent login` are encrypted under: the present one first, then former ones. They
/// are empty if the sessions are not encrypted.
struct AgentKeys: Sendable {
  private let keys: [StoreKey]
  /// The identifiers of the keys.
  let ids: [String]

  /// The names of the service manager's credentials.
  static let credential = "gatehouse-agent-key", formerCredential = "gatehouse-agent-key-former"

  /// Reads the keys that the settings name, or else those that the service manager passes.
  init(_ settings: AgentSettings, _ variable: (String) -> String?) throws(AuthError) {
    var files = settings.encryptionKeyFiles
    if files.isEmpty, let folder = variable("CREDENTIALS_DIRECTORY") {
      files = try Self.credentials(in: folder)
    }
    var keys: [StoreKey] = []
    for file in files { keys.append(try StoreKey(reading: file)) }
    self.keys = keys
    ids = keys.map(\.id)
  }

  private static func credentials(in folder: String) throws(AuthError) -> [String] {
    var files: [String] = []
    for name in [credential, formerCredential] {
      do throws(SystemError) {
        if try FileStatus.at("\(folder)/\(name)") != nil { files.append("\(folder)/\(name)") }
      } catch { throw AuthError(.storeUnreadable, "the credentials of the service cannot be read: \(error)") }
    }
    if let first = files.first, first.hasSuffix(formerCredential) {
      throw AuthError(.invalidArgument, "the service has a credential \(formerCredential), and none \(credential)")
    }
    return files
  }

  /// Returns the encryption of an account's session; `nil` if it is in plain.
  func encryption(of account: String) -> HomeEncryption? {
    keys.first.map {
      HomeEncryption(key: $0, formerKeys: Array(keys.dropFirst()), owner: "agent account \(account)")
    }
  }
}
