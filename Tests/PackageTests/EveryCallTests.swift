import IdentityToolkit
import Testing

/// The places that must know each call. `Docs/CONTRIBUTING.md` names them.
struct EveryCallTests {
  /// A place, and the text that a call has there.
  private struct Place {
    let name: String
    var text: String
    let isForClientsOnly: Bool
    let patterns: [String]

    /// - Parameter patterns: what a call looks like there, one of them; `#` is the call's name.
    init(_ path: String, named part: String = "", clientsOnly: Bool = false, _ patterns: String...) throws {
      name = path + part
      text = try Repository.sources(in: path).filter { $0.path.contains(part) }.map(\.code).joined(separator: "\n")
      isForClientsOnly = clientsOnly
      self.patterns = patterns
    }

    func knows(_ call: String) -> Bool {
      patterns.contains { text.contains($0.replacing("#", with: call)) }
    }
  }

  private static func places() throws -> [Place] {
    [
      try Place("Sources/Auth/IdentityToolkit/Calls", named: "/EveryCall.swift", " #.self,"),
      try Place("Sources/Provider/GatehouseLocal/Calls", "extension #: LocalCall {"),
      try Place("Sources/Provider/GatehouseServer/Routes", "(#.self", "\n      #.self", " #(", "{ #("),
      try Place(
        "Sources/Testing/GatehouseTesting/Backend", clientsOnly: true,
        "extension #: FakeCall {"),
      try Place("Sources/Testing/GatehouseTesting/Backend", named: "/BackendContract", clientsOnly: true, "#("),
    ]
  }

  private static func forgotten(_ call: String, isAdmin: Bool = false, by places: [Place]) -> [String] {
    places.filter { !(isAdmin && $0.isForClientsOnly) && !$0.knows(call) }.map(\.name)
  }

  /// The names of the types that are calls, as the sources declare them.
  private static func declared() throws -> Set<String> {
    let files = try Repository.sources(in: "Sources/Auth/IdentityToolkit/Calls")
    return Set(files.flatMap { $0.code.matches(of: /struct (\w+): [\w, ]*Call\b/).map { String($0.1) } })
  }

  @Test func `each call that is declared is in the list`() throws {
    let names = EveryCall.types.map { "\($0)" }
    #expect(Set(names) == (try Self.declared()) && names.count == Set(names).count && names.count >= 40)
  }

  @Test func `each place knows each call`() throws {
    let places = try Self.places()
    for type in EveryCall.types {
      #expect(Self.forgotten("\(type)", isAdmin: type is any AdminCall.Type, by: places) == [], "\(type)")
    }
  }

  @Test func `a place that forgets a new call is found`() throws {
    let places = try Self.places()
    #expect(Self.forgotten("ToyCall", by: places) == places.map(\.name))
    for forgetful in places.indices {
      var others = places
      for index in others.indices where index != forgetful {
        others[index].text += others[index].patterns[0].replacing("#", with: "ToyCall")
      }
      #expect(Self.forgotten("ToyCall", by: others) == [places[forgetful].name])
    }
  }
}
