/// Accounts come from a file or from a form. The account with the smaller number is always taken first, however it was
/// made.
extension Case {
  static let twoMakers = Case(
    "two-makers", "Locks of one kind that two functions make, always in the order of their numbers", is: .innocent
  ) { run in
    inOrder(load(2), signUp(2), run) { account, body in account.balance.withLock { _ in body() } }
  }

  static let oneLabelTwice = Case(
    "one-label-twice", "Queues with one label that two functions make, always in the order of their numbers",
    is: .innocent
  ) { run in
    let loaded = (0..<2).map { _ in SerialQueue(label: "account") }
    let signedUp = (0..<2).map { _ in SerialQueue(label: "account") }
    inOrder(loaded, signedUp, run) { account, body in account.sync { body() } }
  }
}

/// Takes things in their order. Of the first two, one kind comes first, and of the last two, the other one.
private func inOrder<Thing: Sendable>(
  _ some: [Thing], _ others: [Thing], _ run: Run, taking: @escaping @Sendable (Thing, () -> Void) -> Void
) {
  let all = [some[0], others[0], others[1], some[1]]
  @Sendable func take(_ first: Int) { taking(all[first]) { taking(all[first + 1]) {} } }
  run.together({ take(0) }, { take(2) })
}

private final class Account: Sendable {
  let balance: Lock<Int>

  @inline(never)
  init() { balance = Lock(0) }
}

@inline(never)
private func load(_ count: Int) -> [Account] { (0..<count).map { _ in Account() } }

@inline(never)
private func signUp(_ count: Int) -> [Account] { (0..<count).map { _ in Account() } }
