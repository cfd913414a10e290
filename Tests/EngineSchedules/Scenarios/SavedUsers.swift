import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseSchedules
import GatehouseTesting
import IdentityToolkit

/// Two programs on one store that keeps users: Ada and Bob of the tenant blue, and Cleo of the tenant red. Each makes a
/// few calls, of which some are cancelled. Writes of the store fail, some after they were made, answers to refreshes
/// are lost, and a program may be killed at a write or in a refresh, and started again.
///
/// - A user who signed out is nowhere, as soon as a flush says so.
/// - The provider honors every stored session, unless a new password of another session has ended it. So no token is
///   lost, and none is spent twice, unless its answer was lost.
/// - The store says that a token may be spent before it is.
/// - A user who has signed in and never out is stored.
/// - A user is listed once.
/// - Each program shows the user whom the store holds, or says why not.
enum SavedUsers {
  static func run(_ context: ScheduleContext) async throws {
    var picks = await SplitMix(context.bits(16))
    let world = try await World(context, rotates: picks.next() & 1 == 0)
    let programs = [Program(world, tenant: "blue"), Program(world, tenant: picks.next() & 1 == 0 ? "blue" : "red")]
    let plans = programs.map { _ in (0..<3).map { _ in Step.picked(by: &picks) } }
    for program in programs { program.store.failSometimes(most: 2, isLate: true) }
    for program in programs { program.loseAnswers(most: 2) }
    switch picks.next() % 6 {
    case 0, 1: programs[0].killAfter(writes: Int(picks.next() % 7))
    case 2: programs[0].killInRefresh()
    default: break
    }
    let runs = zip(programs, plans).map { program, plan in Task { await program.run(plan) } }
    for run in runs { await run.value }
    await context.settle()

    for program in programs {
      program.isWell()
      await program.startAgainIfKilled()
      try await program.auth.flush()
    }
    for program in programs {
      if let user = program.auth.currentUser {
        _ = await outcome { () throws(AuthError) in
          try await typed { try await user.getIDToken(forcingRefresh: true) }
        }
      }
      try await program.auth.flush()
    }
    await context.settle()
    world.check()
    for program in programs { program.check() }
  }
}

extension SavedUsers {
  /// A call of a program.
  enum Step: Sendable {
    case signIn(Int), switchTo(Int), refresh, password, signOut, list, forget(Int)

    static func picked(by picks: inout SplitMix) -> (step: Step, isCancelled: Bool, leaves: Int) {
      let user = Int(picks.next() % 2)
      let steps: [Step] = [
        .signIn(user), .signIn(user), .signIn(user), .switchTo(user), .switchTo(user), .refresh, .refresh, .password,
        .signOut, .signOut, .list, .forget(user),
      ]
      let step = steps[Int(picks.next() % UInt64(steps.count))]
      return (step, picks.next() % 4 == 0, Int(picks.next() % 24))
    }
  }

  /// The state that the programs share, and the conditions that must hold of it.
  final class World: Sendable {
    struct Record: Sendable {
      /// The families of the sign-ins that have succeeded.
      var signedIn: Set<Int> = []
      /// The families of the sessions that were signed out or forgotten.
      var ended: Set<Int> = []
      /// The users with such a session.
      var left: Set<String> = []
    }

    static let names = [
      "blue": ["ada@example.com", "bob@example.com"], "red": ["cleo@example.com", "cleo@example.com"],
    ]

    let context: ScheduleContext
    let provider: FamilyProvider
    let memory = MemoryOfStores(nil)
    let record = Lock(Record())

    init(_ context: ScheduleContext, rotates: Bool) async throws(AuthError) {
      self.context = context
      provider = FamilyProvider(rotates: rotates)
      for (tenant, name) in [("blue", 0), ("blue", 1), ("red", 0)] {
        let email = Self.names[tenant]?[name] ?? ""
        var signUp = SignUp(email: email, password: Secret(Scene.password))
        signUp.tenantId = tenant
        _ = try await provider.accounts.answer(signUp)
      }
    }

    func family(of session: StoredSession) -> Int? { provider.family(of: session.tokens.refreshToken) }

    /// All that is stored, with the sessions that a sign-in has replaced which may be undone.
    var stored: [StoredSession] {
      memory.shelf.withLock { ([$0.current].compactMap(\.self) + $0.others).flatMap { [$0] + $0.replaced } }
    }

    /// Honors the stored tokens once more that the store says may be spent or revoked: the answer was lost with its
    /// program.
    func forgive() {
      for session in stored where session.rotation?.spending != nil || session.pendingRevocation != nil {
        provider.forgive(session.tokens.refreshToken)
      }
    }

    /// Whether the store has a session that has ended.
    func hasStored(_ ended: Set<Int>) -> Bool {
      stored.contains { family(of: $0).map(ended.contains) ?? false }
    }

    /// Checks what is stored once all has come to rest.
    func check() {
      // A program that was killed within its sign-in has left what that has replaced.
      let (stored, record) = (stored, record.withLock { $0 })
      context.check(!hasStored(record.ended), "a session that was signed out is stored")
      for session in stored {
        guard let number = family(of: session), !provider.family(number).isDead else { continue }
        let uid = session.profile.uid
        context.check(provider.honors(session.tokens.refreshToken), "the stored token of \(uid) is not honored")
      }
      for number in record.signedIn.sorted() {
        let family = provider.family(number)
        // A later sign-in may have replaced this session, and a new password may have ended that one.
        guard !record.left.contains(family.uid), !provider.hasEndedOne(of: family.uid) else { continue }
        context.check(
          stored.contains { $0.profile.uid == family.uid }, "\(family.uid) has signed in, never out, and is not stored")
      }
    }
  }
}
