import Dispatch
import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseTesting
import TestSupport
import Testing

/// An event comes when all that it announces can be read. The listener reads every property of the user, for each call
/// that changes the account or its tokens.
struct `Events of a changed account` {
  /// All that a listener can read of a user.
  private struct Facts: Equatable {
    let email, phone, name: String?
    let isAnonymous, isEmailVerified: Bool
    let providers, factors: [String]

    init(_ user: User) {
      (email, phone, name) = (user.email, user.phoneNumber, user.displayName)
      (isAnonymous, isEmailVerified) = (user.isAnonymous, user.isEmailVerified)
      providers = user.providerData.map(\.providerID)
      factors = user.multiFactor.enrolledFactors.map(\.uid)
    }
  }

  /// The calls that change an account, in an order in which each one is possible.
  private static let calls: [(name: String, run: @Sendable (Scene, User) async throws -> Void)] = [
    (
      "link, a password",
      { _, user in
        _ = try await user.link(with: EmailAuthProvider.credential(withEmail: Scene.email, password: Scene.password))
      }
    ),
    (
      "link, an identity",
      { _, user in
        _ = try await user.link(with: OAuthProvider.credential(providerID: .google, idToken: "idp:ada"))
      }
    ),
    (
      "link, a phone",
      { scene, user in
        _ = try await user.link(with: try await phone("+12025550123", scene))
      }
    ),
    ("updatePhoneNumber", { scene, user in try await user.updatePhoneNumber(try await phone("+12025550124", scene)) }),
    ("updateEmail", { _, user in try await user.updateEmail(to: "countess@example.com") }),
    ("updatePassword", { _, user in try await user.updatePassword(to: "another horse") }),
    (
      "commitChanges",
      { _, user in
        let request = user.createProfileChangeRequest()
        request.displayName = "Ada"
        try await request.commitChanges()
      }
    ),
    (
      "reauthenticate",
      { _, user in
        let credential = EmailAuthProvider.credential(withEmail: "countess@example.com", password: "another horse")
        _ = try await user.reauthenticate(with: credential)
      }
    ),
    ("unlink", { _, user in _ = try await user.unlink(fromProvider: "google.com") }),
    (
      "enroll",
      { _, user in
        let secret = try await TOTPMultiFactorGenerator.generateSecret(with: try await user.multiFactor.session())
        try await user.multiFactor.enroll(
          with: TOTPMultiFactorGenerator.assertionForEnrollment(with: secret, oneTimePassword: "123456"))
      }
    ),
    (
      "unenroll",
      { _, user in
        for factor in user.multiFactor.enrolledFactors { try await user.multiFactor.unenroll(with: factor) }
      }
    ),
  ]

  private static func phone(_ number: String, _ scene: Scene) async throws -> PhoneAuthCredential {
    let phones = PhoneAuthProvider.provider(auth: scene.auth)
    return phones.credential(withVerificationID: try await phones.verifyPhoneNumber(number), verificationCode: "123456")
  }

  @Test func `a listener of tokens reads what the call has changed, after each call`() async throws {
    let callbacks = DispatchQueue(label: "test.callbacks")
    let scene = Scene(callbackQueue: callbacks)
    let user = try await scene.auth.signInAnonymously().user
    let heard = Lock<[Facts]>([])
    let listener = scene.auth.addIDTokenDidChangeListener { _, user in
      if let user { heard.withLock { $0.append(Facts(user)) } }
    }
    for call in Self.calls {
      await callbacks.isIdle()
      heard.withLock { $0 = [] }
      try await call.run(scene, user)
      await callbacks.isIdle()
      let events = heard.withLock { $0 }
      #expect(events.allSatisfy { $0 == Facts(user) }, "\(call.name): \(events) \(Facts(user))")
      #expect(
        events.isEmpty == ["commitChanges", "unlink"].contains(call.name), "\(call.name): \(events.count) events")
    }
    scene.auth.removeIDTokenDidChangeListener(listener)
  }

  @Test func `new tokens are announced although the lookup after the change fails`() async throws {
    let callbacks = DispatchQueue(label: "test.callbacks")
    let scene = Scene(callbackQueue: callbacks)
    let user = try await scene.auth.createUser(withEmail: Scene.email, password: Scene.password).user
    let heard = Lock(0)
    let listener = scene.auth.addIDTokenDidChangeListener { _, _ in heard.withLock { $0 += 1 } }
    await callbacks.isIdle()
    heard.withLock { $0 = 0 }
    scene.backend.fail(.lookup, AuthError(.networkError, "no route"))
    await #expect(throws: AuthError.self) { try await user.updatePassword(to: "another horse") }
    await callbacks.isIdle()
    #expect(heard.withLock { $0 } == 1)
    scene.auth.removeIDTokenDidChangeListener(listener)
  }

  @Test func `new tokens are announced at the deadline of a change whose lookup has no end`() async throws {
    let (scene, user) = try await Scene.signedIn()
    let token = try await user.getIDToken()
    let events = scene.auth.idTokenChanges
    scene.backend.hold(.lookup)
    let change = Task { try await user.updatePassword(to: "another horse") }
    await scene.backend.waitForCall(.lookup, count: scene.backend.count(of: .lookup) + 1)
    scene.clocks.advance(by: 120)
    await #expect(throws: AuthError.self) { try await change.value }
    for await user in events {
      guard let user, try await user.getIDToken() != token else { continue }
      break
    }
    scene.backend.release(.lookup)
  }
}

extension DispatchQueue {
  /// Returns when everything that was put on the queue, or on one that targets it, has run.
  fileprivate func isIdle() async {
    await withCheckedContinuation { done in async { done.resume() } }
  }
}
