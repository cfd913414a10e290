import Testing

struct SourceFileTests {
  @Test(arguments: [
    ("let a = 1 // unsafe", "let a = 1 "),
    ("a /* b /* c */ d */ e", "a  e"),
    (#"let url = "https://x" // y"#, #"let url = "https://x" "#),
    (##"let raw = #"a "// b"# // c"##, ##"let raw = #"a "// b"# "##),
    (#"f("\(g("http://x", (1)))") // y"#, #"f("\(g("http://x", (1)))") "#),
    (
      "let text = \"\"\"\n  // a \"quoted\" line\n  \"\"\" // b", "let text = \"\"\"\n  // a \"quoted\" line\n  \"\"\" "
    ),
    (#"let quote = "\"" // c"#, #"let quote = "\"" "#),
  ])
  func `comments are blanked and strings are not`(text: String, code: String) {
    let blanked = SourceFile(path: "", text: text).code
    #expect(blanked.utf8.count == text.utf8.count)
    #expect(blanked.split(separator: " ") == code.split(separator: " "))
  }

  @Test func `every form of import is read`() {
    let file = SourceFile(
      path: "",
      text: """
        import A
        public import B
        @_exported public import C; import D
        @testable import struct E.F
        @_spi(Testing) package import G
          import H
        // import No1
        /* import No2 */ let important = "import"
        """)
    #expect(file.imports == ["A", "B", "C", "D", "E", "G", "H"])
  }

  @Test func `the package's sources are found`() throws {
    let modules = Set(try Repository.sources(in: "Sources").map(\.module))
    #expect(modules.isSuperset(of: ["GatehouseBase", "GatehouseQueues", "GatehouseCore", "Gatehouse", "gate"]))
  }
}
