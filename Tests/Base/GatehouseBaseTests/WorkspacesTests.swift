import GatehouseBase
import Testing

struct `Workspaces, one for each thread,` {
  /// Counts itself.
  private final class Workspace {}

  private func name(_ workspace: Workspace) -> ObjectIdentifier { ObjectIdentifier(workspace) }

  @Test func `are lent again, and never to two at once`() throws {
    let workspaces = Workspaces { () throws(AuthError) in Workspace() }
    try workspaces.withOne { first throws(AuthError) in
      let (outer, again) = try workspaces.withOne { second throws(AuthError) in
        #expect(first !== second)
        return (name(first), try workspaces.withOne { third throws(AuthError) in name(third) })
      }
      #expect(outer != again)
    }
    // Everything is free, and this thread gets what it had.
    let one = try workspaces.withOne { workspace throws(AuthError) in name(workspace) }
    for _ in 0..<3 { #expect(try workspaces.withOne { workspace throws(AuthError) in name(workspace) } == one) }
  }

  @Test func `are begun with where one was found last, not where somebody else works`() throws {
    let workspaces = Workspaces { () throws(AuthError) in Workspace() }
    let found = try workspaces.withOne { _ throws(AuthError) in
      // The first place is taken.
      try workspaces.withOne { workspace throws(AuthError) in name(workspace) }
    }
    #expect(try workspaces.withOne { workspace throws(AuthError) in name(workspace) } == found)
  }

  @Test func `are made for one call when all are taken`() throws {
    let workspaces = Workspaces { () throws(AuthError) in Workspace() }
    func nest(_ depth: Int) throws(AuthError) -> Int {
      guard depth > 0 else { return 0 }
      return try workspaces.withOne { _ throws(AuthError) in try nest(depth - 1) + 1 }
    }
    #expect(try nest(200) == 200)
  }

  @Test func `are dropped when their work failed, unless they are as good as before`() throws {
    let workspaces = Workspaces { () throws(AuthError) in Workspace() }
    func failed(keepsFailed: Bool) throws -> Workspace {
      var seen: Workspace?
      #expect(throws: AuthError.self) {
        try workspaces.withOne(keepsFailed: keepsFailed) { workspace throws(AuthError) in
          seen = workspace
          throw AuthError(.invalidArgument, "no")
        }
      }
      return try #require(seen)
    }
    let kept = try failed(keepsFailed: true)
    let dropped = try failed(keepsFailed: false)
    #expect(kept === dropped)
    #expect(try workspaces.withOne { workspace throws(AuthError) in workspace !== dropped })
  }
}
