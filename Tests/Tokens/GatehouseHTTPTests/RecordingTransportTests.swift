import GatehouseBase
import GatehouseHTTP
import GatehouseTesting
import HangGuard
import Testing

@Suite(.endsIfItHangs) struct RecordingTransportTests {
  @Test(arguments: HTTPTransportContract.all)
  func `it keeps the contract`(_ check: HTTPTransportContract.Check) async throws {
    try await check.run { Self.stage { $0 } }
  }

  // MARK: The suite can fail

  @Test(arguments: BrokenTransport.Flaw.allCases)
  func `every broken transport is noticed`(_ flaw: BrokenTransport.Flaw) async {
    #expect(await !Self.violations(flaw).isEmpty)
  }

  @Test func `every check notices a broken transport`() async {
    var noticed: Set<String> = []
    for flaw in BrokenTransport.Flaw.allCases { noticed.formUnion(await Self.violations(flaw)) }
    let names = HTTPTransportContract.all.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(Set(names).subtracting(noticed) == [])
  }

  @Test func `the transport that the broken ones are made from is not broken`() async {
    #expect(await Self.violations(nil) == [])
  }

  private static func violations(_ flaw: BrokenTransport.Flaw?) async -> [String] {
    var names: [String] = []
    for check in HTTPTransportContract.all {
      do { try await check.run { stage { BrokenTransport(flaw: flaw, inner: $0) } } } catch { names.append(check.name) }
    }
    return names
  }

  private static func stage(_ make: (RecordingTransport) -> any HTTPTransport) -> HTTPTransportContract.Stage {
    let clocks = ManualClocks()
    let transport = RecordingTransport(clocks: clocks)
    func serve(_ origin: String) -> @Sendable (String, HTTPTransportContract.Behavior) -> String {
      { path, behavior in
        switch behavior {
        case .answers(let status, let headers, let body):
          transport.answer(origin + path, .status(status, headers: headers, body: body))
        case .isSilent: transport.answer(origin + path, .silence)
        }
        return origin + path
      }
    }
    return .init(
      transport: make(transport), clocks: clocks, serve: serve("https://one.example.org"),
      serveElsewhere: serve("https://two.example.org"), received: { transport.requests },
      vacantURL: "https://three.example.org/")
  }

  @Test func `it gives the answers of its script in order, and the last one again and again`() async throws {
    let transport = RecordingTransport()
    transport.answer("https://a.example/", .status(200), .failure(AuthError(.networkError, "gone")), .status(503))
    let request = TransportRequest(.get, "https://a.example/")
    #expect(try await transport.send(request).status == 200)
    await #expect(throws: AuthError.self) { try await transport.send(request) }
    for _ in 0..<3 { #expect(try await transport.send(request).status == 503) }
    #expect(transport.requests.count == 5)
  }

  @Test func `it keeps answers back until they are released`() async throws {
    let transport = RecordingTransport(clocks: ManualClocks())
    transport.answer("https://a.example/", .status(200))
    transport.hold()
    let waiter = Task { try await transport.send(TransportRequest(.get, "https://a.example/")).status }
    await transport.waitForRequest()
    transport.answer("https://a.example/", .status(201))
    transport.release()
    #expect(try await waiter.value == 201)
  }
}
