import Foundation
import GatehouseSystem
import Glibc
import HangGuard
import Testing

struct AtomicFileTests {
  /// `/dev/null` of the whole machine was once replaced by a file.
  @Test func `a temporary file that another program is about to remove is made again`() async throws {
    try await withTemporaryFolder { path in
      let calls = Calls()
      let removing: SystemFaults.Ear = { call, file in
        // The lock of the first file is another program's, which then removes the file.
        if call == "flock", calls.all.isEmpty {
          _ = calls.add(file)
          return .wouldWait
        }
        if call == "rename", let first = calls.all.first { try? FileManager.default.removeItem(atPath: first) }
        return nil
      }
      try SystemFaults.heard(by: removing) { _ = try OpenFolder(path).replace("file", with: [1]) }
      #expect(try OpenFile(path + "/file").readAll(limit: 2) == [1])
    }
  }

  @Test(arguments: [false, true])
  func `a pipe is never replaced, nor a link to one`(isLink: Bool) async throws {
    try await withTemporaryFolder { folder in
      let (pipe, link) = (folder + "/pipe", folder + "/link")
      try #require(unsafe mkfifo(pipe, 0o600) == 0)
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: pipe)
      let place = isLink ? link : pipe
      let before = try FileStatus.at(place)
      #expect { try AtomicFile.write([1], to: place) } throws: { ($0 as? SystemError)?.isUnsafe == true }
      #expect(try FileStatus.at(place) == before)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 2)
    }
  }

  @Test func `a link to a file, or to nothing, is replaced`() async throws {
    try await withTemporaryFolder { folder in
      for target in [folder + "/file", folder + "/nothing"] {
        let link = target + ".link"
        if target.hasSuffix("file") { try Data([1]).write(to: URL(filePath: target)) }
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        try AtomicFile.write([2], to: link)
        #expect(try FileStatus.at(link)?.kind == .file)
      }
      #expect(try Data(contentsOf: URL(filePath: folder + "/file")) == Data([1]))
    }
  }

  @Test func `a file gets the content and the permissions that were asked for, whatever was there`() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/token"
      try AtomicFile.write(Array("one".utf8), to: path)
      #expect(try path.mode == 0o600)
      try AtomicFile.write(Array("two".utf8), to: path, .shared)
      #expect(try path.mode & ~0o044 == 0o600 && path.text == "two")
      try AtomicFile.write(Array("three".utf8), to: path)
      #expect(try path.mode == 0o600)
      #expect(try folder.names == ["token"])
    }
  }

  @Test(arguments: [0o000, 0o022, 0o077, 0o777])
  func `the process's mask takes nothing from the owner, and what others may read it decides`(
    _ mask: Int
  ) async throws {
    try await withTemporaryFolder { path in
      await #expect(processExitsWith: .success) { [path = path as String, mask = mask as Int] in
        endIfItHangs()
        let folder = try OpenFolder(path)
        umask(mode_t(mask))
        try folder.replace("replaced", with: [1])
        try folder.create("created", with: [1])
        try folder.make("made", with: [1])
        for name in ["replaced", "created", "made"] { #expect(try "\(path)/\(name)".mode == 0o600) }
        try folder.replace("shared", with: [1], .shared)
        #expect(try (path + "/shared").mode == 0o644 & ~mask)
      }
    }
  }

  @Test func `a link in the file's place is replaced, not followed`() async throws {
    try await withTemporaryFolder { folder in
      try (folder + "/real").fill("real")
      try (folder + "/token").makeLink(to: folder + "/real")
      expectFailure(.exists) { try AtomicFile.write(Array("new".utf8), to: folder + "/token", replacing: false) }
      try AtomicFile.write(Array("new".utf8), to: folder + "/token")
      #expect(try (folder + "/real").text == "real")
      #expect(try (folder + "/token").text == "new")
    }
  }

  @Test func `a folder that is missing, or in the file's place, is an error and nothing is left behind`() async throws {
    try await withTemporaryFolder { folder in
      try (folder + "/folder").makeFolder()
      expectFailure(.noSuchFile) { try AtomicFile.write([1], to: folder + "/missing/token") }
      expectFailure(.isAFolder) { try AtomicFile.write([1], to: folder + "/folder") }
      expectFailure(.exists) { try AtomicFile.write([1], to: folder + "/folder", replacing: false) }
      expectFailure(.invalid) { try AtomicFile.write([1], to: folder + "/folder/..") }
      #expect(try folder.names == ["folder"])
    }
  }

  @Test func `what is written is on the disk before it has its name, and its name before this returns`() async throws {
    try await withTemporaryFolder { path in
      let folder = try OpenFolder(path)
      let replaced = try calls { try folder.replace("a", with: [1]) }
      let created = try calls { try folder.create("b", with: [1]) }
      let made = try calls { try folder.make("c", with: [1]) }
      let written: [Substring] = ["write", "fchmod", "fsync"]
      let locked: [Substring] = ["open", "flock", "fstatat", "fstat"] + written + ["fstat"]
      func names(_ calls: [String]) -> [Substring] { calls.map { $0.prefix { $0 != " " } } }
      #expect(names(replaced) == locked + ["rename", "flock", "fsync"])
      #expect(names(created) == locked + ["renameat2", "flock", "fsync"])
      #expect(names(made) == ["open"] + written + ["fsync"])
    }
  }

  @Test func `what a killed writer left is removed, and nothing else`() async throws {
    try await withTemporaryFolder { folder in
      let hex = String(repeating: "0123456789abcdef", count: 2)
      let others = ["token.tmp-\(hex.dropLast())", "token.tmp-\(hex.uppercased())", "tokens.tmp-\(hex)", "token.tmp-"]
      let atWork = "token.tmp-" + String(hex.reversed())
      for name in others + [atWork, "token.tmp-\(hex)"] { try "\(folder)/\(name)".fill("old") }
      try "\(folder)/token.tmp-\(hex.replacing("0", with: "f"))".makeLink(to: folder + "/token.tmp-\(hex)")
      let links = ["token.tmp-\(hex.replacing("0", with: "f"))"]
      for replacing in [false, true] {
        let writer = try OpenFile(folder + "/" + atWork)
        let isLocked = try writer.tryLock()
        #expect(isLocked)
        try AtomicFile.write([1], to: folder + "/token", replacing: replacing)
        #expect(try folder.names == (others + links + [atWork, "token"]).sorted())
        writer.unlock()
      }
      try AtomicFile.write([1], to: folder + "/token")
      #expect(try folder.names == (others + links + ["token"]).sorted())
    }
  }

  @Test func `a writer whose file was taken for one that was left makes another`() async throws {
    try await withTemporaryFolder { folder in
      let taken = Calls()
      let takes: SystemFaults.Ear = { call, path in
        // Between the opening and the lock.
        if call == "flock", taken.all.isEmpty {
          _ = taken.add(path)
          // `unsafe`: the kernel reads the string up to its zero byte.
          _ = unsafe unlink(path)
        }
        return nil
      }
      try SystemFaults.heard(by: takes) { _ = try OpenFolder(folder).replace("token", with: [1]) }
      #expect(taken.all.count == 1)
      #expect(try folder.names == ["token"])
    }
  }

  /// Each call of a write fails once.
  /// A watch of the file took another program's pipe for its own file, and never spoke of it.
  @Test func `what another program puts in the file's place at once is not taken for the file`() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/token"
      // The last step of a write, when the file has its name.
      let replaces: SystemFaults.Ear = { call, place in
        if call == "fsync", place == folder { _ = unsafe (unlink(path), mkfifo(path, 0o600)) }
        return nil
      }
      let written = try SystemFaults.heard(by: replaces) { try OpenFolder(folder).replace("token", with: [1]) }
      #expect(written.kind == .file && written.size == 1)
      #expect(try FileStatus.at(path)?.kind == .other)
    }
  }

  @Test(arguments: [false, true])
  func `a write that fails leaves what was, and no other file`(replacing: Bool) async throws {
    var number = 0
    var goesOn = true
    while goesOn {
      try await withTemporaryFolder { folder in
        let path = folder + "/file"
        if replacing { try path.fill("old") }
        let made = Calls()
        let fails: SystemFaults.Ear = { [number] call, _ in
          _ = made.add(call)
          return made.all.count == number + 1 ? .inputOutput : nil
        }
        let error: SystemError? = SystemFaults.heard(by: fails) {
          do throws(SystemError) {
            try AtomicFile.write(Array("new".utf8), to: path, replacing: replacing)
            return nil
          } catch { return error }
        }
        goesOn = made.all.count > number
        // The first calls open the folder, and look for what a killed writer has left: without success at worst.
        let isTolerated = number == 1 || ["readdir", "flock"].contains(made.all[min(number, made.all.count - 1)])
        #expect((error != nil) == (goesOn && !isTolerated), "call \(number)")
        let isNamed = made.all.prefix(number).contains { $0.hasPrefix("rename") }
        if error == nil || isNamed {
          #expect(try path.text == "new" && folder.names == ["file"])
        } else {
          #expect(try folder.names == (replacing ? ["file"] : []), "call \(number), \(made.all[number]), fails")
          if replacing { #expect(try path.text == "old") }
        }
      }
      number += 1
    }
    #expect(number > 7)
  }

  /// A real disk of one page, and one that is read-only, seen by one thread of a child process.
  @Test(.enabled(if: mayMount, "only who may mount can see a full disk: run the tests as root to see this"))
  func `on a disk that is full or read-only the old content stays`() async throws {
    try await withTemporaryFolder { folder in
      await #expect(processExitsWith: .success) { [folder = folder as String] in
        endIfItHangs()
        try hideMounts()
        // `unsafe`: the kernel reads the strings up to their zero bytes.
        try #require(unsafe mount("none", "/", nil, UInt(MS_REC | MS_PRIVATE), nil) == 0)
        try #require(unsafe mount("none", folder, "tmpfs", 0, "size=8192") == 0)
        let path = folder + "/token"
        try AtomicFile.write(Array("old".utf8), to: path)

        for replacing in [false, true] {
          expectFailure(.diskFull) {
            try AtomicFile.write(
              [UInt8](repeating: 1, count: 100_000), to: replacing ? path : folder + "/new", replacing: replacing)
          }
        }
        #expect(try path.text == "old")
        #expect(try folder.names == ["token"])

        try #require(unsafe mount("none", folder, nil, UInt(MS_REMOUNT | MS_RDONLY), nil) == 0)
        let readOnly = #expect(throws: SystemError.self) { try AtomicFile.write(Array("new".utf8), to: path) }
        #expect(readOnly?.description.contains("Read-only file system") == true)
        #expect(try path.text == "old")
      }
    }
  }
}

/// Gives this thread its own view of what is mounted, as `unshare(2)` does; Swift's Glibc does not have the name.
private func hideMounts() throws {
  // `unsafe`: the function takes flags and answers 0 or -1, as its manual says.
  let function = try unsafe #require(unsafe dlsym(nil, "unshare"))
  let unshare = unsafe unsafeBitCast(function, to: (@convention(c) (Int32) -> Int32).self)
  let newMounts: Int32 = 0x0002_0000
  try #require(unshare(newMounts) == 0)
}

/// Whether this process may mount: capability 21 (`CAP_SYS_ADMIN`).
private let mayMount: Bool = {
  let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
  let effective = status.split(separator: "\n").first { $0.hasPrefix("CapEff:") }?.split(separator: "\t").last
  let mayAdminister = UInt64(effective ?? "", radix: 16).map { $0 & (1 << 21) != 0 } ?? false
  // In a chroot the root is no mount point, and cannot be made a private one.
  let mounts = (try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8)) ?? ""
  return mayAdminister && mounts.split(separator: "\n").contains { $0.split(separator: " ").dropFirst(4).first == "/" }
}()
