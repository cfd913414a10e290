import ArgumentParser
import GatehouseBase
import GatehouseJOSE
import GatehouseSystem

/// `gate jwt sign`
struct JWTSignCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign", abstract: "Sign claims, and print the token.",
    discussion: """
      The claims are a JSON object: from --claims, from a file, or else from standard input unless it is a terminal \
      (empty input means no claims). They are signed as they are, in their order. An option for a claim sets it; \
      --expires-in sets exp, and iat if the claims have none.

      The key is a private key in PEM or a JWK, which may also be a shared secret. Its own algorithm and name are used \
      unless --alg and --kid say otherwise. A key that is encrypted asks for its passphrase.
      """)

  @Option(
    help: ArgumentHelp("The key to sign with.", valueName: "file"), completion: .file(), transform: fileName)
  var key: String
  @Option(help: ArgumentHelp("The claims.", valueName: "json")) var claims: String?
  @Option(
    help: ArgumentHelp("Read the claims from a file.", valueName: "file"), completion: .file(), transform: fileName)
  var claimsFile: String?
  @Option(help: ArgumentHelp("The algorithm, one that the key is for.", valueName: "name")) var alg: String?
  @Option(help: ArgumentHelp("The key's name, for the header.", valueName: "name")) var kid: String?
  @Option(help: ArgumentHelp("The token's type, for the header.", valueName: "type")) var typ = "JWT"
  @Option(help: ArgumentHelp("How long the token lives.", valueName: "seconds")) var expiresIn: Int?
  @Option(help: "The token's issuer (iss).") var issuer: String?
  @Option(help: "The token's audience (aud).") var audience: String?
  @Option(help: "The token's subject (sub).") var subject: String?
  @OptionGroup var passphrase: PassphraseOptions
  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    if claims != nil && claimsFile != nil { throw ValidationError("--claims and --claims-file exclude each other") }
    if let expiresIn, !(1...Self.longestLife).contains(expiresIn) {
      throw ValidationError("--expires-in is a number of seconds from 1 to \(Self.longestLife)")
    }
    if let alg, JWSAlgorithm(named: alg) == nil {
      let names = JWSAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("--alg is one of \(names)")
    }
    if let kid, !(1...256).contains(kid.utf8.count) { throw ValidationError("--kid has 1 to 256 bytes") }
    if typ.isEmpty { throw ValidationError("--typ must name a type") }
    for (option, value) in [("--issuer", issuer), ("--audience", audience), ("--subject", subject)] where value == "" {
      throw ValidationError("\(option) has no value; leave it out, or put the claim into --claims")
    }
  }

  func run() throws {
    let claims = try completed(givenClaims())
    var key = try KeyFile(path: key).key(passphrase)
    key.keyID = kid ?? key.keyID
    let token = try TokenSigner(key, algorithm: alg.flatMap(JWSAlgorithm.init(named:))).sign(claims, type: typ)
    try StandardOutput.write(line: TokenText(asJSON: answer.asJSON).text(of: token))
  }

  /// A hundred years, in seconds. That is far within the range of a `Moment`.
  private static let longestLife = 3_155_760_000

  private func givenClaims() throws(AuthError) -> JSONObject {
    let limit = TokenLimits.standard.token
    let bytes: [UInt8]
    if let claims {
      bytes = Array(claims.utf8)
    } else if let claimsFile {
      bytes = try Input.file(claimsFile).bytes(limit: limit)
    } else if passphrase.fromStandardInput || InheritedDescriptor.input.isTerminal {
      return [:]
    } else {
      bytes = try Input.standard.bytes(limit: limit)
      if bytes.allSatisfy({ $0 <= 0x20 }) { return [:] }
    }
    return try JSONObject(reading: bytes)
  }

  private func completed(_ claims: JSONObject) -> JSONObject {
    var claims = claims
    if let issuer { claims["iss"] = .string(issuer) }
    if let audience { claims["aud"] = .string(audience) }
    if let subject { claims["sub"] = .string(subject) }
    if let expiresIn {
      let now = Int64(SystemClocks().wall)
      claims["iat"] = claims["iat"] ?? .number(JSONNumber(now))
      claims["exp"] = .number(JSONNumber(now + Int64(expiresIn)))
    }
    return claims
  }
}
