public import CoreMetrics
import GatehouseQueues

/// Keeps what swift-metrics measures, and writes it in Prometheus's text format.
///
/// `ServerOptions.metrics` makes a server measure itself with one. A program may hand it to `MetricsSystem.bootstrap`
/// too, so that other libraries' figures are in the same text. Memory is bounded: no more than `maximumSeries` series
/// are kept, and further ones are dropped. Any thread.
public final class PrometheusMetrics: MetricsFactory {
  /// How many series, each a name with the values of its labels, are kept at most.
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

  /// Keeps nothing yet.
  public init() {}

  /// All figures, in Prometheus's text format 0.0.4: families and series in order of their names.
  public func text() -> String {
    let families = state.withLock { $0.families }
    return families.sorted { $0.key < $1.key }.map { name, family in
      "# TYPE \(name) \(family.kind)\n"
        + family.series.sorted { Label.text($0.key) < Label.text($1.key) }
        .map { labels, series in series.lines(name, labels) }.joined()
    }.joined()
  }

  /// The series of a name and labels, made at its first use. Another kind of figure under the same name is dropped.
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

  // MARK: What swift-metrics asks for

  /// A sum that only grows.
  ///
  /// - Parameters:
  ///   - label: the figure's name.
  ///   - dimensions: the names and values of its labels.
  public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    series(label, dimensions) { SumSeries() }
  }

  /// A sum of numbers with fractions.
  ///
  /// - Parameters:
  ///   - label: the figure's name.
  ///   - dimensions: the names and values of its labels.
  public func makeFloatingPointCounter(
    label: String, dimensions: [(String, String)]
  ) -> any FloatingPointCounterHandler {
    series(label, dimensions) { SumSeries() }
  }

  /// A value that goes up and down.
  ///
  /// - Parameters:
  ///   - label: the figure's name.
  ///   - dimensions: the names and values of its labels.
  public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    series(label, dimensions) { LevelSeries() }
  }

  /// A histogram, or the latest value.
  ///
  /// - Parameters:
  ///   - label: the figure's name.
  ///   - dimensions: the names and values of its labels.
  ///   - aggregate: whether it is a histogram.
  public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    if aggregate { return series(label, dimensions) { HistogramSeries() } }
    return series(label, dimensions) { LevelSeries() }
  }

  /// A histogram of seconds.
  ///
  /// - Parameters:
  ///   - label: the figure's name.
  ///   - dimensions: the names and values of its labels.
  public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    series(label, dimensions) { HistogramSeries() }
  }

  // Prometheus wants a series to stay once it was shown.

  /// Keeps the figure.
  ///
  /// - Parameter handler: what one of the functions above has made.
  public func destroyCounter(_ handler: any CounterHandler) {}
  /// Keeps the figure.
  ///
  /// - Parameter handler: what one of the functions above has made.
  public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
  /// Keeps the figure.
  ///
  /// - Parameter handler: what one of the functions above has made.
  public func destroyMeter(_ handler: any MeterHandler) {}
  /// Keeps the figure.
  ///
  /// - Parameter handler: what one of the functions above has made.
  public func destroyRecorder(_ handler: any RecorderHandler) {}
  /// Keeps the figure.
  ///
  /// - Parameter handler: what one of the functions above has made.
  public func destroyTimer(_ handler: any TimerHandler) {}
}
