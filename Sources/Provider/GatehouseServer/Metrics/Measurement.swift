import CoreMetrics
import GatehouseHTTP
import Tracing

/// Measures a server's answers. Labels are routes, methods that there are, and words of our own: nothing that a client
/// may choose becomes one, so that their number is bounded.
struct Measurement: Sendable {
  private let factory: any MetricsFactory
  private let methods: Set<String>

  init(_ factory: any MetricsFactory, methods: Set<String>) {
    self.factory = factory
    self.methods = methods
  }

  /// Counts an answer, and how long it took.
  ///
  /// - Parameters:
  ///   - method: the request's method.
  ///   - route: the route's pattern; `nil` for a request that found none.
  ///   - response: the answer.
  ///   - refusal: the word of the refusal, if it is one.
  ///   - seconds: how long it took.
  func count(_ method: String, _ route: String?, _ response: ServerResponse, refusal: String?, seconds: Double) {
    let place = [("method", methods.contains(method) ? method : "OTHER"), ("route", route ?? "none")]
    Counter(
      label: "gatehouse_http_requests_total", dimensions: place + [("status", String(response.status))],
      factory: factory
    ).increment()
    Recorder(label: "gatehouse_http_request_duration_seconds", dimensions: place, aggregate: true, factory: factory)
      .record(seconds)
    guard let refusal else { return }
    Counter(label: "gatehouse_refusals_total", dimensions: [("reason", refusal)], factory: factory).increment()
  }
}

extension Measurement {
  /// Names the span of a request, as OpenTelemetry's conventions for servers do.
  func name(_ span: any Span, _ method: String, _ route: String?, status: Int) {
    let method = methods.contains(method) ? method : "OTHER"
    span.operationName = route.map { "\(method) \($0)" } ?? method
    span.updateAttributes { attributes in
      attributes["http.request.method"] = method
      attributes["http.route"] = route
      attributes["http.response.status_code"] = status
    }
    if status >= 500 { span.setStatus(SpanStatus(code: .error)) }
  }
}

/// Reads the header fields in which a client's tracer says which of its spans a request belongs to.
struct TraceHeaders: Extractor {
  func extract(key: String, from headers: TransportHeaders) -> String? { headers[key] }
}
