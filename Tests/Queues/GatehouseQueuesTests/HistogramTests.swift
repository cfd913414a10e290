import GatehouseQueues
import Testing

struct HistogramTests {
  @Test(arguments: [1, 7, 8, 9, 100, 12_345, 987_654_321] as [Int64])
  func `a quantile is never below the duration, and at most an eighth above`(duration: Int64) {
    var histogram = Histogram()
    histogram.record(duration)
    histogram.record(Int64.max / 4)
    let median = histogram.quantile(0.5)
    #expect(median >= duration && Double(median) <= Double(duration) * 1.125)
  }

  @Test func `quantiles of a thousand even steps`() {
    var histogram = Histogram()
    for step in 1...1_000 { histogram.record(Int64(step) * 1_000) }
    #expect((500_000...563_000).contains(histogram.quantile(0.5)))
    #expect(histogram.quantile(1) == 1_000_000)
    #expect(histogram.count == 1_000)
  }

  @Test func `nonsense durations are counted and do not trap`() {
    var histogram = Histogram()
    histogram.record(-5)
    histogram.record(.max)
    #expect(histogram.count == 2)
  }
}
