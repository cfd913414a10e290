import Gatehouse
import GatehouseBase

/// Who is signed in, while a person is asked for a password: no session is open meanwhile.
struct SignedInAccount: Sendable {
  let uid: String
  let email: String?
  /// For people.
  let line: String
}

extension Home {
  /// The signed-in user's account; throws when there is none.
  func account() async throws(AuthError) -> SignedInAccount {
    try await withSession { auth throws(AuthError) in
      let user = try await auth.requireUser()
      try requireProvider()
      return SignedInAccount(uid: user.uid, email: user.email, line: user.line)
    }
  }
}

extension Auth {
  /// Signs the account's user in once more, because the provider asks for a recent sign-in, and a person at another
  /// person's terminal must not change what is hers. An account without an address has only its session.
  func signInAgain(_ account: SignedInAccount, password: Secret?) async throws(AuthError) -> User {
    let present = try await requireUser()
    guard let email = account.email, let password else { return try same(present, account) }
    _ = try same(present, account)
    return try same(try await signIn(withEmail: email, password: password.revealed).user, account)
  }

  private func same(_ user: User, _ account: SignedInAccount) throws(AuthError) -> User {
    guard user.uid == account.uid else {
      throw AuthError(.userMismatch, "\(user.line) is signed in now, not \(account.line); nothing was changed")
    }
    return user
  }
}
