import GatehouseBase
package import GatehouseSystem

/// One kind of program that may ask an agent for tokens. A program must fit everything that the rule names.
package struct ClientRule: Sendable, Hashable {
  /// The user that the program runs as.
  package var user: UInt32?
  /// The program's group, or one of its supplementary groups.
  package var group: UInt32?
  /// The path of the program's executable, with links resolved. It separates no programs of one user from each other:
  /// each of them can run that executable, and change what it does. So a rule that names neither a user nor a group
  /// admits the agent's own user only.
  package var executable: String?

  package init(user: UInt32? = nil, group: UInt32? = nil, executable: String? = nil) {
    self.user = user
    self.group = group
    self.executable = executable
  }

  fileprivate func admits(_ peer: PeerProcess) -> Bool {
    (user == nil || user == peer.user)
      && (group.map { $0 == peer.group || peer.groups.contains($0) } ?? true)
      && (executable == nil || executable == peer.executable)
  }
}

/// The programs that may ask an agent for tokens: those that fit one of the rules. Without a rule, those of the agent's
/// own user, and of root.
package struct ClientRules: Sendable, Hashable {
  private let rules: [ClientRule]
  private let owner: UInt32

  /// - Parameter owner: the agent's own user.
  package init(_ rules: [ClientRule], owner: UInt32) {
    self.owner = owner
    self.rules =
      rules.isEmpty
      ? [ClientRule(user: owner), ClientRule(user: 0)]
      : rules.map { $0.user == nil && $0.group == nil ? ClientRule(user: owner, executable: $0.executable) : $0 }
  }

  /// Whether a program runs as the agent's own user, which may change the agent, and not only ask it.
  func isOwner(_ peer: PeerProcess?) -> Bool { peer?.user == owner }

  /// Returns why a program may not ask; `nil` if it may.
  ///
  /// - Parameter peer: the program; `nil` if the kernel does not tell.
  package func reason(refusing peer: PeerProcess?) -> String? {
    guard let peer else { return "it does not come through a Unix socket" }
    guard !rules.contains(where: { $0.admits(peer) }) else { return nil }
    let path = peer.executable.map { $0.printable(upTo: 256) } ?? "an executable that is not known"
    return "no rule admits process \(peer.id) of user \(peer.user) and group \(peer.group), \(path)"
  }
}
