import Gatehouse
import GatehouseBase

extension Home {
  /// Returns the signed-in user's account and its second factors. They are loaded from the provider, because another
  /// program may have changed them.
  func secondFactors() async throws(AuthError) -> (account: SignedInAccount, factors: [MultiFactorInfo]) {
    try await withReloadedUser { user in (SignedInAccount(user), user.multiFactor.enrolledFactors) }
  }

  /// Returns the signed-in user's account. Throws if no factor can be enrolled, before anything is typed.
  func accountToEnroll() async throws(AuthError) -> (account: SignedInAccount, email: String, isFirst: Bool) {
    try await withReloadedUser { user throws(AuthError) in
      guard let email = user.email else {
        throw AuthError(.unsupportedFirstFactor, "\(user.line) has no address, and so no password to go first")
      }
      guard user.profile.isEmailVerified else {
        throw AuthError(
          .unverifiedEmail,
          "a second factor wants a verified address, and \(email.shown) is not verified; run: gate verify-email")
      }
      return (SignedInAccount(user), email, user.multiFactor.enrolledFactors.isEmpty)
    }
  }

  private func withReloadedUser<Value: Sendable>(
    _ look: (User) throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    try await withSession { auth throws(AuthError) in
      let user = try await auth.requireUser()
      try requireProvider()
      try await typed { try await user.reload() }
      return try look(user)
    }
  }
}
