import Gatehouse
import GatehouseBase
import GatehouseLocal

/// A way to an error: calls of `Auth` on an embedded provider, the last of which is refused.
struct ErrorPath: Sendable, CustomStringConvertible {
  /// What an error has beside its code.
  struct Parts: Sendable, Equatable {
    var email: String?
    /// The provider of the credential to go on with.
    var credential: String?
    var waits = false
    var isPending = false

    init(email: String? = nil, credential: String? = nil, waits: Bool = false, isPending: Bool = false) {
      self.email = email
      self.credential = credential
      self.waits = waits
      self.isPending = isPending
    }

    init(_ error: AuthError) {
      email = error.email
      credential = error.updatedCredential?.provider
      waits = error.retryAfter.map { $0 > .zero } ?? false
      isPending = error.pendingSignIn.map { !$0.factors.isEmpty } ?? false
    }
  }

  let code: AuthError.Code
  let parts: Parts
  let run: @Sendable () async throws -> Void

  init(_ code: AuthError.Code, _ parts: Parts = Parts(), run: @escaping @Sendable () async throws -> Void) {
    self.code = code
    self.parts = parts
    self.run = run
  }

  var description: String { code.description }

  static let all = signIns + sessions + identities + messages + phones + secondFactors + failures

  static let email = "ada@example.com"
  static let password = "correct horse"
}

extension Scene {
  /// An `Auth` of the provider.
  var auth: Auth { Auth(.init(backend: backend, clocks: KeepingClocks(scene: self))) }

  /// An `Auth` whose user, Ada, is signed in.
  func ada() async throws -> (auth: Auth, user: User) {
    let auth = auth
    return (auth, try await auth.createUser(withEmail: ErrorPath.email, password: ErrorPath.password).user)
  }
}

/// The clocks of a scene, whose folder stays while an `Auth` has them: a provider without its folder refuses changes.
private struct KeepingClocks: Clocks {
  let scene: Scene

  func now() -> ClockReading { scene.clock.now() }
  func wake(at alarm: Alarm, _ body: @escaping @Sendable () -> Void) -> AlarmCancellation {
    scene.clock.wake(at: alarm, body)
  }
}
