import Gatehouse
import GatehouseBase
import HangGuard
import Testing

/// What a store with a shelf keeps, as a value.
@Suite(.endsIfItHangs) struct SessionShelfTests {
  private let ada = StoredSession.sample("ada"), bob = StoredSession.sample("bob"), cleo = StoredSession.sample("cleo")

  /// Another session of a user.
  private func newer(_ session: StoredSession) -> StoredSession {
    var new = StoredSession.sample("new \(session.session)")
    new.profile = session.profile
    return new
  }

  /// A later version of a session.
  private func later(_ session: StoredSession) -> StoredSession {
    var new = session
    new.generation += 1
    return new
  }

  /// A session that has taken the place of others.
  private func replacing(_ old: StoredSession..., by session: StoredSession) -> StoredSession {
    var new = session
    new.replaced = old
    return new
  }

  @Test(.enabled(if: Steps.total != nil, "a release build counts no steps"))
  func `a change of many sessions causes work in proportion to their number`() async {
    await #expect(processExitsWith: .success) {
      endIfItHangs()
      func cost(_ count: Int) -> Int {
        let all = (0..<count).map { StoredSession.sample("\($0)") }
        let begin = Steps.total ?? 0
        let before = SessionShelf(current: all[0], others: Array(all.dropFirst()))
        var after = before
        after.signIn(.sample("new"), keepsUsers: true)
        var stored = after
        _ = stored.switchTo("\(count - 1)")
        #expect(after.undoing(from: before, to: after) == before)
        _ = stored.undoing(from: before, to: after)
        stored.erase("3")
        return (Steps.total ?? 0) - begin
      }
      let (half, whole) = (cost(1000), cost(2000))
      #expect(whole < 3 * half, "\(half), \(whole)")
    }
  }

  @Test func `a user has one session, the current one or the most recent one`() {
    let shelf = SessionShelf(current: ada, others: [newer(ada), bob, newer(bob)])
    #expect(shelf.others == [bob])
  }

  @Test func `a write changes the current session, and leaves the others`() {
    var shelf = SessionShelf(current: ada, others: [bob])
    #expect(shelf.write(later(ada), if: .session("ada")) == .written)
    #expect(shelf == SessionShelf(current: later(ada), others: [bob]))
    #expect(shelf.write(nil, if: .session("bob")) == .conflict(later(ada)))
    #expect(shelf.write(newer(bob), if: .always) == .written)
    #expect(shelf == SessionShelf(current: newer(bob)), "the user's older session is gone")
  }

  @Test func `a sign-in sets another user aside, and only where users are kept`() {
    for keepsUsers in [true, false] {
      var shelf = SessionShelf(current: ada, others: [cleo])
      shelf.signIn(bob, keepsUsers: keepsUsers)
      let alone = SessionShelf(current: replacing(ada, by: bob), others: [cleo])
      #expect(shelf == (keepsUsers ? SessionShelf(current: bob, others: [ada, cleo]) : alone))
    }
  }

  @Test func `a sign-in takes the place of an older session of its user, and holds it`() {
    var shelf = SessionShelf(current: ada, others: [bob])
    shelf.signIn(newer(bob), keepsUsers: true)
    #expect(shelf == SessionShelf(current: replacing(bob, by: newer(bob)), others: [ada]))
    shelf.signIn(later(newer(bob)), keepsUsers: true)
    #expect(shelf.others == [ada])
  }

  @Test func `a switch sets the current user aside, and finds only who is set aside`() {
    var shelf = SessionShelf(current: ada, others: [bob, cleo])
    let isMade = shelf.switchTo("cleo")
    #expect(isMade)
    #expect(shelf == SessionShelf(current: cleo, others: [ada, bob]))
    for name in ["cleo", "new"] {
      let isMade = shelf.switchTo(name)
      #expect(!isMade)
    }
    #expect(shelf == SessionShelf(current: cleo, others: [ada, bob]))
  }

  @Test func `a change is saved where its session is, and brings none back`() {
    var shelf = SessionShelf(current: ada, others: [bob])
    for session in [ada, bob, cleo] { shelf.save(later(session)) }
    #expect(shelf == SessionShelf(current: later(ada), others: [later(bob)]))
    for name in ["ada", "bob", "cleo"] { shelf.erase(name) }
    #expect(shelf == SessionShelf())
  }

  // MARK: Undoing

  @Test func `what is undone at once leaves what was there, whatever that was`() {
    let shelves = [
      SessionShelf(), SessionShelf(current: ada), SessionShelf(others: [bob]),
      SessionShelf(current: bob, others: [ada]),
      SessionShelf(current: ada, others: [bob, cleo]), SessionShelf(current: newer(bob), others: [cleo, ada]),
    ]
    for before in shelves {
      for keepsUsers in [true, false] where keepsUsers || before.others.isEmpty {
        var after = before
        after.signIn(newer(bob), keepsUsers: keepsUsers)
        #expect(after.undoing(from: before, to: after) == before)
        #expect(before.undoing(from: before, to: after) == before, "it was not written")
      }
      for other in before.others {
        var after = before
        _ = after.switchTo(other.session)
        #expect(after.undoing(from: before, to: after) == before)
        #expect(before.undoing(from: before, to: after) == before, "it was not written")
      }
    }
  }

  @Test func `what others have changed meanwhile stays when a sign-in is undone`() {
    let before = SessionShelf(current: ada, others: [bob])
    var after = before
    after.signIn(newer(bob), keepsUsers: true)
    var refreshed = after
    refreshed.save(later(ada))
    #expect(refreshed.undoing(from: before, to: after) == SessionShelf(current: later(ada), others: [bob]))
    var ended = after
    ended.erase("ada")
    #expect(ended.undoing(from: before, to: after) == SessionShelf(others: [bob]))
    var signedOut = after
    signedOut.erase(newer(bob).session)
    #expect(signedOut.undoing(from: before, to: after) == SessionShelf(others: [ada]), "Bob has signed out since")
    var third = after
    third.signIn(cleo, keepsUsers: true)
    #expect(third.undoing(from: before, to: after) == SessionShelf(current: cleo, others: [ada, bob]))
  }

  @Test func `a session that another program has ended or changed meanwhile is not put back as it was`() {
    for keepsUsers in [true, false] {
      let before = SessionShelf(current: ada)
      var after = before
      after.signIn(keepsUsers ? newer(ada) : bob, keepsUsers: keepsUsers)
      var signedOut = after
      signedOut.erase("ada")
      #expect(signedOut.undoing(from: before, to: after) == SessionShelf())
      var changed = after
      changed.save(later(ada))
      #expect(changed.undoing(from: before, to: after) == SessionShelf(current: later(ada)))
    }
    var bobs = SessionShelf(current: ada)
    bobs.signIn(bob, keepsUsers: false)
    #expect(SessionShelf().undoing(from: SessionShelf(current: ada), to: bobs) == SessionShelf(), "Ada has signed out")
  }

  @Test func `two sign-ins that are undone leave what was there before the first one`() {
    let before = SessionShelf(current: ada)
    var first = before
    first.signIn(newer(ada), keepsUsers: true)
    var second = first
    let last = newer(newer(ada))
    second.signIn(last, keepsUsers: true)
    #expect(second.current == replacing(newer(ada), ada, by: last))
    let back = second.undoing(from: first, to: second)
    #expect(back == first)
    #expect(back.undoing(from: before, to: first) == before)
    second.erase("ada")
    #expect(second.undoing(from: first, to: second) == SessionShelf(current: newer(ada)))
  }

  @Test func `who another program has signed in stays current when a switch is undone`() {
    let before = SessionShelf(others: [ada])
    var after = before
    _ = after.switchTo("ada")
    var third = after
    third.signIn(bob, keepsUsers: true)
    #expect(third.undoing(from: before, to: after) == SessionShelf(current: bob, others: [ada]))
    #expect(SessionShelf(current: bob).undoing(from: before, to: after) == SessionShelf(current: bob))
  }
}
