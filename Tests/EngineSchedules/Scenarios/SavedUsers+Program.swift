import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseSchedules
import GatehouseTesting
import Logging

extension SavedUsers {
  /// A program with an `Auth`, which may be killed and started again.
  final class Program: Sendable {
    private struct Life: Sendable {
      let store: WatchedStore
      let backend: FamilyBackend
      let auth: Auth
      /// The families that this run of the program has signed out, and did not flush.
      var unflushed: Set<Int> = []
      /// Whether no user is signed in because the program said so.
      var isSignedOut = true
    }

    private let world: World
    private let tenant: String
    private let life: Lock<Life>

    init(_ world: World, tenant: String) {
      (self.world, self.tenant) = (world, tenant)
      life = Lock(Self.start(world, tenant))
    }

    var auth: Auth { life.withLock { $0.auth } }
    var store: WatchedStore { life.withLock { $0.store } }

    private static func start(_ world: World, _ tenant: String) -> Life {
      let store = WatchedStore(world.context, world.memory, keepsUsers: true, hasLock: true)
      let backend = FamilyBackend(world.context, world.provider) { token in
        !world.stored.contains { $0.tokens.refreshToken == token && $0.rotation?.spending == nil }
      }
      let auth = Auth(
        Auth.Configuration(
          backend: backend, store: store, callbackQueue: world.context.callbackQueue, clocks: world.context.clocks,
          random: world.context.random, logger: Logger(label: "schedules") { _ in SwiftLogNoOpLogHandler() },
          tenantID: tenant))
      return Life(store: store, backend: backend, auth: auth)
    }

    // MARK: Its calls

    func run(_ plan: [(step: Step, isCancelled: Bool, leaves: Int)]) async {
      _ = await outcome { () throws(AuthError) in try await typed { try await auth.ready() } }
      note()
      for (step, isCancelled, leaves) in plan {
        let call = Task { await outcome { () throws(AuthError) in try await self.make(step) } }
        if isCancelled {
          for _ in 0..<leaves { await world.context.yield() }
          call.cancel()
        }
        _ = await call.value
        note()
      }
    }

    private func make(_ step: Step) async throws(AuthError) {
      let auth = auth
      switch step {
      case .signIn(let index): try await signIn(World.names[tenant]?[index] ?? "")
      case .switchTo(let index):
        let users = try await list()
        guard users.indices.contains(index) else { return }
        _ = try await typed { try await auth.switchUser(toUID: users[index].uid) }
      case .refresh: _ = try await typed { try await auth.currentUser?.getIDToken(forcingRefresh: true) }
      case .password: try await typed { try await auth.currentUser?.updatePassword(to: Scene.password) }
      case .signOut: try await signOut()
      case .list: _ = try await list()
      case .forget(let index):
        let users = try await list()
        guard users.indices.contains(index), !users[index].isCurrent else { return }
        world.record.withLock { _ = $0.left.insert(users[index].uid) }
        try await typed { try await auth.forgetUser(withUID: users[index].uid) }
      }
    }

    private func signIn(_ email: String) async throws(AuthError) {
      let user = try await typed { try await auth.signIn(withEmail: email, password: Scene.password).user }
      guard let token = user.refreshToken, let family = world.provider.family(of: Secret(token)) else { return }
      world.record.withLock { _ = $0.signedIn.insert(family) }
    }

    private func list() async throws(AuthError) -> [SavedUser] {
      let users = try await typed { try await auth.savedUsers() }
      world.context.check(Set(users.map(\.uid)).count == users.count, "a user is listed twice: \(users.map(\.uid))")
      return users
    }

    /// Signs out, and checks that a flush that succeeds is true.
    private func signOut() async throws(AuthError) {
      let auth = auth
      let user = auth.currentUser
      let family = user?.refreshToken.flatMap { world.provider.family(of: Secret($0)) }
      if let user { world.record.withLock { _ = $0.left.insert(user.uid) } }
      try typed { try auth.signOut() }
      life.withLock { $0.isSignedOut = true }
      guard let user, let family else { return }
      // A switch may have come between, and then another session has ended.
      let ended = await beside { () throws(AuthError) in try await typed { try await user.getIDToken() } }.value
      guard ended.failure?.code == .nullUser else { return }
      life.withLock { _ = $0.unflushed.insert(family) }
      try await typed { try await auth.flush() }
      hasFlushed()
    }

    private func hasFlushed() {
      let ended = life.withLock { life in
        defer { life.unflushed = [] }
        return life.unflushed
      }
      world.record.withLock { $0.ended.formUnion(ended) }
      world.context.check(!world.hasStored(ended), "a flush said that a sign-out is durable, and it is not")
    }

    /// Notes whether a user is signed in, who must be one of this program's tenant.
    private func note() {
      guard let user = auth.currentUser else { return }
      life.withLock { $0.isSignedOut = false }
      world.context.check(user.tenantID == tenant, "\(user.uid) is signed in, and no user of the tenant \(tenant)")
    }

    // MARK: Its end

    /// Kills the program at a write, before or after it.
    func killAfter(writes: Int) {
      let (store, backend) = life.withLock { ($0.store, $0.backend) }
      store.killAfter(writes: writes) { [world] in
        backend.kill()
        world.forgive()
      }
    }

    /// Kills the program when its next refresh has been answered, and before it has the answer.
    func killInRefresh() {
      let (store, backend) = life.withLock { ($0.store, $0.backend) }
      backend.killInRefresh { [world] in
        store.kill()
        backend.kill()
        world.forgive()
      }
    }

    func loseAnswers(most: Int) { life.withLock { $0.backend }.loseAnswers(most: most) }

    /// From now on nothing fails.
    func isWell() {
      let (store, backend) = life.withLock { ($0.store, $0.backend) }
      store.isWell()
      backend.isWell()
    }

    func startAgainIfKilled() async {
      guard store.isDead else { return }
      let new = Self.start(world, tenant)
      life.withLock { $0 = new }
      _ = await outcome { () throws(AuthError) in try await typed { try await new.auth.ready() } }
      note()
    }

    /// Checks that this program shows what the store holds, or says why not.
    func check() {
      hasFlushed()
      note()
      let current = world.memory.shelf.withLock { $0.current }
      switch auth.state {
      case .signedIn(let user):
        let stored = current?.profile.uid
        world.context.check(user.uid == stored, "\(user.uid) is signed in, and the store has \(stored ?? "none")")
      case .signedOut(nil):
        world.context.check(
          life.withLock(\.isSignedOut), "no user is signed in, and the program is not told why")
      case .signedOut: break
      case let state: world.context.check(false, "when all is done the state is \(state)")
      }
    }
  }
}
