import GatehouseBase
import GatehouseJOSE

/// The verifier for the lines of a batch that have the same rules.
enum BatchVerifier: Sendable {
  case tokens(TokenVerifier)
  case messages(JWSVerifier)

  /// What the lines of a batch contain.
  enum Subject: Sendable {
    /// Tokens: the signature, the header and the claims are verified.
    case tokens
    /// Messages, whose payload may be any bytes: the signature and the header are verified.
    case messages

    /// The names of the rules that a line of this kind may have.
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

  /// Returns the answer to a valid token or message. Throws the reason if it is not valid.
  func answer(to question: BatchQuestion) throws(AuthError) -> JSONObject {
    switch self {
    case .tokens(let verifier):
      let now = question.now ?? verifier.policy.clocks.wall
      return .valid(try verifier.verify(question.token, at: now))
    case .messages(let verifier):
      return .valid(try typed { try verifier.verify(question.token) })
    }
  }
}
