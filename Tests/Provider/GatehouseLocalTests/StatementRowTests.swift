import GRDB
import GatehouseBase
import Testing

@testable import GatehouseLocal

@Suite struct StatementRowTests {
  /// Another program may have written to the file, and GRDB's own rows would end the process here.
  @Test func `a column of another type is refused`() throws {
    try DatabaseQueue().read { db in
      let columns = "SELECT 'text', 7, NULL, x'0102', 1.5"
      let reads: [(String, (StatementRow) throws -> Void)] = [
        ("a text for an integer", { _ = try $0.integer(0) }), ("an integer for a text", { _ = try $0.text(1) }),
        ("null for a text", { _ = try $0.text(2) }), ("null for an integer", { _ = try $0.integer(2) }),
        ("bytes for a text", { _ = try $0.text(3) }), ("a text for bytes", { _ = try $0.bytes(0) }),
        ("a text for a flag", { _ = try $0.flag(0) }), ("a fraction for an integer", { _ = try $0.integer(4) }),
        ("an integer for an optional text", { let _: String? = try $0[1] }),
        ("a text for an optional integer", { let _: Int64? = try $0[0] }),
      ]
      for (name, read) in reads {
        #expect("\(name)") { try db.row(columns, [], read) } throws: { ($0 as? AuthError)?.code == .providerDamaged }
      }
    }
  }

  @Test func `columns are read by their index, and null is no value`() throws {
    try DatabaseQueue().read { db in
      let read = try db.row("SELECT 'text', 7, NULL, x'0102', ?", ["é"]) { row in
        let null: String?, none: Int64?
        (null, none) = (try row[2], try row[2])
        #expect(null == nil && none == nil)
        return (try row.text(0), try row.integer(1), try row.flag(1), try row.bytes(3), try row.text(4))
      }
      let row = try #require(read)
      #expect(row == ("text", 7, true, [1, 2], "é"))
      #expect(try db.row("SELECT 1 WHERE 0", []) { try $0.integer(0) } == nil)
    }
  }
}
