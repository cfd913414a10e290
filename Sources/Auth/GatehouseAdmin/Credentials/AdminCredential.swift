import GatehouseBase

/// The credential that makes a program an administrator of a project, over the network.
///
/// The value only records where the credential is. The credential is read by the first call that needs it, in the
/// background.
public struct AdminCredential: Sendable {
  enum Source: Sendable {
    case known(Identity)
    case file(String)
    case applicationDefault(DefaultPlaces)
  }

  let source: Source

  /// Returns a credential for a service account that was already read.
  public static func serviceAccount(_ account: ServiceAccount) -> AdminCredential {
    AdminCredential(source: .known(.serviceAccount(account)))
  }

  /// Returns a credential for the file of a service account, or of a user who has signed in with `gcloud auth
  /// application-default login`, also with `--impersonate-service-account`.
  public static func file(_ path: String) -> AdminCredential { AdminCredential(source: .file(path)) }

  /// The machine's Application Default Credentials, looked up in the order of Google's tools: the file that
  /// `GOOGLE_APPLICATION_CREDENTIALS` names; `application_default_credentials.json` in `CLOUDSDK_CONFIG` or
  /// `~/.config/gcloud`; the metadata server of a Google Cloud machine (`GCE_METADATA_HOST`).
  ///
  /// If a named file cannot be used, that is an error, and no other source is tried.
  public static let applicationDefault = AdminCredential(source: .applicationDefault(.ofThisProcess))

  /// The owner of an emulator, who needs no key. Only an emulator accepts it. With it, `AdminAuth` takes tokens without
  /// a signature as verified, as Google's emulator makes them: never give it to a program that serves real users.
  public static let emulator = AdminCredential(source: .known(.owner))

  /// Returns the Application Default Credentials of another environment. For tests.
  package static func applicationDefault(environment: @escaping @Sendable (String) -> String?) -> AdminCredential {
    AdminCredential(source: .applicationDefault(DefaultPlaces(variable: environment)))
  }

  /// Reads the credential. Blocks: for background threads only.
  func identity() throws(AuthError) -> Identity {
    switch source {
    case .known(let identity): identity
    case .file(let path): try Identity(CredentialFile(path: path))
    case .applicationDefault(let places): try places.identity()
    }
  }
}

extension AdminCredential: CustomStringConvertible, CustomReflectable {
  /// The location of the credential, without its contents.
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
