extension Stranger {
  /// The protocols that `import Gatehouse` alone makes usable.
  static let facade = [
    backend, call, localizedCall, callbackBackend, callbackStore, store, clocks, randomSource, delivery,
    texts, watch,
  ]

  private static let backend = Stranger(
    name: "StrangersBackend", products: ["Gatehouse", "IdentityToolkit"],
    text: """
      import Gatehouse
      import IdentityToolkit

      /// Knows one call, and one user.
      struct OneUser: Backend {
        func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response {
          switch call {
          case is SignUp:
            return SignInResponse(
              localId: "ada", idToken: Secret("a.b.c"), refreshToken: Secret("r"), expiresIn: .seconds(3600))
              as! C.Response
          case is Lookup: return Lookup.Response(users: [Account(localId: "ada")]) as! C.Response
          default: throw .unsupported(C.self)
          }
        }
      }

      @main
      struct Program {
        static func main() async throws {
          let auth = Auth(Auth.Configuration(backend: OneUser()))
          print("user:", try await auth.signInAnonymously().user.uid)
          do { _ = try await auth.signIn(withEmail: "a@example.com", password: "p") } catch let error as AuthError {
            print("refused:", error.code == .operationNotAllowed, error.serverCode ?? "")
          }
          try await auth.close()
        }
      }
      """,
    output: "user: ada\nrefused: true OPERATION_NOT_ALLOWED\n")

  private static let texts = Stranger(
    name: "StrangersTexts", products: ["GatehouseLocal"],
    text: """
      import GatehouseLocal

      /// A carrier of texts.
      struct Carrier: TextDelivery {
        func deliver(_ text: OutgoingText) async throws(AuthError) {
          print("to \\(text.phoneNumber):", text.code.revealed.count, text.text.revealed.hasPrefix(text.code.revealed))
        }
      }

      @main
      struct Program {
        static func main() async throws {
          var options = LocalOptions()
          options.textDelivery = Carrier()
          let provider = LocalBackend(directory: "/dev/null/none", options: options)
          do { try await provider.open() } catch AuthError.Code.providerUnavailable { print("refused: true") }
          try await Carrier().deliver(
            OutgoingText(phoneNumber: "+12025550123", code: Secret("123456"), text: Secret("123456 it is")))
        }
      }
      """,
    output: "refused: true\nto +12025550123: 6 true\n")

  private static let watch = Stranger(
    name: "StrangersWatch", products: ["Gatehouse"],
    text: """
      import Gatehouse

      /// A store that can be watched, and says that it was.
      final class Told: CredentialStore {
        func load() async throws(AuthError) -> StoredSession? { nil }
        func write(_ session: StoredSession?, if condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
          .written
        }
        func watch(_ changed: @escaping @Sendable () -> Void) async throws(AuthError) -> (any StoreWatch)? {
          changed()
          return Watch()
        }
      }

      struct Watch: StoreWatch {
        func end() { print("ended") }
      }

      @main
      struct Program {
        static func main() async throws {
          let store = Told()
          let watch = try await store.watch { print("changed") }
          watch?.end()
        }
      }
      """,
    output: "changed\nended\n")

  private static let call = Stranger(
    name: "StrangersCall", products: ["Gatehouse"],
    text: """
      import Gatehouse

      /// A call of the app's own.
      struct Ping: Call {
        static let endpoint = "accounts.example/v1/ping"
        struct Response: Codable, Sendable {
          let heard: String
        }
        let text: String
      }

      struct Other: Call {
        static let endpoint = "accounts.example/v1/other"
        typealias Response = Ping.Response
      }

      struct Echo: Backend {
        func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response {
          guard let ping = call as? Ping else { throw .unsupported(C.self) }
          return Ping.Response(heard: ping.text) as! C.Response
        }
      }

      @main
      struct Program {
        static func main() async throws {
          print("heard:", try await Echo().answer(Ping(text: "a")).heard)
          do { _ = try await Echo().answer(Other()) } catch { print("refused:", error.message) }
        }
      }
      """,
    output: "heard: a\nrefused: this backend does not answer accounts.example/v1/other\n")

  private static let callbackBackend = Stranger(
    name: "StrangersCallbackBackend", products: ["Gatehouse"],
    text: """
      import Gatehouse

      struct Refusing: CallbackBackend {
        func answer<C: Call>(_ call: C, completion: @escaping @Sendable (Result<C.Response, AuthError>) -> Void) {
          completion(.failure(AuthError(.tooManyRequests, "not now: \\(C.endpoint)", retryAfter: .seconds(5))))
        }
        var rotatesRefreshTokens: Bool { false }
      }

      @main
      struct Program {
        static func main() async throws {
          let auth = Auth(Auth.Configuration(backend: Refusing().adapted))
          do { _ = try await auth.signInAnonymously() } catch let error as AuthError {
            print("refused:", error.code.rawValue, error.retryAfter == .seconds(5))
          }
        }
      }
      """,
    output: "refused: 17010 true\n")

