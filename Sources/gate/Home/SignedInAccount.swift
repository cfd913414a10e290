import Gatehouse
import GatehouseBase

/// The signed-in user's account, while a person is asked for a password. No session is open during that time.
struct SignedInAccount: Sendable {
  let uid: String
  let email: String?
  let tenantID: String?
  /// For people to read.
  let line: String

  init(_ user: User) { (uid, email, tenantID, line) = (user.uid, user.email, user.tenantID, user.line) }
}

extension Home {
  /// Returns the signed-in user's account, and throws if no user is signed in.
  func account() async throws(AuthError) -> SignedInAccount {
    try await withSession { auth throws(AuthError) in
      let user = try await auth.requireUser()
      try requireProvider()
      return SignedInAccount(user)
    }
  }
}

extension SignedInAccount {
  /// Throws if this is another user: another program may have signed in a user since the person was asked.
  func require(_ user: User) throws(AuthError) {
    guard user.uid.isExactly(uid) else {
      throw AuthError(.userMismatch, "\(user.line) is signed in now, not \(line); nothing was changed")
    }
  }
}

extension Auth {
  /// Returns the signed-in user, if it is still the user of this account.
  func user(of account: SignedInAccount) async throws(AuthError) -> User {
    let user = try await requireUser()
    try account.require(user)
    return user
  }

  /// Signs in the account's user again. The provider asks for a recent sign-in, so that a person at someone else's
  /// terminal cannot change that user's account. An account without an address has only its session.
  func signInAgain(_ account: SignedInAccount, password: Secret?) async throws(AuthError) -> User {
    let present = try await user(of: account)
    guard let email = account.email, let password else { return present }
    return try await typed { try await signIn(withEmail: email, password: password.revealed).user }
  }
}
