import GatehouseBase
import Testing

/// JSON that people write: each name with its line and column.
struct PlacedObjectTests {
  /// The names with their places, those of inner objects behind a period.
  private func places(_ object: PlacedObject, _ parent: String = "") -> [String] {
    object.members.flatMap { member in
      let name = parent + member.name
      let inner = if case .object(let inner) = member.value { places(inner, name + ".") } else { [String]() }
      return ["\(name) at \(member.place.line):\(member.place.column)"] + inner
    }
  }

  @Test func `each name has its line and column, at any depth`() throws {
    let text = """
      {"a": 1,
        "b": {"c": {
      \t"d": [true], "e\u{E9}\u{1F600}": {}, "f": null},
          "g\\u0041": "x"
        }, "h": "y"}
      """
    let object = try PlacedObject(parsing: Array(text.utf8))
    #expect(
      places(object) == [
        "a at 1:2", "b at 2:3", "b.c at 2:9", "b.c.d at 3:2", "b.c.e\u{E9}\u{1F600} at 3:15", "b.c.f at 3:26",
        "b.gA at 4:5", "h at 5:6",
      ])
    guard case .plain(let value)? = object.members.last?.value else {
      Issue.record("an object was expected to be plain")
      return
    }
    #expect(value == "y")
  }

  @Test(arguments: [
    ("{\n\"a\" 1}", "invalid JSON at line 2, column 5: expected a colon"),
    ("{\"a\": {\"b\":\n 1,\n \"b\": 2}}", "duplicate JSON member name at line 3, column 2"),
    ("{\"a\":\r\n\u{E9}}", "invalid JSON at line 2, column 1: expected a value"),
    ("{", "invalid JSON at line 1, column 2: expected a member name"),
    ("", "invalid JSON at line 1, column 1: expected a value"),
    ("[]", "expected a JSON object"),
  ])
  func `a fault is told with line and column`(text: String, message: String) {
    do throws(AuthError) {
      _ = try PlacedObject(parsing: Array(text.utf8))
      Issue.record("accepted")
    } catch {
      #expect(error.message == message)
    }
  }

  @Test func `a place counts scalars, and ends with the text`() {
    let text = Array("\u{E9}\u{1F600}x\n\n".utf8)
    #expect(TextPlace(of: 6, in: text) == TextPlace(line: 1, column: 3))
    #expect(TextPlace(of: 8, in: text) == TextPlace(line: 2, column: 1))
    #expect(TextPlace(of: 100, in: text) == TextPlace(line: 3, column: 1))
    #expect(TextPlace(of: -1, in: text) == TextPlace(line: 1, column: 1))
  }
}
