import GatehouseBase
import GatehouseLocal
import Testing

/// Files of accounts are split into rows, a piece at a time.
struct FileRowsTests {
  private static let json = #"""
    {"kind": "x]{", "other": [1, {"users": [2]}], "users": [
      {"localId": "a", "displayName": "\"}, {\\", "n": [{}]},
      {"localId":"b"} , 17,
      {
        "localId": "é", "customAttributes": "{\"x\":\"]\"}"
      }
    ], "users2": [3]}
    """#

  @Test func `a JSON file is split alike, however its pieces fall`() throws {
    let whole = try Self.rows(Self.json, .json, chunk: 1 << 16)
    #expect(whole.map(\.number) == [1, 2, 3, 4] && whole.allSatisfy { $0.fault == nil })
    #expect(whole.map(\.text)[1...2] == [#"{"localId":"b"}"#, "17"])
    for row in [whole[0], whole[3]] { _ = try JSONObject(parsing: row.bytes) }
    for chunk in 1...64 { #expect(try Self.rows(Self.json, .json, chunk: chunk) == whole, "\(chunk)") }
  }

  @Test func `a CSV file is split alike, however its pieces fall`() throws {
    let csv = "\u{FEFF}a,\"x, \"\"y\"\"\nz\",b\r\n\r\nb,\"\"\nc,plain \"quotes\",\"\"\"\"\n\"d\""
    let whole = try Self.rows(csv, .csv, chunk: 1 << 16)
    #expect(
      whole.map(\.text) == ["a,\"x, \"\"y\"\"\nz\",b", "b,\"\"", "c,plain \"quotes\",\"\"\"\"", "\"d\""], "\(whole)")
    for chunk in 1...40 { #expect(try Self.rows(csv, .csv, chunk: chunk) == whole, "\(chunk)") }
  }

  @Test(arguments: [
    #"{"localId":"a","displayName":"Foo"Bar"}"#, #"{"localId":"a","providerUserInfo":[}"#, #"{"localId":"a","x":"y}"#,
    #"{"localId":"a"}}"#, #"{"localId":"a"} 5"#,
  ])
  func `an element without an end costs no other`(odd: String) throws {
    let rows = try Self.rows(#"{"users":[{"localId":"z"},\#(odd),{"localId":"b"},{ "localId":"c"}]}"#, .json, chunk: 7)
    let good = rows.filter { $0.fault == nil }.map(\.text)
    #expect(good == [#"{"localId":"z"}"#, #"{"localId":"b"}"#, #"{ "localId":"c"}"#], "\(rows.map(\.text))")
    #expect(rows.count == 4 && rows[1].fault != nil && rows[1].text == odd, "\(rows.map(\.text))")
  }

  @Test func `two elements that lack a quote cost none between them`() throws {
    let odd = #"{"localId":"a","displayName":"Foo"Bar"}"#
    let rows = try Self.rows(#"[\#(odd),{"localId":"b"},\#(odd),{"localId":"c"}]"#, .json, chunk: 11)
    #expect(rows.map { $0.fault == nil } == [false, true, false, true], "\(rows.map(\.text))")
  }

  @Test func `a long element without an end costs no other, and little memory`() throws {
    let odd = #"{"localId":"a","displayName":""#
    let others = (0..<20_000).map { #"{"localId":"u\#($0)","email":"user\#($0)@example.com"}"# }
    let rows = try Self.rows(#"{"users":[\#(odd),\#(others.joined(separator: ","))]}"#, .json, chunk: 1 << 14)
    #expect(rows.count == 20_001 && rows.filter { $0.fault != nil }.map(\.number) == [1])
  }

  @Test func `a quote that is not closed costs its row`() throws {
    let rows = try Self.rows("a,\"open,x\nb,1\nc,2", .csv, chunk: 5)
    #expect(rows.map(\.text) == ["a,\"open,x", "b,1", "c,2"] && rows.map { $0.fault == nil } == [false, true, true])
    let many = (0..<20_000).map { "u\($0),user\($0)@example.com" }.joined(separator: "\n")
    let long = try Self.rows("a,\"open\n" + many, .csv, chunk: 1 << 14)
    #expect(long.count == 20_001 && long.filter { $0.fault != nil }.map(\.number) == [1])
  }

  @Test(arguments: [
    (#"{"users":[{"localId":"a"},{"localId":"b","em"#, 2), (#"{"users":[{"localId":"a"}"#, 2),
    (#"{"users":[{"localId":"a"},"#, 2), (#"{"users":["#, 1),
  ])
  func `a file that ends too early says so in its last row`(text: String, count: Int) throws {
    let rows = try Self.rows(text, .json, chunk: 3)
    #expect(rows.count == count && rows.last?.fault?.contains("file ends") == true, "\(rows)")
    #expect(rows.dropLast().allSatisfy { $0.fault == nil && $0.text == #"{"localId":"a"}"# })
  }

  @Test(arguments: [
    (#"{"users":[{"localId":"a"}]} {"users":[]}"#, "text follows"), (#"[{"localId":"a"}] x"#, "text follows"),
    (#"{"users":[{"localId":"a"}],"users":[{"localId":"b"}]}"#, "second list"),
    (#"{"users":[{"localId":"a"}],"kind":"x""#, "file ends"), (#"{"users":[{"localId":"a"}] 5}"#, "no member"),
  ])
  func `what follows the list is no silent loss`(text: String, fault: String) throws {
    for chunk in [2, 5, 1 << 12] {
      let rows = try Self.rows(text, .json, chunk: chunk)
      #expect(rows.map { $0.fault == nil } == [true, false], "\(rows)")
      #expect(rows.last?.fault?.contains(fault) == true, "\(rows)")
    }
  }

  private static let columnsAfterName = String(repeating: ",", count: 22)
  private static func row(_ uid: String, _ name: String) -> String {
    "\(uid),\(uid)@example.com,false,h,s,\(name)\(columnsAfterName)"
  }

  @Test func `a row with a quote too many is found, and a name may go on over lines`() throws {
    let text = [
      Self.row("a", "\"x"), Self.row("b", "\"y\" z\""), Self.row("c", "\"one, a, b, c, d, e\ntwo\""),
      Self.row("d", "z"),
    ]
    for chunk in [7, 1 << 12] {
      let rows = try Self.rows(text.joined(separator: "\n") + "\n", .csv, chunk: chunk)
      #expect(rows.map(\.text) == text && rows.map { $0.fault == nil } == [false, true, true, true], "\(rows)")
    }
  }

  /// The user of an account chooses its name.
  @Test(arguments: [
    row("a", "\"x\n\(row("evil", "y"))\nz\""), row("a", "\"x\n\(row("evil", "\"\"y\"\""))\""),
    "\(row("a", "\"x"))\n\(row("b", "y\""))",  // two quotes are missing
  ])
  func `no line of a name is an account`(odd: String) throws {
    for chunk in [7, 1 << 12] {
      let text = [Self.row("z", "z"), odd, Self.row("c", "c")]
      let rows = try Self.rows(text.joined(separator: "\n"), .csv, chunk: chunk)
      #expect(rows.map(\.text) == text, "\(rows.map(\.text))")
      #expect(rows.map { $0.fault == nil } == [true, false, true])
    }
  }

  @Test func `a row that is JSON ends where JSON says`() throws {
    let nested = #"{"localId":"a","manager":{"localId":"evil","email":"e@example.com"}}"#
    let inner = Array(repeating: #"{"localId":"evil"}"#, count: 5000).joined(separator: ",")
    let long = #"{"localId":"b","junk":[\#(inner)]}"#
    for chunk in [1 << 12, 1 << 18] {
      let rows = try Self.rows(#"{"users":[\#(nested),\#(long),{"localId":"c"}]}"#, .json, chunk: chunk)
      #expect(rows.map(\.text) == [nested, long, #"{"localId":"c"}"#] && rows.allSatisfy { $0.fault == nil })
    }
  }

  @Test func `a row that is far too long is one row`() throws {
    let long = #"{"localId":"b","displayName":"\#(String(repeating: "x", count: 2 << 20))"}"#
    for chunk in [1 << 14, 1 << 18] {
      let rows = try Self.rows(#"{"users":[{"localId":"a"},\#(long),{"localId":"c"}]}"#, .json, chunk: chunk)
      #expect(rows.map(\.number) == [1, 2, 3] && rows.map { $0.fault == nil } == [true, false, true])
      #expect(rows[1].fault?.contains("longer than 256 KiB") == true && rows.last?.text == #"{"localId":"c"}"#)
    }
  }

  @Test(arguments: ["", "  ", "17", #"{"user":[]}"#, #"{"users":{}}"#, #"{"users" []}"#, "{", #"{"users""#])
  func `a file of another form is refused as a whole`(text: String) throws {
    #expect(throws: AuthError.self) { try Self.rows(text, .json, chunk: 4) }
  }

  @Test(arguments: [#"{"users": [{}]}"#, "\u{FEFF}{\n  \"users\": []}", "[\n  {\"localId\": \"a\"}\n]"])
  func `JSON that is read as CSV is refused as a whole`(text: String) throws {
    let error = #expect(throws: AuthError.self) { try Self.rows(text, .csv, chunk: 1 << 12) }
    #expect(error?.message.contains("is JSON") == true)
  }

  @Test(arguments: [UserFileFormat.json, .csv], [[0xFF, 0xFE], [0xFE, 0xFF] as [UInt8]])
  func `a file in UTF-16 is named`(format: UserFileFormat, mark: [UInt8]) throws {
    var rows = UserFileRows(format, chunk: 64) { (offset, count) throws(AuthError) in
      Array((mark + [0, 0x7B]).dropFirst(Int(offset)).prefix(count))
    }
    var failure: AuthError?
    do throws(AuthError) { _ = try rows.next() } catch { failure = error }
    #expect(failure?.code == .jsonMalformed && failure?.message.contains("UTF-16") == true)
  }

  private static func rows(_ text: String, _ format: UserFileFormat, chunk: Int) throws -> [FileRow] {
    let bytes = Array(text.utf8)
    var rows = UserFileRows(format, chunk: chunk) { (offset, count) throws(AuthError) in
      Array(bytes.dropFirst(Int(offset)).prefix(count))
    }
    var all: [FileRow] = []
    while let row = try rows.next() { all.append(row) }
    return all
  }
}

extension FileRow {
  fileprivate var text: String { String(decoding: bytes, as: UTF8.self) }
}
