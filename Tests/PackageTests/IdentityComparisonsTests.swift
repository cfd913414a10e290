import Testing

/// Comparisons of a user or a group that go around `UserNamespace`, which knows the identifiers that mean "unknown".
struct IdentityComparisonsTests {
  private static let pattern =
    #"\bgete?[ug]id\s*\(|\bgetres[ug]id\s*\(|\bst_[ug]id\b|\bSO_PEER(CRED|GROUPS)\b|\bSCM_CREDENTIALS\b"#
    + #"|\bowner(Account)?ID\b|\bpeerGroups\b|\b(getlogin|getpwnam|getpwuid|NSUserName)\b"#

  /// The files that read such an identifier, each with its reason.
  private static let allowed = [
    "Sources/Base/GatehouseSystem/Users/UserNamespace.swift": "compares with this process's own user",
    "Sources/Base/GatehouseSystem/Users/CurrentUser.swift": "names this process's own user, and refuses an unknown one",
    "Sources/Base/GatehouseSystem/Processes/PeerProcess.swift": "the kernel's identifiers of a peer become known ones",
    "Sources/Base/GatehouseSystem/Files/FileStatus.swift": "the kernel's identifiers of a file become known ones",
  ]

  private static func places(in file: SourceFile) throws -> [String] {
    allowed[file.path] == nil ? try file.places(of: pattern) : []
  }

  @Test func `no comparison of a user or a group goes around the user namespace`() throws {
    #expect(try Repository.sources(in: "Sources").flatMap(Self.places) == [])
  }

  @Test(arguments: [
    "guard owner == geteuid() else { return }", "let user = getuid()", "status.st_uid == 0", "if group == getegid() {",
    "unsafe getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &credentials, &size)", "attributes.ownerAccountID",
  ])
  func `a comparison that goes around it is found`(line: String) throws {
    #expect(
      try Self.places(in: SourceFile(path: "Sources/Base/GatehouseSystem/Files/New.swift", text: line)).count == 1)
  }

  @Test func `each file that may read an identifier does, and hands out known ones alone`() throws {
    for file in try Repository.sources(in: "Sources") where Self.allowed[file.path] != nil {
      #expect(try !file.places(of: Self.pattern).isEmpty, "\(file.path) reads no identifier any more")
      #expect(file.text.contains("known(user:"), "\(file.path) passes on what may mean unknown")
    }
  }
}
