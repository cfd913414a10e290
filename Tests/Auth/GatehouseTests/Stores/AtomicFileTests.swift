import Foundation
import Gatehouse
import GatehouseBase
import Glibc
import Testing

@Suite struct AtomicFileTests {
  @Test func `a file gets the content and the mode that were asked for, whatever was there`() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/token"
      try AtomicFile.write(Array("one".utf8), to: path)
      #expect(try path.mode == 0o600)
      try AtomicFile.write(Array("two".utf8), to: path, mode: 0o666)
      #expect(try path.mode == 0o666)
      #expect(try path.contents == Data("two".utf8))
      #expect(try folder.names == ["token"])
    }
  }

  @Test func `a link in the file's place is replaced, not followed`() async throws {
    try await withTemporaryFolder { folder in
      try (folder + "/real").fill("real")
      try FileManager.default.createSymbolicLink(atPath: folder + "/token", withDestinationPath: folder + "/real")
      try AtomicFile.write(Array("new".utf8), to: folder + "/token")
      #expect(try (folder + "/real").contents == Data("real".utf8))
      #expect(try (folder + "/token").contents == Data("new".utf8))
    }
  }

  @Test func `a folder that is missing, or in the file's place, is an error and nothing is left behind`() async throws {
    try await withTemporaryFolder { folder in
      try POSIXFolder.make(folder + "/folder")
      for path in [folder + "/missing/token", folder + "/folder"] {
        let error = #expect(throws: AuthError.self) { try AtomicFile.write([1], to: path) }
        #expect(error?.code == .storeFailed)
      }
      #expect(try folder.names == ["folder"])
    }
  }

  /// A real disk of one page, and one that is read-only, seen by one thread of a child process.
  @Test(.enabled(if: mayMount, "only who may mount can see a full disk: run the tests as root to see this"))
  func `on a disk that is full or read-only the old content stays`() async throws {
    try await withTemporaryFolder { folder in
      await #expect(processExitsWith: .success) { [folder = folder as String] in
        endAfterAMinute()
        try hideMounts()
        // `unsafe`: the kernel reads the strings up to their zero bytes.
        try #require(unsafe mount("none", "/", nil, UInt(MS_REC | MS_PRIVATE), nil) == 0)
        try #require(unsafe mount("none", folder, "tmpfs", 0, "size=8192") == 0)
        let path = folder + "/token"
        try AtomicFile.write(Array("old".utf8), to: path)

        let full = #expect(throws: AuthError.self) {
          try AtomicFile.write([UInt8](repeating: 1, count: 100_000), to: path)
        }
        #expect(full?.code == .storeFailed)
        #expect(full?.message.contains("No space left on device") == true)
        #expect(try path.contents == Data("old".utf8))
        #expect(try folder.names == ["token"])

        try #require(unsafe mount("none", folder, nil, UInt(MS_REMOUNT | MS_RDONLY), nil) == 0)
        let readOnly = #expect(throws: AuthError.self) { try AtomicFile.write(Array("new".utf8), to: path) }
        #expect(readOnly?.message.contains("Read-only file system") == true)
        #expect(try path.contents == Data("old".utf8))
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
