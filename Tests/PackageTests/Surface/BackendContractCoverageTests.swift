import Testing

/// The contract of `Backend`, which other implementations run as tests.
struct BackendContractCoverageTests {
  @Test func `the contract asks every call of a client`() throws {
    let calls = try Repository.sources(in: "Sources/Auth/IdentityToolkit/Calls").flatMap { file in
      file.path.contains("/Admin/") ? [] : Self.calls(in: file.text)
    }
    #expect(calls.count > 20 && calls.contains("StartMfaSignIn"))
    let contract = try Repository.sources(in: "Sources/Testing/GatehouseTesting/Backend")
      .filter { $0.path.contains("BackendContract") }.map(\.text).joined()
    for call in calls { #expect(contract.contains("\(call)("), "no check of the contract makes a \(call)") }
  }

  /// Returns the names of a file's types that are calls.
  private static func calls(in text: String) -> [String] {
    text.matches(of: /public struct (\w+): [\w, ]*Call\b/).map { String($0.1) }
  }
}
