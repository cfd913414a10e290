import GatehouseBase
import IdentityToolkit

extension BackendContract {
  /// The additional checks for a backend whose ID tokens are signed. Those of a fake or an emulator are not.
  public static let signing: [Check] = [
    Check(name: "an ID token with another's claims is refused") { backend in
      let (ada, grace) = (try await backend.signUp(Person()), try await backend.signUp(Person()))
      let (own, others) = (try Token(ada.idToken), try Token(grace.idToken))
      let forged = Token(header: own.header, claims: others.claims, signature: own.signature)
      try await expectForgery(forged, backend, "an ID token with another's claims")
    },
    Check(name: "an ID token with another signature, or none, is refused") { backend in
      let own = try Token(try await backend.signUp(Person()).idToken)
      let signature = (try? Base64URL.decode(own.signature)) ?? []
      try expect(!signature.isEmpty, "the ID token has no signature")
      for index in [0, signature.count / 2, signature.count - 1] {
        var forged = signature
        forged[index] ^= 1
        let token = Token(header: own.header, claims: own.claims, signature: Base64URL.encode(forged))
        try await expectForgery(token, backend, "an ID token with another signature")
      }
      let unsigned = Base64URL.encode(Array(#"{"alg":"none","typ":"JWT"}"#.utf8))
      for header in [own.header, unsigned] {
        let token = Token(header: header, claims: own.claims, signature: "")
        try await expectForgery(token, backend, "an ID token without a signature")
      }
    },
  ]

  /// The additional checks for a backend whose accounts can be administered.
  public static let administered: [AdministeredCheck] = [
    AdministeredCheck(name: "a disabled account is refused until it is enabled") { backend, administration in
      let ada = Person()
      let made = try await backend.signUp(ada)
      try await administration.setDisabled(made.localId, true)
      let signIn = SignInWithPassword(email: ada.email, password: ada.password)
      try await expectRefusal(of: signIn, by: backend, with: [.userDisabled], "a sign-in to a disabled account")
      let refresh = ExchangeRefreshToken(refreshToken: made.refreshToken)
      try await expectRefusal(of: refresh, by: backend, with: [.userDisabled], "a refresh of a disabled account")
      if case .success(let found) = await outcome(of: Lookup(idToken: made.idToken), by: backend) {
        try expect(found.users?.first?.disabled == true, "a lookup of a disabled account should refuse, or say so")
      }
      try await administration.setDisabled(made.localId, false)
      try expect(try await backend.signIn(ada).localId, isExactly: made.localId, "the account that was enabled again")
    },
    AdministeredCheck(name: "revoking ends the sessions of one account, and leaves its password") {
      backend, administration in
      let (ada, grace) = (Person(), Person())
      let sessions = [try await backend.signUp(ada), try await backend.signIn(ada)]
      let others = try await backend.signUp(grace)
      try await administration.revoke(sessions[0].localId)
      for session in sessions {
        let refresh = ExchangeRefreshToken(refreshToken: session.refreshToken)
        try await expectRefusal(of: refresh, by: backend, with: endedSession, "a refresh of a revoked session")
      }
      let uid = try await backend.refresh(others.refreshToken).userId
      try expect(uid, isExactly: others.localId, "the user of a session that was not revoked")
      let again = try await backend.signIn(ada)
      try expect(again.localId, isExactly: sessions[0].localId, "the account after its sessions were revoked")
      _ = try await backend.refresh(again.refreshToken)
    },
  ]

  private static func expectForgery(_ token: Token, _ backend: any Backend, _ what: String) async throws {
    let call = Lookup(idToken: token.secret)
    try await expectRefusal(of: call, by: backend, with: [.invalidUserToken], what)
  }

  /// A JWT in its three parts.
  private struct Token {
    let header, claims, signature: String

    init(header: String, claims: String, signature: String) {
      self.header = header
      self.claims = claims
      self.signature = signature
    }

    init(_ secret: Secret) throws {
      let parts = secret.revealed.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 3 else {
        throw Violation(description: "an ID token has \(parts.count) parts, and not three")
      }
      self.init(header: parts[0], claims: parts[1], signature: parts[2])
    }

    var secret: Secret { Secret("\(header).\(claims).\(signature)") }
  }
}
