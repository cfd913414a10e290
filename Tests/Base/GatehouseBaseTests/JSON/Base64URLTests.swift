import GatehouseBase
import Testing

struct `Base64url` {
  @Test func `the length of an encoding is told for every count`() {
    for count in 0..<100 {
      #expect(Base64URL.encodedCount(count) == Base64URL.encode([UInt8](repeating: 0, count: count)).utf8.count)
    }
    #expect(Base64URL.encodedCount(-1) == 0 && Base64URL.encodedCount(.min) == 0)
    #expect(Base64URL.encodedCount(.max) == .max && Base64URL.encodedCount(.max / 4 * 3) == .max / 4 * 4)
  }

  @Test func `spells the bytes of RFC 4648 as it does, without padding`() throws {
    let spellings = [
      "": "", "f": "Zg", "fo": "Zm8", "foo": "Zm9v", "foob": "Zm9vYg", "fooba": "Zm9vYmE", "foobar": "Zm9vYmFy",
    ]
    for (text, spelling) in spellings {
      #expect(Base64URL.encode(text.utf8) == spelling)
      #expect(try Base64URL.decode(spelling) == Array(text.utf8))
    }
    #expect(Base64URL.encode([0xFB, 0xFF, 0xBF]) == "-_-_")
  }

  @Test func `brings every byte back, at every length`() throws {
    let all = (0...255).map { UInt8($0) }
    for length in 0...255 {
      let some = Array(all.prefix(length))
      #expect(try Base64URL.decode(Base64URL.encode(some)) == some)
    }
  }

  @Test func `does long texts as it does short ones`() throws {
    for length in 1...400 {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: (length * 419 + $0) * 2_654_435_761 >> 13) }
      let text = Base64URL.encodedBytes(bytes)
      // So few bytes are never done many at a time.
      let pieces = stride(from: 0, to: length, by: 15).map { Base64URL.encodedBytes(bytes[$0..<min($0 + 15, length)]) }
      #expect(text == pieces.flatMap(\.self), "\(length) bytes")
      #expect(try Base64URL.decode(text) == bytes, "\(length) bytes")
    }
  }

  @Test(arguments: [
    "Zg==", "Zg=", "Z", "Zm9vY", "+_-_", "-/-_", "Zm 9", "Zm9v\n", "Zm\0v", "Zm9é", "Zh", "Zm9", "Zm8?",
  ])
  func `has one spelling for each`(text: String) {
    // `Zm9` spells `fo` with a bit too many, `Zh` spells `f` with four.
    do throws(AuthError) {
      _ = try typed { try Base64URL.decode(text) }
      Issue.record("the text was decoded")
    } catch { #expect(error.code == .base64Malformed) }
  }

  @Test func `has no other character anywhere, and no bit that belongs to no byte`() {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    func code(_ text: some Sequence<UInt8>) -> AuthError.Code? {
      do throws(AuthError) {
        _ = try typed { try Base64URL.decode(Array(text)) }
        return nil
      } catch { return error.code }
    }
    // Some are short, some go through many characters at a time, and some of those end in the middle of a block.
    for length in Array(1...20) + [31, 32, 33, 34, 35, 36, 63, 64, 67, 70, 96, 102] {
      let text = (1..<length).map { letters[($0 * 7) % 64] } + [letters[0]]
      #expect(code(text) == (length % 4 == 1 ? .base64Malformed : nil), "\(length)")
      for place in 0..<length {
        for byte in UInt8.min...UInt8.max where !letters.contains(byte) {
          var changed = text
          changed[place] = byte
          #expect(code(changed) == .base64Malformed, "\(byte) at \(place) of \(length)")
        }
      }
      for (value, letter) in letters.enumerated() where length % 4 > 1 {
        let isWhole = value % (length % 4 == 2 ? 16 : 4) == 0
        #expect(code(text.dropLast() + [letter]) == (isWhole ? nil : .base64Malformed), "\(letter) ends \(length)")
      }
    }
  }
}
