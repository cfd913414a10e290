import GatehouseBase
import GatehouseHTTP

/// A credential that was read: the administrator's identity, and the way to get an access token.
enum Identity: Sendable {
  case serviceAccount(ServiceAccount)
  case user(AuthorizedUser)
  case metadata(MetadataServer)
  indirect case impersonated(ImpersonatedAccount)
  case owner

  init(_ file: CredentialFile) throws(AuthError) {
    switch file.type {
    case "service_account": self = .serviceAccount(try ServiceAccount(file))
    case "authorized_user": self = .user(try AuthorizedUser(file))
    case "impersonated_service_account": self = .impersonated(try ImpersonatedAccount(file))
    default:
      throw AuthError(
        .invalidArgument,
        "a credential of type \(file.type.printable(upTo: 64)) is not supported; take a service account's file")
    }
  }

  /// Returns the request for an access token; `nil` if none is needed. For an impersonated account, it is the request
  /// for a token of its source.
  func tokenRequest(at now: Double) throws(AuthError) -> TransportRequest? {
    switch self {
    case .serviceAccount(let account):
      return try account.tokenRequest(for: ServiceAccount.administratorScopes, at: now)
    case .user(let user):
      return .form(
        user.tokenURL,
        [
          ("grant_type", "refresh_token"), ("client_id", user.clientID), ("client_secret", user.clientSecret.revealed),
          ("refresh_token", user.refreshToken.revealed),
        ])
    case .impersonated(let account): return try account.source.tokenRequest(at: now)
    case .metadata(let server): return server.request("instance/service-accounts/default/token")
    case .owner: return nil
    }
  }
}

extension ServiceAccount {
  /// The scopes that an administrator needs.
  public static let administratorScopes = ["cloud-platform", "identitytoolkit"].map {
    "https://www.googleapis.com/auth/" + $0
  }

  /// Returns the request for an access token (RFC 7523). Slow: signs.
  func tokenRequest(for scopes: [String], at now: Double) throws(AuthError) -> TransportRequest {
    let assertion = try sign(for: tokenURL, adding: ["scope": .string(scopes.joined(separator: " "))], at: now)
    return .form(
      tokenURL, [("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", assertion)])
  }
}

/// A user who has signed in with `gcloud auth application-default login`.
struct AuthorizedUser: Sendable {
  let clientID: String
  let clientSecret: Secret
  let refreshToken: Secret
  let tokenURL: String
  let projectID: String?

  init(_ file: CredentialFile) throws(AuthError) {
    clientID = try file.text("client_id")
    clientSecret = Secret(try file.text("client_secret"))
    refreshToken = Secret(try file.text("refresh_token"))
    tokenURL = file.json["token_uri"]?.string ?? "https://oauth2.googleapis.com/token"
    projectID = file.json["quota_project_id"]?.string
  }
}

/// The metadata server of a Google Cloud machine.
struct MetadataServer: Sendable {
  let host: String

  func request(_ path: String) -> TransportRequest {
    TransportRequest(
      .get, "http://\(host)/computeMetadata/v1/\(path)", headers: ["Metadata-Flavor": "Google"],
      timeout: .seconds(5), maximumResponseLength: 64 << 10)
  }

  /// Refuses the answer of another server: Google's metadata server identifies itself in a header.
  func check(_ response: TransportResponse) throws(AuthError) {
    guard response.status == 200, response.headers["Metadata-Flavor"] == "Google" else { throw stranger }
  }

  /// Returns the text of an answer.
  func text(of response: TransportResponse) throws(AuthError) -> String {
    try check(response)
    guard let text = String(validating: response.body, as: UTF8.self), !text.isEmpty else { throw stranger }
    return text
  }

  private var stranger: AuthError {
    AuthError(.responseInvalid, "\(host.printable()) is not a metadata server of Google's; name a credential's file")
  }
}

extension TransportRequest {
  fileprivate static func form(_ url: String, _ items: [(name: String, value: String)]) -> TransportRequest {
    TransportRequest(
      .post, url,
      headers: ["Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"],
      body: Array(FormEncoding.encode(items).utf8))
  }
}
