import Foundation
import GatehouseBase
import Testing

struct JSONEncodingTests {
  private struct Inner: Codable, Equatable {
    var flag = true
    var none: Int?
  }

  private struct Outer: Codable, Equatable {
    var z = "é\n"
    var a: Int64 = .min
    var u: UInt64 = .max
    var half = 0.5
    var inner = Inner()
    var list = [Inner(flag: false), Inner(none: 3)]
    var words = ["b": ["c", "d"]]
    var secret = Secret("s")
    var json: JSONObject = ["2": [1], "1": .null]
  }

  @Test func `members come in the order in which they are encoded, and nil is left out`() throws {
    let text = """
      {"z":"é\\n","a":-9223372036854775808,"u":18446744073709551615,"half":0.5,"inner":{"flag":true},\
      "list":[{"flag":false},{"flag":true,"none":3}],"words":{"b":["c","d"]},"secret":"s","json":{"2":[1],"1":null}}
      """
    #expect(try JSONObject(encoding: Outer()).description == text)
  }

  @Test func `a value reads back from what another decoder makes of it`() throws {
    let bytes = try JSONValue(encoding: Outer()).serialized()
    var read = try JSONDecoder().decode(Outer.self, from: Data(bytes))
    read.json = Outer().json  // that decoder loses the order of members
    #expect(read == Outer())
  }

  /// Writes itself by every kind of container, in two goes.
  private struct ByHand: Encodable {
    private enum Key: String, CodingKey { case list, object, deep }

    func encode(to encoder: any Encoder) throws {
      var members = encoder.container(keyedBy: Key.self)
      var list = members.nestedUnkeyedContainer(forKey: .list)
      try list.encode(1)
      var object = list.nestedContainer(keyedBy: Key.self)
      try list.encodeNil()
      try object.encode("late", forKey: .deep)
      var inner = list.nestedUnkeyedContainer()
      try inner.encode(true)
      #expect(list.count == 4)
      var again = encoder.container(keyedBy: Key.self)
      try again.encodeNil(forKey: .object)
      try Inner().encode(to: again.superEncoder(forKey: .deep))
      try 7.encode(to: again.superEncoder())
      try 8.encode(to: list.superEncoder())
    }
  }

  @Test func `containers within one another are written, in whichever order they are filled`() throws {
    let text = #"{"list":[1,{"deep":"late"},null,[true],8],"object":null,"deep":{"flag":true},"super":7}"#
    #expect(try JSONValue(encoding: ByHand()).description == text)
  }

  @Test(arguments: [Double.nan, .infinity]) func `what JSON cannot write is refused`(number: Double) {
    #expect(throws: EncodingError.self) { try JSONValue(encoding: ["a": number]) }
  }

  @Test func `what is no object is refused where one must be`() throws {
    #expect(throws: EncodingError.self) { try JSONObject(encoding: [1]) }
    #expect(try JSONValue(encoding: "text") == "text")
  }
}
