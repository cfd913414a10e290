public import CoreMetrics
import GatehouseQueues

/// Stores the metrics of swift-metrics, and writes them in Prometheus's text format.
///
/// `ServerOptions.metrics` makes a server record its metrics in one. A program may also pass it to
/// `MetricsSystem.bootstrap`, so that other libraries' metrics are in the same text. Memory is bounded: at most
/// `maximumSeries` series are kept, and further ones are dropped. Usable from any thread.
public final class PrometheusMetrics: MetricsFactory {
  /// The maximum number of series, each a name with the values of its labels.
  public static let maximumSeries = 10_000

  private struct State {
    var families: [String: Family] = [:]
    var count = 0
  }

  private struct Family {
    let kind: String
    var series: [[Label]: any Series] = [:]
  }

  private let state = Lock(State())

  /// Makes an empty set of metrics.
  public init() {}

  /// Returns all metrics in Prometheus's text format 0.0.4, with families and series sorted by name.
  public func text() -> String {
    let families = state.withLock { $0.families }
    return families.sorted { $0.key < $1.key }.map { name, family in
      "# TYPE \(name) \(family.kind)\n"
        + family.series.sorted { Label.text($0.key) < Label.text($1.key) }
        .map { labels, series in series.lines(name, labels) }.joined()
    }.joined()
  }

  /// Returns the series of a name and labels, which is made at its first use. A metric of another kind under the same
  /// name is dropped.
  private func series<S: Series>(_ label: String, _ dimensions: [(String, String)], _ make: () -> S) -> S {
    let name = Label.name(label)
    let labels = dimensions.map { Label(name: Label.name($0.0), value: $0.1) }.sorted { $0.name < $1.name }
    return state.withLock { state in
      if let found = state.families[name]?.series[labels] { return found as? S ?? make() }
      let made = make()
      guard state.count < Self.maximumSeries, state.families[name].map({ $0.kind == S.kind }) ?? true else {
        return made
      }
      state.count += 1
      state.families[name, default: Family(kind: S.kind)].series[labels] = made
      return made
    }
  }

  // MARK: MetricsFactory

  /// Makes a sum that only grows.
  ///
  /// - Parameters:
  ///   - label: the metric's name.
  ///   - dimensions: the names and values of its labels.
  public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    series(label, dimensions) { SumSeries() }
  }

  /// Makes a sum of numbers with fractions.
  ///
  /// - Parameters:
  ///   - label: the metric's name.
  ///   - dimensions: the names and values of its labels.
  public func makeFloatingPointCounter(
    label: String, dimensions: [(String, String)]
  ) -> any FloatingPointCounterHandler {
    series(label, dimensions) { SumSeries() }
  }

  /// Makes a value that goes up and down.
  ///
  /// - Parameters:
  ///   - label: the metric's name.
  ///   - dimensions: the names and values of its labels.
  public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    series(label, dimensions) { LevelSeries() }
  }

  /// Makes a histogram, or a latest value.
  ///
  /// - Parameters:
  ///   - label: the metric's name.
  ///   - dimensions: the names and values of its labels.
  ///   - aggregate: whether to make a histogram.
  public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    if aggregate { return series(label, dimensions) { HistogramSeries() } }
    return series(label, dimensions) { LevelSeries() }
  }

  /// Makes a histogram of seconds.
  ///
  /// - Parameters:
  ///   - label: the metric's name.
  ///   - dimensions: the names and values of its labels.
  public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    series(label, dimensions) { HistogramSeries() }
  }

  // Prometheus expects a series to remain once it was exported.

  /// Keeps the metric.
  ///
  /// - Parameter handler: a handler that one of the functions above has made.
  public func destroyCounter(_ handler: any CounterHandler) {}
  /// Keeps the metric.
  ///
  /// - Parameter handler: a handler that one of the functions above has made.
  public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
  /// Keeps the metric.
  ///
  /// - Parameter handler: a handler that one of the functions above has made.
  public func destroyMeter(_ handler: any MeterHandler) {}
  /// Keeps the metric.
  ///
  /// - Parameter handler: a handler that one of the functions above has made.
  public func destroyRecorder(_ handler: any RecorderHandler) {}
  /// Keeps the metric.
  ///
  /// - Parameter handler: a handler that one of the functions above has made.
  public func destroyTimer(_ handler: any TimerHandler) {}
}
