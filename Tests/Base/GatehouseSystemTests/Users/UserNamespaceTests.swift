import GatehouseSystem
import Glibc
import Testing

/// The identifiers that mean "unknown".
struct UserNamespaceTests {
  private static func namespace(
    users: String?, groups: String? = nil, overflow: String? = "65534\n", hasStatus: Bool = true
  ) -> UserNamespace {
    UserNamespace { path in
      switch path {
      case "/proc/self/uid_map": users
      case "/proc/self/gid_map": groups ?? users
      case "/proc/sys/kernel/overflowuid", "/proc/sys/kernel/overflowgid": overflow
      case "/proc/self/status": hasStatus ? "Name:\tgate" : nil
      default: nil
      }
    }
  }

  @Test(arguments: [
    "         0          0 4294967295\n", "0 100000 65536\n65536 165536 4294901759\n",
    "65536 165536 4294901759\n0 100000 65536\n", "0 0 4294967295",
  ])
  func `where every identifier is mapped, none means unknown`(map: String) {
    let namespace = Self.namespace(users: map)
    #expect(namespace.known(user: 65534) == 65534 && namespace.known(group: 65534) == 65534)
    #expect(namespace.known(user: .max) == nil && namespace.known(group: .max) == nil)
  }

  @Test(arguments: [
    "", "\n", "0 1000 1\n", "65534 0 1\n", "0 100000 65536\n", "0 0 4294967294\n", "1 1 4294967294\n",
    "0 100000 65536\n65537 165536 4294901758\n", "0 0\n", "0 0 4294967295 0\n", "a b c\n", "-1 0 4294967295\n",
    "4294967295 4294967295 4294967295\n",
  ])
  func `where an identifier is not mapped, the overflow user and group mean unknown`(map: String) {
    let namespace = Self.namespace(users: map)
    #expect(namespace.known(user: 65534) == nil && namespace.known(group: 65534) == nil)
    #expect(namespace.known(user: 0) == 0 && namespace.known(group: 1000) == 1000)
    let other = Self.namespace(users: map, overflow: "99\n")
    #expect(other.known(user: 99) == nil && other.known(user: 65534) == 65534)
    #expect(Self.namespace(users: map, overflow: nil).known(user: 65534) == nil)
  }

  @Test func `users and groups have a map each`() {
    let namespace = Self.namespace(users: "0 0 4294967295\n", groups: "0 0 1\n")
    #expect(namespace.known(user: 65534) == 65534 && namespace.known(group: 65534) == nil)
  }

  @Test func `without maps an overflow user is known only if the kernel has no user namespaces`() {
    #expect(Self.namespace(users: nil).known(user: 65534) == 65534)
    #expect(Self.namespace(users: nil, hasStatus: false).known(user: 65534) == nil)
  }

  @Test func `a program that runs as the unknown user is told to run as another one`() throws {
    let namespace = Self.namespace(users: "0 100000 65536\n")
    #expect(try CurrentUser.requireKnown(1000, in: namespace) == 1000)
    let error = #expect(throws: SystemError.self) { try CurrentUser.requireKnown(65534, in: namespace) }
    #expect(
      error?.description.hasPrefix("user 65534 stands for every user that this user namespace does not map") == true)
    #expect(error?.description.contains("run it as another user of the namespace") == true)
  }

  @Test func `a peer that shows unknown identifiers has no user and no group`() {
    let namespace = Self.namespace(users: "0 100000 65536\n")
    let peer = PeerProcess(id: 7, user: 65534, group: 65534, groups: [65534, 50], in: namespace)
    #expect(peer.user == nil && peer.group == nil && peer.groups == [50])
    let known = PeerProcess(id: 7, user: 1000, group: 100, in: namespace)
    #expect(known.user == 1000 && known.group == 100)
  }

  @Test func `a file of the unknown user belongs to no one, and its group to no readers that root admitted`() throws {
    var status = stat()
    (status.st_mode, status.st_uid, status.st_gid) = (S_IFREG | 0o640, 65534, 65534)
    let unknown = FileStatus(status, in: Self.namespace(users: "65534 0 1\n"))
    #expect(!unknown.isOurs && unknown.isOpenToReaders)
    let error = #expect(throws: SystemError.self) { try unknown.require(.file, .unwritable, at: "/f") }
    #expect(error?.description.contains("/f belongs to a user that this user namespace does not map") == true)
    #expect(throws: SystemError.self) { try unknown.requireSettings(at: "/f") }
    status.st_uid = 0
    #expect(FileStatus(status, in: Self.namespace(users: "0 0 1\n")).isOpenToReaders)
  }

  @Test func `the own user owns its files`() throws {
    var status = stat()
    (status.st_mode, status.st_uid) = (S_IFREG | 0o600, geteuid())
    #expect(FileStatus(status).isOurs && UserNamespace.isOwn(geteuid()) && !UserNamespace.isOwn(geteuid() + 1))
    #expect(!UserNamespace.isOwn(nil))
    #expect(try CurrentUser.id == geteuid())
  }
}
