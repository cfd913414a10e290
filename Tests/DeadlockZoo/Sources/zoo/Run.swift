import Glibc
import Synchronization

/// One run of a case: the one that passes, or the one that hangs.
///
/// What it waits with is made of atomics, so that no monitor sees it, and the cases have their waits to themselves.
final class Run: Sendable {
  /// Whether everything shall happen at the worst time.
  let hangs: Bool
  let form: Case.Form
  private let parties = Atomic(1)
  private let arrived = Atomic(0)

  init(_ form: Case.Form, hangs: Bool) {
    self.form = form
    self.hangs = hangs
  }

  /// Runs one order after the other, so that no two meet, and every wait of a thread that holds something is seen. In a
  /// run that hangs, each has a thread, and all begin at once.
  func orders(_ orders: @Sendable () -> Void...) { self.orders(orders) }

  /// The same for any number of orders.
  func orders(_ orders: [@Sendable () -> Void]) {
    guard hangs else { return orders.forEach { form == .many ? Thread($0).join() : $0() } }
    parties.store(orders.count, ordering: .sequentiallyConsistent)
    orders.map(Thread.init).forEach { $0.join() }
  }

  /// What threads do at once, in every run: nothing that they do can hang. On a single thread they follow each other.
  func together(_ threads: @Sendable () -> Void...) {
    guard form == .many else { return threads.forEach { $0() } }
    threads.map(Thread.init).forEach { $0.join() }
  }

  /// Runs it on another thread, and waits for its end without a wait that a monitor sees.
  func elsewhere(_ body: @escaping @Sendable () -> Void) {
    let hasEnded = Event()
    _ = Thread {
      body()
      hasEnded.happen()
    }
    hasEnded.wait()
  }

  /// In a run that hangs: waits until every one of the orders has got this far. Otherwise nothing.
  func meet() {
    guard hangs else { return }
    let parties = parties.load(ordering: .sequentiallyConsistent)
    let place = arrived.add(1, ordering: .sequentiallyConsistent).newValue
    let all = (place + parties - 1) / parties * parties
    while arrived.load(ordering: .sequentiallyConsistent) < all { sched_yield() }
  }
}
