public import GatehouseBase

extension AuthError.Code {
  /// The agent has no account of this name.
  public static let accountUnknown = Self(number: 19220)
  /// The agent has an account of this name already.
  public static let accountExists = Self(number: 19221)
}

extension AuthError {
  package static func noAccount(_ name: String) -> AuthError {
    AuthError(.accountUnknown, "the agent has no account '\(name.printable(upTo: 64))'")
  }

  static var agentClosed: AuthError { AuthError(.closed, "the agent was closed; make a new one") }
}
