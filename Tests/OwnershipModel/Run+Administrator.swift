import GatehouseBase
import GatehouseLocal
import IdentityToolkit

// An administrator's calls. What they give to a person is the person's.
extension Run {
  func administer(_ person: Person, _ picks: Picks) async throws {
    guard let uid = account(picks[0]), let account = accounts[uid] else { return }
    var edit = UpdateAccount(localId: uid)
    edit.tenantId = account.tenant.isEmpty ? nil : account.tenant
    let (password, address) = (newPassword(), address(picks[2]))
    var then: (Run) throws -> Void = { _ in }
    switch picks[1] % 9 {
    case 0:
      edit.disableUser = !account.isDisabled
      then = { run in
        if !account.isDisabled {
          run.end(uid, "an administrator has disabled the account") { $0.kind == .session || $0.kind == .waiting }
        }
        run.accounts[uid]?.isDisabled = !account.isDisabled
      }
    case 1:
      edit.validSince = DecimalString(now)
      then = {
        $0.endSessions(uid, "an administrator has revoked the sessions")
        $0.end(uid, "an administrator has revoked the sessions") { $0.type == .revertSecondFactorAddition }
      }
    case 2:
      edit.password = password
      then = {
        $0.endSessions(uid, "an administrator has set the password")
        $0.hold(password: password, of: person, for: uid)
      }
    case 3:
      let isVerified = picks[3] % 2 == 0
      (edit.email, edit.emailVerified) = (address, isVerified)
      then = { run in
        if account.email != address { run.endSessions(uid, "an administrator has changed the address") }
        run.end(uid, "an administrator has set the address") {
          [.recoverEmail, .verifyAndChangeEmail].contains($0.type) || $0.takesBack && $0.address != address
        }
        run.accounts[uid]?.setAddress(address, isVerified: isVerified)
      }
    case 4:
      edit.phoneNumber = person.number(number)
      then = {
        guard account.phone?.value != person.number($0.number) else { return }
        $0.accounts[uid]?.phone = .init(value: person.number($0.number), since: $0.step)
      }
    case 5:
      edit.deleteProvider = ["phone"]
      then = { $0.accounts[uid]?.phone = nil }
    case 6:
      let provider = World.providers[picks[2] % 2]
      var info = Account.ProviderUserInfo(providerId: provider)
      info.rawId = person.subject(number)
      edit.linkProviderUserInfo = info
      then = { $0.accounts[uid]?.identities[provider] = .init(value: person.subject($0.number), since: $0.step) }
    case 7:
      let factors = account.factors.isEmpty ? [CreateAccount.PhoneFactor(phoneInfo: person.number(number))] : nil
      edit.mfa = .init(enrollments: factors)
      note("an administrator sets the factors of \(uid)")
      guard case .success = await administer(edit) else { return }
      for factor in account.factors.keys { remove(factor: factor, from: uid) }
      end(uid, "an administrator has set the factors") { $0.type == .revertSecondFactorAddition }
      accounts[uid]?.isForgotten = true
      for factor in try await world.backend.account(AccountName(uid)).secondFactors {
        accounts[uid]?.factors[factor.uid] = .init(since: step, byUser: false)
      }
      return
    default:
      var call = DeleteAccount(localId: uid)
      call.tenantId = edit.tenantId
      note("an administrator deletes \(uid)")
      guard case .success = await administer(call) else { return }
      return endEverything(uid, "an administrator has deleted the account")
    }
    note("an administrator changes \(uid) (\(picks[1] % 9))")
    guard case .success = await administer(edit) else { return }
    accounts[uid]?.isForgotten = true
    try then(self)
  }

  func create(_ person: Person, _ picks: Picks) async throws {
    let (address, password, tenant) = (address(picks[0]), newPassword(), tenant(picks[2]))
    var call = CreateAccount()
    (call.email, call.password, call.tenantId, call.emailVerified) = (address, password, tenant, picks[1] % 2 == 0)
    note("an administrator creates \(address) \(tenant ?? "")")
    guard case .success(let answer) = await administer(call) else { return }
    var account = Owned(answer.localId, tenant ?? "")
    (account.email, account.isVerified) = (address, picks[1] % 2 == 0)
    insert(account)
    hold(password: password, of: person, for: account.uid)
  }

  /// Imports an account, sometimes over another one.
  func bringIn(_ person: Person, _ picks: Picks) async throws {
    let old = picks[0] % 2 == 0 ? account(picks[1]) : nil
    let uid = old ?? "imported-\(number)-\(step)"
    let tenant = old.flatMap { accounts[$0]?.tenant } ?? tenant(picks[2]) ?? ""
    let (address, password) = (address(picks[3]), newPassword())
    var user = ImportedAccount(localId: uid)
    (user.email, user.rawPassword, user.emailVerified) = (address, password, picks[4] % 2 == 0)
    var call = ImportAccounts(users: [user])
    (call.allowOverwrite, call.tenantId) = (true, tenant.isEmpty ? nil : tenant)
    note("an administrator imports \(address) as \(uid)")
    guard case .success(let answer) = await administer(call), answer.error == nil else { return }
    if old != nil { endEverything(uid, "an import has replaced the account") }
    var account = Owned(uid, tenant)
    (account.email, account.isVerified) = (address, picks[4] % 2 == 0)
    insert(account)
    hold(password: password, of: person, for: uid)
  }
}
