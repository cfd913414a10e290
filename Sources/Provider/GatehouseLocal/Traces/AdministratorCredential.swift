import GatehouseBase
import GatehouseSystem

/// The credential of an administrator, as the audit log names it. It contains no secret.
package struct AdministratorCredential: Sendable, Hashable {
  /// The kinds of credentials.
  package enum Kind: String, Sendable, CaseIterable {
    /// A key of a service account.
    case serviceAccount
    /// The command `gate`, which a user of the machine has run.
    case gate
    /// A program that holds the provider.
    case program
    /// `Bearer owner`, or no credential, at an emulator.
    case emulator
    /// A signing key of the provider, which signs custom tokens too.
    case provider
  }

  let kind: Kind
  /// The service account's address, or the name of the machine's user.
  var name: String?
  /// The identifier of the key.
  var keyID: String?
  /// The number of the machine's user.
  var userID: UInt32?

  /// `gate`, run by this process's user.
  package static var gate: Self {
    Self(kind: .gate, name: CurrentUser.name, userID: try? CurrentUser.id)
  }
  /// A program that holds the provider.
  package static let program = Self(kind: .program, userID: try? CurrentUser.id)
  /// Any client of an emulator.
  package static let emulator = Self(kind: .emulator)

  static func serviceAccount(_ email: String, keyID: String?) -> Self {
    Self(kind: .serviceAccount, name: email, keyID: keyID)
  }

  static func provider(keyID: String?) -> Self { Self(kind: .provider, keyID: keyID) }

  /// The value of the member `credential`.
  var json: JSONValue {
    var json: JSONObject = ["kind": .string(kind.rawValue)]
    json["name"] = name.map { .string($0.printable()) }
    json["key"] = keyID.map { .string($0.printable()) }
    json["uid"] = userID.map { .number(JSONNumber($0)) }
    return .object(json)
  }
}
