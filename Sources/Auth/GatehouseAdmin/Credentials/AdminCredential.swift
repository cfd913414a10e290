import GatehouseBase

/// What makes a program an administrator of a project, over the network.
///
/// A value that says where the credential is. It is read by the first call that needs it, in the background.
public struct AdminCredential: Sendable {
  enum Source: Sendable {
    case known(Identity)
    case file(String)
    case applicationDefault(DefaultPlaces)
  }

  let source: Source

  /// A service account that was read before.
  public static func serviceAccount(_ account: ServiceAccount) -> AdminCredential {
    AdminCredential(source: .known(.serviceAccount(account)))
  }

  /// The file of a service account, or of a user who has signed in with `gcloud auth application-default login`.
  public static func file(_ path: String) -> AdminCredential { AdminCredential(source: .file(path)) }

  /// What Google's tools leave on a machine (Application Default Credentials), in their order: the file that
  /// `GOOGLE_APPLICATION_CREDENTIALS` names; `application_default_credentials.json` in `CLOUDSDK_CONFIG` or
  /// `~/.config/gcloud`; the metadata server of a machine of Google's (`GCE_METADATA_HOST`).
  ///
  /// A file that is named and cannot be used is an error, and nothing else is tried instead.
  public static let applicationDefault = AdminCredential(source: .applicationDefault(.ofThisProcess))

  /// The owner of an emulator, who needs no key. Only an emulator takes it.
  public static let emulator = AdminCredential(source: .known(.owner))

  /// What Google's tools leave on a machine with another environment: how tests look.
  package static func applicationDefault(environment: @escaping @Sendable (String) -> String?) -> AdminCredential {
    AdminCredential(source: .applicationDefault(DefaultPlaces(variable: environment)))
  }

  /// Reads it. Blocks: for background threads only.
  func identity() throws(AuthError) -> Identity {
    switch source {
    case .known(let identity): identity
    case .file(let path): try Identity(CredentialFile(path: path))
    case .applicationDefault(let places): try places.identity()
    }
  }
}

extension AdminCredential: CustomStringConvertible, CustomReflectable {
  /// Where it is, and nothing of what it holds.
  public var description: String {
    switch source {
    case .known(.serviceAccount(let account)): "\(account)"
    case .known: "an administrator"
    case .file(let path): "the credential \(path.printable())"
    case .applicationDefault: "the application's default credential"
    }
  }
  /// Empty.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
