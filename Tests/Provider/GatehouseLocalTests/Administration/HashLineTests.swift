import GatehouseBase
import GatehouseLocal
import GatehouseQueues
import HangGuard
import IdentityToolkit
import Testing

/// The order in which passwords are checked while more callers wait than there are threads (decision 132).
@Suite(.endsIfItHangs, .serialized) struct HashLineTests {
  private static let home = Caller(address: "198.51.100.1")
  private static let most = LocalBackend.mostWaitingStrangers
  private static let tooMany = "TOO_MANY_ATTEMPTS_TRY_LATER"

  /// A provider with Ada's account, which knows her network and her device, and whose threads for hashes are held.
  private struct Held {
    let scene: Scene
    let outbox: Outbox
    let ada: SignInResponse
    let device: Caller
    private let gates = (0..<4).map { _ in WatchedSemaphore(value: 0) }

    /// - Parameter prepare: what happens before the threads are held.
    init(
      _ adjust: (inout LocalOptions) -> Void = { _ in }, before prepare: (Scene) async throws -> Void = { _ in }
    ) async throws {
      (scene, outbox) = Scene.sending {
        $0.enumerationProtection = true
        adjust(&$0)
      }
      ada = try await scene.backend.backend(for: HashLineTests.home)
        .answer(SignUp(email: "ada@example.com", password: Secret("correct horse")))
      let cookie = try await scene.backend.deviceCookie(forIDToken: ada.idToken.revealed)
      device = Caller(address: "203.0.113.1", device: cookie)
      try await prepare(scene)
      for gate in gates { scene.backend.hashing.async { gate.wait() } }
      // The thread of an earlier hash may still be about to end.
      while waiting.known > 0 { await Task.yield() }
    }

    var waiting: (known: Int, strangers: Int) { scene.backend.hashing.waiting }

    /// Begins a call, and waits until it is in a line.
    func begin<C: Call>(_ call: C, from caller: Caller) async -> Task<AuthError?, Never> {
      let before = waiting
      let task = Task { [backend = scene.backend.backend(for: caller)] in
        do throws(AuthError) {
          _ = try await backend.answer(call)
          return AuthError?.none
        } catch { return error }
      }
      while waiting == before { await Task.yield() }
      return task
    }

    /// Has strangers of different networks wait, each with an address of its own.
    func beginStrangers(_ count: Int) async -> [Task<AuthError?, Never>] {
      var tasks: [Task<AuthError?, Never>] = []
      for number in 0..<count { tasks.append(await begin(guess(number), from: Caller(address: "10.0.\(number).1"))) }
      return tasks
    }

    func guess(_ number: Int) -> SignInWithPassword { guess("user\(number)@example.com") }

    func guess(_ email: String) -> SignInWithPassword {
      SignInWithPassword(email: email, password: Secret("wrong horse"))
    }

    /// Lets one thread work, and then the others, so that the order is that of the turns.
    func release(_ tasks: [Task<AuthError?, Never>]) async -> [AuthError?] {
      gates[0].signal()
      var outcomes: [AuthError?] = []
      for task in tasks { outcomes.append(await task.value) }
      for gate in gates.dropFirst() { gate.signal() }
      return outcomes
    }
  }

  @Test(arguments: [true, false])
  func `a known caller's password is checked after one stranger's at most, however many wait`(
    byCookie: Bool
  ) async throws {
    let held = try await Held()
    let strangers = await held.beginStrangers(40)
    let ada = await held.begin(held.guess("ada@example.com"), from: byCookie ? held.device : Self.home)
    #expect(held.waiting == (known: 1, strangers: 40))
    _ = await held.release(strangers + [ada])
    try await held.scene.backend.close()
    let order = try held.scene.events(in: "refused").compactMap { $0["email"]?.string }
    #expect(order.count == 41)
    #expect(order.prefix(2).contains("ada@example.com"), "\(order)")
  }

