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
      Without options the token must come from the home's own provider. --audience names another project of Firebase: \
      the issuer must be https://securetoken.google.com/ and the project.

      For a token of another provider give its issuer and whom the token must be for:

        gate verify --issuer https://login.example --audience my-app TOKEN

      The issuer's keys are looked up: it says where they are, at the address of OpenID Connect or that of RFC 8414. \
      Then only signature, expiry, issuer and audience must be right, and typ, where the header has it, must be JWT. \
      --no-firebase-rules asks for as little with --jwks and no issuer.

      --jwks reads keys from a file, or from a server: by https, or by http if it is this machine. They are a JWK \
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
      is refused. A line without keys of its own has those of --jwks, else those of --issuer, else the home's. A \
      server's are fetched again as they age, and for a key that is not known (every 30 seconds at most); a file is \
      read once. Keys that cannot be had cost the lines that need them: {"valid": false, "reason": \
      "keysUnavailable", …}. For each other rule that a line lacks there is an option. With --jws the answer is \
      {"valid": true, "payload": "…"}, and rules about claims are unknown. The exit status is 0, whatever the answers are.
      """)

  @Argument(help: "The token; read from standard input when it is not given.") var token: String?
  @Option(
    help: ArgumentHelp(
      "Verify with a JWK set, or a map of certificates, instead of the home's keys.", valueName: "file|url"),
    completion: .file(), transform: fileName)
  var jwks: String?
  @OptionGroup var rules: TokenRules
  @Flag(help: "Verify a signed message of any content.") var jws = false
  @Flag(help: "Answer the lines of standard input.") var batch = false
  @OptionGroup var answer: AnswerOptions
  @OptionGroup var home: HomeOptions

  func validate() throws {
    if batch && token != nil { throw ValidationError("--batch reads its tokens from standard input") }
    if jws && rules.concernClaims {
      throw ValidationError("a message has no claims: --jws verifies its signature only")
    }
    if !jws && !batch { try rules.requireAudience() }
    if let jwks { try PublishedKeys.require(jwks, of: "--jwks") }
    guard jwks == nil, let issuer = rules.issuer else { return }
    if !batch, !PublishedKeys.isURL(issuer), !PublishedKeys.hasScheme(issuer) {
      throw ValidationError("--issuer is no URL, so its keys cannot be looked up; give them with --jwks")
    }
    try PublishedKeys.require(issuer, of: "--issuer")
  }

  func run() async throws {
    // If the keys come from elsewhere, the home is not read.
    let own = jwks == nil ? try await home.ownTokens() : OwnTokens(LocalOptions())
    let keys = VerificationKeys(place: jwks, issuer: rules.issuer, home: home, own: own)
    func refusing(_ token: String, _ body: () throws(AuthError) -> Void) throws {
      try self.refusing(token, usesHomeKeys: keys.areHomeKeys, body)
    }
    guard !batch else {
      var defaults = BatchDefaults(rules: rules, keys: keys)
      if keys.areInFile { defaults.given = try await keys.read() }
      var batch = Batch(jws ? .messages : .tokens, defaults: defaults)
      return try await batch.run()
    }
    let token = try givenToken(refusing)
    // If the token has another issuer anyway, no keys are looked up for it.
    if !jws, keys.asksIssuer { try refusing(token) { () throws(AuthError) in try rules.checkIssuer(of: token) } }
    let set: JWKSet
    do throws(AuthError) { set = try await keys.read() } catch {
      throw rules.advised(error, of: token, usesHomeKeys: keys.areHomeKeys)
    }
    try refusing(token) { () throws(AuthError) in
      if jws {
        let message = try typed { try JWSVerifier(keys: set, algorithms: rules.acceptedAlgorithms).verify(token) }
        try answer.write(Base64URL.encode(message.payload), json: .valid(message))
      } else {
        let verified = try typed { try TokenVerifier(keys: set, policy: rules.policy(own: own)).verify(token) }
        try answer.write(line(for: verified), json: .valid(verified))
      }
    }
  }

  /// Returns the token or message. A message in JSON contains white space and quotes. Text that can be neither is
  /// refused in the same way as a token that is not valid.
  ///
  /// - Parameter refusing: reports a refusal.
  private func givenToken(_ refusing: (String, () throws(AuthError) -> Void) throws -> Void) throws -> String {
    do throws(AuthError) { return try jws ? TokenInput.text(token) : TokenInput.token(token) } catch {
      guard [.tokenMalformed, .tokenTooLarge].contains(error.code) else { throw error }
      try refusing("") { () throws(AuthError) in throw error }
      throw error
    }
  }

  /// Runs the closure, and reports a refusal of the token together with the option that may be missing.
  private func refusing(_ token: String, usesHomeKeys: Bool, _ body: () throws(AuthError) -> Void) throws {
    do throws(AuthError) { try body() } catch {
      let refusal = rules.advised(error, of: token, usesHomeKeys: usesHomeKeys)
      guard answer.asJSON, refusal != StandardOutput.readerGone else { throw refusal }
      try StandardOutput.write(line: "\(JSONObject.refused(refusal))")
      throw AnsweredRefusal(error: refusal)
    }
  }

  private func line(for token: VerifiedToken) -> String {
    let email = token["email"]?.string.map { "\($0.shown) " } ?? ""
    let expiry = token.expiry.map { $0.formatted(.iso8601) } ?? "without an expiry"
    return "valid until \(expiry): \(email)(\(token.subject?.shown ?? "no subject"))"
  }
}
