import GatehouseBase
import IdentityToolkit

extension BackendContract {
  /// The additional checks for a backend with sign-in by identity providers. They need `Equipment.identity`.
  public static let identities: [EquippedCheck] = [
    EquippedCheck(name: "an identity signs in to its account, which its first sign-in makes") { backend, equipment in
      let name = newName()
      let first = try await backend.answer(SignInWithIdp(try await equipment.identity(of: name)))
      let second = try await backend.answer(SignInWithIdp(try await equipment.identity(of: name)))
      let other = try await backend.answer(SignInWithIdp(try await equipment.identity(of: newName())))
      try expect(first.localId != nil && first.isNewUser == true, "the first sign-in should make an account: \(first)")
      try expect(second.isNewUser != true, "the second sign-in is told to have made an account")
      try expect(second.localId, isExactly: first.localId, "the account of the second sign-in")
      try expect(other.localId != first.localId, "two identities have one account")
      guard let idToken = second.idToken else { throw Violation(description: "a sign-in brought no ID token") }
      let account = try await backend.account(idToken)
      try expect(account.localId, isExactly: first.localId, "the account that an identity's token speaks for")
      let ways = account.providerUserInfo?.map(\.providerId) ?? []
      try expect(ways.contains(first.providerId), "an account should list the identity provider, and lists \(ways)")
    },
    EquippedCheck(name: "an identity is one account's, until it is unlinked") { backend, equipment in
      let name = newName()
      let (ada, grace) = (try await backend.signUp(Person()), try await backend.signUp(Person()))
      let linked = try await backend.answer(
        SignInWithIdp(try await equipment.identity(of: name), linkingTo: ada.idToken))
      try expect(linked.localId, isExactly: ada.localId, "the account that an identity was linked to")
      let session = try await backend.answer(SignInWithIdp(try await equipment.identity(of: name)))
      try expect(session.localId, isExactly: ada.localId, "the account that a linked identity signs in to")
      let again = SignInWithIdp(try await equipment.identity(of: name), linkingTo: grace.idToken)
      switch await outcome(of: again, by: backend) {
      case .success(let answer):
        try expect(
          answer.errorMessage?.hasPrefix("FEDERATED_USER_ID_ALREADY_LINKED") == true && answer.idToken == nil,
          "an identity was linked to a second account: \(answer)")
      case .failure(let error):
        try expect(error.code == .credentialAlreadyInUse, "an identity of another account was refused so: \(error)")
      }
      var unlinking = Update(idToken: session.idToken ?? ada.idToken)
      unlinking.deleteProvider = [linked.providerId]
      _ = try await backend.answer(unlinking)
      let after = try await backend.answer(SignInWithIdp(try await equipment.identity(of: name)))
      try expect(after.localId != ada.localId, "an identity that was unlinked signs in to the account that it left")
    },
  ]

  /// The additional checks for a backend that accepts custom tokens of the project's servers. They need
  /// `Equipment.customToken`.
  public static let customTokens: [EquippedCheck] = [
    EquippedCheck(name: "a custom token signs in to the account that it names, and makes it once") {
      backend, equipment in
      let uid = newName()
      let first = try await backend.answer(SignInWithCustomToken(token: try await equipment.customToken(for: uid)))
      let second = try await backend.answer(SignInWithCustomToken(token: try await equipment.customToken(for: uid)))
      try expect(first.isNewUser == true, "the first sign-in should say that it made the account")
      try expect(second.isNewUser != true, "the second sign-in is told to have made an account")
      for token in [first.idToken, second.idToken] {
        try expect(try await backend.account(token).localId, isExactly: uid, "the account that a custom token names")
      }
      try expect(try await backend.refresh(second.refreshToken).userId, isExactly: uid, "the user of a refresh")
    }
  ]

  private static func newName() -> String { "user-\(SystemRandomSource().identifier())" }
}