  private static let callbackStore = Stranger(
    name: "StrangersCallbackStore", products: ["Gatehouse", "GatehouseTesting"],
    text: """
      import Dispatch
      import Gatehouse
      import GatehouseTesting

      final class Kept: CallbackCredentialStore, @unchecked Sendable {
        private let queue = DispatchQueue(label: "store")
        private var session: StoredSession?
        func load(completion: @escaping @Sendable (Result<StoredSession?, AuthError>) -> Void) {
          queue.async { completion(.success(self.session)) }
        }
        func write(
          _ session: StoredSession?, if condition: StoreCondition,
          completion: @escaping @Sendable (Result<StoreOutcome, AuthError>) -> Void
        ) {
          queue.async {
            guard condition.holds(of: self.session) else { return completion(.success(.conflict(self.session))) }
            self.session = session
            completion(.success(.written))
          }
        }
      }

      @main
      struct Program {
        static func main() async throws {
          let (store, backend) = (Kept().adapted, ScriptedBackend())
          let first = Auth(Auth.Configuration(backend: backend, store: store))
          let uid = try await first.signInAnonymously().user.uid
          try await first.close()
          let second = Auth(Auth.Configuration(backend: backend, store: store))
          try await second.ready()
          print("restored:", second.currentUser?.uid == uid)
        }
      }
      """,
    output: "restored: true\n")

  private static let store = Stranger(
    name: "StrangersStore", products: ["Gatehouse", "GatehouseTesting"],
    text: """
      import Gatehouse
      import GatehouseTesting
      import Synchronization

      final class Kept: CredentialStore, UserShelf {
        private let kept = Mutex(SessionShelf())
        private let holder = Mutex<ObjectIdentifier?>(nil)

        func sessions() async throws(AuthError) -> SessionShelf { kept.withLock { $0 } }

        func replace(_ known: SessionShelf, by new: SessionShelf) async throws(AuthError) -> Bool {
          kept.withLock { kept in
            guard kept == known else { return false }
            kept = new
            return true
          }
        }

        func lock() async throws(AuthError) -> (any StoreLock)? {
          let key = Key(self)
          let isFree = holder.withLock { holder in
            if holder == nil { holder = ObjectIdentifier(key) }
            return holder == ObjectIdentifier(key)
          }
          guard isFree else { throw AuthError(.storeInUse, "another Auth has this store") }
          return key
        }

        final class Key: StoreLock {
          private let store: Kept
          init(_ store: Kept) { self.store = store }
          func release() { store.holder.withLock { if $0 == ObjectIdentifier(self) { $0 = nil } } }
        }
      }

      @main
      struct Program {
        static func main() async throws {
          let (store, backend) = (Kept(), ScriptedBackend())
          backend.rotatesRefreshTokens = true
          let first = Auth(Auth.Configuration(backend: backend, store: store))
          let user = try await first.signInAnonymously().user
          let second = Auth(Auth.Configuration(backend: backend, store: store))
          try await second.ready()
          print("shared:", second.currentUser?.uid == user.uid)
          let lock = try await store.lock()
          do { _ = try await store.lock() } catch { print("refused:", error.code == .storeInUse) }
          lock?.release()
          let token = try await second.currentUser?.getIDToken(forcingRefresh: true)
          try await second.flush()
          print("refreshed:", token?.isEmpty == false)
          let stored = try await store.load()
          print("stored:", stored?.profile.uid == user.uid, stored?.tokens.lifetime ?? .zero, stored?.generation ?? 0)
          for checks in [CredentialStoreContract.all, CredentialStoreContract.keepingUsers] {
            for check in checks { try await check.run { Kept() } }
          }
          print("the contract is kept")
          try await first.close()
        }
      }
      """,
    output: "shared: true\nrefused: true\nrefreshed: true\nstored: true 3600.0 seconds 3\nthe contract is kept\n")

