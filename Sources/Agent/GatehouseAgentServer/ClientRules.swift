import GatehouseBase
package import GatehouseServer
package import GatehouseSystem

/// The accounts that a rule lends.
package enum ClientAccounts: Sendable, Hashable {
  case all
  /// The names as bytes: equal texts may be two names.
  case only(Set<[UInt8]>)

  package static func named(_ names: [String]) -> ClientAccounts { .only(Set(names.map { Array($0.utf8) })) }

  func contains(_ name: String) -> Bool {
    switch self {
    case .all: true
    case .only(let names): names.contains(Array(name.utf8))
    }
  }
}

/// One kind of program that may ask an agent for tokens, and its rights. A program must fit everything that the rule
/// names.
package struct ClientRule: Sendable, Hashable {
  /// The rule's name in the settings. The refreshes of its programs are counted together.
  package var name: String
  /// The user that the program runs as.
  package var user: UInt32?
  /// The program's group, or one of its supplementary groups.
  package var group: UInt32?
  /// The path of the program's executable, with links resolved. It separates no programs of one user from each other:
  /// each of them can run that executable, and change what it does. So a rule that names neither a user nor a group
  /// admits the agent's own user only.
  package var executable: String?
  /// The accounts whose tokens the program may have. It sees no others.
  package var accounts: ClientAccounts
  /// Whether the program may have fresh tokens replaced.
  package var refresh: Bool
  /// Whether the program may read the figures, which are of all accounts.
  package var metrics: Bool

  package init(
    _ name: String = "", user: UInt32? = nil, group: UInt32? = nil, executable: String? = nil,
    accounts: ClientAccounts, refresh: Bool = false, metrics: Bool = false
  ) {
    self.name = name
    self.user = user
    self.group = group
    self.executable = executable
    self.accounts = accounts
    self.refresh = refresh
    self.metrics = metrics
  }

  fileprivate func admits(_ peer: PeerProcess, ignoringExecutable: Bool = false) -> Bool {
    // A user that this user namespace does not map fits no rule, whatever group it shows.
    peer.user != nil && (user == nil || user == peer.user)
      && (group.map { $0 == peer.group || peer.groups.contains($0) } ?? true)
      && (executable == nil || executable == peer.executable || ignoringExecutable)
  }
}

/// The programs that may ask an agent for tokens: those that fit one of the rules. Without a rule, those of the agent's
/// own user, and of root, which may do everything.
package struct ClientRules: Sendable, Hashable {
  private let rules: [ClientRule]
  /// Whether the rules are those of the settings.
  private let isGiven: Bool
  private let owner: UInt32
  /// The users, besides the agent's own and root, and the groups that have a part of the connections.
  private let users, groups: Set<UInt32>

  /// - Parameter owner: the agent's own user.
  package init(_ rules: [ClientRule], owner: UInt32) {
    self.owner = owner
    isGiven = !rules.isEmpty
    func everything(_ user: UInt32) -> ClientRule {
      ClientRule(user: user, accounts: .all, refresh: true, metrics: true)
    }
    self.rules =
      rules.isEmpty
      ? [everything(owner), everything(0)]
      : rules.map { rule in
        var rule = rule
        if rule.user == nil, rule.group == nil { rule.user = owner }
        return rule
      }
    users = Set(self.rules.compactMap(\.user)).subtracting([owner, 0])
    groups = Set(self.rules.compactMap { $0.user == nil ? $0.group : nil })
  }

  /// Returns the rights of a program; `nil` if no rule admits it.
  ///
  /// - Parameter peer: the program; `nil` if the kernel does not tell.
  func rights(of peer: PeerProcess?) -> ClientRights? {
    guard let peer else { return nil }
    let fitting = rules.filter { $0.admits(peer) }
    guard !fitting.isEmpty else { return nil }
    return ClientRights(rules: fitting, isGiven: isGiven, isAdministrator: isAdministrator(peer))
  }

  /// Whether a program runs as the agent's own user or root, which may change the agent, and not only ask it.
  private func isAdministrator(_ peer: PeerProcess) -> Bool { peer.user == owner || peer.user == 0 }

  /// Returns why a program may not ask; `nil` if it may.
  ///
  /// - Parameter peer: the program; `nil` if the kernel does not tell.
  package func reason(refusing peer: PeerProcess?) -> String? {
    guard let peer else { return "it does not come through a Unix socket" }
    guard rights(of: peer) == nil else { return nil }
    func text(_ id: UInt32?) -> String { id.map { "\($0)" } ?? "unknown in this user namespace" }
    let path = peer.executable.map { $0.printable(upTo: 256) } ?? "an executable that is not known"
    return "no rule admits process \(peer.id) of user \(text(peer.user)) and group \(text(peer.group)), \(path)"
  }
}

extension ClientRules {
  /// Divides the connections at the socket, so that no user can take those of others:
  ///
  ///     users                                 part of all connections
  ///     the agent's own                       all that the others do not have: five sixteenths at least
  ///     root                                  an eighth, 1,000 at most
  ///     each user that a rule names           an equal part of one half, 1,000 at most and a quarter at most
  ///     each group that a rule names          the same
  ///     all others together                   a sixteenth, 64 at most
  ///
  /// The users of a group share the group's part: a user with subordinate users may have 65,536 in its own group.
  package func part(of peer: PeerProcess?, ofConnections count: Int) -> ConnectionPart {
    let others = min(64, count / 16).orOne, root = owner == 0 ? 0 : min(1000, count / 8).orOne
    let named = users.count + groups.count
    let each = min(1000, count / 4, count / 2 / named.orOne).orOne
    guard let peer, let user = peer.user else { return ConnectionPart(Self.others, maximum: others) }
    if user == owner {
      return ConnectionPart("the daemon's user", maximum: (count - others - root - named * each).orOne)
    }
    if user == 0 { return ConnectionPart("root", maximum: root) }
    let fitting = rules.filter { $0.admits(peer, ignoringExecutable: true) }
    if fitting.contains(where: { $0.user == user }) { return ConnectionPart("user \(user)", maximum: each) }
    if let group = fitting.compactMap(\.group).min() { return ConnectionPart("group \(group)", maximum: each) }
    return ConnectionPart(Self.others, maximum: others)
  }

  /// The users that no rule names, and those that this user namespace does not map.
  private static let others = "users that no rule admits"
}

extension Int {
  fileprivate var orOne: Int { Swift.max(self, 1) }
}

/// What a program may do, by the rules that it fits.
struct ClientRights: Sendable {
  fileprivate let rules: [ClientRule]
  fileprivate let isGiven: Bool
  /// Whether the program may change the agent: it runs as the agent's own user, or as root.
  let isAdministrator: Bool

  /// Whether the program may have the tokens of an account, and see the account.
  func lends(_ account: String) -> Bool { rules.contains { $0.accounts.contains(account) } }

  /// Whether the program may have a fresh token of an account replaced.
  func refreshes(_ account: String) -> Bool { refreshRule(for: account) != nil }

  /// The rule that counts the program's refreshes of an account; `nil` if they are not limited: without rules, only
  /// programs that could restart the agent may ask.
  func refreshLimit(for account: String) -> String? { isGiven ? refreshRule(for: account)?.name : nil }

  private func refreshRule(for account: String) -> ClientRule? {
    rules.first { $0.refresh && $0.accounts.contains(account) }
  }

  /// Whether the program may read the figures.
  var readsFigures: Bool { rules.contains(where: \.metrics) }
}
