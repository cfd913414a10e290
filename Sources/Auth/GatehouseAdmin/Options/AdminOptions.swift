public import GatehouseBase
public import GatehouseREST

/// The settings of an `AdminAuth`. Set those that differ from the defaults.
public struct AdminOptions: Sendable {
  /// The server that receives the calls made with a credential: Google's, unless the environment names an emulator
  /// (`RESTServer.standard`). Not used by an `AdminAuth` of a provider in this process.
  public var server = RESTServer.standard
  /// The project; `nil` for the one that the credential names.
  public var projectID: String?
  /// The address of the service account that signs custom tokens if the credential has no key; `nil` for the machine's
  /// account, which its metadata server reports. Google's IAM signs for the account (`signJwt`), and the credential
  /// must have the role Service Account Token Creator.
  public var serviceAccountID: String?
  /// The issuer of the server's ID tokens; `nil` for `https://securetoken.google.com/PROJECT`. A provider in this
  /// process has its own issuer.
  public var issuer: String?
  /// The maximum duration of a call, unless the call sets its own.
  public var timeout = Duration.seconds(60)
  /// The source of time. Its wall clock decides whether a token has expired.
  public var clocks: any Clocks = SystemClocks()

  /// The defaults.
  public init() {}
}
