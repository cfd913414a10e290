/// The same order as in `ordered`, as a bank has it: so many accounts that a search of all paths would not end.
extension Case {
  static let orderedCrowd = Case(
    "ordered-crowd", "Two hundred locks of one kind, always in the order of their numbers", is: .innocent
  ) { run in
    let accounts = (0..<200).map { _ in Lock(0) }
    @Sendable func transfers(_ step: Int) {
      for number in 0..<1_000 {
        let payer = number * step % accounts.count, payee = (number + step) * 7 % accounts.count
        guard payer != payee else { continue }
        accounts[min(payer, payee)].withLock { _ in accounts[max(payer, payee)].withLock { $0 += 1 } }
      }
    }
    run.together({ transfers(1) }, { transfers(3) }, { transfers(11) }, { transfers(17) })
  }
}
