import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseSchedules
import GatehouseTesting
import Logging

/// An `Auth` under a schedule: its provider and its store answer when the schedule has it.
struct Scene: Sendable {
  static let ada = "ada@example.com"
  static let bob = "bob@example.com"
  static let password = "correct horse"

  let context: ScheduleContext
  let provider: WatchedBackend
  let memory: MemoryOfStores
  let store: WatchedStore
  let auth: Auth

  /// - Parameters:
  ///   - stored: what the store holds at the begin.
  ///   - other: a scene whose accounts and stored session this one shares.
  ///   - keepsUsers: whether the store keeps the session that a sign-in replaces.
  init(
    _ context: ScheduleContext, stored: StoredSession? = nil, sharing other: Scene? = nil, keepsUsers: Bool = false,
    _ adjust: (inout Auth.Configuration) -> Void = { _ in }
  ) {
    self.context = context
    provider = WatchedBackend(context, accounts: other?.provider.accounts ?? ScriptedBackend())
    memory = other?.memory ?? MemoryOfStores(stored)
    store = WatchedStore(context, memory, keepsUsers: keepsUsers)
    var configuration = Auth.Configuration(
      backend: provider, store: store, callbackQueue: context.callbackQueue, clocks: context.clocks,
      random: context.random, logger: Logger(label: "schedules") { _ in SwiftLogNoOpLogHandler() })
    adjust(&configuration)
    auth = Auth(configuration)
  }

  /// Makes Bob's account, behind the client's back, and signs Ada up.
  static func ofAda(_ context: ScheduleContext) async throws -> (Scene, User) {
    let scene = Scene(context)
    try await scene.provider.makeAccount(bob)
    let user = try await scene.auth.createUser(withEmail: ada, password: password).user
    return (scene, user)
  }

  /// Two `Auth`s on one store. Ada has signed up in the first one, and the second one has restored her session.
  static func twoOfAda(_ context: ScheduleContext) async throws -> (one: (Scene, User), other: (Scene, User)) {
    let one = try await ofAda(context)
    let other = Scene(context, sharing: one.0)
    try await other.auth.ready()
    guard let user = other.auth.currentUser else { throw AuthError(.nullUser, "the other has not restored Ada") }
    return (one, (other, user))
  }

  func signIn(_ email: String) async throws(AuthError) -> User {
    try await typed { try await auth.signIn(withEmail: email, password: Self.password).user }
  }

  /// When all has come to rest: what is stored is what is current, and the store was never asked for two things at
  /// once.
  func checkStore() async throws {
    try await auth.flush()
    let stored = store.content
    let current = auth.currentUser
    context.check(
      stored?.profile.uid == current?.uid,
      "the store holds \(stored?.profile.uid ?? "nobody"), and \(current?.uid ?? "nobody") is signed in")
    guard let stored, let current else { return }
    let idToken = try await current.getIDToken()
    context.check(stored.tokens.idToken == Secret(idToken), "the store holds another token than the session")
    context.check(
      provider.owner(of: idToken) == current.uid, "the session of \(current.uid) has somebody else's token")
  }
}

extension ScheduleContext {
  /// A choice that the schedule makes. `random` is the same in every schedule.
  func coin() async -> Bool {
    let first = Lock<Bool?>(nil)
    let sides = [true, false].map { side in
      Task {
        await yield()
        first.withLock { $0 = $0 ?? side }
      }
    }
    for side in sides { await side.value }
    return first.withLock { $0 } ?? true
  }
}

extension ScheduleContext {
  /// A number of so many bits, chosen by the schedule.
  func bits(_ count: Int) async -> UInt64 {
    var number: UInt64 = 0
    for _ in 0..<count { number = number << 1 | (await coin() ? 1 : 0) }
    return number
  }
}

extension Result {
  /// The error, where there is one.
  var failure: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}

/// Begins something that goes on beside the caller.
func beside<Value: Sendable>(
  _ body: @escaping @Sendable () async throws(AuthError) -> Value
) -> Task<Result<Value, AuthError>, Never> {
  Task { await outcome(of: body) }
}
