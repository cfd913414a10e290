import GatehouseBase
import Testing

/// Forms and queries as clients send them.
struct FormEncodingTests {
  @Test func `what is encoded is decoded as it was`() throws {
    let items = [("a", "1"), ("ä b", "&=+%"), ("", ""), ("a", "2")]
    let decoded = try FormEncoding.decode(FormEncoding.encode(items))
    #expect(decoded.map(\.name) == items.map(\.0) && decoded.map(\.value) == items.map(\.1))
    #expect(try FormEncoding.decode("&a+b=%43&&c&").map { "\($0.name):\($0.value)" } == ["a b:C", "c:"])
  }

  @Test(arguments: ["%", "a=%4", "a=%4g", "%FF=a", "a=%C3"]) func `a bad escape is malformed`(text: String) {
    #expect(throws: FormFault.malformed) { try FormEncoding.decode(text) }
  }

  @Test func `a form holds no more than a JSON object`() throws {
    let limits = JSONLimits(bytes: 12, members: 3, nameBytes: 2)
    #expect(try FormEncoding.decode("&a=1&&b=2&c=3", limits: JSONLimits(members: 3)).count == 3)
    #expect(try FormEncoding.decode("%c3%a4=123456", limits: JSONLimits(nameBytes: 2)).count == 1)
    // The number comes first: nothing is built of a form that has too many.
    for text in ["a=1&b&c&d", "a&b&c&%", "abc=1", "a=12345678901"] {
      #expect(throws: FormFault.tooLarge) { try FormEncoding.decode(text, limits: limits) }
    }
    #expect(throws: FormFault.tooLarge) { try FormEncoding.decode("a", limits: JSONLimits(members: 0)) }
  }

  @Test func `an object of a form has each name once, compared as bytes`() {
    #expect(JSONObject(distinct: [("a", "1"), ("e\u{301}", "2"), ("\u{e9}", "3")])?.count == 3)
    #expect(JSONObject(distinct: [("a", "1"), ("b", "2"), ("a", "3")]) == nil)
  }
}
