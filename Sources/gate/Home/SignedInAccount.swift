import Gatehouse
import GatehouseBase

/// Who is signed in, while a person is asked for a password: no session is open meanwhile.
struct SignedInAccount: Sendable {
  let uid: String
  let email: String?
  /// For people.
  let line: String

  init(_ user: User) { (uid, email, line) = (user.uid, user.email, user.line) }
}

extension Home {
  /// The signed-in user's account; throws when there is none.
  func account() async throws(AuthError) -> SignedInAccount {
    try await withSession { auth throws(AuthError) in
      let user = try await auth.requireUser()
      try requireProvider()
      return SignedInAccount(user)
    }
  }
}

extension SignedInAccount {
  /// Refuses another user: a sign-in elsewhere may have replaced the one that a person was asked about.
  func require(_ user: User) throws(AuthError) {
    guard user.uid == uid else {
      throw AuthError(.userMismatch, "\(user.line) is signed in now, not \(line); nothing was changed")
    }
  }
}

extension Auth {
  /// The signed-in user, if that is still the account's.
  func user(of account: SignedInAccount) async throws(AuthError) -> User {
    let user = try await requireUser()
    try account.require(user)
    return user
  }

  /// Signs the account's user in once more, because the provider asks for a recent sign-in, and a person at another
  /// person's terminal must not change what is hers. An account without an address has only its session.
  func signInAgain(_ account: SignedInAccount, password: Secret?) async throws(AuthError) -> User {
    let present = try await user(of: account)
    guard let email = account.email, let password else { return present }
    return try await signIn(withEmail: email, password: password.revealed).user
  }
}
