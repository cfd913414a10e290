import Testing

/// The folders of one module, and which folder names types of which.
struct Rooms {
  struct Edge: Hashable, CustomStringConvertible {
    let from: String
    let to: String

    var description: String { "\(from) → \(to)" }
  }

  /// The types, and the members of extensions, that make each edge.
  private(set) var edges: [Edge: Set<String>] = [:]

  /// - Parameters:
  ///   - files: the sources of one module. The files at its top are one folder more, without a name.
  ///   - elsewhere: the names that other modules declare. A member with such a name may be theirs.
  init(_ files: [SourceFile], elsewhere: Set<String> = []) {
    let rooms = Dictionary(grouping: files, by: \.room)
    let declared = rooms.mapValues { $0.reduce(into: Set<String>()) { $0.formUnion($1.topLevelTypes) } }
    let types = declared.values.reduce(into: Set<String>()) { $0.formUnion($1) }
    let names = rooms.mapValues { $0.reduce(into: Set<String>()) { $0.formUnion($1.declaredNames) } }
    let used = rooms.mapValues { $0.reduce(into: Set<String>()) { $0.formUnion($1.usedMembers) } }
    for (owner, files) in rooms {
      // The members of extensions of another folder's types: a call of one names no type of this folder.
      let members = files.flatMap(\.extensionMembers).filter { member in
        types.contains(member.type) && declared[owner]?.contains(member.type) == false
          && !elsewhere.contains(member.name) && names.allSatisfy { $0.key == owner || !$0.value.contains(member.name) }
      }
      for (room, used) in used where room != owner {
        for member in members where used.contains(member.name) {
          edges[Edge(from: room, to: owner), default: []].insert("\(member.type).\(member.name)")
        }
      }
    }
    for (room, files) in rooms {
      let words = files.reduce(into: Set<String>()) { $0.formUnion($1.unqualifiedWords) }
      for (other, types) in declared where other != room {
        // A name that the folder declares too is its own.
        let named = types.intersection(words).subtracting(declared[room] ?? [])
        if !named.isEmpty { edges[Edge(from: room, to: other), default: []].formUnion(named) }
      }
    }
  }

  /// The folders that can be reached from a folder.
  private func reach(of room: String) -> Set<String> {
    var found: Set<String> = []
    var open = [room]
    while let next = open.popLast() {
      for edge in edges.keys where edge.from == next && found.insert(edge.to).inserted { open.append(edge.to) }
    }
    return found
  }

  /// The edges that are part of a cycle, with the types that make them.
  var cycles: [String] {
    edges.filter { reach(of: $0.key.to).contains($0.key.from) }
      .map { "\($0.key) by \($0.value.sorted().joined(separator: ", "))" }.sorted()
  }
}

