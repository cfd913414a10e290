import Dispatch
import Gatehouse
import GatehouseQueues
import GatehouseTesting
import Testing

/// Rule 3: a completion or listener comes where it is isolated, else on the callback queue; in order, exactly once.
struct CompletionPlaceTests {
  @Test func `a closure of the main actor changes what is the main actor's`() async throws {
    let (_, user) = try await Scene.signedIn()
    let model = await MainActor.run { Model() }
    await model.begin(user)
    await model.wait(for: 2_000)
    #expect(await model.numbers == Array(0..<2_000))
  }

  @Test func `a closure of an actor comes on that actor, in order`() async throws {
    let (scene, user) = try await Scene.signedIn()
    let counter = Counter()
    await counter.begin(user, scene.auth)
    await counter.wait(for: 2_000)
    #expect(await counter.numbers == Array(0..<2_000))
    #expect(await counter.heard == [user.uid])
  }

  @Test func `a closure of no isolation comes on the callback queue, in order`() async throws {
    let key = DispatchSpecificKey<Bool>()
    let queue = DispatchQueue(label: "test.callbacks", attributes: .concurrent)
    queue.setSpecific(key: key, value: true)
    let (_, user) = try await Scene.signedIn { $0.callbackQueue = queue }
    let numbers = Lock<[Int]>([])
    let strays = Lock(0)
    await withCheckedContinuation { done in
      for number in 0..<5_000 {
        user.getIDToken { _ in
          if DispatchQueue.getSpecific(key: key) != true { strays.withLock { $0 += 1 } }
          numbers.withLock { $0.append(number) }
          if number == 4_999 { done.resume() }
        }
      }
    }
    #expect(numbers.withLock { $0 } == Array(0..<5_000))
    #expect(strays.withLock { $0 } == 0)
  }

  /// The main queue itself, and no child of it: what was put on main between two callbacks runs between them.
  @Test func `callbacks on main keep their place among other work of main`() async {
    let queue = CallbackQueue()
    let order = Lock<[Int]>([])
    let note: @Sendable (Int) -> Void = { number in order.withLock { $0.append(number) } }
    await MainActor.run {
      queue.deliver { note(1) }
      DispatchQueue.main.async { note(2) }
      queue.deliver { note(3) }
    }
    await withCheckedContinuation { done in queue.deliver { done.resume() } }
    #expect(order.withLock { $0 } == [1, 2, 3])
  }

  /// The first delivery waits until the app's queue has begun work that was put on it after the second delivery: if the
  /// second one could begin meanwhile, it would have.
  @Test func `on a concurrent callback queue the second delivery waits for the end of the first`() async {
    let target = DispatchQueue(label: "test.concurrent", attributes: .concurrent)
    let queue = CallbackQueue(target)
    for _ in 0..<50 {
      let inside = Lock(0)
      let overlaps = Lock(0)
      let enter: @Sendable () -> Void = {
        let count = inside.withLock { count in
          count += 1
          return count
        }
        if count > 1 { overlaps.withLock { $0 += 1 } }
      }
      let leave: @Sendable () -> Void = { inside.withLock { $0 -= 1 } }
      await withCheckedContinuation { done in
        queue.deliver {
          enter()
          queue.deliver {
            enter()
            leave()
            done.resume()
          }
          let later = DispatchSemaphore(value: 0)
          target.async { target.async { later.signal() } }
          later.wait()
          leave()
        }
      }
      #expect(overlaps.withLock { $0 } == 0)
    }
  }
}

/// A model of the main actor's, as an app has it.
@MainActor
private final class Model {
  private var arrivals = Arrivals()
  var numbers: [Int] { arrivals.numbers }

  func begin(_ user: User) {
    for number in 0..<2_000 {
      user.getIDToken { _ in self.arrivals.add(number) }
    }
  }

  func wait(for count: Int) async {
    await withCheckedContinuation { arrivals.resume($0, at: count) }
  }
}

/// The same for an actor of the app's.
private actor Counter {
  private var arrivals = Arrivals()
  private(set) var heard: [String?] = []
  var numbers: [Int] { arrivals.numbers }

  func begin(_ user: User, _ auth: Auth) {
    auth.addStateDidChangeListener { _, user in self.heard.append(user?.uid) }
    for number in 0..<2_000 {
      user.getIDToken { _ in self.arrivals.add(number) }
    }
  }

  func wait(for count: Int) async {
    await withCheckedContinuation { arrivals.resume($0, at: count) }
  }
}

/// The numbers of the completions that were called, in order, and one caller that waits for a number of them.
private struct Arrivals {
  private(set) var numbers: [Int] = []
  private var waiter: (count: Int, continuation: CheckedContinuation<Void, Never>)?

  mutating func add(_ number: Int) {
    numbers.append(number)
    if let waiter { resume(waiter.continuation, at: waiter.count) }
  }

  mutating func resume(_ continuation: CheckedContinuation<Void, Never>, at count: Int) {
    waiter = numbers.count < count ? (count, continuation) : nil
    if waiter == nil { continuation.resume() }
  }
}
