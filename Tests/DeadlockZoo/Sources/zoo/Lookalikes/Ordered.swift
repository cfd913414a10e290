/// Money goes from any account to any other, and the account with the smaller number is always taken first.
extension Case {
  static let ordered = Case("ordered", "Two queues of one kind, always in the order of their numbers", is: .innocent) {
    run in
    let accounts = (0..<3).map { _ in SerialQueue(label: "account") }
    @Sendable func transfer(from payer: Int, to payee: Int) {
      accounts[min(payer, payee)].sync {
        accounts[max(payer, payee)].sync {}
      }
    }
    run.together(
      { transfer(from: 0, to: 1) }, { transfer(from: 1, to: 0) }, { transfer(from: 2, to: 1) },
      { transfer(from: 0, to: 2) })
  }
}
