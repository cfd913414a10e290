/// Each of them has their own mailboxes and phone, and may steal another one's session or read another one's old mail.
/// None of them is the villain: what the model holds against one it holds against all.
enum Person: Int, CaseIterable, CustomStringConvertible {
  case ada, bob, eve

  var description: String { ["Ada", "Bob", "Eve"][rawValue] }

  /// The person's addresses in a run.
  func addresses(_ run: Int) -> [String] {
    ["\(self)-\(run)@example.com".lowercased(), "\(self)2-\(run)@example.com".lowercased()]
  }

  /// The person's phone number in a run.
  func number(_ run: Int) -> String { "+1202\(1_000_000 + run * 3 + rawValue)" }

  /// The network from which the person calls.
  var network: String { "198.51.100.\(rawValue + 1)" }

  /// The person at an identity provider, and the account that a server makes for them.
  func subject(_ run: Int) -> String { "\(self)-\(run)".lowercased() }
}
