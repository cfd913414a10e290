import ArgumentParser
import Foundation
import GatehouseBase
import GatehouseHTTP
import GatehouseJOSE
import GatehouseLocal

/// `gate verify [TOKEN]`
struct VerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Verify an ID token: its signature, and every rule for Firebase's ID tokens.",
    discussion: """
      Without options the token must come from the home's own provider. The audience is the project, local unless \
      --audience names another; the issuer is https://securetoken.google.com/ and the project, unless --issuer does.

      --jwks reads keys from a file, or once from a server: by https, or by http if it is this machine. They are a JWK \
      set, or certificates in PEM by the names of their keys, as Google serves them; chains are not verified.

      With --jws the input is a signed message (JWS) whose payload may be any bytes: only signature and header are \
      verified. The answer is the payload, in base64url.

      With --batch each line of standard input is a JSON object with a token and its own rules, and each line of \
      standard output answers one, in order:

        {"token": "…", "jwks": {"keys": […]}, "algorithms": ["RS256"]}
        {"valid": true, "claims": {…}}
        {"valid": false, "reason": "signatureInvalid", "message": "…"}

        jwks, jwk   the keys: a set, or one (a private one's public half)
        algorithms  the algorithms to accept; by default all that the keys are for
        checkTime   whether times count (true); true asks for exp as well
        now         the time to verify at, in seconds since 1970; by default the clock's
        leeway      how far clocks may differ: 0 to 60 seconds (0)
        issuer, audience, typ
                    the values to require; by default they are not checked

      An unknown rule changes nothing, and the answer names it: {…, "ignored": ["isuer"]}. A line of more than 1 MiB \
      is refused. A line without keys, issuer or audience has those of --jwks, --issuer and --audience. With --jws the \
      answer is {"valid": true, "payload": "…"}, and rules about claims are unknown. The exit status is 0, whatever \
      the answers are.
      """)

  @Argument(help: "The token; read from standard input when it is not given.") var token: String?
  @Option(
    help: ArgumentHelp(
      "Verify with a JWK set, or a map of certificates, instead of the home's keys.", valueName: "file|url"),
    completion: .file())
  var jwks: String?
  @Option(help: "The issuer that the token must name.") var issuer: String?
  @Option(help: "The audience that the token must name.") var audience: String?
  @Flag(help: "Verify a signed message of any content.") var jws = false
  @Flag(help: "Answer the lines of standard input.") var batch = false
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: HomeOptions

  func validate() throws {
    if batch && token != nil { throw ValidationError("--batch reads its tokens from standard input") }
    if jws && (issuer != nil || audience != nil) {
      throw ValidationError("a message has no issuer and no audience: --jws verifies its signature only")
    }
  }

  func run() async throws {
    guard !batch else {
      var batch = Batch(jws ? .messages : .tokens, defaults: try await batchDefaults())
      return try batch.run()
    }
    // A message in JSON has white space and quotes of its own.
    let token = try jws ? token ?? Input.standard.line(limit: TokenLimits.standard.token) : TokenInput.token(token)
    let keys = try await keys()
    do throws(AuthError) {
      if jws {
        let message = try JWSVerifier(keys: keys, algorithms: algorithms).verify(token)
        try answer.write(Base64URL.encode(message.payload), json: .valid(message))
      } else {
        let verified = try TokenVerifier(keys: keys, policy: policy).verify(token)
        try answer.write(line(for: verified), json: .valid(verified))
      }
    } catch {
      let refusal = advised(error)
      if answer.asJSON { try StandardOutput.write(line: "\(JSONObject.refused(refusal))") }
      throw refusal
    }
  }

  /// `--audience` alone means a Firebase project, whose issuer is derived from it.
  private func advised(_ error: AuthError) -> AuthError {
    guard error.code == .issuerMismatch, issuer == nil else { return error }
    return AuthError(error.code, "\(error.message); for a token of another issuer than Firebase give --issuer too")
  }

  private func keys() async throws(AuthError) -> JWKSet {
    if let jwks { return try await PublishedKeys(place: jwks).read() }
    let home = try home.home()
    try home.requireProvider()
    return try await home.withProvider { (provider) throws(AuthError) in try await provider.keySet() }
  }

  private func batchDefaults() async throws(AuthError) -> BatchDefaults {
    var defaults = BatchDefaults(issuer: issuer, audience: audience)
    if let jwks { defaults.keys = try await PublishedKeys(place: jwks).read() }
    return defaults
  }

  private var policy: VerificationPolicy {
    var policy = VerificationPolicy.firebaseIDToken(
      project: audience ?? LocalOptions().projectID, algorithms: algorithms)
    if let issuer { policy.issuer = issuer }
    return policy
  }

  /// The key decides which algorithm a token may have; a set never has both public keys and shared secrets.
  private var algorithms: Set<JWSAlgorithm> { Set(JWSAlgorithm.allCases) }

  private func line(for token: VerifiedToken) -> String {
    let email = token["email"]?.string.map { "\($0) " } ?? ""
    let expiry = token.expiry.map { $0.formatted(.iso8601) } ?? "without an expiry"
    return "valid until \(expiry): \(email)(\(token.subject ?? "no subject"))"
  }
}
