import Foundation
import GatehouseSystem
import Glibc
import HangGuard
import Testing

struct InheritedDescriptorTests {
  @Test(arguments: [
    "/dev/fd/", "/dev/fd/x", "/dev/fd/-1", "/dev/stdin2", "/dev/null", "", "fd/0", "/dev/fd/99999999999",
  ])
  func `only a path of an open descriptor names one`(_ path: String) {
    #expect(InheritedDescriptor(path: path) == nil)
  }

  /// As `node` and others leave the pipes that they share.
  @Test func `a pipe that does not wait is waited for`() async throws {
    var ends: [Int32] = [-1, -1]
    // `unsafe`: the kernel writes two numbers, and the array has two.
    try #require(unsafe pipe(&ends) == 0)
    defer { close(ends[0]) }
    for end in ends { #expect(fcntl(end, F_SETFL, O_NONBLOCK) == 0) }
    let input = try #require(InheritedDescriptor(path: "/proc/self/fd/\(ends[0])"))
    let output = try #require(InheritedDescriptor(path: "/dev/fd/\(ends[1])"))
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
    // More than the pipe holds; and the reader is there first.
    let reader = onThread { try input.readAll(limit: 1 << 20) }
    let end = ends[1]
    let writer = onThread {
      try output.write(bytes)
      close(end)
    }
    _ = try await writer()
    #expect(try await reader() == bytes)
  }

  @Test func `input is read up to a limit, and no more of it is taken than is needed`() async throws {
    try await withTemporaryFolder { path in
      try (path + "/file").fill(String(repeating: "a", count: 1000))
      for (limit, isRead) in [(999, false), (1000, true), (.max - 1, true)] {
        // `unsafe`: the kernel reads the string up to its zero byte.
        let descriptor = unsafe open(path + "/file", O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        let input = try #require(InheritedDescriptor(path: "/dev/fd/\(descriptor)"))
        #expect(try input.readAll(limit: limit)?.count == (isRead ? 1000 : nil))
      }
    }
  }

  @Test func `a descriptor that is not open is an error that names it`() throws {
    let input = try #require(InheritedDescriptor(path: "/dev/fd/999999"))
    let error = #expect(throws: SystemError.self) { try input.readAll(limit: 1) }
    #expect(error?.path == "/dev/fd/999999" && error?.number?.rawValue == EBADF)
    #expect(!input.isTerminal)
  }

  @Test func `no file is opened under the number of a closed standard descriptor`() async throws {
    try await withTemporaryFolder { path in
      await #expect(processExitsWith: .success) { [path = path as String] in
        endIfItHangs()
        for number in STDIN_FILENO...STDOUT_FILENO { close(number) }
        InheritedDescriptor.makeStandardOnesSafe()
        let folder = try OpenFolder(path)
        let file = try folder.open("file", .making())
        for body in [
          { try InheritedDescriptor.output.write([1]) }, { _ = try InheritedDescriptor.input.read(atMost: 1) },
        ] {
          let error = #expect(throws: SystemError.self) { try body() }
          #expect(error?.number?.rawValue == EBADF)
        }
        // Until here they are open.
        #expect(try file.status().size == 0 && folder.status().kind == .folder)
      }
    }
  }
}
