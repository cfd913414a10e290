public import GatehouseBase
public import GatehouseREST

/// How an `AdminAuth` behaves. Set what differs from the defaults.
public struct AdminOptions: Sendable {
  /// Where calls go that are made with a credential: Google, unless the environment names an emulator
  /// (`RESTServer.standard`). No concern of an `AdminAuth` of a provider in this process.
  public var server = RESTServer.standard
  /// The project; `nil` for the one that the credential names.
  public var projectID: String?
  /// The address of the service account that signs custom tokens where the credential has no key; `nil` for the one of
  /// the machine, which its metadata server tells. Google's IAM signs for it (`signJwt`), and the credential must have
  /// the role Service Account Token Creator.
  public var serviceAccountID: String?
  /// The issuer of the server's ID tokens; `nil` for `https://securetoken.google.com/PROJECT`. A provider in this
  /// process says its own.
  public var issuer: String?
  /// How long a call may take, unless it says otherwise.
  public var timeout = Duration.seconds(60)
  /// Where time comes from. Its wall clock decides whether a token has expired.
  public var clocks: any Clocks = SystemClocks()

  /// The defaults.
  public init() {}
}
