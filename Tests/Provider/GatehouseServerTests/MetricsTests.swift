import CoreMetrics
import GatehouseServer
import GatehouseTesting
import HangGuard
import InMemoryTracing
import TestSupport
import Testing
import Tracing

struct MetricsTests {
  private let metrics = PrometheusMetrics()

  private func scene(_ clock: any Clocks = ManualClocks()) -> ServerScene {
    ServerScene(options: { options in
      options.metrics = metrics
      options.clocks = clock
    })
  }

  @Test func `figures are shown only where they are asked for`() async {
    #expect(await ServerScene().get("/metrics").status == 404)
    let shown = await scene().get("/metrics")
    #expect(shown.status == 200)
    #expect(shown.response.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
  }

  @Test func `figures may have an address of their own, which clients do not reach`() async {
    let scene = ServerScene(options: { options in
      options.metrics = metrics
      options.showsMetrics = false
    })
    #expect(await scene.get("/metrics").status == 404)
    let shown = await metrics.answer(ServerRequest("GET", "/metrics"))
    #expect(shown.status == 200)
    #expect(String(decoding: shown.body, as: UTF8.self).contains(#"route="none",status="404"} 1.0"#))
    #expect(await metrics.answer(ServerRequest("GET", "/v1/projects?key=k")).status == 404)
    #expect(await metrics.answer(ServerRequest("POST", "/metrics")).status == 405)
  }

  @Test func `answers are counted by route and status, and refusals by their words`() async {
    let scene = scene()
    for _ in 1...2 { _ = await scene.signUp() }
    _ = await scene.get("/v1/projects/secret-name/accounts")
    _ = await scene.get("/nothing/secret-path")
    _ = await scene.send(ServerRequest("SECRET-METHOD", "/healthz"))
    let text = metrics.text()
    for line in [
      "# TYPE gatehouse_http_requests_total counter",
      #"gatehouse_http_requests_total{method="POST",route="/v1/accounts:signUp",status="200"} 1.0"#,
      #"gatehouse_http_requests_total{method="POST",route="/v1/accounts:signUp",status="400"} 1.0"#,
      #"gatehouse_http_requests_total{method="GET",route="none",status="404"} 1.0"#,
      #"gatehouse_http_requests_total{method="OTHER",route="none",status="405"} 1.0"#,
      #"gatehouse_refusals_total{reason="EMAIL_EXISTS"} 1.0"#,
      #"gatehouse_http_request_duration_seconds_count{method="POST",route="/v1/accounts:signUp"} 2"#,
    ] { #expect(text.split(separator: "\n").contains(Substring(line)), "\(line) is not in\n\(text)") }
    #expect(!text.lowercased().contains("secret"))
  }

  @Test func `a histogram has every bound, the sum and the count`() {
    let timer = metrics.makeTimer(label: "t", dimensions: [])
    timer.recordNanoseconds(3_000_000)
    timer.recordNanoseconds(5_000_000)
    timer.recordNanoseconds(60_000_000_000)
    let lines = metrics.text().split(separator: "\n")
    #expect(lines.first == "# TYPE t histogram")
    for line in [
      #"t_bucket{le="0.0025"} 0"#, #"t_bucket{le="0.005"} 2"#, #"t_bucket{le="10.0"} 2"#, #"t_bucket{le="+Inf"} 3"#,
      "t_sum 60.008", "t_count 3",
    ] { #expect(lines.contains(Substring(line)), "\(line) is not in \(lines)") }
  }

  @Test func `names and labels cannot break the format`() {
    metrics.makeCounter(label: "9 bad-name", dimensions: [("a b", "x\"y\\z\nw")]).increment(by: 2)
    #expect(metrics.text() == "# TYPE _9_bad_name counter\n_9_bad_name{a_b=\"x\\\"y\\\\z\\nw\"} 2.0\n")
  }

  @Test func `a name has one kind, and the number of series is bounded`() {
    metrics.makeMeter(label: "m", dimensions: []).set(Int64(5))
    metrics.makeCounter(label: "m", dimensions: []).increment(by: 1)
    metrics.makeCounter(label: "m", dimensions: [("a", "b")]).increment(by: 1)
    #expect(metrics.text() == "# TYPE m gauge\nm 5.0\n")
    for number in 0...PrometheusMetrics.maximumSeries {
      metrics.makeCounter(label: "c", dimensions: [("n", "\(number)")]).increment(by: 1)
    }
    #expect(metrics.text().split(separator: "\n").count { $0.hasPrefix("c{") } == PrometheusMetrics.maximumSeries - 1)
  }

  @Test(.endsIfItHangs) func `connections that are open are counted`() async throws {
    let server = HTTPServer(scene().server, metrics: metrics)
    let address = try await server.start()
    let connection = try await onThread {
      let connection = try Connection(to: address)
      connection.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
      return connection
    }
    let text = try await onThread { connection.read(until: "gatehouse_http_connections 1.0\n") }
    #expect(text != nil)
    try await server.stop()
  }

  @Test func `a span is named after its route, and belongs to the client's`() async throws {
    let tracer = InMemoryTracer()
    let scene = ServerScene(options: { $0.tracer = tracer })
    let trace: TransportHeaders = [
      InMemoryTracer.traceIDKey: "client-trace", InMemoryTracer.spanIDKey: "client-span",
    ]
    _ = await scene.post("/v1/accounts:signUp", #"{"email":"ada@example.com","password":"x"}"#, headers: trace)
    _ = await scene.get("/nothing/here")
    let spans = tracer.popFinishedSpans()
    #expect(spans.map(\.operationName) == ["POST /v1/accounts:signUp", "GET"])
    let span = try #require(spans.first)
    #expect(span.kind == .server && span.context.inMemorySpanContext?.traceID == "client-trace")
    #expect(span.context.inMemorySpanContext?.parentSpanID == "client-span")
    #expect(span.attributes.get("http.route") == .string("/v1/accounts:signUp"))
    #expect(span.attributes.get("http.response.status_code") == .int64(400))
    #expect(!"\(spans)".contains("ada@example.com"))
  }
}
