import GatehouseCore

/// Identifies the user whose second factor is enrolled, from `MultiFactor.session()`, or the sign-in that waits for a
/// second factor, from `MultiFactorResolver.session`.
public struct MultiFactorSession: Sendable, Hashable {
  private enum Kind: Sendable, Hashable {
    case enrollment(User)
    case signIn(AuthEngine, Secret)

    static func == (one: Self, other: Self) -> Bool {
      switch (one, other) {
      case (.enrollment(let one), .enrollment(let other)): one == other
      case (.signIn(let one, let pending), .signIn(let other, let otherPending)):
        one === other && pending == otherPending
      default: false
      }
    }

    func hash(into hasher: inout Hasher) {
      switch self {
      case .enrollment(let user): hasher.combine(user)
      case .signIn(let engine, let pending):
        hasher.combine(ObjectIdentifier(engine))
        hasher.combine(pending)
      }
    }
  }

  private let kind: Kind

  init(user: User) { kind = .enrollment(user) }

  init(_ engine: AuthEngine, _ pending: PendingSignIn) { kind = .signIn(engine, pending.credential) }

  var engine: AuthEngine {
    switch kind {
    case .enrollment(let user): user.engine
    case .signIn(let engine, _): engine
    }
  }

  /// - Throws: `.invalidArgument` for the session of a sign-in.
  func enrolling() throws(AuthError) -> User {
    guard case .enrollment(let user) = kind else {
      throw AuthError(.invalidArgument, "this session is of a sign-in; take that of user.multiFactor.session()")
    }
    return user
  }

  /// - Throws: `.invalidArgument` for the session of an enrollment.
  func signingIn() throws(AuthError) -> (AuthEngine, Secret) {
    guard case .signIn(let engine, let pending) = kind else {
      throw AuthError(.invalidArgument, "this session is of an enrolment; take that of the MultiFactorResolver")
    }
    return (engine, pending)
  }
}
