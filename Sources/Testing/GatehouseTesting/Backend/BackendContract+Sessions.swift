import GatehouseBase
import IdentityToolkit

extension BackendContract {
  static let refreshing: [Check] = [
    Check(name: "a refresh keeps its user, and what it brings can be refreshed") { backend in
      let made = try await backend.signUp(Person())
      var token = made.refreshToken
      for _ in 0..<3 {
        let fresh = try await backend.refresh(token)
        try expect(fresh.userId, isExactly: made.localId, "the user of a refresh")
        try expect(
          fresh.expiresIn.value > 0, "what a refresh brings should live for more than \(fresh.expiresIn.value) s")
        let account = try await backend.account(fresh.idToken)
        try expect(account.localId, isExactly: made.localId, "the account that a refreshed ID token speaks for")
        token = fresh.refreshToken
      }
    },
    Check(name: "an invented refresh token is refused, and ends the session") { backend in
      let made = try await backend.signUp(Person())
      for token in [somethingSecret(), made.idToken, Secret(made.refreshToken.revealed + "x"), Secret("")] {
        let call = ExchangeRefreshToken(refreshToken: token)
        try await expectRefusal(of: call, by: backend, with: gone, "an unknown refresh token")
      }
    },
    Check(name: "an invented ID token is refused") { backend in
      let made = try await backend.signUp(Person())
      for token in [somethingSecret(), made.refreshToken, Secret("a.b.c"), Secret("")] {
        try await expectRefusal(
          of: Lookup(idToken: token), by: backend, with: [.invalidUserToken], "an unknown ID token")
        try await expectRefusal(
          of: Update(idToken: token), by: backend, with: [.invalidUserToken], "a change with an invented token")
        try await expectRefusal(
          of: Delete(idToken: token), by: backend, with: [.invalidUserToken], "a deletion with an invented token")
      }
      _ = try await backend.account(made.idToken)
    },
  ]

  static let changing: [Check] = [
    Check(name: "a change comes back as it was made, and is of one account only") { backend in
      let (ada, grace) = (try await backend.signUp(Person()), try await backend.signUp(Person()))
      var change = Update(idToken: ada.idToken)
      change.displayName = "Zoe\u{301} \"\u{1F511}\" \\/"
      change.photoUrl = "https://example.org/a?b=c&d=%20"
      try expect(try await backend.answer(change).localId, isExactly: ada.localId, "the account that was changed")
      let account = try await backend.account(ada.idToken)
      try expect(account.displayName, isExactly: change.displayName, "the display name")
      try expect(account.photoUrl, isExactly: change.photoUrl, "the photo's address")
      try expect(try await backend.account(grace.idToken).displayName, isExactly: nil, "another account's display name")
    },
    Check(name: "what is not named in a change stays, and what is emptied is gone") { backend in
      let made = try await backend.signUp(Person())
      var change = Update(idToken: made.idToken)
      change.displayName = "Ada"
      change.photoUrl = "https://example.org/ada"
      _ = try await backend.answer(change)
      var removal = Update(idToken: made.idToken)
      removal.deleteAttribute = [.displayName]
      _ = try await backend.answer(removal)
      let account = try await backend.account(made.idToken)
      try expect(account.displayName, isExactly: nil, "a display name that was emptied")
      try expect(account.photoUrl, isExactly: "https://example.org/ada", "a photo's address that was not named")
    },
    Check(name: "a new password replaces the old one, and ends the sessions before it") { backend in
      let ada = Person()
      let made = try await backend.signUp(ada)
      var change = Update(idToken: made.idToken)
      change.password = somethingSecret()
      let changed = try await backend.answer(change)
      let old = SignInWithPassword(email: ada.email, password: ada.password)
      try await expectRefusal(of: old, by: backend, with: wrongPassword, "the old password")
      let call = ExchangeRefreshToken(refreshToken: made.refreshToken)
      try await expectRefusal(of: call, by: backend, with: endedSession, "a refresh token from before the new password")
      let new = SignInWithPassword(email: ada.email, password: change.password ?? ada.password)
      try expect(try await backend.answer(new).localId, isExactly: made.localId, "the account of the new password")
      guard let token = changed.refreshToken else {
        throw Violation(description: "a new password should come with new tokens, or the user is signed out")
      }
      try expect(try await backend.refresh(token).userId, isExactly: made.localId, "the user of the new tokens")
    },
  ]

  static let deleting: [Check] = [
    Check(name: "a deleted account is gone, and its sessions with it") { backend in
      let (ada, grace) = (Person(), Person())
      let made = try await backend.signUp(ada)
      _ = try await backend.signUp(grace)
      _ = try await backend.answer(Delete(idToken: made.idToken))
      try await expectRefusal(
        of: Lookup(idToken: made.idToken), by: backend, with: gone, "a lookup of a deleted account")
      let call = ExchangeRefreshToken(refreshToken: made.refreshToken)
      try await expectRefusal(of: call, by: backend, with: gone, "a refresh of a deleted account")
      let signIn = SignInWithPassword(email: ada.email, password: ada.password)
      try await expectRefusal(of: signIn, by: backend, with: unknownAddress, "a sign-in to a deleted account")
      _ = try await backend.signIn(grace)
    },
    Check(name: "the address of a deleted account is free, for another account") { backend in
      let ada = Person()
      let old = try await backend.signUp(ada)
      _ = try await backend.answer(Delete(idToken: old.idToken))
      let new = try await backend.signUp(ada)
      try expect(!new.localId.isExactly(old.localId), "a new account has the identifier of one that was deleted")
    },
  ]

  /// The codes that may refuse an invented token, or one of an ended session. A client ends its session only for these
  /// codes; for others it would retry forever.
  static let endedSession: [AuthError.Code] = [.userTokenExpired, .invalidUserToken]
  static let gone: [AuthError.Code] = [.userNotFound] + endedSession
}
