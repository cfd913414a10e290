import Foundation
import GatehouseBase
import GatehouseHTTP

/// A service account that another credential acts for: the file of `gcloud auth application-default login
/// --impersonate-service-account`.
///
/// The other credential, the source, gets a token of its own first. With it, Google's IAM makes the account's token.
///
/// Source: https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/generateAccessToken
struct ImpersonatedAccount: Sendable {
  /// The credential that acts for the account: a user's or a service account's.
  let source: Identity
  /// The account's address.
  let email: String
  /// The service accounts in between, each of which acts for the next one.
  let delegates: [String]
  private let url: String
  private let quotaProjectID: String?

  /// The life of the tokens that are asked for, in seconds. IAM allows no longer one by default.
  private static let lifetime = 3600.0
  private static let method = ":generateAccessToken"

  init(_ file: CredentialFile) throws(AuthError) {
    url = try file.text("service_account_impersonation_url")
    // The source's token is sent there.
    guard url.hasPrefix("https://"), url.hasSuffix(Self.method),
      let account = url.dropLast(Self.method.count).split(separator: "/").last?.removingPercentEncoding,
      account.contains("@")
    else {
      throw AuthError(
        .invalidArgument,
        "the credential's service_account_impersonation_url must begin with https:// and end with "
          + "serviceAccounts/ADDRESS\(Self.method)")
    }
    email = account
    guard let source = file.json["source_credentials"]?.object else {
      throw AuthError(.invalidArgument, "the credential has no source_credentials")
    }
    let kind = source["type"]?.string ?? ""
    guard ["authorized_user", "service_account"].contains(kind) else {
      throw AuthError(
        .invalidArgument,
        "source_credentials of type \(kind.printable(upTo: 64)) are not supported; take a user's or a service account's"
      )
    }
    self.source = try Identity(CredentialFile(source.serialized()))
    delegates = (file.json["delegates"]?.array ?? []).compactMap(\.string)
    quotaProjectID = file.json["quota_project_id"]?.string
  }

  /// The project that the file names, or that the account's address belongs to.
  var projectID: String? {
    if let quotaProjectID { return quotaProjectID }
    let domain = email.split(separator: "@").last ?? ""
    let ending = ".iam.gserviceaccount.com"
    return domain.hasSuffix(ending) ? String(domain.dropLast(ending.count)) : nil
  }

  /// Returns the request for the account's access token.
  func tokenRequest(with token: Secret) -> TransportRequest {
    let body: JSONObject = [
      "scope": .array(ServiceAccount.administratorScopes.map(JSONValue.string)),
      "delegates": .array(delegates.map(JSONValue.string)), "lifetime": .string("\(Int(Self.lifetime))s"),
    ]
    var request = TransportRequest.post(url, json: body.serialized())
    request.headers["Authorization"] = "Bearer \(token.revealed)"
    return request
  }

  /// Reads the token of an answer.
  func accessToken(of response: TransportResponse, at now: ClockReading) throws(AuthError) -> AccessToken {
    try IAMRefusal.check(response, for: email, to: "lend a token of", at: now.wall)
    guard let json = try? JSONObject(reading: response.body), let token = json["accessToken"]?.string, !token.isEmpty,
      token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else { throw AuthError(.responseInvalid, "the answer of Google's IAM has no access token") }
    // The token has the life that was asked for if no date can be read.
    let end = json["expireTime"]?.string.flatMap { try? Date($0, strategy: Date.ISO8601FormatStyle()).wall }
    let life = end.map { $0 - now.wall } ?? Self.lifetime
    return AccessToken(Secret(token), lifetime: min(max(life, 0), Self.lifetime), fetchedAt: now)
  }
}

/// The refusals of Google's IAM.
enum IAMRefusal {
  /// Throws unless the answer has status 200.
  ///
  /// - Parameter purpose: what IAM was to do with the account, for the message.
  static func check(
    _ response: TransportResponse, for email: String, to purpose: String, at now: Double
  ) throws(AuthError) {
    switch response.status {
    case 200: return
    case 401, 403:
      throw AuthError(
        .adminRestrictedOperation,
        "Google's IAM does not \(purpose) \(email.printable()); give the credential the role "
          + "roles/iam.serviceAccountTokenCreator on that account")
    case 404:
      throw AuthError(.invalidArgument, "there is no service account \(email.printable()); check its address")
    default:
      if let unavailability = Unavailability(response, at: now) {
        throw AuthError(
          response.status == 429 ? .tooManyRequests : .networkError, "Google's IAM \(unavailability.text)",
          retryAfter: unavailability.retryAfter)
      }
      throw AuthError(.responseInvalid, "Google's IAM answered with status \(response.status)")
    }
  }
}
