import GatehouseBase
import GatehouseJOSE

/// What verifies the lines of a batch that have the same rules.
enum BatchVerifier: Sendable {
  case tokens(TokenVerifier)
  case messages(JWSVerifier)

  /// What a batch is about.
  enum Subject: Sendable {
    /// Tokens: signature, header and claims.
    case tokens
    /// Messages whose payload may be any bytes: signature and header.
    case messages

    /// The rules that a line about this may have.
    var rules: [String] {
      switch self {
      case .tokens: BatchRules.ofSignatures + BatchRules.ofTokens
      case .messages: BatchRules.ofSignatures
      }
    }
  }

  init(_ rules: BatchRules, _ keys: JWKSet, for subject: Subject) throws(AuthError) {
    switch subject {
    case .tokens: self = .tokens(TokenVerifier(keys: keys, policy: try rules.policy()))
    case .messages:
      _ = try rules.checksTime()
      self = .messages(JWSVerifier(keys: keys, algorithms: try rules.algorithms()))
    }
  }

  /// The answer to a good token or message; throws why it is none.
  func answer(to question: BatchQuestion) throws(AuthError) -> JSONObject {
    switch self {
    case .tokens(let verifier):
      let now = question.now ?? verifier.policy.clocks.wall
      return .valid(try verifier.verify(question.token, at: now))
    case .messages(let verifier):
      return .valid(try verifier.verify(question.token))
    }
  }
}
