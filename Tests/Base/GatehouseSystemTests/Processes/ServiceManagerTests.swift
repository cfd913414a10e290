import Foundation
import GatehouseSystem
import Glibc
import Testing

struct ServiceManagerTests {
  @Test(arguments: ["", "@"])
  func `a manager hears what it is told`(prefix: String) throws {
    let name = "\(prefix)/tmp/gatehouse-\(UUID().uuidString.prefix(12))"
    let socket = try Listener(name)
    defer { try? FileManager.default.removeItem(atPath: name) }
    try ServiceManager.tell("READY=1", at: Array(name.utf8))
    try ServiceManager.tell("STOPPING=1", at: Array(name.utf8))
    #expect(socket.next() == "READY=1")
    #expect(socket.next() == "STOPPING=1")
  }

  @Test func `where no manager asks there is nothing to tell`() throws {
    try ServiceManager.tell("READY=1", at: nil)
    try ServiceManager.tell("READY=1", at: [])
  }

  @Test(arguments: ["/nowhere/at/all", String(repeating: "x", count: 200), "@" + String(repeating: "x", count: 200)])
  func `a manager that cannot be told is an error`(name: String) {
    #expect(throws: SystemError.self) { try ServiceManager.tell("READY=1", at: Array(name.utf8)) }
  }
}

/// A socket that takes datagrams.
private struct Listener {
  private let descriptor: Int32

  struct Failure: Error {}

  init(_ name: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let isAbstract = name.hasPrefix("@")
    let bytes = isAbstract ? [0] + name.utf8.dropFirst() : Array(name.utf8)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count + (isAbstract ? 0 : 1))
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, length) }
    }
    guard result == 0 else { throw Failure() }
  }

  func next() -> String? {
    var buffer = [UInt8](repeating: 0, count: 100)
    let count = unsafe recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
  }
}
