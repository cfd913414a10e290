import GatehouseBase
import GatehouseLocal
import IdentityToolkit

// Changes by a user in a session.
extension Run {
  func linkPassword(_ person: Person, _ picks: Picks) async throws {
    guard let index = holding(.session, of: person, picks[0]) else { return }
    let (address, password) = (address(picks[1]), newPassword())
    note("\(person) links a password for \(address)")
    let call = SignUp(email: address, password: password, linkingTo: holdings[index].idToken)
    guard case .success(let answer) = await self.call(call) else { return }
    try use(session: index)
    guard let uid = holdings[index].uid, answer.localId == uid else {
      throw Violation("another account got a password")
    }
    let signedIn = accounts[uid]?.hasWays == true ? holdings[index].signedIn : now
    endSessions(uid, "a password was linked")
    // Linking changes no address.
    if accounts[uid]?.email == nil { accounts[uid]?.setAddress(address, isVerified: false) }
    hold(password: password, of: person, for: uid)
    try add(answer.idToken, answer.refreshToken, of: person, signedIn: signedIn)
  }

  func changePassword(_ person: Person, _ picks: Picks) async throws {
    guard let index = holding(.session, of: person, picks[0]) else { return }
    let password = newPassword()
    var call = Update(idToken: holdings[index].idToken)
    call.password = password
    note("\(person) changes the password")
    guard case .success(let answer) = await self.call(call) else { return }
    try use(session: index)
    guard let uid = holdings[index].uid, answer.localId == uid else { throw Violation("another password was changed") }
    endSessions(uid, "the password was changed")
    hold(password: password, of: person, for: uid)
    try add(answer.idToken, answer.refreshToken, of: person, signedIn: holdings[index].signedIn)
  }

  func changeAddress(_ person: Person, _ picks: Picks) async throws {
    guard let index = holding(.session, of: person, picks[0]) else { return }
    let address = address(picks[1])
    var call = Update(idToken: holdings[index].idToken)
    call.email = address
    note("\(person) changes the address to \(address)")
    guard case .success(let answer) = await self.call(call) else { return }
    try use(session: index)
    guard let uid = holdings[index].uid, answer.localId == uid else { throw Violation("another address was changed") }
    if accounts[uid]?.email == address { return }
    endSessions(uid, "the address was changed")
    accounts[uid]?.setAddress(address, isVerified: false)
    try add(answer.idToken, answer.refreshToken, of: person, signedIn: holdings[index].signedIn)
  }

  func unlink(_ person: Person, _ picks: Picks) async throws {
    guard let index = holding(.session, of: person, picks[0]) else { return }
    let way = (["password", "phone"] + World.providers)[picks[1] % 4]
    var call = Update(idToken: holdings[index].idToken)
    call.deleteProvider = [way]
    note("\(person) unlinks \(way)")
    guard case .success(let answer) = await self.call(call) else { return }
    try use(session: index)
    guard let uid = holdings[index].uid, answer.localId == uid else { throw Violation("another account lost a way") }
    switch way {
    case "password":
      end(uid, "the password was unlinked") { $0.kind == .password }
      accounts[uid]?.password = nil
      accounts[uid]?.hasLink = false
    case "phone": accounts[uid]?.phone = nil
    default: accounts[uid]?.identities[way] = nil
    }
  }

  /// Takes a session of another person, who keeps it too.
  func stealSession(_ person: Person, _ picks: Picks) {
    let sessions = holdings.filter { $0.kind == .session && $0.end == nil && $0.holder != person }
    guard !sessions.isEmpty else { return }
    var stolen = sessions[sessions.count - 1 - picks[0] % sessions.count]
    note("\(person) steals a session of \(stolen.holder)")
    stolen.holder = person
    holdings.append(stolen)
    if let uid = stolen.uid { accounts[uid]?.visitors.insert(person) }
    isDone = true
  }

  func revoke(_ person: Person, _ picks: Picks) async throws {
    guard let index = holding(.session, of: person, picks[0]) else { return }
    let others = holdings.indices.filter { holdings[$0].kind == .session && holdings[$0].uid == holdings[index].uid }
    let session = picks[1] % 2 == 0 ? nil : holdings[others[picks[2] % others.count]].session
    note("\(person) revokes \(session == nil ? "all sessions" : "one session")")
    let call = RevokeSessions(idToken: holdings[index].idToken, sessionId: session)
    guard case .success = await self.call(call), let uid = holdings[index].uid else { return }
    try use(session: index)
    guard let session else { return endSessions(uid, "all sessions were revoked") }
    end(uid, "the session was revoked") { ($0.kind == .session || $0.kind == .code) && $0.session == session }
  }

  func delete(_ person: Person, _ picks: Picks) async throws {
    guard let index = holding(.session, of: person, picks[0]) else { return }
    note("\(person) deletes the account")
    guard case .success = await call(Delete(idToken: holdings[index].idToken)), let uid = holdings[index].uid else {
      return
    }
    try use(session: index)
    endEverything(uid, "the account was deleted")
  }
}
