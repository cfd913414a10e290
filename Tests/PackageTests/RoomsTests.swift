import Testing

/// The folders of one module, and which folder names types of which.
struct Rooms {
  struct Edge: Hashable, CustomStringConvertible {
    let from: String
    let to: String

    var description: String { "\(from) → \(to)" }
  }

  /// The types that make each edge.
  private(set) var edges: [Edge: Set<String>] = [:]

  /// - Parameter files: the sources of one module. The files at its top are one folder more, without a name.
  init(_ files: [SourceFile]) {
    let rooms = Dictionary(grouping: files, by: \.room)
    let declared = rooms.mapValues { $0.reduce(into: Set<String>()) { $0.formUnion($1.topLevelTypes) } }
    for (room, files) in rooms {
      let words = files.reduce(into: Set<String>()) { $0.formUnion($1.unqualifiedWords) }
      for (other, types) in declared where other != room {
        // A name that the folder declares too is its own.
        let named = types.intersection(words).subtracting(declared[room] ?? [])
        if !named.isEmpty { edges[Edge(from: room, to: other)] = named }
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

  /// The words of the code that follow no period: a member called as a type is not the type.
  var unqualifiedWords: Set<String> {
    Set(code.matches(of: /(?<before>\.?)\b(?<word>[A-Z]\w*)/).filter { $0.before.isEmpty }.map { String($0.word) })
  }
}

struct RoomsTests {
  @Test func `no module has a cycle between its folders`() throws {
    let modules = Dictionary(grouping: try Repository.sources(in: "Sources"), by: \.module)
    #expect(modules.count > 10)
    for (module, files) in modules { #expect(Rooms(files).cycles == [], "\(module)") }
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
