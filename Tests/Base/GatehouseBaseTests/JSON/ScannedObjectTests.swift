import GatehouseBase
import Testing

/// The questions of verifiers about claims that are not built: the same answers as from built ones.
struct `A scanned object` {
  private static func value(_ text: String) throws -> (ScannedObject, ScannedValue) {
    let object = try ScannedObject(parsing: Array("{\"v\":\(text)}".utf8))
    return (object, try #require(object.scanned("v")))
  }

  @Test func `finds members by the bytes of their names, short or long, escaped or not`() throws {
    let names = ["", "a", "eight444", "sixteen444444444", "seventeen44444444", "caf\u{E9}", "cafe\u{301}"]
    var object = JSONObject()
    for (place, name) in names.enumerated() { object[name] = .number(JSONNumber(place)) }
    let scanned = try ScannedObject(parsing: object.serialized())
    #expect(scanned.object == object)
    for (place, name) in names.enumerated() { #expect(scanned[name]?.integer == Int64(place), "\(name)") }
    for name in ["b", "A", "eight445", "sixteen444444445", "seventeen44444445", "caf"] { #expect(scanned[name] == nil) }
    let escaped = try ScannedObject(parsing: Array(#"{"\u0061ud":1,"seventeen4444444\u0034":2}"#.utf8))
    #expect(escaped["aud"]?.integer == 1 && escaped["seventeen44444444"]?.integer == 2)
    #expect(escaped.scanned("aud" as MemberKey) != nil && escaped.scanned("iss" as MemberKey) == nil)
  }

  @Test func `is a text's only if it is a string of exactly its bytes`() throws {
    for (text, other, isSame) in [
      (#""me""#, "me", true), (#""me""#, "mE", false), (#""me""#, "m", false), (#""""#, "", true),
      (#""\u006de""#, "me", true), (#""\u006de""#, #"\u006de"#, false), (#""a\\b""#, #"a\b"#, true),
      (#""a\\b""#, #"a\\b"#, false), ("\"caf\u{E9}\"", "cafe\u{301}", false),
      ("123", "2", false), ("[1]", "1", false), ("true", "ru", false), ("{}", "", false), ("null", "ul", false),
    ] {
      let (object, value) = try Self.value(text)
      #expect(object.isExactly(value, Array(other.utf8)) == isSame, "\(text) and \(other)")
    }
  }

  @Test func `is a text of some length only if it is a string, and not empty`() throws {
    for (text, most, isSo) in [
      (#""abc""#, 3, true), (#""abcd""#, 3, false), (#""""#, 3, false), (#""\u0061bc""#, 3, true),
      (#""\u0061bcd""#, 3, false), (#""😀😀😀""#, 3, true), (#""😀😀😀😀""#, 3, false), ("123", 3, false),
    ] {
      let (object, value) = try Self.value(text)
      #expect(object.isText(value, of: most) == isSo, "\(text)")
    }
  }

  @Test func `has numbers as doubles, however long`() throws {
    for text in [
      "0", "-0", "7", "12345678", "123456789", "1700000000", "123456789012345", "1234567890123456",
      "12345678901234567890", "1.5", "-1", "-12345678", "1e3", "12345678e1", "1700000000.25",
    ] {
      let (object, value) = try Self.value(text)
      #expect(object.double(value) == Double(text), "\(text)")
      #expect(object.isNegative(value) == text.hasPrefix("-"))
    }
    for text in [#""1""#, "true", "null", "[1]", "{}", "false"] {
      let (object, value) = try Self.value(text)
      #expect(object.double(value) == nil, "\(text)")
    }
  }
}
