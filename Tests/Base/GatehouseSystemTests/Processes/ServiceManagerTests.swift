import Foundation
import GatehouseSystem
import TestSupport
import Testing

struct ServiceManagerTests {
  @Test(arguments: ["", "@"])
  func `a manager hears what it is told`(prefix: String) throws {
    let name = "\(prefix)/tmp/gatehouse-\(UUID().uuidString.prefix(12))"
    let socket = try DatagramSocket(name)
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
