import ArgumentParser
import GatehouseBase
import GatehouseJOSE
import GatehouseLocal

/// The rules of `gate verify`: Firebase's rules for its ID tokens, or the rules that the options give.
struct TokenRules: ParsableArguments {
  @Option(
    help: ArgumentHelp("The issuer that the token must name; without --jwks its keys are looked up.", valueName: "url"))
  var issuer: String?
  @Option(help: "The audience that the token must name.") var audience: String?
  @Flag(help: "Accept a token for any audience: for providers whose tokens name none.") var noAudience = false
  @Option(help: ArgumentHelp("The type that the header must name, such as at+jwt.", valueName: "type"))
  var typ: String?
  @Option(
    help: ArgumentHelp(
      "How far clocks may differ: 0 to 60; by default 5.", valueName: "seconds")) var leeway: Double?
  @Option(
    help: ArgumentHelp("The algorithms to accept, such as RS256,ES256; by default all.", valueName: "names"),
    transform: Self.algorithms)
  var algorithms: Set<JWSAlgorithm>?
  @Flag(help: "Ask only for the issuer and the audience that are given, and for an expiry.")
  var noFirebaseRules = false

  func validate() throws {
    if audience != nil && noAudience { throw ValidationError("--audience and --no-audience exclude each other") }
    if let leeway, !(0...VerificationPolicy.maximumLeeway.inSeconds).contains(leeway) {
      throw ValidationError("--leeway is a number of seconds from 0 to 60")
    }
    if typ == "" { throw ValidationError("--typ must name a type") }
    if issuer == "" { throw ValidationError("--issuer must name an issuer") }
    if audience == "" { throw ValidationError("--audience must name an audience") }
  }

  /// Refuses rules that do not say for which audience a single token must be.
  func requireAudience() throws {
    guard usesFirebaseRules || audience != nil || noAudience else {
      throw ValidationError(
        "say whom the token must be for: --audience NAME, or --no-audience if the provider's tokens name none")
    }
  }

  /// Whether any of the options about claims is given.
  var concernClaims: Bool {
    issuer != nil || audience != nil || noAudience || typ != nil || leeway != nil || noFirebaseRules
  }

  /// Refuses a token that does not even claim to be from the given issuer.
  func checkIssuer(of token: String) throws(AuthError) {
    let named = try typed { try UnverifiedToken(token).issuer }
    guard let issuer, named?.isExactly(issuer) == true else {
      let found = named.map { "the token's issuer (iss) is \($0.printable())" } ?? "the token names no issuer (iss)"
      throw AuthError(.issuerMismatch, "\(found), and --issuer is \(issuer?.printable() ?? "")")
    }
  }

  /// Whether Firebase's rules apply: for Firebase's issuers, and if no issuer is given, unless the options leave these
  /// rules out.
  var usesFirebaseRules: Bool { !noFirebaseRules && (issuer == nil || firebase != nil) }

  /// The algorithms to accept. The key decides which of them a token may use: a key set never contains both public keys
  /// and shared secrets.
  var acceptedAlgorithms: Set<JWSAlgorithm> { algorithms ?? Set(JWSAlgorithm.allCases) }

  /// - Parameter own: the issuer and the project in the home's own tokens.
  func policy(own: OwnTokens) -> VerificationPolicy {
    var policy: VerificationPolicy
    if usesFirebaseRules {
      let project = audience ?? firebase?.project ?? own.project
      let rules =
        firebase?.isOfCookies == true
        ? VerificationPolicy.firebaseSessionCookie : VerificationPolicy.firebaseIDToken
      policy = rules(project, acceptedAlgorithms, VerificationPolicy.defaultLeeway)
      if let issuer = issuer ?? (project.isExactly(own.project) ? own.issuer : nil) { policy.issuer = issuer }
    } else {
      policy = VerificationPolicy(
        algorithms: acceptedAlgorithms, issuer: issuer, audience: audience)
    }
    if let leeway { policy.leeway = .seconds(leeway) }
    if noAudience { policy.audiences = nil }
    if let typ { policy.type = .required(typ) }
    return policy
  }

  /// Returns the Firebase project that a token claims to be from; `nil` for a token of another provider.
  private func project(of token: String) -> String? {
    let project = (try? UnverifiedToken(token).issuer).flatMap(Self.firebase)?.project
    // Only characters that a project's name may have are accepted: the advice is meant to be pasted into a shell.
    guard let project, !project.isEmpty, project.utf8.allSatisfy({ $0.isLetterOrDigit || $0 == UInt8(ascii: "-") })
    else { return nil }
    return project
  }

  /// The parts of the given issuer, if it is one of Firebase's.
  private var firebase: (project: String, isOfCookies: Bool)? { issuer.flatMap(Self.firebase) }

  private static func firebase(_ issuer: String) -> (project: String, isOfCookies: Bool)? {
    for (prefix, isOfCookies) in [
      ("https://securetoken.google.com/", false), ("https://session.firebase.google.com/", true),
    ] {
      if issuer.hasPrefix(prefix) { return (String(issuer.dropFirst(prefix.count)), isOfCookies) }
    }
    return nil
  }

  /// Adds to a refusal the option that may be missing.
  ///
  /// - Parameters:
  ///   - token: the token that is refused, or that could not be verified.
  ///   - usesHomeKeys: whether the keys of the home's own provider were used.
  func advised(_ error: AuthError, of token: String, usesHomeKeys: Bool) -> AuthError {
    let advice: String
    switch error.code {
    case .issuerMismatch where issuer == nil:
      // The library's errors reveal nothing about a token, but here a person must see which issuer the token names.
      let named = (try? UnverifiedToken(token).issuer).flatMap { $0 }
      let found = named.map { "the token's issuer (iss) is \($0.printable()); " } ?? ""
      advice =
        found
        + (project(of: token).map { "for a token of the Firebase project \($0) give --audience \($0)" }
          ?? "for a token of another issuer than Firebase give --issuer too")
    case .typeMismatch where typ == nil: advice = "if that is what you expect, give --typ with the token's type"
    case .providerUnavailable where usesHomeKeys && issuer == nil:
      advice = "for a token of another provider give --issuer, or --jwks"
    case .unknownKey where usesHomeKeys && issuer == nil:
      advice = "these are the home's own keys: for a token of another provider give --issuer, or --jwks"
    case .audienceMismatch where firebase == nil && audience == nil && usesFirebaseRules:
      advice = "for a token of another project give --audience"
    default: return error
    }
    return AuthError(error.code, "\(error.message); \(advice)")
  }

  private static func algorithms(_ text: String) throws -> Set<JWSAlgorithm> {
    let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    return Set(
      try names.map { name in
        guard let algorithm = JWSAlgorithm(named: name) else {
          throw ValidationError(
            "'\(name)' is no algorithm; they are \(JWSAlgorithm.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return algorithm
      })
  }
}
