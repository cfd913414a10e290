import Foundation
import Gatehouse
import GatehouseBase
import GatehouseCrypto
import Testing

/// The keys of a file store, and their files.
struct StoreKeyTests {
  private static let bytes = (0..<32).map { UInt8($0 * 7) }

  @Test func `a key is 32 bytes, and its identifier depends on all of them`() throws {
    for count in [0, 16, 31, 33, 64] {
      let error = #expect(throws: AuthError.self) { try StoreKey(Array(repeating: 1, count: count)) }
      #expect(error?.code == .keyInvalid)
    }
    let key = try StoreKey(Self.bytes)
    #expect(key.revealedBytes == Self.bytes && key.id.utf8.count == 16)
    for position in 0..<32 {
      var other = Self.bytes
      other[position] ^= 1
      #expect(try StoreKey(other).id != key.id && StoreKey(other) != key)
    }
    #expect(try StoreKey.generate() != StoreKey.generate())
  }

  @Test func `a key is never printed`() throws {
    let key = try StoreKey(Array("SECRETSECRETSECRETSECRETSECRETSE".utf8))
    var dumped = "\(key) \(String(reflecting: StoreEncryption(key, name: "ada")))"
    dump(StoreEncryption(key, name: "ada"), to: &dumped)
    #expect(!dumped.contains("SECRET") && !dumped.contains("83, 69"))
  }

  @Test func `a file has a key as base64 or hexadecimal digits`() throws {
    let base64 = Data(Self.bytes).base64EncodedString()
    let digits = Self.bytes.map { String(format: "%02x", $0) }.joined()
    try withKeyFile { path in
      for text in [base64, base64 + "\n", base64 + "\r\n", digits, digits.uppercased() + "\n"] {
        try path.fill(text)
        #expect(try StoreKey(file: path).revealedBytes == Self.bytes)
      }
      let key = try StoreKey.generate()
      try path.fill(Data(key.revealedFile))
      #expect(try StoreKey(file: path) == key)
      for text in [
        "", "\n", "SECRETSECRETSECRETSECRETSECRETSE", base64 + "\n\n", " " + base64, String(base64.dropLast()),
        String(digits.dropLast()) + "g", digits + "00", base64 + base64, String(repeating: "SECRET", count: 1000),
      ] {
        try path.fill(text)
        let error = #expect(throws: AuthError.self) { try StoreKey(file: path) }
        #expect(error?.code == .keyInvalid && error.map(isLeaked) == false, "\(text.count)")
      }
    }
  }

  @Test func `a file that others can read or change is refused, with what to do`() throws {
    try withKeyFile { path in
      #expect(#expect(throws: AuthError.self) { try StoreKey(file: path) }?.code == .storeUnreadable)
      try path.fill(Data(Self.bytes).base64EncodedString())
      for mode in [0o640, 0o604, 0o620, 0o602, 0o644] {
        try path.setMode(mode)
        let error = #expect(throws: AuthError.self) { try StoreKey(file: path) }
        #expect(error?.code == .storeUnsafe && error?.message.contains("chmod") == true, "\(String(mode, radix: 8))")
      }
      for mode in [0o600, 0o400] {
        try path.setMode(mode)
        _ = try StoreKey(file: path)
      }
      let folder = #expect(throws: AuthError.self) { try StoreKey(file: NSTemporaryDirectory()) }
      #expect(folder?.code == .storeUnsafe)
    }
  }

  private func withKeyFile(_ body: (String) throws -> Void) throws {
    let path = NSTemporaryDirectory() + "gatehouse-key-" + SystemRandomSource().identifier()
    defer { try? FileManager.default.removeItem(atPath: path) }
    try body(path)
  }
}
