import Gatehouse
import Testing

/// What a store with a shelf keeps, as a value.
struct SessionShelfTests {
  private let ada = StoredSession.sample("ada"), bob = StoredSession.sample("bob"), cleo = StoredSession.sample("cleo")

  @Test func `a sign-in of another user sets the current one aside, and only where users are kept`() {
    for keepsUsers in [true, false] {
      var shelf = SessionShelf(current: ada, kept: [cleo])
      #expect(shelf.write(bob, if: .always, keepsUsers: keepsUsers) == .written)
      #expect(shelf == SessionShelf(current: bob, kept: keepsUsers ? [ada, cleo] : [cleo]))
    }
  }

  @Test func `a change of the current session sets nothing aside`() {
    var shelf = SessionShelf(current: ada, kept: [bob])
    let changed = StoredSession.sample("ada", generation: 2)
    #expect(shelf.write(changed, if: .session("ada"), keepsUsers: true) == .written)
    #expect(shelf == SessionShelf(current: changed, kept: [bob]))
  }

  @Test func `a session that becomes the current one again is on the shelf no more`() {
    var shelf = SessionShelf(current: ada, kept: [bob, cleo])
    #expect(shelf.write(bob, if: .always, keepsUsers: true) == .written)
    #expect(shelf == SessionShelf(current: bob, kept: [ada, cleo]))
    // As a sign-in is undone.
    #expect(shelf.write(ada, if: .session("bob"), keepsUsers: true) == .written)
    #expect(shelf == SessionShelf(current: ada, kept: [cleo]))
  }

  @Test func `an ended session is taken from the shelf, and the current one stays`() {
    var shelf = SessionShelf(current: ada, kept: [bob, cleo])
    #expect(shelf.write(nil, if: .session("bob"), keepsUsers: true) == .written)
    #expect(shelf == SessionShelf(current: ada, kept: [cleo]))
    #expect(shelf.write(nil, if: .session("bob"), keepsUsers: true) == .conflict(ada))
    #expect(shelf.write(bob, if: .session("cleo"), keepsUsers: true) == .conflict(ada))
    #expect(shelf == SessionShelf(current: ada, kept: [cleo]))
  }

  @Test func `of one user the latest session is kept, and none is shown beside the current one`() {
    var old = StoredSession.sample("old")
    old.profile = ada.profile
    var shelf = SessionShelf(current: ada, kept: [old, bob])
    #expect(shelf.others == [bob])
    #expect(shelf.exchange(for: "bob") == .written)
    #expect(shelf == SessionShelf(current: bob, kept: [ada]))
    #expect(shelf.exchange(for: "old") == .conflict(bob))
    #expect(shelf.exchange(for: nil) == .written)
    #expect(shelf == SessionShelf(kept: [bob, ada]))
  }
}
