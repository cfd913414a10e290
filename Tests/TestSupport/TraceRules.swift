package import GatehouseBase

/// Reads a trace back, and says where it breaks the rules of the trace-event format: times are sane, complete events on
/// one track nest, asynchronous events pair, and tracks have names.
package struct TraceRules {
  /// A track of a process.
  private struct Track: Hashable { let process, thread: Int64 }
  /// What pairs two asynchronous events.
  private struct Pair: Hashable { let process: Int64, category: String, id: Int64, name: String }

  private var latest: Int64 = 0
  private var open: [Track: [(name: String, end: Int64)]] = [:]
  private var pairs: [Pair: Int] = [:]
  private var names: [Track: String] = [:]
  private var used: Set<Track> = []
  private var faults: [String] = []

  /// - Parameter trace: the text of a trace, an object with `traceEvents`.
  /// - Returns: what is wrong, one line each.
  package static func faults(in trace: JSONValue) -> [String] {
    guard let events = trace["traceEvents"]?.array else { return ["there are no traceEvents"] }
    var rules = TraceRules()
    for (index, event) in events.enumerated() { rules.read(event, "event \(index)") }
    for (pair, count) in rules.pairs where count != 0 { rules.faults.append("\(pair.name) \(pair.id) has no end") }
    let nameless = rules.used.filter { rules.names[$0] == nil && $0.thread != 0 }
    rules.faults += nameless.map { "track \($0.thread) has no name" }
    return rules.faults
  }

  private mutating func read(_ event: JSONValue, _ place: String) {
    guard let name = event["name"]?.string, let phase = event["ph"]?.string, let process = event["pid"]?.integer,
      let thread = event["tid"]?.integer
    else {
      faults.append("\(place) has no name, phase, process or track")
      return
    }
    let track = Track(process: process, thread: thread)
    guard let at = nanoseconds(event["ts"]), at >= 0 else {
      faults.append("\(place) has no time, or an impossible one")
      return
    }
    if phase == "M" {
      guard let given = event["args"]?["name"]?.string else { return faults.append("\(place) names nothing") }
      if name == "thread_name", names.updateValue(given, forKey: track) != nil {
        faults.append("track \(thread) has two names")
      }
      return
    }
    used.insert(track)
    if at < latest { faults.append("\(place) is earlier than the event before it") }
    latest = max(latest, at)
    switch phase {
    case "X": readComplete(event, name, at, track, place)
    case "b", "e": readPair(event, name, isBegin: phase == "b", process, place)
    case "i":
      if !["g", "p", "t"].contains(event["s"]?.string) { faults.append("\(place) has no scope") }
    default: faults.append("\(place) has the unknown phase \(phase)")
    }
  }

  private mutating func readComplete(_ event: JSONValue, _ name: String, _ at: Int64, _ track: Track, _ place: String) {
    guard let duration = nanoseconds(event["dur"]), duration >= 0 else {
      faults.append("\(place) has no duration, or an impossible one")
      return
    }
    var stack = open[track, default: []]
    while let last = stack.last, last.end <= at { stack.removeLast() }
    if let outer = stack.last, outer.end < at + duration {
      faults.append("\(place), \(name), outlasts \(outer.name) on its track")
    }
    stack.append((name, at + duration))
    open[track] = stack
  }

  private mutating func readPair(
    _ event: JSONValue, _ name: String, isBegin: Bool, _ process: Int64, _ place: String
  ) {
    guard let id = event["id"]?.integer, let category = event["cat"]?.string else {
      faults.append("\(place) has no id or no category")
      return
    }
    let pair = Pair(process: process, category: category, id: id, name: name)
    let count = pairs[pair, default: 0] + (isBegin ? 1 : -1)
    if !(0...1 ~= count) { faults.append("\(place): \(name) \(id) \(isBegin ? "begins twice" : "ends unbegun")") }
    pairs[pair] = count
  }

  /// The trace has microseconds; three digits behind the point are exact.
  private func nanoseconds(_ value: JSONValue?) -> Int64? {
    guard let microseconds = value?.double, microseconds.isFinite else { return nil }
    return Int64(exactly: (microseconds * 1_000).rounded())
  }
}
