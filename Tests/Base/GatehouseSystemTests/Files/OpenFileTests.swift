import Foundation
import GatehouseBase
import GatehouseSystem
import Glibc
import HangGuard
import Testing

struct OpenFileTests {
  @Test func `a full disk is a failure with the call, the path and the system's reason`() throws {
    let file = try OpenFile("/dev/full", .overwriting)
    let failure = #expect(throws: SystemError.self) { try file.write([1, 2, 3]) }
    #expect(failure?.number == .diskFull)
    #expect(failure?.isUnsafe == false)
    #expect(failure?.description == "No space left on device (write /dev/full, error \(ENOSPC))")
  }

  @Test func `writing goes on after the system took a part`() throws {
    // A pipe that does not wait takes what fits, 64 KiB, and then says that it is full.
    var ends: [Int32] = [-1, -1]
    // `unsafe`: the kernel writes two numbers, and the array has two.
    try #require(unsafe pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    let file = try OpenFile("/proc/self/fd/\(ends[1])", .readingOrMaking)
    expectFailure(.wouldWait) { try file.write([UInt8](repeating: 7, count: 100_000)) }
    let reader = try OpenFile("/proc/self/fd/\(ends[0])")
    #expect(try reader.readAll(limit: 65_535) == nil)
  }

  @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 200_000])
  func `what is written is read, up to a limit, and from any offset`(_ count: Int) async throws {
    try await withTemporaryFolder { path in
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
      let folder = try OpenFolder(path)
      try folder.open("file", .making()).write(bytes)
      #expect(try folder.open("file").readAll(limit: count) == bytes)
      #expect(try folder.open("file").readAll(limit: .max - 1) == bytes)
      if count > 0 { #expect(try folder.open("file").readAll(limit: count - 1) == nil) }
      let file = try folder.open("file")
      for offset in [0, count / 2, count, count + 1] {
        #expect(try file.read(at: UInt64(offset), count: 100) == Array(bytes.dropFirst(offset).prefix(100)))
      }
      #expect(try file.read(at: .max, count: 1) == [])
    }
  }

  @Test func `a file of the kernel's is read whole, though it says that it is empty`() throws {
    let file = try OpenFile("/proc/self/maps")
    #expect(try file.status().size == 0)
    #expect(try #require(try file.readAll(limit: 64 << 20)).count > 4096)
  }

  @Test func `a file that grows while it is read is held to the limit`() async throws {
    try await withTemporaryFolder { path in
      try (path + "/file").fill(String(repeating: "a", count: 100))
      let file = try OpenFile(path + "/file")
      let grows: SystemFaults.Ear = { call, _ in
        if call == "read" { try? (path + "/file").fill(String(repeating: "a", count: 200)) }
        return nil
      }
      #expect(try SystemFaults.heard(by: grows) { try file.readAll(limit: 150) } == nil)
    }
  }

  @Test func `text with a zero byte never reaches the system`() throws {
    let path = "/dev/null\0.txt"
    expectFailure(.invalid) { _ = try OpenFile(path).status() }
    expectFailure(.invalid) { _ = try OpenFolder("/\0").status() }
    expectFailure(.invalid) { _ = try FileStatus.at(path) }
    expectFailure(.invalid) { try OpenFolder.make("/tmp/\0") }
    let folder = try OpenFolder("/tmp")
    expectFailure(.invalid) { _ = try folder.open("a\0b").status() }
    expectFailure(.invalid) { _ = try folder.status(of: "a\0b") }
    expectFailure(.invalid) { try folder.rename("a\0b", to: "c") }
    expectFailure(.invalid) { try folder.rename("c", to: "a\0b") }
    expectFailure(.invalid) { try folder.exchange("c", with: "a\0b") }
    expectFailure(.invalid) { try folder.remove("a\0b") }
    expectFailure(.invalid) { try folder.replace("a\0b", with: []) }
    expectFailure(.invalid) { _ = try Program("/bin/true\0x", ["true"], environment: [:]).start() }
    expectFailure(.invalid) { _ = try Program("/bin/true", ["true", "a\0b"], environment: [:]).start() }
    expectFailure(.invalid) { _ = try Program("/bin/true", ["true"], environment: ["a": "b\0c"]).start() }
    #expect(!Program.canStart("/bin/true\0x"))
  }

  @Test func `no pipe is waited for, whatever it is opened for`() async throws {
    try await withTemporaryFolder { path in
      try (path + "/pipe").makePipe()
      await #expect(processExitsWith: .success) { [path = path as String] in
        endIfItHangs()
        let pipe = path + "/pipe"
        #expect(try OpenFile(pipe).readAll(limit: 10) == [])
        expectFailure(.noReader) { try OpenFile(pipe, .overwriting).write([1]) }
        let folder = try OpenFolder(path)
        #expect(try folder.open("pipe").status().kind == .other)
        expectFailure(.exists) { _ = try folder.open("pipe", .making()).status() }
      }
    }
  }

  @Test func `a pipe that a program reads gets all that is written over it`() async throws {
    try await withTemporaryFolder { path in
      let pipe = path + "/pipe"
      try pipe.makePipe()
      let held = try OpenFile(pipe)
      let writer = onThread { try OpenFile(pipe, .overwriting).write([UInt8](repeating: 7, count: 300_000)) }
      let reader = onThread { try FileHandle(forReadingFrom: URL(fileURLWithPath: pipe)).readToEnd() }
      try await writer()
      #expect(try await reader()?.count == 300_000)
      #expect(try held.status().kind == .other)
    }
  }

  @Test func `no program that is started gets an open file`() async throws {
    try await withTemporaryFolder { path in
      let folder = try OpenFolder(path)
      let file = try folder.open("file", .making())
      let again = try OpenFile(path + "/file", .overwriting)
      let output = path + "/output"
      let script = "readlink /proc/self/fd/* > '\(output)'; :"
      let program = try Program("/bin/sh", ["sh", "-c", script], environment: ["PATH": "/usr/bin:/bin"]).start()
      #expect(try program.wait() == .exited(0))
      let files = try output.text.split(separator: "\n").filter { $0.hasPrefix(path) }
      #expect(files.allSatisfy { $0 == output }, "\(files)")
      // Until here they are open.
      #expect(try file.status().isSame(as: again.status()) && folder.status().kind == .folder)
    }
  }

  @Test func `every call says that slow work begins`() async throws {
    try await withTemporaryFolder { path in
      await #expect(processExitsWith: .success) { [path = path as String] in
        endIfItHangs()
        StrictMode.turnOff()
        let quick = DispatchQueue(label: "test.quick")
        SlowWork.guardQueue(quick)
        try quick.sync {
          let calls = try calls { try OpenFolder(path).make("file", with: [1]) }
          // Besides, each of two files is closed.
          #expect(SlowWork.timesSeen == calls.count + 2)
        }
      }
    }
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