  private static let clocks = Stranger(
    name: "StrangersClocks", products: ["Gatehouse", "GatehouseTesting"],
    text: """
      import Gatehouse
      import GatehouseTesting

      /// The machine's clocks, an hour ahead of themselves.
      struct HourAhead: Clocks {
        private let machine = SystemClocks()
        func now() -> ClockReading {
          let now = machine.now()
          return ClockReading(wall: now.wall + 3600, boot: now.boot, bootID: now.bootID)
        }
        func wake(at alarm: Alarm, _ body: @escaping @Sendable () -> Void) -> AlarmCancellation {
          let cancellation = machine.wake(at: Alarm(boot: alarm.boot, wall: alarm.wall.map { $0 - 3600 }), body)
          return AlarmCancellation { cancellation.cancel() }
        }
      }

      @main
      struct Program {
        static func main() async throws {
          let (clocks, backend) = (HourAhead(), ScriptedBackend())
          print("ahead:", clocks.wall - SystemClocks().wall > 3599, clocks.now().elapsed(since: clocks.now()) <= 0)
          let auth = Auth(Auth.Configuration(backend: backend, clocks: clocks))
          backend.hold(.signUp)
          do { _ = try await auth.signInAnonymously(timeout: .milliseconds(20)) } catch AuthErrorCode.deadlineExceeded {
            print("timeout: true")
          }
          backend.release(.signUp)
        }
      }
      """,
    output: "ahead: true true\ntimeout: true\n")

  private static let localizedCall = Stranger(
    name: "StrangersLocalizedCall", products: ["IdentityToolkit"],
    text: """
      import IdentityToolkit

      /// A call of one's own, for a backend of one's own.
      struct Invite: LocalizedCall, TenantCall {
        static let endpoint = "example.org/v1/invite"
        var locale: String?
        var tenantId: String?
        struct Response: Codable, Sendable {}
      }

      /// One for administrators.
      struct Freeze: AdminCall {
        static let endpoint = "example.org/v1/projects/{project}/freeze"
        var tenantId: String?
        struct Response: Codable, Sendable {}
      }

      struct Inviting: Backend {
        func answer<C: Call>(_ call: C) async throws(AuthError) -> C.Response {
          if let call = call as? any AdminCall, let answer = Freeze.Response() as? C.Response {
            print("tenant:", call.tenantId ?? "none")
            return answer
          }
          guard let call = call as? any LocalizedCall, let answer = Invite.Response() as? C.Response else {
            throw .unsupported(C.self)
          }
          print("language:", call.locale ?? "none")
          return answer
        }
      }

      @main
      struct Program {
        static func main() async throws {
          _ = try await Inviting().answer(Invite(locale: "de"))
          _ = try await Inviting().answer(Freeze(tenantId: "t"))
        }
      }
      """,
    output: "language: de\ntenant: t\n")

  private static let delivery = Stranger(
    name: "StrangersDelivery", products: ["Gatehouse", "GatehouseLocal"],
    text: """
      import Gatehouse
      import GatehouseLocal

      /// Stands for a mail service.
      struct Mail: MessageDelivery {
        func deliver(_ message: OutgoingMessage) async throws(AuthError) {
          guard message.type == .passwordReset else { throw AuthError(.invalidMessagePayload, "not this one") }
          print("to:", message.recipient, message.text.revealed.contains(message.link.revealed))
        }
      }

      @main
      struct Program {
        static func main() async throws {
          var options = LocalOptions()
          options.delivery = Mail()
          options.enumerationProtection = false
          options.passwordCost = .uncheckedForTests
          let backend = LocalBackend.local(directory: CommandLine.arguments[0] + ".home", options: options)
          let auth = Auth(Auth.Configuration(backend: backend))
          let user = try await auth.createUser(withEmail: "ada@example.com", password: "correct horse").user
          try await auth.sendPasswordReset(withEmail: "ada@example.com")
          do { try await user.sendEmailVerification() } catch { print("refused:", (error as! AuthError).message) }
          try await user.delete()
          try await auth.close()
          try await backend.close()
        }
      }
      """,
    output: "to: ada@example.com true\nrefused: not this one\n")

  private static let randomSource = Stranger(
    name: "StrangersRandomSource", products: ["Gatehouse", "GatehouseTesting"],
    text: """
      import Gatehouse
      import GatehouseTesting

      struct Sevens: RandomSource {
        func next() -> UInt64 { 7 }
      }

      @main
      struct Program {
        static func main() async throws {
          let store: any CredentialStore = .memory
          let auth = Auth(Auth.Configuration(backend: ScriptedBackend(), store: store, random: Sevens()))
          _ = try await auth.signInAnonymously()
          print("session:", try await store.load()?.session ?? "none")
        }
      }
      """,
    output: "session: 00000000000000070000000000000007\n")
}
