public import GatehouseBase
import GatehouseCrypto
import GatehouseJOSE

/// A service account: a program that administers a project with a private key, which is in a file of Google's format.
///
/// `gate service-accounts create` writes such a file for your own server, Google's console for a project at Google. The
/// description contains the account's address and the key's identifier, but never the key.
public struct ServiceAccount: Sendable {
  /// The project.
  public let projectID: String
  /// The account's address, which identifies it.
  public let email: String
  /// The key's identifier; `nil` if the file has none.
  public let keyID: String?
  /// The URL from which the account gets access tokens.
  public let tokenURL: String
  private let signer: TokenSigner

  /// Reads the text of a file and checks the key. The check takes a millisecond, so do not call this on a queue that
  /// must stay quick.
  ///
  /// - Parameter json: the whole file.
  /// - Throws: `.invalidArgument` for a file that is not a service account's. The error contains nothing of the file.
  public init(json: Secret) throws { try self.init(try CredentialFile(json.revealed.utf8)) }

  init(_ file: CredentialFile) throws(AuthError) {
    guard file.type.isExactly("service_account") else {
      throw AuthError(.invalidArgument, "this is not the file of a service account; its type is another one")
    }
    projectID = try file.text("project_id")
    email = try file.text("client_email")
    let keyID = file.json["private_key_id"]?.string
    self.keyID = keyID
    tokenURL = try file.text("token_uri")
    do throws(AuthError) {
      let pem = Secret(try file.text("private_key"))
      signer = try typed { try TokenSigner(key: try PrivateKey(pem: pem), algorithm: .RS256, keyID: keyID) }
    } catch {
      throw AuthError(.invalidArgument, "the private key of the service account cannot be used: \(error.message)")
    }
  }

  /// Signs a token that the account issues about itself, valid for an hour. Slow: signs.
  func sign(
    for audience: String, adding members: JSONObject = [:], at now: Double
  ) throws(AuthError) -> String {
    try sign(JSONObject(from: email, for: audience, adding: members, at: now))
  }

  /// Slow: signs.
  func sign(_ claims: JSONObject) throws(AuthError) -> String { try typed { try signer.sign(claims) } }
}

extension JSONObject {
  /// Makes the claims of a token that a service account signs, valid for an hour.
  init(from email: String, for audience: String, adding members: JSONObject, at now: Double) {
    let seconds = Int64(clamping: now)
    self = [
      "iss": .string(email), "aud": .string(audience), "iat": .number(JSONNumber(seconds)),
      "exp": .number(JSONNumber(seconds + 3600)),
    ]
    for member in members.members { self[member.name] = member.value }
  }
}

extension ServiceAccount: CustomStringConvertible, CustomReflectable {
  /// The address and the key's identifier.
  public var description: String {
    "service account \(email.printable()), key \(keyID?.printable() ?? "without a name")"
  }
  /// The address only.
  public var customMirror: Mirror { Mirror(self, children: ["email": email.printable()]) }
}
