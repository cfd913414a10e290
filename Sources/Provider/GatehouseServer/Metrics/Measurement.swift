import CoreMetrics
import GatehouseHTTP
import GatehouseQueues
import Tracing

/// Measures a server's answers. Labels are routes, known methods, and the server's own words. No value chosen by a
/// client becomes a label, so their number is bounded.
struct Measurement: Sendable {
  private let factory: any MetricsFactory
  private let methods: Set<String>
  /// The metrics that the factory has made. Letting it find a metric by its labels takes longer than counting.
  private let made = Lock(Figures())

  private struct Figures: Sendable {
    var answers: [Place: (count: Counter, seconds: Recorder)] = [:]
    var refusals: [String: Counter] = [:]
  }

  private struct Place: Hashable, Sendable {
    let method: String
    let route: String
    let status: Int
  }

  init(_ factory: any MetricsFactory, methods: Set<String>) {
    self.factory = factory
    self.methods = methods
  }

  /// Counts an answer, and records its duration.
  ///
  /// - Parameters:
  ///   - method: the request's method.
  ///   - route: the route's pattern; `nil` for a request without a route.
  ///   - response: the answer.
  ///   - refusal: the error code of the refusal, if it is one.
  ///   - seconds: the duration in seconds.
  func count(_ method: String, _ route: String?, _ response: ServerResponse, refusal: String?, seconds: Double) {
    let figures = figures(
      of: Place(
        method: methods.contains(method) ? method : "OTHER", route: route ?? "none", status: response.status))
    figures.count.increment()
    figures.seconds.record(seconds)
    guard let refusal else { return }
    counter(of: refusal).increment()
  }

  private func figures(of place: Place) -> (count: Counter, seconds: Recorder) {
    if let figures = made.withLock({ $0.answers[place] }) { return figures }
    // Not under the lock, because the factory is the app's code.
    let labels = [("method", place.method), ("route", place.route)]
    let figures = (
      count: Counter(
        label: "gatehouse_http_requests_total", dimensions: labels + [("status", String(place.status))],
        factory: factory),
      seconds: Recorder(
        label: "gatehouse_http_request_duration_seconds", dimensions: labels, aggregate: true, factory: factory)
    )
    made.withLock { $0.answers[place] = figures }
    return figures
  }

  private func counter(of refusal: String) -> Counter {
    if let counter = made.withLock({ $0.refusals[refusal] }) { return counter }
    let counter = Counter(label: "gatehouse_refusals_total", dimensions: [("reason", refusal)], factory: factory)
    made.withLock { $0.refusals[refusal] = counter }
    return counter
  }
}

extension Measurement {
  /// Names the span of a request, by OpenTelemetry's conventions for servers.
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

/// Reads the header fields in which a client's tracer names the parent span of a request.
struct TraceHeaders: Extractor {
  /// Several lines are one list (RFC 9110 §5.3), which `traceparent` cannot be: its reader refuses it.
  func extract(key: String, from headers: TransportHeaders) -> String? {
    let values = headers.values(of: key)
    return values.isEmpty ? nil : values.joined(separator: ",")
  }
}
