import Foundation
import GatehouseBase
import GatehouseSystem
import Glibc
import HangGuard
import Testing

struct OpenFolderTests {
  @Test func `folders that are made are on the disk, with their parents, before this returns`() async throws {
    try await withTemporaryFolder { path in
      let made = try calls { try OpenFolder.make(path + "/a/b") }
      #expect(
        made == [
          "mkdir \(path)/a/b", "mkdir \(path)/a", "open \(path)", "fsync \(path)", "mkdir \(path)/a/b",
          "open \(path)/a",
          "fsync \(path)/a",
        ])
      #expect(try (path + "/a").mode == 0o700 && (path + "/a/b").mode == 0o700)
      // Another process has just made it, and may not have come to the sync.
      let again = try calls { try OpenFolder.make(path + "/a/b") }
      #expect(again == ["mkdir \(path)/a/b", "open \(path)/a", "fsync \(path)/a"])
    }
  }

  @Test func `a folder is made where its parent may be added to and not read`() async throws {
    try await withTemporaryFolder { path in
      let unreadable: SystemFaults.Ear = { call, at in call == "open" && at == path ? .accessDenied : nil }
      try SystemFaults.heard(by: unreadable) { try OpenFolder.make(path + "/a") }
      #expect(try path.names == ["a"])
      let failing: SystemFaults.Ear = { call, at in call == "open" && at == path ? .inputOutput : nil }
      expectFailure(.inputOutput) { try SystemFaults.heard(by: failing) { try OpenFolder.make(path + "/b") } }
    }
  }

  @Test func `in an open folder that was moved away nothing is made at its old place`() async throws {
    try await withTemporaryFolder { path in
      try (path + "/home").makeFolder()
      let home = try OpenFolder.own(path + "/home")
      let made = try calls { _ = try home.ownOrMade("a").status() }
      let changes = made.filter { !$0.hasPrefix("open") && !$0.hasPrefix("fstat") }
      #expect(changes == ["mkdir \(path)/home/a", "fsync \(path)/home"])
      #expect(try (path + "/home/a").mode == 0o700)
      try (path + "/home/plain").fill("a")
      expectUnsafe(path + "/home/plain", "is not a folder") { _ = try home.ownOrMade("plain").status() }
      try FileManager.default.moveItem(atPath: path + "/home", toPath: path + "/moved")
      #expect(try home.ownOrMade("b").status().kind == .folder)
      #expect(try path.names == ["moved"] && (path + "/moved").names == ["a", "b", "plain"])
      try FileManager.default.removeItem(atPath: path + "/moved")
      expectFailure(.noSuchFile) { _ = try home.ownOrMade("c").status() }
      #expect(try path.names == [])
    }
  }

  @Test func `a file system that cannot sync folders is no failure, and every other reason is`() async throws {
    try await withTemporaryFolder { path in
      for (number, isFailure) in [(ErrorNumber.invalid, false), (.inputOutput, true), (.diskFull, true)] {
        let cannot: SystemFaults.Ear = { call, at in call == "fsync" && at == path ? number : nil }
        let outcome = Result { try SystemFaults.heard(by: cannot) { try OpenFolder(path).sync() } }
        #expect((try? outcome.get()) == nil ? isFailure : !isFailure)
        // Of a file it is one.
        let file: SystemFaults.Ear = { call, at in call == "fsync" && at != path ? number : nil }
        expectFailure(number) { try SystemFaults.heard(by: file) { _ = try OpenFolder(path).replace("a", with: []) } }
      }
    }
  }

  @Test func `a link in a folder's or a file's place is unsafe, wherever it leads`() async throws {
    try await withTemporaryFolder { path in
      try (path + "/real").makeFolder()
      try (path + "/file").fill("a")
      for (link, target) in [("folder", "real"), ("nowhere", "none"), ("plain", "file")] {
        try "\(path)/\(link)".makeLink(to: "\(path)/\(target)")
        expectUnsafe("\(path)/\(link)", "symbolic link") { _ = try OpenFolder("\(path)/\(link)").status() }
        expectUnsafe("\(path)/\(link)", "symbolic link") { _ = try OpenFolder.own("\(path)/\(link)").status() }
        let folder = try OpenFolder(path)
        for access in [FileAccess.reading, .readingOrMaking, .overwriting] {
          expectUnsafe("\(path)/\(link)", "symbolic link") { _ = try folder.open(link, access).status() }
          expectUnsafe("\(path)/\(link)", "symbolic link") { _ = try folder.openOwn(link, access, .secret).status() }
        }
        #expect(try folder.status(of: link)?.kind == .link)
      }
      #expect(try path.names == ["file", "folder", "nowhere", "plain", "real"])
      #expect(try (path + "/file").text == "a")
      #expect(try OpenFolder(path + "/folder", followingLink: true).status().kind == .folder)
    }
  }

  @Test func `what is no plain file is refused, and not waited for`() async throws {
    try await withTemporaryFolder { path in
      try (path + "/folder").makeFolder()
      try (path + "/pipe").makePipe()
      close(try boundSocket(at: path + "/socket"))
      await #expect(processExitsWith: .success) { [path = path as String] in
        endIfItHangs()
        let folder = try OpenFolder(path)
        for (name, access) in [("folder", FileAccess.reading), ("pipe", .reading), ("pipe", .readingOrMaking)] {
          expectUnsafe("\(path)/\(name)", "is not a plain file; move it away") {
            _ = try folder.openOwn(name, access, .secret).status()
          }
        }
        // These cannot even be opened.
        expectFailure(.isAFolder) { _ = try folder.openOwn("folder", .readingOrMaking, .secret).status() }
        expectFailure(.noReader) { _ = try folder.openOwn("socket", .reading, .secret).status() }
      }
    }
  }

  @Test(arguments: [
    (0o600, true, true), (0o400, true, true), (0o640, false, true), (0o604, false, true), (0o610, false, true),
    (0o620, false, false), (0o602, false, false), (0o777, false, false),
  ])
  func `what others may do decides whether a file or folder is ours alone`(
    _ mode: Int, isSecret: Bool, isUnwritable: Bool
  ) async throws {
    try await withTemporaryFolder { path in
      let name = "it's"
      let file = path + "/" + name
      try file.fill("a")
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
      let folder = try OpenFolder(path)
      for (privacy, isAllowed) in [(Privacy.secret, isSecret), (.unwritable, isUnwritable)] {
        if isAllowed {
          #expect(try folder.openOwn(name, .reading, privacy).status().kind == .file)
        } else {
          expectUnsafe(file, "chmod 600 '\(path)/it'\\''s'") {
            _ = try folder.openOwn(name, .reading, privacy).status()
          }
        }
      }
      try FileManager.default.setAttributes([.posixPermissions: mode | 0o700], ofItemAtPath: path)
      if isUnwritable {
        #expect(try OpenFolder.own(path).status().kind == .folder)
      } else {
        expectUnsafe(path, "chmod 700") { _ = try OpenFolder.own(path).status() }
      }
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a file away: run the tests as root to see this"))
  func `what belongs to another user is unsafe`() async throws {
    try await withTemporaryFolder { path in
      try (path + "/file").fill("a")
      // `unsafe`: the kernel reads the string up to its zero byte.
      try #require(unsafe chown(path + "/file", 65534, 65534) == 0)
      expectUnsafe(path + "/file", "belongs to user 65534 and this program runs as user 0") {
        _ = try OpenFolder(path).openOwn("file", .readingOrMaking, .unwritable).status()
      }
      try #require(unsafe chown(path, 65534, 65534) == 0)
      expectUnsafe(path, "run: chown 0 '\(path)'") { _ = try OpenFolder.own(path).status() }
    }
  }

  @Test(arguments: ["", ".", "..", "a/b", "/a", "../a"])
  func `a name that leads elsewhere is refused`(_ name: String) throws {
    let folder = try OpenFolder("/tmp")
    expectFailure(.invalid) { _ = try folder.open(name).status() }
    expectFailure(.invalid) { _ = try folder.status(of: name) }
    expectFailure(.invalid) { try folder.remove(name) }
    expectFailure(.invalid) { try folder.removeAll(name) }
    expectFailure(.invalid) { try folder.rename(name, to: "a") }
    expectFailure(.invalid) { try folder.link("a", to: name) }
    expectFailure(.invalid) { try folder.replace(name, with: []) }
  }

  @Test func `a folder stays the same one when its path leads elsewhere`() async throws {
    try await withTemporaryFolder { path in
      try (path + "/a").makeFolder()
      let folder = try OpenFolder(path + "/a")
      try FileManager.default.moveItem(atPath: path + "/a", toPath: path + "/b")
      try (path + "/a").makeFolder()
      try folder.make("file", with: [1])
      #expect(try (path + "/b").names == ["file"] && (path + "/a").names == [])
    }
  }

  @Test func `a second name is never taken from another file`() async throws {
    try await withTemporaryFolder { path in
      let folder = try OpenFolder(path)
      try (path + "/a").fill("a")
      try (path + "/b").fill("b")
      expectFailure(.exists) { try folder.link("a", to: "b") }
      expectFailure(.exists) { try folder.move("a", to: "b") }
      try folder.link("a", to: "c")
      try folder.remove("a")
      #expect(try (path + "/c").text == "a")
      #expect(try Set(folder.names()) == ["b", "c"])
      try folder.exchange("b", with: "c")
      #expect(try (path + "/b").text == "a" && (path + "/c").text == "b")
    }
  }

  @Test func `where the system cannot move without replacing, a link does`() async throws {
    try await withTemporaryFolder { path in
      for number in [ErrorNumber.invalid, .notImplemented] {
        let cannot: SystemFaults.Ear = { call, _ in call == "renameat2" ? number : nil }
        try SystemFaults.heard(by: cannot) {
          let folder = try OpenFolder(path)
          try folder.create("new", with: Array("new".utf8))
          expectFailure(.exists) { try folder.create("new", with: Array("other".utf8)) }
          #expect(try (path + "/new").text == "new")
          #expect(try path.names == ["new"])
          try folder.remove("new")
        }
      }
    }
  }

  @Test func `a tree is removed with all that is in it, and what its links lead to stays`() async throws {
    try await withTemporaryFolder { path in
      for folder in ["/a", "/a/b", "/a/b/c", "/kept"] { try (path + folder).makeFolder() }
      for file in ["/a/1", "/a/b/2", "/a/b/c/3", "/kept/4"] { try (path + file).fill("a") }
      try (path + "/a/b/link").makeLink(to: path + "/kept")
      try (path + "/a/pipe").makePipe()
      try (path + "/link").makeLink(to: path + "/kept")
      try OpenFolder.removeAll(at: path + "/a")
      try OpenFolder.removeAll(at: path + "/link/")
      #expect(try path.names == ["kept"] && (path + "/kept").names == ["4"])
      expectFailure(.noSuchFile) { try OpenFolder.removeAll(at: path + "/a") }
    }
  }

  @Test func `what others add to a tree or remove there does not end its removal`() async throws {
    try await withTemporaryFolder { path in
      for folder in ["/a", "/a/b"] { try (path + folder).makeFolder() }
      for file in ["/a/1", "/a/2", "/a/b/3"] { try (path + file).fill("a") }
      let calls = Calls()
      let others: SystemFaults.Ear = { call, _ in
        _ = calls.add(call)
        let count = calls.all.count { $0 == call }
        if call == "rmdir", count < 5 { #expect(throws: Never.self) { try (path + "/a/new\(count)").fill("") } }
        return call == "unlink" && count == 1 ? .noSuchFile : nil
      }
      try SystemFaults.heard(by: others) { try OpenFolder.removeAll(at: path + "/a") }
      #expect(try path.names == [])
    }
  }

  @Test func `a tree to which others add for ever is given up`() async throws {
    try await withTemporaryFolder { path in
      try (path + "/a").makeFolder()
      let calls = Calls()
      let others: SystemFaults.Ear = { call, _ in
        if call == "rmdir" { #expect(throws: Never.self) { try (path + "/a/new").fill("") } }
        return calls.add(call)
      }
      SystemFaults.heard(by: others) { expectFailure(.notEmpty) { try OpenFolder.removeAll(at: path + "/a") } }
      #expect(calls.all.count { $0 == "rmdir" } == 100)
    }
  }

  @Test func `in a working folder that was removed every call fails, and none hangs`() async throws {
    try await withTemporaryFolder { path in
      await #expect(processExitsWith: .success) { [path = path as String] in
        endIfItHangs()
        try (path + "/gone").makeFolder()
        try #require(FileManager.default.changeCurrentDirectoryPath(path + "/gone"))
        try FileManager.default.removeItem(atPath: path + "/gone")
        expectFailure(.noSuchFile) { try OpenFolder.make("a/b") }
        expectFailure(.noSuchFile) { try AtomicFile.write([1], to: "a") }
        expectFailure(.noSuchFile) { _ = try CurrentProcess.absolute("a") }
        #expect(try FileStatus.at("a") == nil)
        #expect(try CurrentProcess.absolute("/a") == "/a")
      }
    }
  }

  @Test func `a signal in the middle of a call changes nothing`() async throws {
    try await withTemporaryFolder { path in
      let calls = Calls()
      let everySecond: SystemFaults.Ear = { call, _ in
        _ = calls.add(call)
        return calls.all.count.isMultiple(of: 2) ? nil : .interrupted
      }
      try SystemFaults.heard(by: everySecond) {
        try OpenFolder.make(path + "/a/b")
        let folder = try OpenFolder.own(path + "/a/b")
        try folder.replace("file", with: [1])
        try folder.create("new", with: [2])
        try folder.rename("new", to: "other")
        try folder.link("other", to: "third")
        try folder.exchange("file", with: "other")
        let file = try folder.openOwn("file", .readingOrMaking, .secret)
        #expect(try file.tryLock())
        file.unlock()
        #expect(try file.readAll(limit: 10) == [2] && file.read(at: 0, count: 10) == [2])
        #expect(try folder.names().sorted() == ["file", "other", "third"])
        #expect(try Program("/bin/sh", ["sh", "-c", "exit 3"], environment: [:]).start().wait() == .exited(3))
        try OpenFolder.removeAll(at: path + "/a")
      }
      #expect(calls.all.count > 50)
      #expect(try path.names == [])
    }
  }

  @Test func `names that cannot all be read are a failure, and no shorter list`() async throws {
    try await withTemporaryFolder { path in
      for name in ["a", "b", "c"] { try "\(path)/\(name)".fill("") }
      let calls = Calls()
      let fails: SystemFaults.Ear = { call, _ in
        if call == "readdir" { _ = calls.add(call) }
        return calls.all.count == 3 ? .inputOutput : nil
      }
      expectFailure(.inputOutput) { _ = try SystemFaults.heard(by: fails) { try OpenFolder(path).names() } }
    }
  }
}
