import ArgumentParser
import Foundation
import GatehouseBase
import GatehouseJOSE
import GatehouseLocal

/// `gate verify [TOKEN]`
struct VerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Verify an ID token: its signature, and every rule for Firebase's ID tokens.",
    discussion: """
      Without options the token must come from the home's own provider. The audience is the project, local unless \
      --audience names another; the issuer is https://securetoken.google.com/ and the project, unless --issuer does.
      """)

  @Argument(help: "The token; read from standard input when it is not given.") var token: String?
  @Option(
    help: ArgumentHelp("Verify with the keys of a JWK set instead of the home's.", valueName: "file"),
    completion: .file())
  var jwks: String?
  @Option(help: "Who the token must come from.") var issuer: String?
  @Option(help: "Whom the token must be for.") var audience: String?
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: HomeOptions

  func run() async throws {
    let token = try token ?? Input.standard.line(limit: TokenLimits.standard.token)
    let verifier = TokenVerifier(keys: try await keys(), policy: policy)
    do throws(AuthError) {
      let verified = try verifier.verify(token, at: SystemClocks().now().wall)
      try answer.write(line(for: verified), json: ["valid": true, "claims": .object(verified.claims)])
    } catch {
      if answer.asJSON { try StandardOutput.write(line: "\(refusal(error))") }
      throw error
    }
  }

  private func keys() async throws(AuthError) -> JWKSet {
    if let jwks { return try JWKSet(parsing: Input.file(jwks).bytes(limit: 1 << 20)) }
    let home = try home.home()
    try home.requireProvider()
    return try await home.backend().keySet()
  }

  private var policy: VerificationPolicy {
    // Every signature by a key pair: which one a token may have, its key decides.
    var policy = VerificationPolicy.firebaseIDToken(
      project: audience ?? LocalOptions().projectID, algorithms: [.RS256, .ES256, .EdDSA, .Ed25519])
    if let issuer { policy.issuer = issuer }
    return policy
  }

  private func line(for token: VerifiedToken) -> String {
    let email = token["email"]?.string.map { "\($0) " } ?? ""
    let expiry = token.expiry.map { Date(timeIntervalSince1970: $0).formatted(.iso8601) } ?? "for ever"
    return "valid until \(expiry): \(email)(\(token.subject ?? "nobody"))"
  }

  private func refusal(_ error: AuthError) -> JSONObject {
    ["valid": false, "reason": .string("\(error.code)"), "message": .string(error.message)]
  }
}
