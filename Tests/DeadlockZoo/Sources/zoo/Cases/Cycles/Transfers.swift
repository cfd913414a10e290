/// Every account has a queue, and money goes from any account to any other.
extension Case {
  static let transfers = Case("transfers", "Two queues of one kind are taken in both orders", is: .cycle) { run in
    let accounts = ["ann", "bob"].map { _ in SerialQueue(label: "account") }
    @Sendable func transfer(from payer: Int, to payee: Int) {
      accounts[payer].sync {
        run.meet()
        accounts[payee].sync {}
      }
    }
    run.orders({ transfer(from: 0, to: 1) }, { transfer(from: 1, to: 0) })
  }
}
