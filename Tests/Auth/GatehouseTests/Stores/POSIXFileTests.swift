import Foundation
import Gatehouse
import GatehouseBase
import Glibc
import Testing

@Suite struct POSIXFileTests {
  @Test func `a full disk is a failure with the system's reason`() throws {
    let file = try POSIXFile(opening: "/dev/full", O_WRONLY)
    let failure = #expect(throws: FileFailure.self) { try file.writeAll([1, 2, 3]) }
    #expect(failure?.call == "write")
    #expect(failure?.number == ENOSPC)
    #expect(failure?.reason == "No space left on device (write, error \(ENOSPC))")
  }

  @Test func `writing goes on after the system took a part`() throws {
    // A pipe that does not wait takes what fits, 64 KiB, and then says that it is full.
    var ends: [Int32] = [-1, -1]
    // `unsafe`: the kernel writes two numbers, and the array has two.
    try #require(unsafe pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    let file = try POSIXFile(opening: "/proc/self/fd/\(ends[1])", O_WRONLY)
    let failure = #expect(throws: FileFailure.self) { try file.writeAll([UInt8](repeating: 7, count: 100_000)) }
    #expect(failure?.number == EAGAIN)
    let reader = try POSIXFile(opening: "/proc/self/fd/\(ends[0])", O_RDONLY)
    #expect(try reader.readAll(limit: 65_535) == nil)
  }

  @Test(arguments: [0, 1, 16_383, 16_384, 16_385, 100_000])
  func `what is written is read, up to a limit`(_ count: Int) async throws {
    try await withTemporaryFolder { path in
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
      let folder = try POSIXFolder(opening: path)
      try folder.open("file", O_WRONLY | O_CREAT, mode: 0o600).writeAll(bytes)
      #expect(try folder.open("file", O_RDONLY).readAll(limit: count) == bytes)
      if count > 0 { #expect(try folder.open("file", O_RDONLY).readAll(limit: count - 1) == nil) }
    }
  }

  @Test func `a second name is never taken from another file`() async throws {
    try await withTemporaryFolder { path in
      let folder = try POSIXFolder(opening: path)
      try (path + "/a").fill("a")
      try (path + "/b").fill("b")
      let failure = #expect(throws: FileFailure.self) { try folder.link("a", to: "b") }
      #expect(failure?.number == EEXIST)
      try folder.link("a", to: "c")
      try folder.remove("a")
      #expect(try (path + "/c").contents == Data("a".utf8))
      #expect(try Set(folder.names()) == [".", "..", "b", "c"])
    }
  }

  @Test func `text with a zero byte never reaches the system`() {
    let failure = #expect(throws: FileFailure.self) {
      _ = try POSIXFile(opening: "/dev/null\0.txt", O_RDONLY).status()
    }
    #expect(failure?.number == EINVAL)
  }

  @Test(arguments: [
    ("a", ".", "a"), ("/a", "/", "a"), ("/a/b", "/a", "b"), ("a//b/", "a", "b"), ("./a/./b/.", "a", "b"),
    ("../a", "..", "a"), ("a/../b", "a/..", "b"), ("", ".", ""), ("/", "/", ""), (".", ".", ""), ("a/..", "a/..", ""),
    ("/\u{301}a/b", "/\u{301}a", "b"),
  ])
  func `a path is a folder and a name`(_ path: String, _ folder: String, _ name: String) {
    let location = FileLocation(path)
    #expect(Array(location.folder.utf8) == Array(folder.utf8))
    #expect(Array(location.name.utf8) == Array(name.utf8))
  }
}