extension SourceFile {
  /// The types that the file declares outside any other type.
  var topLevelTypes: Set<String> {
    let pattern =
      /^(?:@\w+(?:\([^)\n]*\))?\s+)*(?:(?:public|package|internal|final|indirect|nonisolated)\s+)*(?:struct|class|enum|protocol|actor|typealias)\s+(\w+)/
    return Set(code.matches(of: pattern.anchorsMatchLineEndings()).map { String($0.1) })
  }

  /// The names that the file declares: types aside, and wherever they are.
  var declaredNames: Set<String> {
    Set(code.matches(of: /\b(?:func|var|let|case)\s+`?(\w+)/).map { String($0.1) })
  }

  /// The members that other files can use: words after a period, and calls.
  var usedMembers: Set<String> {
    Set(code.matches(of: /\.(\w+)/).map { String($0.1) })
      .union(code.matches(of: /(?:^|[^.\w`])([a-z]\w*)\(/.anchorsMatchLineEndings()).map { String($0.1) })
  }

  /// The members of the file's extensions that other folders can use, with the extended type. Public members are not
  /// among them: they are the module's surface, which its folders share.
  var extensionMembers: [(type: String, name: String)] {
    var members: [(type: String, name: String)] = []
    var type: String?
    for line in code.split(separator: "\n") {
      if let match = line.prefixMatch(of: /(?:package )?extension (\w+)[^{]*\{(?<end>\}?)/) {
        type = match.end.isEmpty ? String(match.1) : nil
      } else if line == "}" {
        type = nil
      } else if let type, line.hasPrefix("  "), line.dropFirst(2).first.map({ $0 != " " && $0 != "/" }) == true,
        let match = line.firstMatch(of: /^  ((?:[\w@()]+ )*?)(?:func|var|let|case) `?(\w+)/),
        !match.1.contains("private "), !match.1.contains("fileprivate "), !match.1.contains("public ")
      {
        members.append((type, String(match.2)))
      }
    }
    return members
  }

  /// The words of the code that follow no period: a member called as a type is not the type.
  var unqualifiedWords: Set<String> {
    Set(code.matches(of: /(?<before>\.?)\b(?<word>[A-Z]\w*)/).filter { $0.before.isEmpty }.map { String($0.word) })
  }
}

struct RoomsTests {
  @Test func `no module has a cycle between its folders`() throws {
    let modules = Dictionary(grouping: try Repository.sources(in: "Sources"), by: \.module)
    #expect(modules.count > 10)
    let names = modules.mapValues { $0.reduce(into: Set<String>()) { $0.formUnion($1.declaredNames) } }
    for (module, files) in modules {
      let elsewhere = names.reduce(into: Set<String>()) { if $1.key != module { $0.formUnion($1.value) } }
      #expect(Rooms(files, elsewhere: elsewhere).cycles == [], "\(module)")
    }
  }

  @Test func `a member of an extension makes an edge, unless another declaration may be meant`() {
    let files = [
      SourceFile(path: "Sources/Wing/M/A/One.swift", text: "struct One {\n  func go() { turn(); x.stop() }\n}"),
      SourceFile(
        path: "Sources/Wing/M/B/More.swift",
        text: "extension One {\n  static func turn() {}\n  private func go() {}\n  var stop: Int { 1 }\n}\nlet one: One"
      ),
    ]
    #expect(Rooms(files).cycles == ["A → B by One.stop, One.turn", "B → A by One"])
    #expect(Rooms(files, elsewhere: ["turn"]).cycles == ["A → B by One.stop", "B → A by One"])
    #expect(Rooms(files, elsewhere: ["turn", "stop"]).cycles == [])
  }

  @Test func `a cycle is found, over any number of folders`() {
    let rooms = Rooms([
      SourceFile(path: "Sources/Wing/M/A/One.swift", text: "struct One { let two: Two }"),
      SourceFile(path: "Sources/Wing/M/B/Two.swift", text: "public final class Two: Three {}"),
      SourceFile(path: "Sources/Wing/M/Three.swift", text: "@MainActor\nprotocol Three {}\nextension One {}"),
      SourceFile(path: "Sources/Wing/M/C/Four.swift", text: "enum Four { static let one: One? = nil }"),
    ])
    #expect(rooms.cycles == [" → A by One", "A → B by Two", "B →  by Three"])
  }

  @Test func `comments, members and own names make no edge`() {
    let rooms = Rooms([
      SourceFile(path: "Sources/Wing/M/A/One.swift", text: "struct One {}\nstruct Both {}\n// Two\nlet x = y.Two"),
      SourceFile(path: "Sources/Wing/M/B/Two.swift", text: "struct Two { let one: One; let both: Both }\nenum Both {}"),
    ])
    #expect(rooms.cycles == [])
    #expect(rooms.edges == [Rooms.Edge(from: "B", to: "A"): ["One"]])
  }

  @Test func `a source file has between 50 and 130 lines in the middle, and 400 at most`() throws {
    let lines = try Repository.sources(in: "Sources").map {
      ($0.path, $0.text.split(separator: "\n", omittingEmptySubsequences: false).count - 1)
    }
    #expect(lines.filter { $0.1 > 400 }.map(\.0) == [])
    let median = lines.map(\.1).sorted()[lines.count / 2]
    #expect((50...130).contains(median), "\(median)")
  }
}
