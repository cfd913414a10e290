import Foundation
import GatehouseBase
import Testing

struct `JSON` {
  @Test func `comes out as it went in, without its space`() throws {
    let text = #" { "b" : [ 1 , -2.50e+3 , true , false , null ] , "a" : { "é\n\u001f\"\\" : "" } , "": 0 } "#
    let value = try JSONValue(parsing: text.utf8)
    #expect(value.description == #"{"b":[1,-2.50e+3,true,false,null],"a":{"é\n\u001f\"\\":""},"":0}"#)
    #expect(try JSONValue(parsing: value.serialized()) == value)
  }

  @Test func `unescapes every escape`() throws {
    let value = try JSONValue(parsing: #""\"\\\/\b\f\n\r\t\u00e9\ud83d\uDE00""#.utf8)
    #expect(value.string == "\"\\/\u{8}\u{C}\n\r\té😀")
  }

  @Test func `compares names and texts as bytes`() throws {
    let object: JSONObject = ["caf\u{E9}": 1, "cafe\u{301}": 2]
    #expect(object.count == 2)
    #expect(object["cafe\u{301}"]?.integer == 2)
    #expect(JSONValue.string("caf\u{E9}") != .string("cafe\u{301}"))
    #expect(Set<JSONValue>(["caf\u{E9}", "cafe\u{301}"]).count == 2)
  }

  @Test func `keeps members in order, and replaces them in place`() {
    var object: JSONObject = ["a": 1, "b": 2, "c": 3]
    object["b"] = "two"
    object["a"] = nil
    object["d"] = [1]
    #expect(object.description == #"{"b":"two","c":3,"d":[1]}"#)
    #expect(object.names == ["b", "c", "d"])
    #expect(object["x"] == nil)
  }

  @Test func `keeps numbers as they are written, and rounds none in secret`() throws {
    func number(_ text: String) throws -> JSONNumber { try #require(JSONValue(parsing: text.utf8).number) }
    #expect(try number("9223372036854775807").integer == .max)
    #expect(try number("9223372036854775808").integer == nil)
    #expect(try number("1.7e9").integer == 1_700_000_000)
    #expect(try number("1.5").integer == nil)
    #expect(try number("1e300").integer == nil)
    #expect(
      try number("9007199254740993.0").integer == nil || number("9007199254740993.0").integer == 9_007_199_254_740_992)
    #expect(try number("123456789012345678901234567890").text == "123456789012345678901234567890")
    #expect(JSONNumber(Double.infinity) == nil)
    #expect(JSONNumber(Double.nan) == nil)
    #expect(try #require(JSONNumber(1e20)).text == "1e+20")
  }

  @Test func `holds to its limits, and to a deepest level that no limit lifts`() throws {
    func refusal(_ text: String, _ limits: JSONLimits) -> AuthError.Code? {
      do throws(AuthError) {
        _ = try typed { try JSONValue(parsing: text.utf8, limits: limits) }
        return nil
      } catch { return error.code }
    }
    #expect(refusal("[[[]]]", JSONLimits(depth: 3)) == nil)
    #expect(refusal("[[[]]]", JSONLimits(depth: 2)) == .jsonTooLarge)
    #expect(refusal("[1,2]", JSONLimits(bytes: 4)) == .jsonTooLarge)
    #expect(refusal(#"{"a":1,"b":2}"#, JSONLimits(members: 1)) == .jsonTooLarge)
    #expect(refusal(#"{"ab":1}"#, JSONLimits(nameBytes: 1)) == .jsonTooLarge)
    let deep = String(repeating: "[", count: 100_000)
    #expect(refusal(deep, JSONLimits(depth: .max)) == .jsonTooLarge)
    let deepest = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
    #expect(refusal(deepest, JSONLimits(depth: .max)) == nil)
  }

  @Test func `says where it is wrong, and never what it holds`() {
    do throws(AuthError) {
      _ = try typed { try JSONValue(parsing: #"{"password":"hunter2" x"#.utf8) }
      Issue.record("the text was read")
    } catch {
      #expect(error.code == .jsonMalformed)
      #expect(error.message.contains("byte 22"))
      #expect(!error.message.contains("hunter2"))
    }
  }

  @Test func `goes through a coder and keeps its values`() throws {
    let text = #"{"a":[1,-2,18446744073709551615,1.5,true,null,"x",{}],"b":{"c":[]}}"#
    let value = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    #expect(value.description == text)
    let again = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value))
    #expect(again == value)
  }
}
