import GatehouseBase
import Testing

struct Base64Tests {
  @Test func `the RFC's examples come out, and back`() throws {
    // RFC 4648 §10.
    for (text, spelled) in [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
      ("foobar", "Zm9vYmFy"),
    ] {
      #expect(Base64.encode(text.utf8) == spelled)
      #expect(try Base64.decode(spelled) == Array(text.utf8))
    }
    let all = Array(UInt8.min...UInt8.max)
    #expect(try Base64.decode(Base64.encode(all)) == all)
    #expect(Base64.encode([0xFB, 0xFF]) == "+/8=")
  }

  @Test(arguments: [
    "Zg", "Zg=", "Zg===", "Zg====", "Z===", "====", "=", "Zm9v====", "Zm9v=", "Z=g=", "=Zg=", "Zh==", "Zm9=", "Zm9v\n",
    " Zm9v", "Zm 9v", "-_8=", "Zm9v\0\0\0\0", "Zmé", "Zg==Zg==",
  ])
  func `every other spelling is refused`(_ text: String) {
    let error = #expect(throws: AuthError.self) { try Base64.decode(text) }
    #expect(error?.code == .base64Malformed)
  }
}