  @Test func `strangers' passwords that are being checked hold no known caller up`() async throws {
    let scene = Scene { $0.enumerationProtection = true }
    let ada = try await scene.backend.backend(for: Self.home)
      .answer(SignUp(email: "ada@example.com", password: Secret("correct horse")))
    let gate = WatchedSemaphore(value: 0), queue = scene.backend.hashing
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addImmediateTask {
          _ = try await queue.runAsStranger(for: "\(number)") { () throws(AuthError) in gate.wait() }
        }
      }
      // The thread of the sign-up may still be about to end.
      while queue.waiting.strangers > 5 { await Task.yield() }
      #expect(queue.waiting == (known: 0, strangers: 5), "one thread of four is left to known callers")
      let call = SignInWithPassword(email: "ada@example.com", password: Secret("correct horse"))
      #expect(try await scene.backend.backend(for: Self.home).answer(call).localId == ada.localId)
      for _ in 0..<8 { gate.signal() }
      try await group.waitForAll()
    }
  }

  @Test func `a stranger without room is refused at once, whatever the address, and a known caller is not`()
    async throws
  {
    let held = try await Held()
    let strangers = await held.beginStrangers(Self.most)
    let other = held.scene.backend.backend(for: Caller(address: "192.0.2.1"))
    for email in ["ada@example.com", "none@example.com"] {
      let refusal = await expectRefusal(Self.tooMany) { try await other.answer(held.guess(email)) }
      #expect(refusal?.isOverload == true && refusal?.retryAfter == .seconds(5) && refusal?.email == nil)
    }
    await expectRefusal(Self.tooMany) {
      try await other.answer(SignUp(email: "bob@example.com", password: Secret("correct horse")))
    }
    let call = SignInWithPassword(email: "ada@example.com", password: Secret("correct horse"))
    let known = [await held.begin(call, from: Self.home), await held.begin(call, from: held.device)]
    let words = await held.release(strangers + known).map { $0?.serverCode }
    #expect(words == Array(repeating: "INVALID_LOGIN_CREDENTIALS", count: Self.most) + [nil, nil])
  }

  @Test func `a known network has limited room, and another one and an administrator have theirs`() async throws {
    let held = try await Held()
    let call = SignInWithPassword(email: "ada@example.com", password: Secret("correct horse"))
    var flood: [Task<AuthError?, Never>] = []
    for _ in 0..<LocalBackend.mostWaitingOfKnown { flood.append(await held.begin(call, from: Self.home)) }
    let refusal = await expectRefusal(Self.tooMany) {
      try await held.scene.backend.backend(for: Self.home).answer(call)
    }
    #expect(refusal?.isOverload == true && refusal?.retryAfter == .seconds(5))
    #expect(held.waiting == (known: LocalBackend.mostWaitingOfKnown, strangers: 0))
    var administrator = Self.home
    administrator.isAdministrator = true
    let others = [await held.begin(call, from: held.device), await held.begin(call, from: administrator)]
    let words = await held.release(flood + others).map { $0?.serverCode }
    #expect(words.allSatisfy { $0 == nil }, "\(words)")
  }

  @Test func `a network that fills the strangers' line leaves room for others`() async throws {
    let held = try await Held()
    let crowd = Caller(address: "10.0.0.1")
    var flood: [Task<AuthError?, Never>] = []
    for number in 0..<Self.most { flood.append(await held.begin(held.guess(number), from: crowd)) }
    await expectRefusal(Self.tooMany) {
      try await held.scene.backend.backend(for: crowd).answer(held.guess(1000))
    }
    let call = SignInWithPassword(email: "ada@example.com", password: Secret("correct horse"))
    let other = Task { try? await held.scene.backend.backend(for: Caller(address: "192.0.2.1")).answer(call) }
    // The flood's last call has lost its room.
    #expect(await flood.removeLast().value?.isOverload == true)
    let outcomes = await held.release(flood)
    #expect(outcomes.allSatisfy { $0?.isOverload == false })
    #expect(await other.value?.localId == held.ada.localId)
  }

  @Test func `known is who the account knows, and who holds a code of its mail`() async throws {
    let held = try await Held()
    try await held.scene.send(.passwordReset) { $0.email = "ada@example.com" }
    let reset = ResetPassword(
      oobCode: try await held.scene.message(.passwordReset, in: held.outbox).code, newPassword: Secret("another horse"))
    var update = Update(idToken: held.ada.idToken)
    update.password = Secret("another horse")
    let guest = try await held.scene.signUpAnonymously()
    let link = SignUp(email: "bob@example.com", password: Secret("correct horse"), linkingTo: guest.idToken)
    let stranger = Caller(address: "192.0.2.1")
    let wrong = ResetPassword(oobCode: Secret("wrong"), newPassword: Secret("another horse"))
    let known = [await held.begin(update, from: Self.home), await held.begin(reset, from: stranger)]
    #expect(held.waiting == (known: 2, strangers: 0))
    let strangers = [
      await held.begin(update, from: stranger), await held.begin(link, from: stranger),
      await held.begin(wrong, from: Self.home),
      await held.begin(held.guess("other@example.com"), from: held.device),
    ]
    #expect(held.waiting == (known: 2, strangers: 4))
    _ = await held.release(known + strangers)
  }

  @Test func `administrators and programs that hold the provider wait with the known callers, in any number`()
    async throws
  {
    let held = try await Held()
    var administrator = Caller(address: "192.0.2.1")
    administrator.isAdministrator = true
    var tasks: [Task<AuthError?, Never>] = []
    let create = { (number: Int) in
      var call = CreateAccount(localId: "u\(number)")
      call.password = Secret("correct horse")
      return call
    }
    for number in 0...LocalBackend.mostWaitingOfKnown {
      tasks.append(await held.begin(create(number), from: administrator))
    }
    tasks.append(await held.begin(held.guess("none@example.com"), from: administrator))
    #expect(held.waiting == (known: LocalBackend.mostWaitingOfKnown + 2, strangers: 0))
    let words = await held.release(tasks).map { $0?.serverCode }
    #expect(words.dropLast().allSatisfy { $0 == nil } && words.last == "INVALID_LOGIN_CREDENTIALS", "\(words)")
  }

  @Test func `a known caller whose tries are used up waits with the strangers`() async throws {
    let held = try await Held {
      $0.throttle.attempts = 1
    } before: { scene in
      let call = SignInWithPassword(email: "ada@example.com", password: Secret("wrong horse"))
      await expectRefusal("INVALID_LOGIN_CREDENTIALS") { try await scene.backend.backend(for: Self.home).answer(call) }
    }
    let again = await held.begin(held.guess("ada@example.com"), from: Self.home)
    #expect(held.waiting == (known: 0, strangers: 1))
    _ = await held.release([again])
  }
}
