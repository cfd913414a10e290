import GatehouseBase
import GatehouseLocal
import IdentityToolkit

/// What the provider has acknowledged, and what it may have done besides when it was killed.
struct Ledger {
  fileprivate struct Account {
    var exists = false
    var password = "none yet"
    var name: String?
    var token: String?
    var spent: [String] = []
    var usedCodes: [String] = []
    /// The operation that was under way.
    var pending: Journal.Entry?
  }

  private var accounts: [String: Account] = [:]
  private var touched: [String] = []
  private(set) var operations = 0
  private(set) var pendings = 0

  /// Takes in what a worker has told.
  mutating func add(_ entries: [Journal.Entry]) {
    touched = []
    for entry in entries {
      var account = accounts[entry.account] ?? Account()
      if account.pending == nil, entry.kind == .begins { touched.append(entry.account) }
      switch entry.kind {
      case .begins: account.pending = entry
      case .refused: account.pending = nil
      case .ends:
        operations += 1
        account.pending = nil
        account.apply(entry)
      }
      accounts[entry.account] = account
    }
    touched = Array(Set(touched)).sorted()
    pendings += touched.count { accounts[$0]?.pending != nil }
  }

  /// Examines the provider, and settles what is left open.
  ///
  /// - Returns: what does not hold.
  mutating func faults(of backend: LocalBackend, _ numbers: inout SeededNumbers) async -> [String] {
    var faults: [String] = []
    let older = accounts.keys.filter { accounts[$0]?.pending == nil }.sorted().shuffled(using: &numbers).prefix(10)
    for name in touched + older where accounts[name] != nil {
      faults += await examine(name, backend, &numbers).map { "\(name): \($0)" }
    }
    return faults
  }

  private mutating func examine(
    _ name: String, _ backend: LocalBackend, _ numbers: inout SeededNumbers
  ) async -> [String] {
    guard var account = accounts[name] else { return [] }
    var faults: [String] = []
    let email = "\(name)@example.com"
    let pending = account.pending
    account.pending = nil
    // Either as it was before the operation that was under way, or as it is after it; nothing in between.
    var after = account
    if let pending { after.apply(pending) }
    var found: Account?
    for candidate in pending == nil ? [account] : [account, after] where found == nil {
      if await candidate.isAsFound(email, backend) { found = candidate }
    }
    guard let settled = found else {
      return ["it is neither as before nor as after \(pending?.operation ?? "nothing")"]
    }
    account = settled
    // A refresh that was under way: within the grace its token has the same successor each time, and once that is used,
    // it has none.
    if pending?.operation == "refresh", let token = pending?.values["token"] {
      let exchange = ExchangeRefreshToken(refreshToken: Secret(token))
      let answers = [try? await backend.answer(exchange), try? await backend.answer(exchange)]
      if let next = answers[0]?.refreshToken, answers[1]?.refreshToken == next {
        _ = try? await backend.answer(ExchangeRefreshToken(refreshToken: next))
        if (try? await backend.answer(exchange)) != nil { faults.append("a refresh token was used twice") }
      } else {
        faults.append("the session is lost by a refresh without an answer")
      }
      account.token = nil
    } else if let token = account.token {
      do {
        let answer = try await backend.answer(ExchangeRefreshToken(refreshToken: Secret(token)))
        account.spent.append(token)
        account.token = answer.refreshToken.revealed
      } catch { faults.append("the session is lost: \(error)") }
      // The last one has a grace: its successor is not used yet.
      if Bool.random(using: &numbers), let spent = account.spent.dropLast().randomElement(using: &numbers) {
        if (try? await backend.answer(ExchangeRefreshToken(refreshToken: Secret(spent)))) != nil {
          faults.append("a spent refresh token was taken")
        }
        account.token = nil
      }
    }
    for code in account.usedCodes + [pending?.values["code"]].compactMap({ $0 }) {
      let call = ResetPassword(oobCode: Secret(code), newPassword: Secret("a stranger's"))
      guard (try? await backend.answer(call)) != nil else { continue }
      // One that was under way may not have been used; then this was its one use.
      if code != pending?.values["code"] || settled.usedCodes.contains(code) { faults.append("a code was used twice") }
      (account.password, account.token) = ("a stranger's", nil)
      if (try? await backend.answer(call)) != nil { faults.append("a code was used twice") }
    }
    accounts[name] = account
    return faults
  }
}

extension Ledger.Account {
  /// The account after an operation.
  fileprivate mutating func apply(_ entry: Journal.Entry) {
    let values = entry.values
    switch entry.operation {
    case "signUp", "create": (exists, password, token) = (true, values["password"] ?? "", values["token"])
    case "refresh":
      if let token { spent.append(token) }
      token = values["next"]
    case "rename": name = values["name"]
    case "changePassword": (password, token) = (values["password"] ?? "", values["token"])
    case "reset":
      (password, token) = (values["password"] ?? "", nil)
      if let code = values["code"] { usedCodes.append(code) }
    case "signIn": token = values["token"]
    case "delete": (exists, token) = (false, nil)
    default: break
    }
  }

  /// Whether the provider has the account like this.
  fileprivate func isAsFound(_ email: String, _ backend: LocalBackend) async -> Bool {
    do throws(AuthError) {
      let answer = try await backend.answer(SignInWithPassword(email: email, password: Secret(password)))
      let users = try await backend.answer(Lookup(idToken: answer.idToken)).users
      return exists && users?.first?.email == email && users?.first?.displayName == name
    } catch {
      return !exists && error.serverCode == "EMAIL_NOT_FOUND"
    }
  }
}
