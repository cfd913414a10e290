import GatehouseBase
import IdentityToolkit

extension BackendContract {
  /// The checks for every backend.
  public static let all: [Check] =
    signingUp + signingIn + refreshing + changing + deleting + answering
    + inventing

  private static let signingUp: [Check] = [
    Check(name: "a sign-up makes an account, and its tokens speak for it") { backend in
      let ada = Person()
      let made = try await backend.signUp(ada)
      try expect(!made.localId.isEmpty, "the account has no identifier")
      try expect(made.email, isExactly: ada.email, "the address of who signed up")
      try expect(!made.refreshToken.revealed.isEmpty, "there is no refresh token")
      let account = try await backend.account(made.idToken)
      try expect(account.localId, isExactly: made.localId, "the account that the ID token speaks for")
      try expect(account.email, isExactly: ada.email, "the address of the account")
    },
    Check(name: "an ID token is a JWT that says whose it is and how long it lives") { backend in
      let made = try await backend.signUp(Person())
      let parts = made.idToken.revealed.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      try expect(parts.count == 3, "an ID token should have three parts, and has \(parts.count)")
      _ = try JSONObject(parsing: try Base64URL.decode(parts[0]))
      let claims = try JSONObject(parsing: try Base64URL.decode(parts[1]))
      try expect(claims["sub"]?.string, isExactly: made.localId, "the subject of the ID token")
      guard let issued = claims["iat"]?.integer, let expiry = claims["exp"]?.integer else {
        throw Violation(description: "the ID token says not when it was issued and when it expires")
      }
      let lifetime = made.expiresIn.value
      try expect(lifetime > 0, "the ID token should live for more than \(lifetime) seconds")
      try expect(
        expiry.subtractingReportingOverflow(issued) == (lifetime, false),
        "the ID token should live from \(issued) to \(expiry), and is said to live for \(lifetime) seconds")
    },
    Check(name: "an address has one account") { backend in
      let ada = Person()
      let made = try await backend.signUp(ada)
      let again = SignUp(email: ada.email, password: somethingSecret())
      try await expectRefusal(of: again, by: backend, with: [.emailAlreadyInUse], "a second sign-up")
      let account = try await backend.signIn(ada)
      try expect(account.localId, isExactly: made.localId, "the account after a second sign-up")
    },
    Check(name: "an anonymous account is a new one, and keeps its identifier when it gets an address") { backend in
      let first: SignInResponse
      switch await outcome(of: SignUp(), by: backend) {
      case .success(let made): first = made
      case .failure(let error):
        // A backend without anonymous accounts must refuse with such a code.
        let isOff = [.operationNotAllowed, .adminRestrictedOperation].contains(error.code)
        return try expect(isOff, "an anonymous sign-up should be answered or switched off, and came to: \(error)")
      }
      let other = try await backend.answer(SignUp())
      try expect(!first.localId.isExactly(other.localId), "two anonymous accounts are one")
      try expect(try await backend.account(first.idToken).email, isExactly: nil, "the address of an anonymous account")
      let ada = Person()
      let link = SignUp(email: ada.email, password: ada.password, linkingTo: first.idToken)
      try expect(try await backend.answer(link).localId, isExactly: first.localId, "the account that got an address")
      try expect(try await backend.signIn(ada).localId, isExactly: first.localId, "the account of that address")
    },
  ]

  private static let signingIn: [Check] = [
    Check(name: "who signs in is who signed up") { backend in
      let (ada, grace) = (Person(), Person())
      let made = try await backend.signUp(ada)
      _ = try await backend.signUp(grace)
      let session = try await backend.signIn(ada)
      try expect(session.localId, isExactly: made.localId, "the account of a sign-in")
      try expect(session.email, isExactly: ada.email, "the address of a sign-in")
      try expect(
        try await backend.account(session.idToken).localId, isExactly: made.localId, "the account signed in to")
    },
    Check(name: "a wrong password is refused, and the right one is good after it") { backend in
      let ada = Person()
      let made = try await backend.signUp(ada)
      for password in [somethingSecret(), Secret(ada.password.revealed + "x"), Secret("")] {
        let call = SignInWithPassword(email: ada.email, password: password)
        // An empty password may be refused as such.
        let codes: [AuthError.Code] = wrongPassword + (password.revealed.isEmpty ? [.weakPassword] : [])
        try await expectRefusal(of: call, by: backend, with: codes, "a wrong password")
      }
      try expect(try await backend.signIn(ada).localId, isExactly: made.localId, "the account of a sign-in")
    },
    Check(name: "an unknown address is refused") { backend in
      let ada = Person()
      let call = SignInWithPassword(email: ada.email, password: ada.password)
      try await expectRefusal(of: call, by: backend, with: unknownAddress, "a sign-in with an unknown address")
    },
    Check(name: "an unknown address and a wrong password are told apart, or not at all") { backend in
      let (ada, stranger) = (Person(), Person())
      _ = try await backend.signUp(ada)
      let wrong = try await expectRefusal(
        of: SignInWithPassword(email: ada.email, password: stranger.password), by: backend, "a wrong password")
      let unknown = try await expectRefusal(
        of: SignInWithPassword(email: stranger.email, password: stranger.password), by: backend, "an unknown address")
      guard [wrong.code, unknown.code].contains(.invalidCredential) else { return }
      func text(_ error: AuthError, _ email: String) -> [String?] {
        [error.serverCode, error.message.replacing(email, with: ""), "\(error.code)", error.email == nil ? nil : ""]
      }
      try expect(
        text(wrong, ada.email) == text(unknown, stranger.email),
        "a caller should not learn whether an account exists; a wrong password is '\(wrong)', "
          + "an unknown address '\(unknown)'")
    },
    Check(name: "the sessions of one account do not end each other") { backend in
      let ada = Person()
      let sessions = [try await backend.signUp(ada), try await backend.signIn(ada), try await backend.signIn(ada)]
      for session in sessions {
        let fresh = try await backend.refresh(session.refreshToken)
        try expect(fresh.userId, isExactly: session.localId, "the account of one of three sessions")
      }
    },
  ]

  /// The codes that may refuse a wrong password, or an unknown address. With enumeration protection both get the same
  /// code.
  static let wrongPassword: [AuthError.Code] = [.wrongPassword, .invalidCredential]
  static let unknownAddress: [AuthError.Code] = [.userNotFound, .invalidCredential]
}
