import Glibc
import Synchronization

/// One run of a case: the one that passes, or the one that hangs.
///
/// What it waits with is made of atomics, so that no monitor sees it, and the cases have their waits to themselves.
final class Run: Sendable {
  /// Whether everything shall happen at the worst time.
  let hangs: Bool
  private let parties = Atomic(1)
  private let arrived = Atomic(0)

  init(hangs: Bool) { self.hangs = hangs }

  /// Runs one thread for each closure. One thread begins when the one before has ended, so that no two meet, and every
  /// wait of a thread that holds something is seen. In a run that hangs, all begin at once.
  func orders(_ orders: @Sendable () -> Void...) {
    guard hangs else { return orders.forEach { Thread($0).join() } }
    parties.store(orders.count, ordering: .sequentiallyConsistent)
    orders.map(Thread.init).forEach { $0.join() }
  }

  /// What threads do at once, in every run: nothing that they do can hang.
  func together(_ threads: @Sendable () -> Void...) {
    threads.map(Thread.init).forEach { $0.join() }
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
