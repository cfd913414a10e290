import GatehouseBase
import GatehouseLocal
import IdentityToolkit

// What must hold after each call.
extension Run {
  /// Makes the calls of a step, and checks what they have changed.
  func run(_ picks: Picks) async throws {
    step += 1
    (authority, isDone, received, acting) = (.none, false, [], picks.person)
    before = accounts
    try await perform(picks)
    actions.append((picks.action, isDone || picks.action == .wait))
    await collect()
    _ = world.post.takeTexts()
    try await requireAsExpected()
    try requireAuthority()
    try requireAudit()
    try requireMessages()
    if isDone { try await probe() }
  }

  /// Each account is as the calls should have left it: what had to end has ended, and nothing else.
  private func requireAsExpected() async throws {
    for uid in uids {
      guard let account = accounts[uid] else { continue }
      let record: AccountRecord
      do throws(AuthError) { record = try await world.backend.account(AccountName(uid)) } catch {
        throw Violation("the account of \(account.email ?? uid) is gone")
      }
      let differences = account.differences(to: record)
      guard differences.isEmpty else {
        throw Violation("the account of \(account.email ?? uid): \(differences.joined(separator: "; "))")
      }
    }
  }

  /// What is verified changes only by a code of a mailbox, or in a session whose person has signed in within five
  /// minutes.
  private func requireAuthority() throws {
    for (uid, old) in before where old.isGuarded {
      let new = accounts[uid]
      let wasVerified = old.isVerified && old.email != nil
      let isChanged =
        wasVerified && (new?.email != old.email || new?.isVerified != true) || new?.phone != old.phone
        || new?.factors != old.factors
      guard isChanged else { continue }
      switch authority {
      case .administrator, .proof: break
      case .none: throw Violation("a call without any proof has changed an account")
      case .session(let signedIn):
        if signedIn < now - 300 {
          throw Violation("a session whose person signed in \(now - signedIn) s ago has changed what is verified")
        }
      }
    }
  }

  /// Each change of a way to sign in is in the audit log.
  private func requireAudit() throws {
    let lines = try world.newAuditLines()
    for uid in Set(before.keys).union(accounts.keys).sorted() {
      guard let old = before[uid], let new = accounts[uid] else { continue }
      let isChanged =
        old.email != new.email || old.password != new.password || old.hasLink != new.hasLink
        || old.phone != new.phone || old.identities != new.identities || old.factors != new.factors
      guard isChanged else { continue }
      let addresses = [old.email, new.email].compactMap(\.self)
      let names = lines.contains { line in
        line["uid"]?.string == uid || line["email"]?.string.map(addresses.contains) ?? false
      }
      guard names else { throw Violation("a change of the account of \(new.email ?? uid) is not in the audit log") }
    }
  }

  /// The owner of an address hears of its change, and of each second factor that a user adds. An address that an
  /// account has lost was lost to the reader of its mailbox.
  private func requireMessages() throws {
    guard authority != .administrator else { return }
    for (uid, old) in before {
      guard let email = old.email, let new = accounts[uid] else { continue }
      let isTold = received.contains { $0.recipient == email && $0.uid == uid }
      if let changed = new.email, changed != email, !isTold { throw Violation("\(email) does not hear of its change") }
      if new.factors.keys.contains(where: { old.factors[$0] == nil }), !isTold {
        throw Violation("\(email) does not hear of a second factor")
      }
    }
  }

  /// Tries everything that must not open anything any more, and everything that should still be good, without changing
  /// anything by it.
  private func probe() async throws {
    for holding in holdings {
      let account = holding.uid.flatMap { accounts[$0] }
      let isOver = holding.end != nil || account?.isDisabled ?? (holding.uid != nil)
      switch holding.kind {
      case .session: try await probe(session: holding, isOver: isOver)
      case .password where isOver: try await probe(password: holding, account)
      case .waiting where isOver: try await probe(waiting: holding)
      case .code where isOver: try await probe(code: holding)
      case .code where holding.type == .revertSecondFactorAddition: try await probe(livingRemoval: holding)
      default: break
      }
    }
  }

  private func probe(session: Holding, isOver: Bool) async throws {
    let refreshed = try? await world.backend.answer(ExchangeRefreshToken(refreshToken: session.secret))
    guard isOver else {
      if refreshed == nil { throw Violation("a session of \(session.holder) has ended without a reason") }
      return
    }
    guard refreshed == nil else { throw Violation("a refresh token of \(session.holder) is good: \(reason(session))") }
    if (try? await world.backend.answer(Lookup(idToken: session.idToken))) != nil {
      throw Violation("an ID token of \(session.holder) is good: \(reason(session))")
    }
  }

  private func probe(password: Holding, _ account: Owned?) async throws {
    guard let account, let email = account.email else { return }
    var call = SignInWithPassword(email: email, password: password.secret)
    call.tenantId = account.tenant.isEmpty ? nil : account.tenant
    do throws(AuthError) { _ = try await world.backend.answer(call) } catch {
      guard error.pendingSignIn != nil else { return }
    }
    throw Violation("a password of \(password.holder) is good: \(reason(password))")
  }

  private func probe(waiting: Holding) async throws {
    var call = FinalizeMfaSignIn(waiting.secret, factor: "none", password: "000000")
    call.tenantId = waiting.tenant.isEmpty ? nil : waiting.tenant
    do throws(AuthError) { _ = try await world.backend.answer(call) } catch {
      if ["INVALID_MFA_PENDING_CREDENTIAL", "USER_DISABLED"].contains(error.serverCode) { return }
    }
    throw Violation("a waiting sign-in of \(waiting.holder) is good: \(reason(waiting))")
  }

  private func probe(code: Holding) async throws {
    guard try await isGood(code) else { return }
    throw Violation("a code (\(code.type.rawValue)) of \(code.holder) is good: \(reason(code))")
  }

  /// A code for a second factor ends for the reasons that the model knows, and for no others.
  private func probe(livingRemoval code: Holding) async throws {
    guard now < code.enrolledAt + 30 * 86_400, try await !isGood(code) else { return }
    throw Violation("a code for a second factor of \(code.holder) has ended without a reason")
  }

  /// Whether the provider calls a code good.
  func isGood(_ code: Holding) async throws -> Bool {
    var call = ResetPassword(oobCode: code.secret)
    call.tenantId = code.tenant.isEmpty ? nil : code.tenant
    return (try? await world.backend.answer(call)) != nil
  }

  private func reason(_ holding: Holding) -> String { holding.end ?? "its account is disabled or deleted" }
}
