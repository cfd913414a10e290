import GatehouseBase
import Testing

// The scanner reads eight or sixteen bytes at a time: its result must not depend on their offset.
struct `JSON, wherever it stands,` {
  @Test(arguments: 0..<36) func `has each byte of a string kept, or refused`(before: Int) {
    for byte in UInt8.min...UInt8.max {
      for behind in [0, 1, 7, 8, 9, 15, 16, 17, 24] {
        let inside = plain(before) + [byte] + plain(behind)
        let isPlain = (0x20...0x7F).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
        let value = try? JSONValue(parsing: quoted(inside))
        #expect((value != nil) == isPlain, "\(byte) after \(before), before \(behind)")
        let object = try? JSONObject(parsing: [UInt8(ascii: "{")] + quoted(inside) + Array(":0}".utf8))
        #expect((object != nil) == isPlain, "a name with \(byte) after \(before), before \(behind)")
        if isPlain {
          let text = String(decoding: inside, as: UTF8.self)
          #expect(value?.string == text)
          #expect(object?.names == [text])
        }
      }
    }
  }

  @Test(arguments: 0..<36) func `has escapes and other letters read`(before: Int) throws {
    let start = String(decoding: plain(before), as: UTF8.self)
    for (written, meant) in [(#"\""#, "\""), (#"\\"#, "\\"), (#"\u0041"#, "A"), ("é", "é"), ("😀", "😀")] {
      for end in ["", "b", "bcdefgh", "bcdefghijklmnopq"] {
        let value = try JSONValue(parsing: "\"\(start)\(written)\(end)\"".utf8)
        #expect(value.string == start + meant + end)
        let object = try JSONObject(parsing: "{\"\(start)\(written)\(end)\":[1]}".utf8)
        #expect(object.names == [start + meant + end])
        #expect(object[start + meant + end]?.array?.count == 1)
      }
    }
  }

  @Test(arguments: 0..<36) func `has a name refused that comes twice, and kept beside its neighbours`(length: Int) {
    let name = String(decoding: plain(length), as: UTF8.self)
    for end in ["", #","x":{"y":"enough to stand behind"}"#] {
      #expect(code(#"{"\#(name)":1,"\#(name)":2\#(end)}"#) == .jsonDuplicateMember)
      #expect(code(#"{"\#(name)a":1,"\#(name)b":2,"\#(name)":3\#(end)}"#) == nil)
    }
  }

  @Test(arguments: 0..<36) func `has the end of a name or a string missed`(length: Int) {
    let inside = String(decoding: plain(length), as: UTF8.self)
    for start in ["\"", "{\"", "{\"a\":\"", "{\"a\":0,\""] { #expect(code(start + inside) == .jsonMalformed) }
  }

  @Test func `has digits counted, and letters among them refused`() {
    for count in 1...24 {
      let digits = String(repeating: "9", count: count)
      #expect((try? JSONValue(parsing: digits.utf8))?.number?.text == digits)
      for place in 0..<count {
        for byte in ["/", ":", " ", "a", "\u{0}", "é"] {
          var bytes = Array(digits.utf8)
          bytes.replaceSubrange(place...place, with: byte.utf8)
          // Space around a number is none of it.
          let isGood = byte == " " && count > 1 && (place == 0 || place == count - 1)
          #expect((code(String(decoding: bytes, as: UTF8.self)) == nil) == isGood, "\(byte) at \(place) of \(count)")
        }
      }
    }
  }

  private func plain(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(ascii: "a") + UInt8($0 % 26) } }

  private func quoted(_ inside: [UInt8]) -> [UInt8] { [UInt8(ascii: "\"")] + inside + [UInt8(ascii: "\"")] }

  private func code(_ text: String) -> AuthError.Code? {
    do throws(AuthError) {
      _ = try typed { try JSONValue(parsing: text.utf8) }
      return nil
    } catch { return error.code }
  }
}
